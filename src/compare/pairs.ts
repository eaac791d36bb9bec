/** One pair of processes -> one figure per metric: the logarithms of base and head, and how sure they are. */
import type { Pair, PairSlice } from "../results/comparison.js";
import { clippedMean } from "./clipped-mean.js";
import { hasLatency, holdsRate, latencyOf, openSlices } from "./latency.js";
import { lowestMean } from "./lowest-mean.js";
import { median } from "./median.js";
import type { PairedMetric } from "./metrics.js";
import { mean, variance } from "./moderated.js";
import { remembered } from "./remembered.js";
import { aloneReason } from "./shared-time.js";
import { aloneSlices, countingSlices, isValid, type SideSlices, SLICES_MIN, sharing, validSlices } from "./slices.js";
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
  /** How far the level of both sides alone lies above that of the slices together, which had half of the CPU time; in `base` and `head` already. */
  readonly lift?: number;
}

/** Those of a row, in the order of time; none for latency where a side does not keep up with the rate. */
export function rowLogs(pairs: readonly Pair[], metric: Read): readonly PairLogs[] {
  if (metric.percentile !== undefined && !hasLatency(pairs)) return [];
  if (metric.name === "throughput" && aloneReason(pairs) !== undefined)
    return pairs.flatMap((pair) => aloneLogs(pair, metric) ?? []);
  return atOneLevel(pairs.flatMap((pair) => pairLogs(pair, metric) ?? []));
}

/** Pairs without slices alone get the level of the row's other pairs. */
function atOneLevel(logs: readonly PairLogs[]): readonly PairLogs[] {
  const lifts = logs.flatMap(({ lift }) => lift ?? []);
  if (lifts.length === 0) return logs;
  const usual = median(lifts);
  const lifted = (pair: PairLogs) => ({ ...pair, base: pair.base + usual, head: pair.head + usual });
  return logs.map((pair) => (pair.shared && pair.lift === undefined ? lifted(pair) : pair));
}

/** Of a pair that has enough slices of each side alone. */
function aloneLogs(pair: Pair, metric: Read): PairLogs | undefined {
  const slices = validSlices(aloneSlices(pair.slices));
  return slices.base.length < SLICES_MIN ? undefined : bestLogs(slices, metric);
}

/** A pair's ratio and its variance: two processes of the same code differ, and a neighbour adds to that. */
export function weighed(pair: PairLogs, { pairSd, ofSpread }: Pick<PairedMetric, "pairSd" | "ofSpread">): Weighed {
  const { base, head, spread } = pair;
  const added = (pair.shared && ofSpread !== undefined ? ofSpread : BEST_SHARE) * spread;
  return { logRatio: head - base, variance: pairSd ** 2 + added ** 2 };
}

/**
 * Of shared time: the mean ratio of the slices that count. Otherwise the ratio of the best slices. Undefined for a pair that is void, or
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
  return shared === "turns" ? totalLogs(slices, metric) : togetherLogs(slices, aloneSlices(pair.slices), metric);
}

/**
 * How far from a pair's mean the log ratio of one of its slices counts. A server does some work only now and then, such as the first full
 * garbage collection of a process: in hypercorn's slices it made ratios of 20 to 50 %. Fitted with `ofSpread`, on the same pairs.
 */
const SLICE_REACH = 0.06;

/** The slices' ratios at the same time, around the level of both sides: for throughput that of both alone, where none shares its CPU. */
function togetherLogs(together: SideSlices, alone: readonly PairSlice[], metric: Read): PairLogs {
  const { mean: ratio, standardError: spread } = clippedMean(sliceRatios(together, metric), SLICE_REACH);
  const level = mean(sideTotals(together, metric));
  // A stall through a whole slice is no level.
  const answering = metric.name === "throughput" ? alone.filter(({ requests }) => requests > 0) : [];
  if (answering.length === 0) return around(level, ratio, spread);
  const levelAlone = mean(sliceLogs(answering, metric));
  return { ...around(levelAlone, ratio, spread), lift: levelAlone - level };
}

function around(level: number, ratio: number, spread: number): PairLogs {
  return { base: level - ratio / 2, head: level + ratio / 2, spread, shared: true };
}

/** The totals of turns. */
function totalLogs(slices: SideSlices, metric: Read): PairLogs {
  const [base, head] = sideTotals(slices, metric);
  const ratios = sliceRatios(slices, metric);
  return { base, head, spread: Math.sqrt(variance(ratios) / ratios.length), shared: true };
}

function sideTotals({ base, head }: SideSlices, metric: Read): [number, number] {
  return [Math.log(figure(total(base), metric)), Math.log(figure(total(head), metric))];
}

/** log(head / base) of the slices that shared the same time. One without a request has no CPU time for each. */
function sliceRatios({ base, head }: SideSlices, metric: Read): number[] {
  const isKnown = ({ requests }: PairSlice) => metric.name === "throughput" || requests > 0;
  return base.flatMap((slice, i) => {
    const other = head[i];
    return other && isKnown(slice) && isKnown(other)
      ? [Math.log(figure(other, metric)) - Math.log(figure(slice, metric))]
      : [];
  });
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

/** Of the slices at a fixed rate this share counts. In files of an earlier form they are two, so one of them. */
const OPEN_SHARE = 1 / 2;

/**
 * The best slice of each side; at a fixed rate, the better half of them. Where the sides do not share their time, neighbours slow single
 * slices down: noise is one-sided, and the best slices are nearest to what the code needs. This matters most for a p99, which a single
 * stall of the machine raises to its own length.
 */
function bestLogs({ base, head }: SideSlices, metric: Read): PairLogs {
  const [ofBase, ofHead] = [sideLogs(base, metric), sideLogs(head, metric)];
  return { base: ofBase.best, head: ofHead.best, spread: Math.max(ofBase.spread, ofHead.spread), shared: false };
}

function sideLogs(slices: readonly PairSlice[], metric: Read): { readonly best: number; readonly spread: number } {
  const losses = sliceLosses(slices, metric);
  const best = losses.length === 0 ? Number.NaN : lowestMean(losses, metric.percentile === undefined ? 0 : OPEN_SHARE);
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
