/** Whether the load generator was the limit: then the throughput is a lower bound of what the server can do. */
import type { Slice } from "../results/schema.js";
import type { CpuSplit } from "./machine/cpus.js";

/** From this share on the client is the limit: one oha thread sends less than a fast server can answer. */
const CLIENT_BUSY = 0.9;
/** With enough connections a server keeps at least one CPU busy; one GIL or one worker cannot use more. */
const SERVER_IDLE = 0.8;

/**
 * Client-bound: the client's CPUs are at least 90 % busy, or the server uses less than 80 % of one CPU although nothing
 * keeps it waiting. Where both share one CPU: the client uses more of it than the server.
 * @param mayIdle the app waits on purpose, or other processes took its CPU: then an idle server does not show that the client was too slow
 */
export function isClientBound(
  slices: readonly Slice[],
  cpus: Pick<CpuSplit, "client" | "shared">,
  mayIdle: boolean,
): boolean {
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  if (seconds === 0) return false;
  const clientCpu = slices.reduce((sum, slice) => sum + slice.clientCpuSec, 0) / seconds;
  const serverCpu = slices.reduce((sum, slice) => sum + slice.serverCpuSec, 0) / seconds;
  if (cpus.shared) return clientCpu > serverCpu;
  return clientCpu >= CLIENT_BUSY * cpus.client.length || (!mayIdle && serverCpu < SERVER_IDLE);
}
