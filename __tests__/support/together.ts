/** Pairs whose sides shared their time: a slice of each alone, and then five times one of base and one of head. */
import type { Pair, PairSlice } from "../../src/results/comparison.js";
import { standardNormal } from "./noise.js";

const BLOCKS = 5;
const REQUESTS_PER_SEC = 200_000;
/** Of granian, uvicorn, gunicorn and hypercorn on two CPUs, on average over a row's first eight; three of them have slices alone. */
const PAIR_SEC = 2.2;

/** A second under load with these requests, and one CPU second. */
export function togetherSlice(side: PairSlice["side"], requests: number, change: Partial<PairSlice> = {}): PairSlice {
  return { side, seconds: 1, requests, serverCpuSec: 1, othersShare: 0, together: true, ...change };
}

/** A second alone, with these requests and this many CPU seconds. */
export function aloneSlice(side: PairSlice["side"], requests: number, serverCpuSec = 1): PairSlice {
  return { side, seconds: 1, requests, serverCpuSec, othersShare: 0, idleCpuSec: 0 };
}

/** Alone both sides are alike, and use the CPU time that both have together. */
function after(together: readonly PairSlice[], requests: number): PairSlice[] {
  return [aloneSlice("base", requests, 2), aloneSlice("head", requests, 2), ...together];
}

/** @param base requests of its slices together, one after the other @param head the same of head */
export function togetherPair(base: readonly number[], head: readonly number[]): Pair {
  const slices = base.flatMap((requests, i) => [togetherSlice("base", requests), togetherSlice("head", head[i] ?? 0)]);
  return { seconds: 4, slices: after(slices, 2000) };
}

export interface TogetherNoise {
  /** Standard deviation of a pair's log ratio, that of its blocks included. */
  readonly pairSd: number;
  /** Of one block's log ratio. */
  readonly blockSd: number;
}

/** The noise within a pair is 0.64 %. */
export function togetherNoise(pairSd: number, blockSd = Math.min(pairSd, 0.0128)): TogetherNoise {
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
export function noisyTogether(random: () => number, { pairSd, blockSd }: TogetherNoise, change: Change): Pair {
  const normal = () => standardNormal(random);
  const processes = Math.sqrt(pairSd ** 2 - blockSd ** 2 / BLOCKS);
  const cpu = change.cpu + processes * normal();
  const throughput = change.throughput + processes * normal();
  const together = Array.from({ length: BLOCKS }, () => {
    // What a neighbour takes, it takes from both sides of a block.
    const shared = Math.exp(0.02 * normal());
    const base = Math.round(REQUESTS_PER_SEC * shared);
    const head = Math.round(base * Math.exp(throughput + blockSd * normal()));
    const cpuSec = (head / REQUESTS_PER_SEC) * Math.exp(cpu + blockSd * normal());
    return [
      togetherSlice("base", base, { serverCpuSec: base / REQUESTS_PER_SEC }),
      togetherSlice("head", head, { serverCpuSec: cpuSec }),
    ];
  });
  return { seconds: PAIR_SEC, slices: after(together.flat(), REQUESTS_PER_SEC) };
}
