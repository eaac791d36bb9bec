/** The uncertainty of a counted share. */
import { betaQuantile } from "./distributions.js";

/** The exact interval of Clopper and Pearson (1934) for `hits` of `trials`. @param level such as 0.95 */
export function clopperPearson(hits: number, trials: number, level = 0.95): readonly [number, number] {
  const tail = (1 - level) / 2;
  return [
    hits === 0 ? 0 : betaQuantile(tail, hits, trials - hits + 1),
    hits === trials ? 1 : betaQuantile(1 - tail, hits + 1, trials - hits),
  ];
}
