/** How many requests a window has, and when a process has counted enough windows. */

/** The first requests of a process: they show how much work a request is. */
export const SIZING_REQUESTS = 10;
/** Of a window: some 0.8 s below Valgrind. */
const WINDOW_INSTRUCTIONS = 6e7;
/** Of a window whose requests wait. */
const WINDOW_SEC = 6;
const REQUESTS_MAX = 1000;
const REQUESTS_MIN = 2;

/** A process counts these, after it has settled. */
export const COUNTED_WINDOWS = 4;
/** A server whose windows still differ then is counted as it is. */
export const WINDOWS_MAX = 10;
/** Windows of one process of uvicorn, granian and gunicorn differ by 0.05 to 0.4 % (standard deviation). */
const STEADY = 0.01;

/** What a request costs below Valgrind. */
export interface RequestCost {
  readonly instructions: number;
  /** Wall time. */
  readonly seconds: number;
}

/** A number of the series 1, 2, 5: two processes that differ a little give the same one. */
export function requestsPerWindow({ instructions, seconds }: RequestCost): number {
  const most = Math.min(WINDOW_INSTRUCTIONS / Math.max(1, instructions), WINDOW_SEC / Math.max(1e-6, seconds));
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [5, 2, 1].find((factor) => factor * power <= most) ?? 1;
  return Math.min(REQUESTS_MAX, Math.max(REQUESTS_MIN, Math.floor(step * power)));
}

/** Whether the last windows lie within 1 % of their largest. */
export function areSteady(windows: readonly number[]): boolean {
  const last = windows.slice(-COUNTED_WINDOWS);
  if (last.length < COUNTED_WINDOWS) return false;
  const largest = Math.max(...last);
  return largest - Math.min(...last) <= STEADY * largest;
}
