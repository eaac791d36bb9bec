/** Which cases were measured in pairs. */
import type { CompletedCase } from "./schema.js";

/** A row without a base has one window. */
export function isFromPairs({ slices }: Pick<CompletedCase, "slices">): boolean {
  return slices.length > 1;
}
