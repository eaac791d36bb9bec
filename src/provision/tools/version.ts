/** Versions of tools, as they print them. */

/** The first `1.2.3` (or `1.2`) of a text; undefined when there is none. */
export function parseVersion(text: string): string | undefined {
  return /\b\d+\.\d+(?:\.\d+)*/.exec(text)?.[0];
}

/** Whether a version is at least another one, number by number: 1.16 is above 1.9. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [have, need] = [version, minimum].map((text) => text.split(".").map(Number));
  for (const [index, least] of (need ?? []).entries()) {
    const part = have?.[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
