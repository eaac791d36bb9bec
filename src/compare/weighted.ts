/** The weighted mean of a row's pairs, and its uncertainty. Pairs that a noisy neighbour disturbed have small weights. */

/** One pair of one metric. */
export interface Weighed {
  /** log(head / base) */
  readonly logRatio: number;
  /** Of `logRatio`, expected from the pair's slices. */
  readonly variance: number;
}

export interface Centre {
  readonly mean: number;
  /** Squared standard error of the mean if every pair's variance is what was expected. */
  readonly variance: number;
  /** How much more the pairs differ than expected: 1 is as expected. */
  readonly scale: number;
  readonly df: number;
}

/** In standard deviations: a pair that lies beyond it counts as if it lay there (Huber 1964). */
const REACH = 2;
/** It converges fast: later steps change less than the digits that are shown. */
const STEPS = 5;

/**
 * The mean weighted by the inverse of each pair's variance, with a limited influence of outliers (Huber's M-estimator by
 * iteratively reweighted least squares, starting at the weighted median). Exchanging base and head changes the sign and
 * nothing else, so the weights favour neither side.
 * @param pairs at least two
 */
export function weightedCentre(pairs: readonly Weighed[]): Centre {
  let centre = weightedMedian(pairs);
  for (let step = 0; step < STEPS; step += 1)
    centre = weightedMean(pairs, (pair) => drawnIn(pair, centre) / pair.variance);
  const weights = pairs.map((pair) => 1 / pair.variance);
  const df = pairs.length - 1;
  const squares = pairs.reduce((sum, { logRatio, variance }) => {
    return sum + Math.min(REACH ** 2, (logRatio - centre) ** 2 / variance);
  }, 0);
  return { mean: centre, variance: 1 / sum(weights), scale: squares / df, df };
}

function drawnIn({ logRatio, variance }: Weighed, centre: number): number {
  return Math.min(1, (REACH * Math.sqrt(variance)) / Math.abs(logRatio - centre));
}

function weightedMean(pairs: readonly Weighed[], weightOf: (pair: Weighed) => number): number {
  const weights = pairs.map(weightOf);
  return pairs.reduce((total, { logRatio }, i) => total + (weights[i] ?? 0) * logRatio, 0) / sum(weights);
}

/** Half of the weight lies on each side of it. */
function weightedMedian(pairs: readonly Weighed[]): number {
  const sorted = [...pairs].sort((a, b) => a.logRatio - b.logRatio);
  const half = sum(sorted.map(({ variance }) => 1 / variance)) / 2;
  let below = 0;
  for (const { logRatio, variance } of sorted) {
    below += 1 / variance;
    if (below >= half) return logRatio;
  }
  return 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
