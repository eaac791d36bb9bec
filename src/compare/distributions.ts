/**
 * Student's t, the F, the normal and the beta distribution: tails and quantiles.
 * Checked against SciPy to a relative error of 1e-9 (scripts/fixtures/make-statistics.py).
 */
import { incompleteBeta } from "./beta-function.js";

/** Above this square, the tail is less than most of one half. */
const CENTRE = 3;

/** P(T > t); small tails keep their relative precision. @param df degrees of freedom, above 0 */
export function studentUpperTail(t: number, df: number): number {
  // Both forms are the same integral (DLMF 8.17.4); each is exact where the other cancels.
  const square = t * t;
  const tail =
    square < CENTRE
      ? 0.5 * (1 - incompleteBeta(square / (df + square), 0.5, df / 2))
      : 0.5 * incompleteBeta(df / (df + square), df / 2, 0.5);
  return t >= 0 ? tail : 1 - tail;
}

/** P(T <= t). */
export function studentCdf(t: number, df: number): number {
  return studentUpperTail(-t, df);
}

/** A report asks for few different quantiles, many times; an evaluation for millions. */
const QUANTILES_MAX = 10_000;
const quantiles = new Map<string, number>();

/** The t with P(T <= t) = p. @throws RangeError for a p that is not between 0 and 1 */
export function studentQuantile(p: number, df: number): number {
  const key = `${p} ${df}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
  const value = symmetricQuantile(p, (t) => studentUpperTail(t, df));
  if (quantiles.size >= QUANTILES_MAX) quantiles.clear();
  quantiles.set(key, value);
  return value;
}

/** P(F > f) of the F distribution. @param above degrees of freedom of the numerator @param below of the denominator */
export function fisherUpperTail(f: number, above: number, below: number): number {
  return f <= 0 ? 1 : incompleteBeta(below / (below + above * f), below / 2, above / 2);
}

/** P(Z > z) of the standard normal distribution. */
export function normalUpperTail(z: number): number {
  const size = Math.abs(z);
  const tail = size < SERIES_END ? 0.5 - centralArea(size) : density(size) * millsRatio(size);
  return z >= 0 ? tail : 1 - tail;
}

/** P(Z <= z). */
export function normalCdf(z: number): number {
  return normalUpperTail(-z);
}

/** The z with P(Z <= z) = p. @throws RangeError for a p that is not between 0 and 1 */
export function normalQuantile(p: number): number {
  return symmetricQuantile(p, normalUpperTail);
}

/** The x with I_x(a, b) = p. @param p from 0 to 1 */
export function betaQuantile(p: number, a: number, b: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  let low = 0;
  let high = 1;
  // Halving reaches neighbouring doubles even near 0.
  while (true) {
    const middle = low + (high - low) / 2;
    if (middle === low || middle === high) return middle;
    if (incompleteBeta(middle, a, b) < p) low = middle;
    else high = middle;
  }
}

/** Below, the series needs few terms; above, the continued fraction does. */
const SERIES_END = 3;

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** P(0 < Z < z) by its power series (Abramowitz and Stegun 26.2.11). */
function centralArea(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; term > sum * Number.EPSILON; n += 1) {
    term *= (z * z) / (2 * n + 1);
    sum += term;
  }
  return density(z) * sum;
}

/** Tail over density by Laplace's continued fraction (Abramowitz and Stegun 26.2.14), from its far end. */
function millsRatio(z: number): number {
  let fraction = z;
  for (let n = 150; n >= 1; n -= 1) fraction = z + n / fraction;
  return 1 / fraction;
}

/** Solves upperTail(x) = 1 - p on the side of the smaller tail, where logarithms are nearly straight (Illinois rule). */
function symmetricQuantile(p: number, upperTail: (x: number) => number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`a probability is between 0 and 1, got ${p}`);
  if (p === 0.5) return 0;
  const goal = Math.log(Math.min(p, 1 - p));
  const distance = (x: number) => Math.log(upperTail(x)) - goal;
  let low = 0;
  let atLow = distance(low);
  let high = 1;
  let atHigh = distance(high);
  while (atHigh > 0) {
    [low, atLow] = [high, atHigh];
    high *= 2;
    atHigh = distance(high);
  }
  let x = high;
  for (let step = 0; step < 200 && high - low > high * 1e-14; step += 1) {
    x = (low * atHigh - high * atLow) / (atHigh - atLow);
    const at = distance(x);
    if (at === 0) break;
    if (at > 0) {
      [low, atLow] = [x, at];
      atHigh /= 2;
    } else {
      [high, atHigh] = [x, at];
      atLow /= 2;
    }
    if (Math.abs(at) < 1e-14) break;
  }
  return p < 0.5 ? -x : x;
}
