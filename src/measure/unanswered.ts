/** Connections without an answer: a load generator drops their requests at the end of the window, and counts them nowhere. */
import { asksForWebsocket } from "../plan/request.js";
import type { Load, Measured } from "./generators/contract.js";

/** With fewer, requests that were cut off at the end may be all of it. */
const SHARE_MIN = 0.1;
/** More, and the figures are those of a few connections. */
const SHARE_MAX = 0.5;
/** In a shorter window a stall of the machine looks the same. */
export const SECONDS_MIN = 1;
/** A kind of failure. */
export const NO_ANSWER = "no answer";

type Asked = Pick<
  Load,
  "request" | "connections" | "waitOngoing" | "ratePerSec" | "open" | "requests" | "closes" | "http" | "timeoutSec"
>;
type Seen = Pick<Measured, "seconds" | "requests" | "failures" | "latencyMs">;

/**
 * In a closed loop every connection always waits for an answer, so throughput times latency is their number (Little's law). What it lacks
 * are connections that waited for the whole window. Requests that were cut off are taken to be as old as one in a hundred: one stall would hide them.
 */
export function connectionsWithoutAnswer({ seconds, requests, failures, latencyMs }: Seen, load: Asked): number {
  const paced =
    load.waitOngoing || load.ratePerSec !== undefined || load.open !== undefined || load.requests !== undefined;
  if (paced || load.closes || load.http !== 1 || latencyMs === undefined || seconds <= 0) return 0;
  // A round of messages has pauses.
  if (asksForWebsocket(load.request)) return 0;
  const { timeout = 0 } = failures.byKind;
  const slowSec = latencyMs.p99 / 1000;
  const waitedSec =
    (requests * latencyMs.mean) / 1000 + timeout * load.timeoutSec + (failures.total - timeout) * slowSec;
  const cutOff = load.connections * Math.min(1, slowSec / seconds);
  const without = Math.floor(load.connections - waitedSec / seconds - cutOff);
  return without >= SHARE_MIN * load.connections ? without : 0;
}

export function mostWithoutAnswer(seen: Seen, load: Asked): boolean {
  return connectionsWithoutAnswer(seen, load) > SHARE_MAX * load.connections;
}
