/** Whether the load generator was the limit: then the throughput is a lower bound of what the server can do. */
import type { Slice } from "../results/schema.js";
import type { CpuSplit } from "./machine/cpus.js";

/** From here on a closed loop waits for the client: one oha thread tops out below a fast server (measurement.md). */
const CLIENT_BUSY = 0.9;
/** A server under a sufficient closed loop keeps at least one CPU busy; a single GIL or worker cannot use more. */
const SERVER_IDLE = 0.8;

/**
 * Client-bound: the client's CPUs are at least 90 % busy, or the server uses less than 80 % of one CPU although nothing
 * keeps it waiting. Where both share one CPU: the client uses more of it than the server.
 * @param mayIdle the app waits on purpose, or other processes took its CPU: an idle server is then no sign
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
