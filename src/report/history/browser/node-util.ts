/** For the page: the functions of node:util that code shared with Node uses. `npm run build` replaces node:util by this file. */

/** Of plain values: texts, numbers, lists and records. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [own, other] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    own.length === other.size && own.every(([key, value]) => other.has(key) && isDeepStrictEqual(value, other.get(key)))
  );
}

/** Sequences of a terminal. */
export function stripVTControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  return text.replace(/[\u001B\u009B](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])?/g, "");
}
