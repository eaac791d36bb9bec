/** Twelve digits of a full SHA, for messages; another reference as it is. */
export function shortRef(ref: string): string {
  return /^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 12) : ref;
}
