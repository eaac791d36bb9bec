/** A mean for figures that a neighbour only makes larger. */
import { mean } from "./moderated.js";

/**
 * Mean of the lowest values, one-sidedly trimmed: steadier than the lowest one alone, which rests on a single moment.
 * @param values at least one
 * @param share 0 to 1 of the values that count, rounded up
 */
export function lowestMean(values: readonly number[], share: number): number {
  const counted = Math.max(1, Math.ceil(share * values.length));
  return mean([...values].sort((a, b) => a - b).slice(0, counted));
}
