/** Decides when a server is warm, from the throughputs of its warm-up steps. */

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

/** If requests take more than this share of the window, cutting off the last ones would distort the count: wait for them. */
const SLOW_SHARE = 0.05;

export function needsWaiting(meanLatencyMs: number, windowSec: number): boolean {
  return meanLatencyMs / 1000 > SLOW_SHARE * windowSec;
}
