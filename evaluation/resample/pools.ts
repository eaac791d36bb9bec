/** Pools: the recorded pairs of a row, as they are (raw) or with a known size (recentred). */

import { instructionRounds } from "../../src/compare/further-metrics/instructions.js";
import { centreOf } from "../../src/compare/metric-test.js";
import { PAIRED_METRICS, type PairedMetric } from "../../src/compare/metrics.js";
import { rowLogs } from "../../src/compare/pairs.js";
import { isValid } from "../../src/compare/slices.js";
import type { Pair, PairSlice } from "../../src/results/comparison.js";
import type { InstructionRound } from "../../src/results/further-metrics.js";
import { NO_PLANT, type RecordedRow, type Recording } from "../recording/recording.js";
import { mean } from "./share.js";

export type PoolKind = "raw" | "recentred";

export interface Pool {
  readonly kind: PoolKind;
  readonly row: RecordedRow;
  readonly pairs: readonly Pair[];
  /** The same pairs, in the same order, for the rules of other tools: moved by their plain mean, which is what those rules estimate. */
  readonly peerPairs: readonly Pair[];
  /** Counted instructions; empty where none were recorded. */
  readonly rounds: readonly InstructionRound[];
}

/** A shift of log(head / base) by metric. */
type Shift = Readonly<Partial<Record<PairedMetric["name"], number>>>;

/** One pool per row that has pairs that count. Recentred rows of latency also make a pool with a p99 of a known size. */
export function poolsOf({ rows }: Recording, kind: PoolKind): Pool[] {
  const some = rows.filter(({ pairs }) => pairs.some(isValid));
  if (kind === "raw")
    return some.map((row) => ({ kind, row, pairs: row.pairs, peerPairs: row.pairs, rounds: row.counts?.rounds ?? [] }));
  return some.flatMap((row) => {
    const pool = {
      ...{ kind, row, pairs: recentred(row, centreLog), peerPairs: recentred(row, meanLog) },
      rounds: recentredRounds(row),
    };
    return row.plant === NO_PLANT && isLatency(pool) ? [pool, slowTail(pool)] : [pool];
  });
}

/** Whether the pairs have slices at a fixed rate: they take longer, so they are drawn for reports on latency only. */
export function isLatency({ pairs }: Pick<Pool, "pairs">): boolean {
  return pairs.some(({ slices }) => slices.some(({ open }) => open !== undefined));
}

/** Every p99 of head is 10 % longer, in the pairs of identical sides. */
export const SLOW_TAIL = { plant: "p99:10", size: 0.1 } as const;

function slowTail({ row, pairs, ...pool }: Pool): Pool {
  const shift = { latencyP99: Math.log1p(SLOW_TAIL.size) };
  return { ...pool, row: { ...row, plant: SLOW_TAIL.plant }, pairs: pairs.map((pair) => shiftHead(pair, shift)) };
}

type Centre = (pairs: readonly Pair[], metric: PairedMetric) => number;

/**
 * Identical sides: every metric's centre over the pool becomes 0, so that what is left is noise, not a difference between
 * two builds. For our own rule it is the centre of the decision: beside a neighbour the plain mean of 20 pairs of hypercorn's p99 was 3 % and that centre 15 %, and
 * the 12 % between them were taken for a change. Planted CPU time: the centre of CPU per request becomes the nominal size, and throughput moves by as much the
 * other way. Other plants have no nominal size: their pairs stay as they are.
 */
function recentred({ plant, pairs }: RecordedRow, centre: Centre): Pair[] {
  if (plant === NO_PLANT) {
    const shift = Object.fromEntries(PAIRED_METRICS.map((metric) => [metric.name, -centre(pairs, metric)]));
    return pairs.map((pair) => shiftHead(pair, shift));
  }
  const size = nominalSize(plant);
  const cpu = PAIRED_METRICS.find(({ name }) => name === "cpuPerRequest");
  if (size === undefined || !cpu) return [...pairs];
  const change = Math.log1p(size) - centre(pairs, cpu);
  return pairs.map((pair) => shiftHead(pair, { cpuPerRequest: change, throughput: -change }));
}

/**
 * Counts have the size of the CPU time: none between identical sides, the nominal one of planted work. An empty loop adds about twice as many
 * instructions as time, which would make it too easy to find.
 */
function recentredRounds({ plant, counts }: RecordedRow): readonly InstructionRound[] {
  const size = plant === NO_PLANT ? 0 : nominalSize(plant);
  if (counts === undefined || size === undefined) return counts?.rounds ?? [];
  const factor = Math.exp(Math.log1p(size) - mean(instructionRounds(counts.rounds).map(({ logRatio }) => logRatio)));
  return counts.rounds.map((round) => ({ ...round, head: round.head.map((window) => window * factor) }));
}

/** Share of CPU time per request that a plant adds in every request; undefined for other plants. */
export function nominalSize(plant: string): number | undefined {
  const percent = /^(?:cpu|allocation|syscalls|cache):([\d.]+)$/.exec(plant)?.[1];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** Of log(head / base) over the pairs that count, as a verdict estimates it; 0 with fewer than two of them. */
export function centreLog(pairs: readonly Pair[], metric: PairedMetric): number {
  const logs = rowLogs(pairs, metric);
  return logs.length < 2 ? 0 : centreOf(logs, metric).mean;
}

/** Of log(head / base) over the pairs that count; 0 where none has the metric. */
export function meanLog(pairs: readonly Pair[], metric: PairedMetric): number {
  const logs = rowLogs(pairs, metric);
  return logs.reduce((sum, { base, head }) => sum + head - base, 0) / Math.max(1, logs.length);
}

/** The pair with head's figures moved; requests stay whole. */
export function shiftHead(pair: Pair, shift: Shift): Pair {
  const { throughput = 0, cpuPerRequest = 0, latencyP50 = 0, latencyP99 = 0 } = shift;
  const moved = (slice: PairSlice): PairSlice => {
    const { open, seconds, serverCpuSec } = slice;
    if (slice.side === "base") return slice;
    if (open === undefined)
      return {
        ...slice,
        seconds: seconds * Math.exp(-throughput),
        serverCpuSec: serverCpuSec * Math.exp(cpuPerRequest),
      };
    if (open.latencyMs === undefined) return slice;
    const { p50, p99 } = open.latencyMs;
    const latencyMs = {
      p50: p50 * Math.exp(latencyP50),
      ...(p99 === undefined ? {} : { p99: p99 * Math.exp(latencyP99) }),
    };
    return { ...slice, open: { ...open, latencyMs } };
  };
  return { ...pair, slices: pair.slices.map(moved) };
}

/** The pair with base and head exchanged: a slowdown becomes an improvement. */
export function mirrored(pair: Pair): Pair {
  return { ...pair, slices: pair.slices.map((slice) => ({ ...slice, side: slice.side === "base" ? "head" : "base" })) };
}

/** The same of counted instructions. */
export function mirroredRound({ base = [], head, ...round }: InstructionRound): InstructionRound {
  return { ...round, base: head, head: base };
}
