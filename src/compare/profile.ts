/** Samples of both sides -> the functions whose time differs by more than the sampling error. */
import { PROFILE_LINES_MAX, type ProfiledFunction } from "../results/profile.js";
import { isBeyondError, type SampledSides, timeDifference } from "./profile-difference.js";
import { countFunctions } from "./profile-functions.js";
import type { Stack } from "./profile-stacks.js";

/** Functions with fewer samples on both sides together can show no difference, and are not tested. */
const SAMPLES_MIN = 5;

/** Generated code can have names of any length. */
const NAME_CHARACTERS = 200;
const FILE_CHARACTERS = 500;

export interface SampledStacks {
  readonly base: readonly Stack[];
  readonly head: readonly Stack[];
}

/** @param stacks of threads that worked */
export function profiledFunctions(sides: SampledSides, stacks: SampledStacks): ProfiledFunction[] {
  const tested = countFunctions(stacks.base, stacks.head).filter(
    ({ baseSamples, headSamples }) => baseSamples + headSamples >= SAMPLES_MIN,
  );
  return tested
    .map(({ name, file, line, baseSamples, headSamples }) => ({
      name: name.slice(0, NAME_CHARACTERS),
      file: file.slice(0, FILE_CHARACTERS),
      ...(line === undefined ? {} : { line }),
      ...timeDifference(sides, { base: baseSamples, head: headSamples }, tested.length),
    }))
    .filter(isBeyondError)
    .sort((a, b) => Math.abs(b.differenceUs) - Math.abs(a.differenceUs))
    .slice(0, PROFILE_LINES_MAX);
}

export function samplesOf(stacks: readonly Stack[]): number {
  return stacks.reduce((sum, { samples }) => sum + samples, 0);
}
