/** Names in a sentence: the first ones, and how many more there are. */

/** `a, b and 3 more` @param most more are counted, not named */
export function nameSome(names: readonly string[], most = 5): string {
  const more = names.length - most;
  const named = names.slice(0, most).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
