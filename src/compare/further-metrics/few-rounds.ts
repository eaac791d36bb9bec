/**
 * An effect of few rounds. Two or three rounds cannot show their own noise, so it is moved towards what rounds of the same kind
 * showed before (a scale of 1, worth some degrees of freedom: Smyth 2004, "Linear models and empirical Bayes methods").
 */
import { moderatedScale } from "../prior.js";
import type { Effect } from "../verdict.js";
import { type Weighed, weightedCentre } from "../weighted.js";

/** One round: a process of each side. */
export interface FurtherRound extends Weighed {
  /** The figures, in the metric's unit. */
  readonly base: number;
  readonly head: number;
}

const PRIOR = { scale: 1, df: 8 };

/** @param rounds at least two */
export function effectOfFew(rounds: readonly Weighed[]): Effect {
  const centre = weightedCentre(rounds);
  const { scale, df } = moderatedScale(centre, PRIOR);
  return { logRatio: centre.mean, standardError: Math.sqrt(scale * centre.variance), df };
}
