/** The plans of base and head -> the rows that both have, and those that cannot be compared. */
import { isDeepStrictEqual } from "node:util";
import type { PlannedRow } from "../plan/types.js";
import type { ApartRow } from "../results/comparison.js";

/** The same row of both sides, at the concurrency that it is compared at. */
export interface RowPair {
  readonly base: PlannedRow;
  readonly head: PlannedRow;
  readonly connections: number;
}

interface MatchedSides {
  readonly pairs: readonly RowPair[];
  /** Rows of head that are measured without base. */
  readonly alone: readonly PlannedRow[];
  readonly apart: readonly ApartRow[];
}

/** Rows are the same by their id. A row with several concurrencies is compared at its first one. */
export function matchSides(base: readonly PlannedRow[], head: readonly PlannedRow[]): MatchedSides {
  const before = new Map(base.map((row) => [row.id, row]));
  const ids = new Set(head.map((row) => row.id));
  const pairs: RowPair[] = [];
  const alone: PlannedRow[] = [];
  const apart: ApartRow[] = [];
  for (const row of head) {
    const other = before.get(row.id);
    const differing = other ? loadDifferences(other, row) : [];
    if (other && differing.length === 0) {
      pairs.push({ base: other, head: row, connections: concurrencyOf(row) });
      continue;
    }
    alone.push(row);
    apart.push(apartRow(row, other ? "not-comparable" : "new", other && `it differs in ${differing.join(", ")}`));
  }
  apart.push(...base.filter((row) => !ids.has(row.id)).map((row) => apartRow(row, "removed")));
  return { pairs, alone, apart };
}

function concurrencyOf(row: PlannedRow): number {
  return row.connections[0] ?? 1;
}

export function apartRow(row: PlannedRow, kind: ApartRow["kind"], reason?: string): ApartRow {
  const { id, title } = row;
  return { kind, id, connections: concurrencyOf(row), title, ...(reason !== undefined && { reason }) };
}

/** What makes it another row: another load, another interface, other knobs. Commands and packages are what is compared. */
function loadDifferences(base: PlannedRow, head: PlannedRow): string[] {
  const [before, after] = [loadOf(base), loadOf(head)];
  return (Object.keys(before) as (keyof typeof before)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
}

function loadOf(row: PlannedRow) {
  const { grpc, ...request } = row.request;
  return {
    server: row.server.name,
    interface: row.server.interface,
    knobs: row.knobs,
    request: { ...request, call: grpc?.call },
    HTTP: row.http,
    streams: row.streams,
    connections: concurrencyOf(row),
    generator: [row.generator, row.generatorThreads],
    timeout: row.timeoutSec,
    Python: row.environment.python,
  };
}
