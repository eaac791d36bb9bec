/** The idle connections of a case, and what each of them costs the server in memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../errors.js";
import type { PlannedRow } from "../plan/types.js";
import type { ServerProcess } from "../process/group.js";
import type { Summary } from "../results/schema.js";
import { IdleConnections } from "./idle-connections.js";
import { sampleMemory } from "./memory/sample.js";

const KIB_PER_MIB = 1024;
/** A server accepts some 10,000 connections in a second. */
const SETTLE_MS = 1000;

export interface HeldIdle extends Disposable {
  readonly state: "held";
  /** Undefined for a row without idle connections. */
  figures(): Summary["idle"];
}

interface Holding {
  readonly row: PlannedRow;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Opens the row's idle connections; the server's memory is read before and after that. */
export async function holdIdle(
  server: ServerProcess,
  { row, port, signal }: Holding,
): Promise<HeldIdle | { readonly state: "failed"; readonly reason: string; readonly log: undefined }> {
  const { idleConnections: count } = row;
  if (count === undefined) return { state: "held", figures: () => undefined, [Symbol.dispose]() {} };
  const before = sampleMemory(server.processes());
  let idle: IdleConnections;
  try {
    idle = await IdleConnections.open(count, port, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { state: "failed", reason: messageOf(error), log: undefined };
  }
  await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
  const grownMiB = sampleMemory(server.processes()).mib - before.mib;
  // What closed connections left behind belongs to no open one.
  const known = idle.open === count ? { kibPerConnection: Math.max(0, (grownMiB * KIB_PER_MIB) / count) } : {};
  return {
    state: "held",
    figures: () => ({ open: idle.open, ...known }),
    [Symbol.dispose]: () => idle[Symbol.dispose](),
  };
}

type Idling = Pick<PlannedRow, "idleConnections">;

/** A warning of a case: a server may close a connection that sends nothing. */
export function closedIdle({ idleConnections: count = 0 }: Idling, idle: Summary["idle"]): string[] {
  if (idle === undefined || idle.open === count) return [];
  return [`The server closed ${count - idle.open} of ${count} idle connections before the end.`];
}

/** Why a pair does not count: a side that closed its idle connections has less to do than the other one. */
export function pairClosedIdle({ idleConnections: count = 0 }: Idling, idle: Summary["idle"]): string | undefined {
  if (idle === undefined || idle.open === count) return undefined;
  return `the server closed ${count - idle.open} of ${count} idle connections during the pair: with fewer connections it has less to do, so it cannot be compared. Give it a longer time before it closes an idle connection`;
}
