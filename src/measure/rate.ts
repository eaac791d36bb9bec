/** Fixed rates, as shares of what a closed loop showed. */
import type { Slice } from "../results/schema.js";

/** oha's CPU time for a request at a fixed rate, over that in a closed loop: it wakes up for each (19 and 13 µs were measured). */
const CLIENT_COST = 1.5;
/** Digits of a rate: people read and copy it. */
const RATE_DIGITS = 3;

type ClosedLoop = Pick<Slice, "requests" | "seconds" | "clientCpuSec">;

/**
 * Requests per second that the server answered, or that the load generator can send by a clock, where that is less.
 * @param usable CPUs that the load generator can keep busy
 */
export function maximumRate({ requests, seconds, clientCpuSec }: ClosedLoop, usable: number): number {
  return Math.min(requests / seconds, (requests * usable) / (CLIENT_COST * clientCpuSec));
}

/** @param share 0 to 1 */
export function rateAt(share: number, maximum: number): number {
  return Number((share * maximum).toPrecision(RATE_DIGITS));
}
