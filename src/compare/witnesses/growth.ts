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

/**
 * Growth per chunk: the median slope between two samples (Theil 1950, Sen 1968), of those that are near each other. A single
 * step, an arena that the allocator gets once, lies between 38 % of these at the most, so that the median does not see it; of
 * all pairs of samples it can lie between more than half. Undefined with too few samples.
 */
export function growthPerChunk(samples: readonly number[]): number | undefined {
  const steady = plateau(samples);
  const reach = Math.max(1, Math.floor(steady.length * REACH_SHARE));
  const slopes = steady.flatMap((from, i) =>
    steady.slice(i + 1, i + 1 + reach).map((to, distance) => (to - from) / (distance + 1)),
  );
  return slopes.length === 0 ? undefined : median(slopes);
}
