/** Whether other work on the machine disturbed a window of load, and which of several windows counts. */
import type { Slice } from "../results/schema.js";
import type { Window, WindowOutcome } from "./window.js";

/** From this share of server's and client's CPUs on, other processes may have kept the server waiting. */
export const OTHERS_LIMIT = 0.1;
/** A hypervisor that takes more than this share of server's and load generator's CPUs shows in every figure. */
export const STEAL_LIMIT = 0.05;
/** A neighbour often goes within seconds; one that stays must not multiply the time of a run without end. */
const REPEATS_MAX = 3;

/** Shares (0 to 1) of CPU time that others took. */
export interface Disturbance {
  readonly others: number;
  readonly steal: number;
}

export function disturbanceOf({ slice, othersShare }: Pick<Window, "slice" | "othersShare">): Disturbance {
  return { others: othersShare, steal: slice.stealShare ?? 0 };
}

export function isDisturbed({ others, steal }: Disturbance): boolean {
  return others > OTHERS_LIMIT || steal > STEAL_LIMIT;
}

/** As multiples of what is allowed: the worse of both counts. */
function severity({ others, steal }: Disturbance): number {
  return Math.max(others / OTHERS_LIMIT, steal / STEAL_LIMIT);
}

interface Calmest {
  readonly window: Window;
  /** All windows that were measured. */
  readonly tried: number;
}

/**
 * Measures until a window is not disturbed, four times at the most; then the least disturbed one counts. The choice rests on
 * what others took, never on the server's figures.
 * @returns the first window's failure; a later one leaves the windows before it
 */
export async function calmestWindow(
  measure: () => Promise<WindowOutcome>,
): Promise<Calmest | Extract<WindowOutcome, { readonly state: "failed" }>> {
  const first = await measure();
  if (first.state === "failed") return first;
  let calmest = first;
  let tried = 1;
  while (isDisturbed(disturbanceOf(calmest)) && tried <= REPEATS_MAX) {
    const next = await measure();
    if (next.state === "failed") break;
    tried += 1;
    if (severity(disturbanceOf(next)) < severity(disturbanceOf(calmest))) calmest = next;
  }
  return { window: calmest, tried };
}

/** Two slices show a difference, but no spread. */
const SPREAD_SLICES_MIN = 3;

/** Relative standard deviation of the slices' throughput; undefined where there are too few. A slice without time has none. */
export function spreadOf(slices: readonly Slice[]): number | undefined {
  const rates = slices.flatMap(({ requests, seconds }) => (seconds > 0 ? [requests / seconds] : []));
  return rates.length < SPREAD_SLICES_MIN ? undefined : relativeDeviation(rates);
}

/** Standard deviation over the mean; undefined where the mean is no positive number. */
export function relativeDeviation(rates: readonly number[]): number | undefined {
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const squares = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0);
  return mean > 0 ? Math.sqrt(squares / (rates.length - 1)) / mean : undefined;
}
