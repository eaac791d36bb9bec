/** Pairs whose sides took turns: four blocks, each with a slice of base and one of head at the same time. */
import type { Pair, PairSlice } from "../../src/results/comparison.js";

const BLOCKS = 4;
const REQUESTS_PER_SEC = 200_000;
/** Of granian, uvicorn, gunicorn and hypercorn on two CPUs, on average. */
const PAIR_SEC = 2.7;

/** A second under load with these requests, and one CPU second. */
export function turnsSlice(side: PairSlice["side"], requests: number, change: Partial<PairSlice> = {}): PairSlice {
  return { side, seconds: 1, requests, serverCpuSec: 1, othersShare: 0, turns: 16, ...change };
}

/** @param base requests of its slices, block by block @param head the same of head */
export function turnsPair(base: readonly number[], head: readonly number[]): Pair {
  const slices = base.flatMap((requests, i) => [turnsSlice("base", requests), turnsSlice("head", head[i] ?? 0)]);
  return { seconds: 4, slices };
}

export interface TurnsNoise {
  /** Standard deviation of a pair's log ratio, that of its blocks included. */
  readonly pairSd: number;
  /** Of one block's log ratio. */
  readonly blockSd: number;
}

/** As measured in turns of 20 ms: the noise within a pair is 0.64 %. */
export function turnsNoise(pairSd: number, blockSd = Math.min(pairSd, 0.0128)): TurnsNoise {
  return { pairSd, blockSd };
}

export interface Change {
  /** Logarithms of head over base. */
  readonly cpu: number;
  readonly throughput: number;
}

export const SAME: Change = { cpu: 0, throughput: 0 };

/** Head needs this much more CPU time per request. */
export function costs(share: number): Change {
  return { cpu: Math.log1p(share), throughput: -Math.log1p(share) };
}

/** The noise of throughput and of CPU per request is independent: two chances of a false verdict. */
export function noisyTurns(random: () => number, { pairSd, blockSd }: TurnsNoise, change: Change): Pair {
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const between = Math.sqrt(pairSd ** 2 - blockSd ** 2 / BLOCKS);
  const cpu = change.cpu + between * normal();
  const throughput = change.throughput + between * normal();
  const slices = Array.from({ length: BLOCKS }, () => {
    // What a neighbour takes, it takes from both sides of a block.
    const shared = Math.exp(0.02 * normal());
    const base = Math.round(REQUESTS_PER_SEC * shared);
    const head = Math.round(base * Math.exp(throughput + blockSd * normal()));
    const cpuSec = (head / REQUESTS_PER_SEC) * Math.exp(cpu + blockSd * normal());
    return [
      turnsSlice("base", base, { serverCpuSec: base / REQUESTS_PER_SEC }),
      turnsSlice("head", head, { serverCpuSec: cpuSec }),
    ];
  });
  return { seconds: PAIR_SEC, slices: slices.flat() };
}
