/** Memory after each chunk of requests -> how fast it grows. */
import { median } from "../median.js";

/** The rest of the warm-up: caches fill, the allocator gets its arenas. */
const WARM_UP_SHARE = 0.25;
/** Of the samples that count: how far two samples lie apart at most. */
const REACH_SHARE = 0.5;

/** Samples that count. */
export function plateau(samples: readonly number[]): readonly number[] {
  return samples.slice(Math.ceil(samples.length * WARM_UP_SHARE));
}

/** A jump that is this many times as large as the next largest is one of its own kind. */
const SINGLE_STEP_RATIO = 3;

/**
 * Growth per chunk: the median slope between two samples (Theil 1950, Sen 1968), of those that are near each other. A single
 * step, an arena that the allocator gets once, is left out: no slope is taken across it. Counted, it would move the median to
 * an upper quantile of the other slopes, and their noise would look like growth. Undefined with too few samples.
 */
export function growthPerChunk(samples: readonly number[]): number | undefined {
  const steady = plateau(samples);
  const step = singleStep(steady);
  const reach = Math.max(1, Math.floor(steady.length * REACH_SHARE));
  const slopes = steady.flatMap((from, i) =>
    steady
      .slice(i + 1, i + 1 + reach)
      .flatMap((to, distance) => (i < step && step <= i + distance + 1 ? [] : [(to - from) / (distance + 1)])),
  );
  return slopes.length === 0 ? undefined : median(slopes);
}

/** Index of the sample after the only step; infinite where there is none. */
function singleStep(samples: readonly number[]): number {
  const jumps = samples.slice(1).map((to, i) => Math.abs(to - (samples[i] ?? to)));
  const [largest, next] = jumps.toSorted((a, b) => b - a);
  if (largest === undefined || next === undefined || largest <= SINGLE_STEP_RATIO * next)
    return Number.POSITIVE_INFINITY;
  return jumps.indexOf(largest) + 1;
}
