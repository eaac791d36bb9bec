/** Pairs of sampled processes -> log(head / base) of their peak, and of the memory that 100,000 further requests lead to. */
import type { MemoryPair, MemorySide } from "../../results/further-metrics.js";
import type { FurtherRound } from "./few-rounds.js";
import { growthPerChunk, plateau } from "./growth.js";

/** Growth is given for this many requests. */
const GROWTH_REQUESTS = 100_000;

/** Standard deviation of the logarithm of a pair's peak: two processes of the same code. */
const PEAK_SD = 0.006;
/** MiB by which the growth over all samples of a process is uncertain: what an allocator gets and gives back in steps. */
const STEP_MIB = 0.15;

export function peakRounds(pairs: readonly MemoryPair[]): FurtherRound[] {
  return pairs.flatMap(({ base, head }) => {
    if (!base || !isSame(base, head) || base.peakMiB <= 0 || head.peakMiB <= 0) return [];
    const logRatio = Math.log(head.peakMiB / base.peakMiB);
    return [{ logRatio, variance: PEAK_SD ** 2, base: base.peakMiB, head: head.peakMiB }];
  });
}

/** @param requests of a chunk */
export function growthRounds(pairs: readonly MemoryPair[], requests: number): FurtherRound[] {
  return pairs.flatMap(({ base, head }) => {
    if (!base || !isSame(base, head) || base.peakMiB <= 0) return [];
    const [ofBase, ofHead] = [growthOf(base, requests), growthOf(head, requests)];
    if (ofBase === undefined || ofHead === undefined) return [];
    const later = Math.max(Number.EPSILON, base.peakMiB + Math.max(0, ofBase));
    const logRatio = Math.log1p(Math.max(-LOST_MOST, (ofHead - ofBase) / later));
    const chunks = Math.max(1, plateau(base.samplesMiB).length - 1);
    const noise = (STEP_MIB * GROWTH_REQUESTS) / (chunks * requests) / later;
    return [{ logRatio, variance: 2 * noise ** 2, base: ofBase, head: ofHead }];
  });
}

/** Memory cannot become negative. */
const LOST_MOST = 0.99;

/** MiB per 100,000 requests; undefined with too few samples. */
export function growthOf({ samplesMiB }: MemorySide, requests: number): number | undefined {
  const perChunk = growthPerChunk(samplesMiB);
  return perChunk === undefined ? undefined : (perChunk * GROWTH_REQUESTS) / requests;
}

/** Proportional and resident memory differ by what is shared. */
function isSame(base: MemorySide, head: MemorySide): boolean {
  return base.source === head.source;
}
