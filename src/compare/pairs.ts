/** One pair of processes -> one figure per metric: the logarithms of base and head, and how sure they are. */
import type { Pair, PairSlice } from "../results/comparison.js";
import { hasLatency, holdsRate, latencyOf, openSlices } from "./latency.js";
import { median } from "./median.js";
import type { PairedMetric } from "./metrics.js";
import { mean, variance } from "./moderated.js";
import { remembered } from "./remembered.js";
import { aloneSlices, countingSlices, isValid, type SideSlices, sharing, validSlices } from "./slices.js";
import type { Weighed } from "./weighted.js";

/**
 * The error of a pair of best slices as a share of its spread. Fitted on 520 recorded pairs: where the median slice is 10 %
 * worse than the best one, the pair's ratio has a standard deviation of 4 %.
 */
const BEST_SHARE = 0.4;

export type Read = Pick<PairedMetric, "name" | "better" | "percentile" | "ofStart">;

/** Natural logarithms of a pair's figures. */
export interface PairLogs {
  readonly base: number;
  readonly head: number;
  /**
   * Interference that no counter reports (no steal time, no other process). Of shared time: the standard error of the slices' log
   * ratios. Best slices: the distance of a process's median slice from its best one, the larger one of the two processes.
   */
  readonly spread: number;
  /** Whether its sides shared their time. */
  readonly shared: boolean;
}

/** Those of a row, in the order of time; none for latency where a side does not keep up with the rate. */
export function rowLogs(pairs: readonly Pair[], metric: Read): readonly PairLogs[] {
  if (metric.percentile !== undefined && !hasLatency(pairs)) return [];
  if (metric.name === "throughput" && unevenShare(pairs) !== undefined)
    return pairs.flatMap((pair) => aloneLogs(pair, metric) ?? []);
  return pairs.flatMap((pair) => pairLogs(pair, metric) ?? []);
}

/** On logarithms, of the CPU time of both sides. In 32 recorded rows it was 0.01 at most. */
const UNEVEN = 0.05;

/**
 * log(head / base) of the CPU time that both used while both were loaded, where one clearly got more: it has more busy threads, or the
 * other one waits while it blocks. What they answered at the same time then says how they share a CPU, and not what each of them can do.
 */
export function unevenShare(pairs: readonly Pair[]): number | undefined {
  const shares = pairs.filter((pair) => sharing(pair) === "together").map(shareRatio);
  const share = shares.length === 0 ? 0 : median(shares);
  return Math.abs(share) > UNEVEN ? share : undefined;
}

const shareRatio: (pair: Pair) => number = remembered((pair: Pair) => {
  const { base, head } = countingSlices(pair);
  return (
    Math.log(Math.max(total(head).serverCpuSec, CPU_MIN_SEC)) -
    Math.log(Math.max(total(base).serverCpuSec, CPU_MIN_SEC))
  );
});

function aloneLogs(pair: Pair, metric: Read): PairLogs | undefined {
  const slices = validSlices(aloneSlices(pair));
  if (slices.base.length === 0) return undefined;
  const of = (side: readonly PairSlice[]) => mean(sliceLogs(side, metric));
  return { base: of(slices.base), head: of(slices.head), spread: 0, shared: true };
}

/** A pair's ratio and its variance: two processes of the same code differ, and a neighbour adds to that. */
export function weighed(pair: PairLogs, { pairSd, ofSpread }: Pick<PairedMetric, "pairSd" | "ofSpread">): Weighed {
  const { base, head, spread } = pair;
  const added = (pair.shared && ofSpread !== undefined ? ofSpread : BEST_SHARE) * spread;
  return { logRatio: head - base, variance: pairSd ** 2 + added ** 2 };
}

/**
 * Of shared time: the totals of the slices that count. Otherwise the best slice of each side. Undefined for a pair that is void, or
 * without a figure.
 */
export function pairLogs(pair: Pair, metric: Read): PairLogs | undefined {
  const known = LOGS.get(metric.name) ?? remembered((one: Pair) => computedLogs(one, metric));
  LOGS.set(metric.name, known);
  return known(pair);
}

/** By metric: its name says all that it reads. */
const LOGS = new Map<Read["name"], (pair: Pair) => PairLogs | undefined>();

function computedLogs(pair: Pair, metric: Read): PairLogs | undefined {
  if (!isValid(pair) || (metric.percentile !== undefined && !holdsRate(pair))) return undefined;
  if (metric.ofStart !== undefined) return startLogs(pair, metric.ofStart);
  const logs =
    metric.percentile === undefined ? closedLogs(pair, metric) : bestLogs(validSlices(openSlices(pair)), metric);
  return [logs.base, logs.head, logs.spread].every(Number.isFinite) ? logs : undefined;
}

