/** Connections without an answer: a load generator drops their requests at the end of the window, and counts them nowhere. */
import { asksForWebsocket } from "../plan/request.js";
import type { LatencyMs } from "../results/schema.js";
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
  | "request"
  | "connections"
  | "seconds"
  | "waitOngoing"
  | "ratePerSec"
  | "open"
  | "requests"
  | "closes"
  | "http"
  | "timeoutSec"
>;
type Seen = Pick<Measured, "seconds" | "requests" | "failures" | "latencyMs">;

/** Connections of the load. */
interface Unanswered {
  /** They waited for the whole window. */
  readonly silent: number;
  /** Their requests ran out of time, which are failures already. */
  readonly timedOut: number;
}

const NONE: Unanswered = { silent: 0, timedOut: 0 };

/**
 * In a closed loop every connection always waits for an answer, so throughput times latency is their number (Little's law). What it lacks
 * are connections that waited for the whole window. Requests that were cut off are taken to be as old as one in a hundred: one stall would hide them.
 */
export function unansweredConnections({ seconds, requests, failures, latencyMs }: Seen, load: Asked): Unanswered {
  const paced = load.ratePerSec !== undefined || load.open !== undefined || load.requests !== undefined;
  if (paced || load.closes || load.http !== 1 || latencyMs === undefined || seconds <= 0) return NONE;
  // A round of messages has pauses.
  if (asksForWebsocket(load.request)) return NONE;
  if (load.waitOngoing) return { ...NONE, silent: enough(lateRequests(requests, latencyMs, load.seconds), load) };
  const { timeout = 0 } = failures.byKind;
  const slowSec = latencyMs.p99 / 1000;
  const timedOut = (timeout * load.timeoutSec) / seconds;
  const answered = ((requests * latencyMs.mean) / 1000 + (failures.total - timeout) * slowSec) / seconds;
  const cutOff = load.connections * Math.min(1, slowSec / seconds);
  const silent = Math.floor(load.connections - answered - timedOut - cutOff);
  return { silent: enough(silent, load), timedOut: Math.floor(timedOut) };
}

function enough(silent: number, { connections }: Pick<Load, "connections">): number {
  return silent >= SHARE_MIN * connections ? Math.min(silent, connections) : 0;
}

/**
 * Where the last answers are waited for, those of silent connections come after the window: at least as many requests took as long as it
 * as the percentiles say. Where the median is slow too, every answer is.
 */
function lateRequests(requests: number, latencyMs: LatencyMs, windowSec: number): number {
  const windowMs = 1000 * windowSec;
  if (latencyMs.p50 > windowMs / 2) return 0;
  const { p75, p90, p95, p99, p999 = 0 } = latencyMs;
  const shares = Object.entries({ 0.25: p75, 0.1: p90, 0.05: p95, 0.01: p99, 0.001: p999 });
  return Math.floor(requests * Math.max(0, ...shares.map(([share, ms]) => (ms >= windowMs ? Number(share) : 0))));
}

export function areMost({ silent, timedOut }: Unanswered, { connections }: Pick<Load, "connections">): boolean {
  return silent + timedOut > SHARE_MAX * connections;
}
