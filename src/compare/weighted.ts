/** The weighted centre of a row's pairs, and its uncertainty. Pairs that a noisy neighbour disturbed have small weights. */
import type { Scale } from "./prior.js";

/** One pair of one metric. */
export interface Weighed {
  /** log(head / base) */
  readonly logRatio: number;
  /** Of `logRatio`, expected from the pair's slices. */
  readonly variance: number;
}

/** `scale`: how much more the pairs differ than expected; 1 is as expected. */
export interface Centre extends Scale {
  readonly mean: number;
  /** Squared standard error of the mean if every pair's variance is what was expected. */
  readonly variance: number;
  /** In the order of the pairs; their weighted mean is `mean`. They add up to 1. */
  readonly weights: readonly number[];
}

/** In units of the estimated scale: a pair that lies beyond it counts as if it lay there. */
const REACH = 2;
/** E[min(REACH^2, z^2)] of the standard normal distribution: makes the scale of normal pairs right. */
const CONSISTENCY = 0.920537;
/** Pairs that agree to the last digit have a scale too. */
const SCALE_MIN = 1e-6;
const STEPS = 200;
const PRECISION = 1e-10;

/**
 * Huber's Proposal 2: centre and scale are estimated together, so that an outlier is judged by the noise that the pairs show
 * and not by the noise that was assumed (Huber and Ronchetti, Robust Statistics, 2nd edition, sections 6.4 and 7.7). The
 * pairs are weighted by the inverse of their expected variances. Exchanging base and head changes the sign and nothing else.
 * @param pairs at least two
 */
export function weightedCentre(pairs: readonly Weighed[]): Centre {
  const df = pairs.length - 1;
  let mean = weightedMedian(pairs);
  let scale = scaleOf(squaredResiduals(pairs, mean), df);
  for (let step = 0; step < STEPS; step += 1) {
    const before = { mean, scale };
    mean = weightedMean(pairs, drawnIn(pairs, mean, scale));
    scale = scaleOf(capped(pairs, mean, scale), df);
    const sd = Math.sqrt(1 / sum(pairs.map(({ variance }) => 1 / variance)));
    if (Math.abs(mean - before.mean) <= PRECISION * sd && Math.abs(scale - before.scale) <= PRECISION * scale) break;
  }
  const weights = drawnIn(pairs, mean, scale);
  const total = sum(weights);
  return {
    mean: weightedMean(pairs, weights),
    variance: 1 / sum(pairs.map(({ variance }) => 1 / variance)),
    scale: squaredError(pairs, mean, scale),
    df,
    weights: weights.map((weight) => weight / total),
  };
}

function scaleOf(squares: readonly number[], df: number): number {
  return Math.max(SCALE_MIN, Math.sqrt(sum(squares) / (df * CONSISTENCY)));
}

/**
 * The squared scale that the standard error is made from: the capped squares over the share of pairs within reach, squared,
 * with the correction for few pairs (Huber and Ronchetti, equations 7.81 to 7.83). With all pairs within reach it is the
 * usual variance.
 */
function squaredError(pairs: readonly Weighed[], mean: number, scale: number): number {
  const inside = squaredResiduals(pairs, mean).filter((square) => square <= (REACH * scale) ** 2).length;
  const share = Math.max(inside, 1) / pairs.length;
  const correction = 1 + (1 - share) / (share * pairs.length);
  return ((correction / share) ** 2 * sum(capped(pairs, mean, scale))) / (pairs.length - 1);
}

function squaredResiduals(pairs: readonly Weighed[], mean: number): number[] {
  return pairs.map(({ logRatio, variance }) => (logRatio - mean) ** 2 / variance);
}

function capped(pairs: readonly Weighed[], mean: number, scale: number): number[] {
  return squaredResiduals(pairs, mean).map((square) => Math.min((REACH * scale) ** 2, square));
}

function drawnIn(pairs: readonly Weighed[], mean: number, scale: number): number[] {
  return pairs.map(({ logRatio, variance }) => {
    const distance = Math.abs(logRatio - mean);
    const reach = REACH * scale * Math.sqrt(variance);
    return (distance <= reach ? 1 : reach / distance) / variance;
  });
}

function weightedMean(pairs: readonly Weighed[], weights: readonly number[]): number {
  return pairs.reduce((total, { logRatio }, i) => total + (weights[i] ?? 0) * logRatio, 0) / sum(weights);
}

/** Half of the weight lies on each side of it; between two pairs, their middle. */
function weightedMedian(pairs: readonly Weighed[]): number {
  const ascending = [...pairs].sort((a, b) => a.logRatio - b.logRatio);
  return (lowerMedian(ascending) + lowerMedian(ascending.reverse())) / 2;
}

function lowerMedian(sorted: readonly Weighed[]): number {
  const half = sum(sorted.map(({ variance }) => 1 / variance)) / 2;
  let below = 0;
  for (const { logRatio, variance } of sorted) {
    below += 1 / variance;
    if (below >= half * (1 - PRECISION)) return logRatio;
  }
  return 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
