/**
 * Where a series of numbers most likely changes: the energy statistic of E-divisive (Matteson and James 2014, "A
 * Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data"), with absolute differences as distances.
 */

/** Splits a stretch before `index`. */
export interface Candidate {
  readonly index: number;
  /** The statistic: larger means more different. */
  readonly q: number;
}

/** Sums of distances, computed once for each window. */
export interface Distances {
  readonly size: number;
  /** `upTo[j * (size + 1) + i]`: the sum of the distances of item j to the first i items. */
  readonly upTo: Float64Array;
}

export function distancesOf(values: readonly number[]): Distances {
  const size = values.length;
  const upTo = new Float64Array(size * (size + 1));
  for (let j = 0; j < size; j += 1) {
    const own = values[j] ?? 0;
    let sum = 0;
    for (let i = 0; i < size; i += 1) {
      sum += Math.abs(own - (values[i] ?? 0));
      upTo[j * (size + 1) + i + 1] = sum;
    }
  }
  return { size, upTo };
}

/**
 * The split of `start` to `end` (exclusive) with the largest statistic, over all splits and over all ends of its right side: a
 * later change must not hide an earlier one. Undefined for fewer than two items.
 */
export function bestSplit({ size, upTo }: Distances, start: number, end: number): Candidate | undefined {
  if (end - start < 2) return undefined;
  const between = (item: number, from: number, to: number) =>
    (upTo[item * (size + 1) + to] ?? 0) - (upTo[item * (size + 1) + from] ?? 0);
  let best: Candidate | undefined;
  // Sum of distances within start..split.
  let within = 0;
  for (let split = start + 1; split < end; split += 1) {
    within += between(split - 1, start, split - 1);
    const left = split - start;
    let across = 0;
    let right = 0;
    for (let stop = split + 1; stop <= end; stop += 1) {
      across += between(stop - 1, start, split);
      right += between(stop - 1, split, stop - 1);
      const q = energy({ left, right: stop - split, across, withinLeft: within, withinRight: right });
      if (best === undefined || q > best.q) best = { index: split, q };
    }
  }
  return best;
}

interface Sums {
  /** Items on each side. */
  readonly left: number;
  readonly right: number;
  readonly across: number;
  readonly withinLeft: number;
  readonly withinRight: number;
}

function energy({ left, right, across, withinLeft, withinRight }: Sums): number {
  const share = 2 / (left + right);
  const ownLeft = left > 1 ? (right / (left - 1)) * withinLeft : 0;
  const ownRight = right > 1 ? (left / (right - 1)) * withinRight : 0;
  return share * (across - ownLeft - ownRight);
}
