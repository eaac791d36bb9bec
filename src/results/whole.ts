/** Whether a run measured all that it was asked for. */
import type { Results } from "./schema.js";

export function isWhole({ finishedAt, missing = [] }: Results["run"]): boolean {
  return finishedAt !== null && missing.length === 0;
}
