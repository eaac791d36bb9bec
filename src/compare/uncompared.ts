/** Rows that cannot be compared, and why. */
import type { UncomparedRow } from "../results/comparison.js";

interface Row {
  readonly id: string;
  readonly title: string;
  /** Of several concurrencies the first one is named. */
  readonly connections: number | readonly number[];
}

/** The reason of a row that was still to come. */
export const ENDED_BEFORE = "the run ended before it";

export function uncomparedRow(
  { id, title, connections }: Row,
  kind: UncomparedRow["kind"],
  reason?: string,
): UncomparedRow {
  const [first = 1] = typeof connections === "number" ? [connections] : connections;
  return { kind, id, connections: first, title, ...(reason !== undefined && { reason }) };
}
