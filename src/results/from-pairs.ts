/** Which cases were measured in pairs. */
import type { CompletedCase } from "./schema.js";

/** A row without a base has one window; in pairs it has many slices, which are left out of a file that would be too large. */
export function isFromPairs({ slices }: Pick<CompletedCase, "slices">): boolean {
  return slices.length !== 1;
}
