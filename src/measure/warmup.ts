/** When a server is warm: a pure rule on the throughputs of its warm-up's steps. */

/** Steps that have to agree, and how closely: a step of one second scatters by some 2 to 5 % (measurement.md). */
export const STEADY_STEPS = 3;
const STEADY_TOLERANCE = 0.05;

/** Whether the last three steps' throughputs lie within 5 % of their largest. */
export function isSteady(requestsPerSec: readonly number[]): boolean {
  const last = requestsPerSec.slice(-STEADY_STEPS);
  if (last.length < STEADY_STEPS) return false;
  const largest = Math.max(...last);
  return largest > 0 && (largest - Math.min(...last)) / largest <= STEADY_TOLERANCE;
}

/** Requests slower than this share of the window would be cut off in numbers that count: they are waited for. */
const SLOW_SHARE = 0.05;

export function needsWaiting(meanLatencyMs: number, windowSec: number): boolean {
  return meanLatencyMs / 1000 > SLOW_SHARE * windowSec;
}
