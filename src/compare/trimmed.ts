/** The centre of a few values, some of which may be far off, and its standard error. */

/** Share that is cut off at each end (Yuen 1974; Wilcox, "Introduction to Robust Estimation", chapter 3). */
const TRIM = 0.2;

export interface Centre {
  readonly mean: number;
  /** Of one value: the squared standard error of the mean times the number of values. */
  readonly variance: number;
  readonly df: number;
}

/** The 20 % trimmed mean with Yuen's standard error. @param values at least three */
export function trimmedCentre(values: readonly number[]): Centre {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  const cut = Math.floor(TRIM * n);
  const kept = sorted.slice(cut, n - cut);
  const mean = average(kept);
  const [low = 0, high = 0] = [kept[0], kept.at(-1)];
  const winsorized = sorted.map((value) => Math.min(high, Math.max(low, value)));
  const centre = average(winsorized);
  const squares = winsorized.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return { mean, variance: (squares * n) / (kept.length * (kept.length - 1)), df: kept.length - 1 };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
