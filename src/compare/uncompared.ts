/** Rows that cannot be compared, and why. */
import type { UncomparedRow } from "../results/comparison.js";

interface Row {
  readonly id: string;
  readonly title: string;
  /** Of several concurrencies the first one is named. */
  readonly connections: number | readonly number[];
}

export function uncomparedRow(
  { id, title, connections }: Row,
  kind: UncomparedRow["kind"],
  reason?: string,
): UncomparedRow {
  const [first = 1] = typeof connections === "number" ? [connections] : connections;
  return { kind, id, connections: first, title, ...(reason !== undefined && { reason }) };
}
