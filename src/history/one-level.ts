/**
 * Whether a stretch has no split at all that the t-test accepts: then the search for the best one can be left out. This takes
 * time in proportion to the items, the search in proportion to their square, and most stretches have one level.
 */
import { studentQuantile } from "../compare/distributions.js";

/** A split so near to the level is left to the test itself: these sums are rounded otherwise. */
const ROUNDING = 1e-6;

/** Sums of the first i items and of their squares, around the mean of all: so near to zero, rounding is small. */
interface Moments {
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

export function momentsOf(values: readonly number[]): Moments {
  const size = values.length;
  const sums = new Float64Array(size + 1);
  const squares = new Float64Array(size + 1);
  let total = 0;
  for (const value of values) total += value;
  const mean = total / size;
  let [sum, square] = [0, 0];
  for (let i = 0; i < size; i += 1) {
    const distance = (values[i] ?? 0) - mean;
    sum += distance;
    square += distance * distance;
    sums[i + 1] = sum;
    squares[i + 1] = square;
  }
  return { sums, squares };
}

/** @param maxP two-sided, of the t-test in change-points.ts, whose variances are those of populations */
export function isOneLevel({ sums, squares }: Moments, start: number, end: number, maxP: number): boolean {
  const df = end - start - 2;
  if (df <= 0) return true;
  const critical = studentQuantile(1 - maxP / 2, df) ** 2 * (1 - ROUNDING);
  const [first, last] = [sums[start] ?? 0, sums[end] ?? 0];
  const [firstSquare, lastSquare] = [squares[start] ?? 0, squares[end] ?? 0];
  for (let split = start + 1; split < end; split += 1) {
    const [n, m] = [split - start, end - split];
    const [sum, square] = [sums[split] ?? 0, squares[split] ?? 0];
    const [left, right] = [(sum - first) / n, (last - sum) / m];
    const leftVariance = (square - firstSquare) / n - left * left;
    const rightVariance = (lastSquare - square) / m - right * right;
    const pooled = ((n - 1) * leftVariance + (m - 1) * rightVariance) / df;
    const difference = left - right;
    // Equal items leave nothing but rounding on both sides: the test itself decides.
    if (difference * difference >= critical * pooled * (1 / n + 1 / m)) return false;
  }
  return true;
}
