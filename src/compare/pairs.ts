/** One pair of processes -> one figure per metric: which slices count, and the logarithm of head over base. */
import type { Pair, PairSlice } from "../results/comparison.js";
import { hasLatency, holdsRate, latencyOf, openSlices } from "./latency.js";
import { lowerMedian, median } from "./median.js";
import type { PairedMetric } from "./metrics.js";

/**
 * A slice is void when others took so much more CPU time (a share) than in the pair's median slice. The limits were fixed
 * beforehand and do not depend on the result. A constant load slows both sides alike, so it voids nothing.
 * /proc/stat counts ticks of 10 ms: one tick of a 0.3 s slice on two CPUs is 1.7 %.
 */
const STEAL_LIMIT = 0.05;
const OTHERS_LIMIT = 0.15;
/** Of the four slices of a side. With fewer, the best one is not comparable with that of other pairs. */
const SLICES_MIN = 3;

type Read = Pick<PairedMetric, "name" | "better" | "percentile">;

type Side = PairSlice["side"];

function stolen({ stealShare = 0 }: PairSlice): number {
  return stealShare;
}

function others({ othersShare }: PairSlice): number {
  return othersShare;
}

/** Share of the CPU time of server and load generator that other processes took; undefined where it is small. */
export function otherLoad(pairs: readonly Pair[]): number | undefined {
  const share = lowerMedian(pairs.flatMap((pair) => closedSlices(pair).map(others)));
  return share > OTHERS_LIMIT ? share : undefined;
}

/**
 * The slices of each side that count: the same number of both, because the best of four is better than the best of three.
 * The last ones of the longer side are left out, whatever their figures.
 */
function validSlices(slices: readonly PairSlice[]): Readonly<Record<Side, readonly PairSlice[]>> {
  const limits = {
    steal: lowerMedian(slices.map(stolen)) + STEAL_LIMIT,
    others: lowerMedian(slices.map(others)) + OTHERS_LIMIT,
  };
  const isVoid = (slice: PairSlice) => stolen(slice) > limits.steal || others(slice) > limits.others;
  const of = (side: Side) => slices.filter((slice) => slice.side === side && !isVoid(slice));
  const [base, head] = [of("base"), of("head")];
  const count = Math.min(base.length, head.length);
  return { base: base.slice(0, count), head: head.slice(0, count) };
}

/** Whether enough slices of both sides are left; otherwise the pair is measured again. */
export function isValid(pair: Pair): boolean {
  return validSlices(closedSlices(pair)).base.length >= SLICES_MIN;
}

function closedSlices({ slices }: Pair): readonly PairSlice[] {
  return slices.filter(({ open }) => open === undefined);
}

/** Natural logarithms of a pair's figures. */
export interface PairLogs {
  readonly base: number;
  readonly head: number;
  /**
   * Distance of a process's median slice from its best one; the larger one of the two processes. It shows a neighbour that
   * no counter reports (no steal time, no other process), whichever side it slows.
   */
  readonly spread: number;
}

/** Those of a row, in the order of time; none for latency where a side does not keep up with the rate. */
export function rowLogs(pairs: readonly Pair[], metric: Read): readonly PairLogs[] {
  if (metric.percentile !== undefined && !hasLatency(pairs)) return [];
  return pairs.flatMap((pair) => pairLogs(pair, metric) ?? []);
}

/**
 * The best slice of each side. Neighbours can only slow a slice down, so noise is one-sided, and the best slice is nearest
 * to what the code needs. This matters most for a p99, which a single stall of the machine raises to its own length.
 * Undefined for a pair that is void, or without a figure.
 */
export function pairLogs(pair: Pair, metric: Read): PairLogs | undefined {
  if (!isValid(pair) || (metric.percentile !== undefined && !holdsRate(pair))) return undefined;
  const { base, head } = validSlices(metric.percentile === undefined ? closedSlices(pair) : openSlices(pair));
  const [ofBase, ofHead] = [sideLogs(base, metric), sideLogs(head, metric)];
  const logs = { base: ofBase.best, head: ofHead.best, spread: Math.max(ofBase.spread, ofHead.spread) };
  return Object.values(logs).every(Number.isFinite) ? logs : undefined;
}

function sideLogs(slices: readonly PairSlice[], metric: Read): { readonly best: number; readonly spread: number } {
  const losses = slices.map((slice) => Math.log(figure(slice, metric)) * (metric.better === "higher" ? -1 : 1));
  const [best = Number.NaN] = [...losses].sort((a, b) => a - b);
  return { best: metric.better === "higher" ? -best : best, spread: median(losses) - best };
}

function figure(slice: PairSlice, { name, percentile }: Read): number {
  if (percentile !== undefined) return latencyOf(slice, percentile) ?? Number.NaN;
  return name === "throughput" ? slice.requests / slice.seconds : slice.serverCpuSec / slice.requests;
}
