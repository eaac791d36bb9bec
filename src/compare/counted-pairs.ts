/** How many pairs count, and how long pairs took. */
import type { Pair } from "../results/comparison.js";
import { isValid } from "./slices.js";

/** Number of pairs that count. */
export function validPairs(pairs: readonly Pair[]): number {
  return pairs.filter(isValid).length;
}

/** Of all pairs, those that do not count included. */
export function totalSec(pairs: readonly { readonly seconds: number }[]): number {
  return pairs.reduce((sum, { seconds }) => sum + seconds, 0);
}