/** Of the sides' starts; undefined where they were not measured. */
function startLogs({ slices }: Pair, figure: "seconds" | "memoryMiB"): PairLogs | undefined {
  const of = (side: PairSlice["side"]) => {
    const value = slices.find((slice) => slice.side === side && slice.start)?.start?.[figure];
    return value === undefined || value <= 0 ? undefined : Math.log(value);
  };
  const [base, head] = [of("base"), of("head")];
  return base === undefined || head === undefined ? undefined : { base, head, spread: 0, shared: false };
}

function closedLogs(pair: Pair, metric: Read): PairLogs {
  const slices = countingSlices(pair);
  const shared = sharing(pair);
  if (!shared) return bestLogs(slices, metric);
  if (shared === "together" && metric.name === "throughput") return throughputLogs(slices, aloneSlices(pair), metric);
  return totalLogs(slices, metric);
}

/** Neighbours slow both sides alike that share their time, so the totals keep what a server's own pauses cost. */
function totalLogs({ base, head }: SideSlices, metric: Read): PairLogs {
  const ratios = base.flatMap((slice, i) => {
    const other = head[i];
    return other ? [Math.log(figure(other, metric)) - Math.log(figure(slice, metric))] : [];
  });
  return {
    base: Math.log(figure(total(base), metric)),
    head: Math.log(figure(total(head), metric)),
    spread: standardError(ratios),
    shared: true,
  };
}

function standardError(values: readonly number[]): number {
  return Math.sqrt(variance(values) / values.length);
}

/** The ratio of what both sides answered at the same time, around the level of both alone: a server that shares its CPU answers less. */
function throughputLogs(together: SideSlices, alone: readonly PairSlice[], metric: Read): PairLogs {
  const totals = totalLogs(together, metric);
  const half = (totals.head - totals.base) / 2;
  const level = alone.length === 0 ? (totals.base + totals.head) / 2 : mean(sliceLogs(alone, metric));
  return { ...totals, base: level - half, head: level + half };
}

type Counted = Pick<PairSlice, "seconds" | "requests" | "serverCpuSec" | "open">;

function total(slices: readonly PairSlice[]): Counted {
  const sum = (of: (slice: PairSlice) => number) => slices.reduce((all, slice) => all + of(slice), 0);
  return {
    seconds: sum(({ seconds }) => seconds),
    requests: sum(({ requests }) => requests),
    serverCpuSec: sum(({ serverCpuSec }) => serverCpuSec),
  };
}

/**
 * The best slice of each side. Where the sides do not share their time, neighbours slow single slices down: noise is one-sided,
 * and the best slice is nearest to what the code needs. This matters most for a p99, which a single stall of the machine
 * raises to its own length.
 */
function bestLogs({ base, head }: SideSlices, metric: Read): PairLogs {
  const [ofBase, ofHead] = [sideLogs(base, metric), sideLogs(head, metric)];
  return { base: ofBase.best, head: ofHead.best, spread: Math.max(ofBase.spread, ofHead.spread), shared: false };
}

function sideLogs(slices: readonly PairSlice[], metric: Read): { readonly best: number; readonly spread: number } {
  const losses = sliceLosses(slices, metric);
  const [best = Number.NaN] = [...losses].sort((a, b) => a - b);
  return { best: metric.better === "higher" ? -best : best, spread: median(losses) - best };
}

/** Logarithms, larger for a slower slice, in the order given. */
export function sliceLosses(slices: readonly PairSlice[], metric: Read): number[] {
  return slices.map((slice) => Math.log(figure(slice, metric)) * (metric.better === "higher" ? -1 : 1));
}

/** The logarithm of head over base, each from all of its slices that count. */
export function meanLogRatio({ base, head }: SideSlices, metric: Read): number {
  return mean(sliceLogs(head, metric)) - mean(sliceLogs(base, metric));
}

function sliceLogs(slices: readonly PairSlice[], metric: Read): number[] {
  return slices.map((slice) => Math.log(figure(slice, metric)));
}

/** A server may stall through a whole slice: a logarithm needs more than no request, and more than no time. */
const REQUESTS_MIN = 0.5;
const CPU_MIN_SEC = 1e-4;

function figure(slice: Counted, { name, percentile }: Read): number {
  if (percentile !== undefined) return latencyOf(slice, percentile) ?? Number.NaN;
  const requests = Math.max(slice.requests, REQUESTS_MIN);
  return name === "throughput" ? requests / slice.seconds : Math.max(slice.serverCpuSec, CPU_MIN_SEC) / requests;
}
