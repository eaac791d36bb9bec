/** Whether the load generator was the limit: then the throughput is a lower bound of what the server can do. */
import type { PlannedRow } from "../plan/types.js";
import type { Slice } from "../results/schema.js";
import type { CpuSplit } from "./machine/cpus.js";

/** From this share on the client is the limit: one oha thread sends less than a fast server can answer. */
const CLIENT_BUSY = 0.9;
/** With enough connections a server keeps at least one CPU busy; one GIL or one worker cannot use more. */
const SERVER_IDLE = 0.8;

export interface ClientCpus {
  /** How many the load generator can keep busy. */
  readonly usable: number;
  /** With the server. */
  readonly shared: boolean;
}

/** A thread uses one CPU at the most. The websocket client has a process for each CPU, whatever the row says. */
export function clientCpus(
  { generator, generatorThreads }: Pick<PlannedRow, "generator" | "generatorThreads">,
  { client, shared }: Pick<CpuSplit, "client" | "shared">,
): ClientCpus {
  const threads = generator === "websocket" ? undefined : generatorThreads;
  return { usable: Math.min(threads ?? client.length, client.length), shared };
}

/** The CPUs that the client can use are at least 90 % busy. */
function isClientBusy(slices: readonly Slice[], usable: number): boolean {
  return cpusOf(slices, "clientCpuSec") >= CLIENT_BUSY * usable;
}

/** How many CPUs these used. */
function cpusOf(slices: readonly Slice[], of: "clientCpuSec" | "serverCpuSec"): number {
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  return seconds === 0 ? 0 : slices.reduce((sum, slice) => sum + slice[of], 0) / seconds;
}

/**
 * Client-bound: the CPUs that the client can use are at least 90 % busy, or the server uses less than 80 % of one CPU although nothing
 * keeps it waiting. Where both share one CPU: the client uses more of it than the server.
 * @param mayIdle the app waits on purpose, or other processes took its CPU: then an idle server does not show that the client was too slow
 */
export function isClientBound(slices: readonly Slice[], { usable, shared }: ClientCpus, mayIdle: boolean): boolean {
  if (slices.every(({ seconds }) => seconds === 0)) return false;
  const serverCpu = cpusOf(slices, "serverCpuSec");
  if (shared) return cpusOf(slices, "clientCpuSec") > serverCpu;
  return isClientBusy(slices, usable) || (!mayIdle && serverCpu < SERVER_IDLE);
}
