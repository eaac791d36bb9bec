/** One pair of processes -> one figure per metric: which slices count, and the logarithm of head over base. */
import type { Pair, PairSlice } from "../results/comparison.js";
import { hasLatency, holdsRate, latencyOf, openSlices } from "./latency.js";
import type { PairedMetric } from "./metrics.js";

/**
 * A slice does not count when others took so much more CPU time (a share) than in the pair's median slice. Fixed
 * beforehand and blind to the result; a load that is always there touches both sides alike, so it voids nothing.
 * /proc/stat counts ticks of 10 ms: one tick of a 0.3 s slice on two CPUs is 1.7 % already.
 */
const STEAL_LIMIT = 0.05;
const OTHERS_LIMIT = 0.15;
/** Of the four slices of a side; with fewer the best one is no longer comparable with that of other pairs. */
const SLICES_MIN = 3;

type Read = Pick<PairedMetric, "name" | "better" | "percentile">;

type Side = PairSlice["side"];

function stolen({ stealShare = 0 }: PairSlice): number {
  return stealShare;
}

function others({ othersShare }: PairSlice): number {
  return othersShare;
}

/** The lower of the two middle values. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** Share of the CPU time of server and load generator that other processes took, where it is worth a word. */
export function otherLoad(pairs: readonly Pair[]): number | undefined {
  const share = median(pairs.flatMap((pair) => closedSlices(pair).map(others)));
  return share > OTHERS_LIMIT ? share : undefined;
}

/**
 * The slices of each side that count: as many of one as of the other, because the best of four lies above the best of
 * three. The last ones are left out, whatever they show.
 */
function validSlices(slices: readonly PairSlice[]): Readonly<Record<Side, readonly PairSlice[]>> {
  const limits = { steal: median(slices.map(stolen)) + STEAL_LIMIT, others: median(slices.map(others)) + OTHERS_LIMIT };
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
   * How far the median slice of a process lies from its best one; of the two processes the worse. A neighbour that
   * cannot be seen otherwise (no steal time, no other process) shows here, and whichever side is base.
   */
  readonly spread: number;
}

/** Those of a row, in the order of time; none of a latency where a side does not keep up with the rate. */
export function rowLogs(pairs: readonly Pair[], metric: Read): readonly PairLogs[] {
  if (metric.percentile !== undefined && !hasLatency(pairs)) return [];
  return pairs.flatMap((pair) => pairLogs(pair, metric) ?? []);
}

/**
 * The best slice of each side: neighbours only ever cost time, so noise is one-sided, and the best slice is nearest to
 * what the code needs. The more so for a p99, which one stall of the machine makes as long as itself. Undefined for a
 * pair that is void, or without a figure.
 */
export function pairLogs(pair: Pair, metric: Read): PairLogs | undefined {
  if (!isValid(pair) || (metric.percentile !== undefined && !holdsRate(pair))) return undefined;
  const { base, head } = validSlices(metric.percentile === undefined ? closedSlices(pair) : openSlices(pair));
  const [ofBase, ofHead] = [sideLogs(base, metric), sideLogs(head, metric)];
  const logs = { base: ofBase.best, head: ofHead.best, spread: Math.max(ofBase.spread, ofHead.spread) };
  return Object.values(logs).every(Number.isFinite) ? logs : undefined;
}

function sideLogs(slices: readonly PairSlice[], metric: Read): { readonly best: number; readonly spread: number } {
  const losses = slices
    .map((slice) => Math.log(figure(slice, metric)) * (metric.better === "higher" ? -1 : 1))
    .sort((a, b) => a - b);
  const [best = Number.NaN] = losses;
  const middle = (losses.length - 1) / 2;
  const median = ((losses[Math.floor(middle)] ?? best) + (losses[Math.ceil(middle)] ?? best)) / 2;
  return { best: metric.better === "higher" ? -best : best, spread: median - best };
}

function figure(slice: PairSlice, { name, percentile }: Read): number {
  if (percentile !== undefined) return latencyOf(slice, percentile) ?? Number.NaN;
  return name === "throughput" ? slice.requests / slice.seconds : slice.serverCpuSec / slice.requests;
}
