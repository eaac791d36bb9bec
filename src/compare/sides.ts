/** The plans of base and head -> the rows that both have, and those that cannot be compared. */
import { isDeepStrictEqual } from "node:util";
import { requestsOf } from "../plan/requests-of.js";
import type { Body, PlannedRow, WeightedRequest } from "../plan/types.js";
import type { UncomparedRow } from "../results/comparison.js";
import { uncomparedRow } from "./uncompared.js";

/** The same row of both sides, at the concurrency that it is compared at. */
export interface RowPair {
  readonly base: PlannedRow;
  readonly head: PlannedRow;
  readonly connections: number;
  /** How head's scenario files start it otherwise than base's. */
  readonly started?: string | undefined;
}

/** Path of a file that a request sends as its body -> digest of its bytes. */
export type BodyDigests = ReadonlyMap<string, string>;

interface MatchedSides {
  readonly pairs: readonly RowPair[];
  /** Rows of head that are measured without base. */
  readonly alone: readonly PlannedRow[];
  readonly uncompared: readonly UncomparedRow[];
}

/**
 * Rows are matched by id. A row with several concurrencies is compared at the first one that both sides have: a verdict
 * takes a quarter of a minute or more, and each further concurrency would take as long again.
 */
export function matchSides(
  base: readonly PlannedRow[],
  head: readonly PlannedRow[],
  bodies: BodyDigests = new Map(),
): MatchedSides {
  const before = new Map(base.map((row) => [row.id, row]));
  const ids = new Set(head.map((row) => row.id));
  const pairs: RowPair[] = [];
  const alone: PlannedRow[] = [];
  const uncompared: UncomparedRow[] = [];
  for (const row of head) {
    const other = before.get(row.id);
    const connections = row.connections.find((count) => other?.connections.includes(count));
    const matched =
      other && connections === undefined
        ? notComparable(row, ["connections", ...loadDifferences(other, row, bodies)])
        : pairAt(other, row, connections ?? row.connections[0] ?? 1, bodies);
    if ("head" in matched) pairs.push(matched);
    else {
      alone.push(row);
      uncompared.push(matched);
    }
  }
  uncompared.push(...base.filter((row) => !ids.has(row.id)).map((row) => uncomparedRow(row, "removed")));
  return { pairs, alone, uncompared };
}

/** The same row of both sides at one concurrency, or why there is no such pair. */
export function pairAt(
  base: PlannedRow | undefined,
  head: PlannedRow,
  connections: number,
  bodies: BodyDigests,
): RowPair | UncomparedRow {
  if (!base) return uncomparedRow(head, "new");
  const differing = loadDifferences(base, head, bodies);
  return differing.length === 0 ? { base, head, connections } : notComparable(head, differing);
}

function notComparable(row: PlannedRow, differing: readonly string[]): UncomparedRow {
  return uncomparedRow(row, "not-comparable", `it differs in ${differing.join(", ")}`);
}

/** Identifies a row at one concurrency. */
export function pairKey({
  id,
  connections,
}: {
  readonly id: string;
  readonly connections?: number | undefined;
}): string {
  return JSON.stringify([id, connections]);
}

/** Rows with another load, interface or knobs are different rows. Commands and packages may differ: they are compared. */
function loadDifferences(base: PlannedRow, head: PlannedRow, bodies: BodyDigests): string[] {
  const [before, after] = [loadOf(base, bodies), loadOf(head, bodies)];
  return (Object.keys(before) as (keyof typeof before)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
}

function loadOf(row: PlannedRow, bodies: BodyDigests) {
  return {
    server: row.server.name,
    interface: row.server.interface,
    knobs: row.knobs,
    request: requestsOf(row).map(sentBy),
    "request body": requestsOf(row).map(({ request: { body } }) => bodyOf(body, bodies)),
    "keep-alive": row.closes,
    TLS: row.tls,
    rate: row.ratePerSec ?? row.rateShare,
    start: row.startup,
    "unix socket": row.socket,
    "idle connections": row.idleConnections,
    HTTP: row.http,
    streams: row.streams,
    generator: [row.generator, row.generatorThreads],
    timeout: row.timeoutSec,
    Python: row.environment.python,
  };
}

/** What is sent besides the body. What is expected of the answers is no load: each side has its own. */
function sentBy({ request: { grpc, body: _, expect: __, ...sent }, weight }: WeightedRequest) {
  return { ...sent, weight, call: grpc?.call };
}

/** Of a file its bytes: its path is each side's own. Files that the project makes have a name only. */
function bodyOf(body: Body | undefined, bodies: BodyDigests) {
  if (body?.kind !== "file") return body;
  return { file: (body.path !== undefined && bodies.get(body.path)) || body.name };
}
