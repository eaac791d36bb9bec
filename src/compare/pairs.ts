/** One pair of processes -> one figure per metric: which slices count, and the logarithm of head over base. */
import type { Pair, PairSlice } from "../results/comparison.js";
import type { Metric } from "./metrics.js";

/**
 * A slice does not count when others took so much more CPU time (a share) than in the pair's median slice. Fixed
 * beforehand and blind to the result; a load that is always there touches both sides alike, so it voids nothing.
 * /proc/stat counts ticks of 10 ms: one tick of a 0.3 s slice on two CPUs is 1.7 % already.
 */
const STEAL_LIMIT = 0.05;
const OTHERS_LIMIT = 0.15;
/** Of the four slices of a side; with fewer the best one is no longer comparable with that of other pairs. */
const SLICES_MIN = 3;

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
  const share = median(pairs.flatMap(({ slices }) => slices.map(others)));
  return share > OTHERS_LIMIT ? share : undefined;
}

/**
 * The slices of each side that count: as many of one as of the other, because the best of four lies above the best of
 * three. The last ones are left out, whatever they show.
 */
function validSlices({ slices }: Pair): Readonly<Record<Side, readonly PairSlice[]>> {
  const limits = { steal: median(slices.map(stolen)) + STEAL_LIMIT, others: median(slices.map(others)) + OTHERS_LIMIT };
  const isVoid = (slice: PairSlice) => stolen(slice) > limits.steal || others(slice) > limits.others;
  const of = (side: Side) => slices.filter((slice) => slice.side === side && !isVoid(slice));
  const [base, head] = [of("base"), of("head")];
  const count = Math.min(base.length, head.length);
  return { base: base.slice(0, count), head: head.slice(0, count) };
}

/** Whether enough slices of both sides are left; otherwise the pair is measured again. */
export function isValid(pair: Pair): boolean {
  return validSlices(pair).base.length >= SLICES_MIN;
}

/** Natural logarithms of a pair's figures. */
export interface PairLogs {
  readonly base: number;
  readonly head: number;
}

/**
 * The best slice of each side: neighbours only ever cost time, so noise is one-sided, and the best slice is nearest to
 * what the code needs. Undefined for a pair that is void, or without a figure.
 */
export function pairLogs(pair: Pair, metric: Pick<Metric, "name" | "better">): PairLogs | undefined {
  if (!isValid(pair)) return undefined;
  const { base, head } = validSlices(pair);
  const logs = { base: bestLog(base, metric), head: bestLog(head, metric) };
  return Number.isFinite(logs.base) && Number.isFinite(logs.head) ? logs : undefined;
}

function bestLog(slices: readonly PairSlice[], { name, better }: Pick<Metric, "name" | "better">): number {
  const figures = slices.map((slice) =>
    Math.log(name === "throughput" ? slice.requests / slice.seconds : slice.serverCpuSec / slice.requests),
  );
  return better === "higher" ? Math.max(...figures) : Math.min(...figures);
}
