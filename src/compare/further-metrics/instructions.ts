/** Rounds of counted processes -> log(head / base) of each round, and how sure it is. */
import type { InstructionRound } from "../../results/further-metrics.js";
import { mean, variance } from "../moderated.js";
import type { FurtherRound } from "./few-rounds.js";

/**
 * Standard deviation of the logarithm of a round beyond what its windows show: two processes of the same code with one hash
 * seed. Measured with granian, uvicorn and gunicorn.
 */
const PROCESS_SD = 0.0015;

/**
 * Neighbouring windows of a process are alike: other load changes how often threads wait for each other, and lasts longer than a
 * window. 48 rounds of granian beside such load varied 3.6 times as much as independent windows would; 40 rounds without it, 0.6
 * times. Of 3000 rows drawn from the first ones, 1 is called changed between identical sides (with a value of 1: 20).
 */
const WINDOWS_PER_INDEPENDENT = 3;

/** Fewer windows do not show how much they vary: the largest standard deviation that was measured is assumed. */
const WINDOWS_MIN = 3;
const WINDOW_SD = 0.004;

export function instructionRounds(rounds: readonly InstructionRound[]): FurtherRound[] {
  return rounds.flatMap(({ base, head }) => {
    if (!base || base.length === 0 || head.length === 0) return [];
    const logs = { base: Math.log(mean(base)), head: Math.log(mean(head)) };
    if (![logs.base, logs.head].every(Number.isFinite)) return [];
    const spread = squaredError(base) + squaredError(head);
    return [
      { logRatio: logs.head - logs.base, variance: PROCESS_SD ** 2 + spread, base: mean(base), head: mean(head) },
    ];
  });
}

/** Of the mean of the windows, relative. */
function squaredError(windows: readonly number[]): number {
  const independent = windows.length / WINDOWS_PER_INDEPENDENT;
  if (windows.length < WINDOWS_MIN) return WINDOW_SD ** 2 / independent;
  return variance(windows) / independent / mean(windows) ** 2;
}
