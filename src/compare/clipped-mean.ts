/** A mean in which no value counts for more than a fixed distance. */
import { median } from "./median.js";
import { mean, variance } from "./moderated.js";

export interface ClippedMean {
  readonly mean: number;
  /** Of the clipped values. */
  readonly standardError: number;
}

const STEPS = 100;
const PRECISION = 1e-12;

/**
 * Huber's M-estimate of location with a fixed tuning constant: values farther than `reach` from the mean count as that far away
 * (P. J. Huber, Robust Estimation of a Location Parameter, 1964). It lies between the median and the mean.
 * @param values at least one
 */
export function clippedMean(values: readonly number[], reach: number): ClippedMean {
  let centre = median(values);
  let clipped = clip(values, centre, reach);
  for (let step = 0; step < STEPS && Math.abs(mean(clipped) - centre) > PRECISION; step += 1) {
    centre = mean(clipped);
    clipped = clip(values, centre, reach);
  }
  return { mean: centre, standardError: Math.sqrt(variance(clipped) / clipped.length) };
}

function clip(values: readonly number[], centre: number, reach: number): number[] {
  return values.map((value) => Math.max(centre - reach, Math.min(centre + reach, value)));
}
