/** Pairs with known noise, from a seed: slices that neighbours slow down, processes that differ for as long as they live. */
import type { PairedRow } from "../../src/compare/paired.js";
import { sliceOrder } from "../../src/measure/pairs/schedule.js";
import type { Pair } from "../../src/results/comparison.js";
import { standardNormal } from "./noise.js";

export interface PairNoise {
  /** Standard deviation of the logarithm of a process's speed. */
  readonly processSd: number;
  /** Of one slice around it. */
  readonly sliceSd: number;
  /** Share of the slices that a neighbour touched, and the most that it costs (logarithm). */
  readonly outliers: number;
  readonly outlierCost: number;
}

/** Two processes of the same code differ by about 1 %; one slice in twenty costs 22 to 56 % more CPU. */
export const MEASURED_NOISE: PairNoise = { processSd: 0.0071, sliceSd: 0.01, outliers: 0.05, outlierCost: 0.44 };

const REQUESTS_PER_SEC = 20_000;

/** @param cost of head's code over base's, logarithm: 0.03 needs 3 % more CPU time per request */
export function noisyPair(random: () => number, noise: PairNoise, cost = 0, number = 0): Pair {
  const normal = () => standardNormal(random);
  const processes = { base: noise.processSd * normal(), head: noise.processSd * normal() + cost };
  const slices = sliceOrder(number % 2 === 0 ? "base" : "head", 8).map((side) => {
    const touched = random() < noise.outliers ? noise.outlierCost * (0.5 + 0.5 * random()) : 0;
    const slow = Math.exp(processes[side] + noise.sliceSd * normal() + touched);
    // Throughput has noise of its own beside what the server needs.
    const waits = Math.exp(noise.sliceSd * Math.abs(normal()));
    const requests = Math.round((0.3 * REQUESTS_PER_SEC) / (slow * waits));
    return { side, seconds: 0.3, requests, serverCpuSec: (requests * slow) / REQUESTS_PER_SEC, othersShare: 0.01 };
  });
  return { seconds: 4.5, slices };
}

export function pairedRow(id: string, pairs: readonly Pair[], change: Partial<PairedRow> = {}): PairedRow {
  const title = id.split("/").at(-1) ?? id;
  return { id, connections: 64, title, pairs, clientBound: false, ended: false, notes: [], ...change };
}
