/** Counts and lists in a sentence. */

/** `1 row`, `2 rows` */
export function plural(count: number, noun: string, several = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : several}`;
}

/** `a`; `a and b`; `a, b and c` */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** `a, b and 3 more` @param most more are counted, not named */
export function nameSome(names: readonly string[], most = 5): string {
  const more = names.length - most;
  const named = names.slice(0, most).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
