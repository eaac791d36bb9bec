/** CPU time per request in base and in head, and the error of the difference, from counts of samples. */
import { normalQuantile } from "./distributions.js";

/** What was sampled of one side. */
interface SampledSide {
  /** Of threads that worked. */
  readonly samples: number;
  /** CPU time of the whole server per request, in microseconds. */
  readonly cpuPerRequestUs: number;
  /** Server processes that were started one after the other. */
  readonly processes: number;
}

export interface SampledSides {
  readonly base: SampledSide;
  readonly head: SampledSide;
}

export interface TimeDifference {
  readonly baseUs: number;
  readonly headUs: number;
  readonly differenceUs: number;
  /** Half of the interval of the difference. */
  readonly errorUs: number;
}

/** All intervals of a table hold at once with this confidence (Bonferroni). */
const CONFIDENCE = 0.95;
/** Two processes of the same code differ by about 1 % for as long as they live: memory layout (evaluation/README.md). */
const PROCESS_SD = 0.01;

/**
 * A side's time is its CPU time per request, times the share of its samples. The share is binomial; Agresti and Caffo (2000)
 * add a success and a failure to each side, so that the interval also holds where a function has no sample on one side.
 * @param counts of a function's samples @param functions that are tested together
 */
export function timeDifference(
  sides: SampledSides,
  counts: { readonly base: number; readonly head: number },
  functions: number,
): TimeDifference {
  const baseUs = timeOf(sides.base, counts.base);
  const headUs = timeOf(sides.head, counts.head);
  const z = normalQuantile(1 - (1 - CONFIDENCE) / (2 * Math.max(1, functions)));
  const variance = varianceOf(sides.base, counts.base) + varianceOf(sides.head, counts.head);
  return { baseUs, headUs, differenceUs: headUs - baseUs, errorUs: z * Math.sqrt(variance) };
}

function timeOf({ samples, cpuPerRequestUs }: SampledSide, count: number): number {
  return samples === 0 ? 0 : (cpuPerRequestUs * count) / samples;
}

function varianceOf({ samples, cpuPerRequestUs, processes }: SampledSide, count: number): number {
  const share = (count + 1) / (samples + 2);
  const ofShare = (share * (1 - share)) / (samples + 2);
  const ofProcesses = (share * PROCESS_SD) ** 2 / Math.max(1, processes);
  return cpuPerRequestUs ** 2 * (ofShare + ofProcesses);
}

export function isBeyondError({ differenceUs, errorUs }: Pick<TimeDifference, "differenceUs" | "errorUs">): boolean {
  return Math.abs(differenceUs) > errorUs;
}
