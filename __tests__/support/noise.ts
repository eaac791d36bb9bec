/** Runs with known noise, from a seed: what the statistics are tried on. */
import type { CompletedCase, Results } from "../../src/results/schema.js";
import { completed, resultsOf, sampleResults } from "./results.js";

export { seeded } from "../../evaluation/random.js";

/** One draw of noise with a standard deviation of 1. */
export type Noise = (random: () => number) => number;

/** One draw of the standard normal distribution. */
export function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/** Student's t with 4 degrees of freedom, scaled to a standard deviation of 1: one run in 150 is beyond 3 of them. */
export const heavyTailed: Noise = (random) => {
  const chiSquare = -2 * Math.log(random()) - 2 * Math.log(random());
  return standardNormal(random) / Math.sqrt(chiSquare / 4) / Math.SQRT2;
};

/** Quiet, but one run in twenty has a neighbour that costs it up to eight standard deviations, always the same way. */
export const neighbours: Noise = (random) => (random() < 0.05 ? -8 * random() : 0.7 * standardNormal(random));

export interface NoisyRun {
  readonly day: number;
  readonly rows: number;
  readonly random: () => number;
  readonly noise: Noise;
  /** Standard deviations of the logarithms of throughput and CPU per request. */
  readonly sd: readonly [number, number];
  /** Logarithm of this run's speed, the same for all rows. */
  readonly dayShift?: number;
  /** Logarithm of the change in speed, by row. */
  readonly change?: (row: number) => number;
  readonly caseOf?: (row: number) => Partial<CompletedCase>;
}

/** Every row of a run with throughput 10000 and 100 µs of CPU per request, times its noise. */
export function noisyRun(run: NoisyRun): Results {
  const cases = Array.from({ length: run.rows }, (_, row) => {
    const speed = (run.dayShift ?? 0) + (run.change?.(row) ?? 0);
    const throughput = 10_000 * Math.exp(speed + run.sd[0] * run.noise(run.random));
    const cpuPerRequestUs = 100 * Math.exp(-speed - run.sd[1] * run.noise(run.random));
    const result = completed(`interfaces/row-${row}`, `Row ${row}`, 64, throughput, { summary: { cpuPerRequestUs } });
    return { ...result, ...run.caseOf?.(row) };
  });
  const date = new Date(Date.UTC(2025, 0, run.day, 10)).toISOString();
  const sample = sampleResults().run;
  return resultsOf(cases, { run: { ...sample, id: `day-${run.day}`, startedAt: date, finishedAt: date } });
}
