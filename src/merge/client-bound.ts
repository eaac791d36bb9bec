/** Whether the load generator was the limit of a compared row. */
import { CLIENT_BOUND } from "../compare/row-notes.js";
import { pairKey } from "../compare/sides.js";
import type { ComparedRow } from "../results/comparison.js";
import type { Results } from "../results/schema.js";

export function isClientBound(results: Results): (row: ComparedRow) => boolean {
  const before = beforeTheField(results);
  return (row) => row.clientBound ?? before(row);
}

/**
 * For files that were written before rows had the field `clientBound`: their cases say it. The cases of a row that was
 * confirmed in pairs are those of the run before the pairs, so there the row's note says it.
 */
function beforeTheField({ cases }: Results): (row: ComparedRow) => boolean {
  const bound = cases.filter((result) => result.state === "completed" && result.summary.clientBound);
  const keys = new Set(bound.map(pairKey));
  return (row) => (row.confirmation ? (row.notes ?? []).includes(CLIENT_BOUND) : keys.has(pairKey(row)));
}
