/**
 * How far a run may lie from the runs before it. A few runs cannot estimate their variance well, so it is moved towards a
 * common one, as limma does for genes (Smyth 2004, "Linear models and empirical Bayes methods", equation for s-tilde).
 */
import type { Effect } from "./verdict.js";

/** The common variance counts as much as that of five runs. */
const PRIOR_DF = 4;
/** Fewer degrees of freedom over all rows together cannot estimate the common variance. */
const POOLED_DF_MIN = 4;
/** Runs have heavier tails than the normal distribution (neighbours), so even a long history gives no thinner tails. */
const TAIL_DF = 5;

/** One row's figures of one metric, as natural logarithms. */
export interface Observed {
  /** One per base run. */
  readonly base: readonly number[];
  readonly head: number;
}

/**
 * The common variance: the stated one, unless the rows' histories are noisier. Their mean is deliberately not robust: a
 * neighbour that disturbed one run will disturb others.
 */
export function priorVariance(usual: number, observed: readonly Observed[]): number {
  let df = 0;
  let squares = 0;
  for (const { base } of observed) {
    df += base.length - 1;
    squares += (base.length - 1) * variance(base);
  }
  return df >= POOLED_DF_MIN ? Math.max(usual, squares / df) : usual;
}

/** Head against the mean of its history; the standard error is that of a prediction, s * sqrt(1 + 1/m). */
export function predictionEffect({ base, head }: Observed, prior: number): Effect & { readonly sd: number } {
  const own = base.length - 1;
  const sd = Math.sqrt((PRIOR_DF * prior + own * variance(base)) / (PRIOR_DF + own));
  return {
    logRatio: head - mean(base),
    standardError: sd * Math.sqrt(1 + 1 / base.length),
    df: Math.min(PRIOR_DF + own, TAIL_DF),
    sd,
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of a sample; 0 for one value. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}
