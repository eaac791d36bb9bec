/** The comparison in a results file: what was compared, with what, and the verdict of every row. */
import * as v from "valibot";
import { amount, command, count, finite, line, list, record, rowId, text, timestamp, title } from "./fields.js";
import { furtherMetrics } from "./further-metrics.js";
import {
  FILES_MAX,
  KNOBS_MAX,
  METRICS_MAX,
  NOTES_MAX,
  NOTES_PER_ROW_MAX,
  PAIRS_PER_ROW_MAX,
  ROWS_MAX,
  SLICES_PER_PAIR_MAX,
} from "./limits.js";
import { METRIC_CHOICES } from "./metric-choices.js";

/**
 * `suspect-*` is the strongest verdict that stored files allow, because they were measured at another time. Only `better`
 * and `worse` are proof.
 */
const VERDICTS = ["better", "worse", "suspect-better", "suspect-worse", "unchanged", "inconclusive"] as const;
const verdict = v.picklist(VERDICTS);
export type Verdict = (typeof VERDICTS)[number];

/** Base and head measured side by side in pairs, or head against stored results of base. */
const MODES = ["paired", "artifact"] as const;
export type ComparisonMode = (typeof MODES)[number];

const metric = v.object({
  verdict,
  /** Relative to base: -0.031 is 3.1 % less, whether less is good or not. Where there is an anchor, drift is divided out. */
  change: finite,
  /** 95 % interval of the change. */
  interval: v.tuple([finite, finite]),
  /** Before the correction for many rows. */
  p: amount,
  /** The smallest relative change for the worse that would have been found four times in five; without a sign. */
  minimumDetectable: amount,
  /** Number of pairs; of base runs where the row was compared with stored results alone. */
  pairs: count,
  /** The figures themselves, in the metric's unit; base is the geometric mean of its runs. */
  base: v.optional(finite),
  head: v.optional(finite),
  /** The standard deviation of one run, on logarithms, from which the interval is made. */
  sd: v.optional(amount),
});
export type MetricComparison = v.InferOutput<typeof metric>;
const metrics = record(metric, METRICS_MAX, "metrics");

/** Latency of a slice at a fixed rate. Its requests were due by a clock, however late the answers came. */
const openSlice = v.object({
  /** Requests per second that were sent: the same for both sides and all pairs of a row. */
  ratePerSec: amount,
  /** After all connections were made: requests that were due, and correct answers to them. */
  due: count,
  answered: count,
  /** Of the whole slice. */
  failures: count,
  /** Length of the windows that the part after connecting is cut into. */
  windowSec: amount,
  /** Percentiles in the quieter windows (earlier files: the lowest one of a window), each latency from the moment when its request was due; absent with too few of them. */
  latencyMs: v.optional(v.object({ p50: amount, p99: v.optional(amount) })),
  /** Share (0 to 1) of the load generator's CPUs that it used. Near 1 the figures are those of the load generator. */
  clientShare: amount,
});
export type OpenSlice = v.InferOutput<typeof openSlice>;

/** One slice of a pair, as it was measured: the verdict is made from these. */
const pairSlice = v.object({
  side: v.picklist(["base", "head"]),
  /** Elapsed, by the load generator's clock. */
  seconds: amount,
  /** Successful ones. */
  requests: count,
  /** CPU seconds of all processes of the server. */
  serverCpuSec: amount,
  /** Shares (0 to 1) of CPU time that the hypervisor, and other processes, took during the slice. */
  stealShare: v.optional(amount),
  othersShare: amount,
  /** Of a slice that had the same time and the same CPUs as one of the other side: its throughput is not that of its server alone. */
  together: v.optional(v.literal(true)),
  /** Of a slice together that lasts until its last round of messages is complete. The slower side has the CPUs alone at the end. */
  rounds: v.optional(v.literal(true)),
  /** In files of an earlier form: of a slice that took turns with one of the other side, how many it had. */
  turns: v.optional(count),
  /** CPU seconds of the other side's server, which ran beside this one and had no load. */
  idleCpuSec: v.optional(amount),
  /** Of a side's first slice, in a row whose start is measured: seconds to the first right answer, and memory once both servers were ready. */
  start: v.optional(v.object({ seconds: amount, memoryMiB: amount })),
  /** Of a slice at a fixed rate, which says nothing of throughput; all others are closed loops. */
  open: v.optional(openSlice),
});
export type PairSlice = v.InferOutput<typeof pairSlice>;

/** Two processes that were started afresh together, and their interleaved slices in the order of time. */
const pair = v.object({
  /** Wall time, server starts included. */
  seconds: amount,
  /**
   * What was drawn for this pair: PYTHONHASHSEED of both sides, bytes that were added to each side's environment, and the limit of both
   * stacks. Files of an earlier form have no such limit, and other bytes for each side.
   */
  chance: v.optional(
    v.object({ hashSeed: count, padBytes: v.object({ base: count, head: count }), stackBytes: v.optional(count) }),
  ),
  /** Both servers had the same addresses in memory, those of `stackBytes`; absent: the kernel drew them for each side. */
  sameAddresses: v.optional(v.literal(true)),
  slices: list(pairSlice, SLICES_PER_PAIR_MAX, "slices"),
});
export type Pair = v.InferOutput<typeof pair>;

/** Of a row that stored results made suspect: whether it was measured in pairs before it was reported. */
const confirmation = v.variant("state", [
  /** Verdict and metrics are those of the pairs; `suspected` holds what the stored results gave. */
  v.object({ state: v.literal("paired"), suspected: metrics }),
  /** Base and head are identical here. */
  v.object({ state: v.literal("cannot-have-changed") }),
  /** It is as suspect as before. */
  v.object({ state: v.literal("not-confirmed"), reason: text }),
]);

/** The squared scale of a pair's noise, with its degrees of freedom. Within these limits every t-distribution can be computed. */
export const noiseScale = v.object({
  scale: v.pipe(amount, v.minValue(1e-6, "0.000001 or more"), v.maxValue(1e6, "1,000,000 at most")),
  df: v.pipe(amount, v.minValue(1, "1 or more"), v.maxValue(1000, "1000 at most")),
});

const row = v.object({
  id: rowId,
  connections: v.optional(count),
  title: v.optional(title),
  /** How it was compared; present where the rows of a comparison differ in that (`mixed`). */
  mode: v.optional(v.picklist(MODES)),
  verdict,
  /** Names of the metrics that the row's verdict is based on. */
  basis: v.optional(list(line, METRICS_MAX, "metrics")),
  metrics,
  /** The load generator was the limit on one side. Absent in files that were written before this field existed. */
  clientBound: v.optional(v.boolean()),
  /** Why a metric has no stronger verdict, or none at all. */
  notes: v.optional(list(text, NOTES_PER_ROW_MAX, "notes")),
  /** What starts it otherwise in head's scenario files than in base's: its change is not that of the code alone. */
  started: v.optional(text),
  /** More pairs could decide it, or make it sure: the run's time ended first. */
  undecided: v.optional(v.literal(true)),
  /** Of a control: its change is more than its noise explains, although both sides are identical. */
  beyondNoise: v.optional(v.literal(true)),
  /** CPUs that each side used while it had no load (0.15 is 15 % of one CPU), and whether head's are a change for the worse. */
  idleCpu: v.optional(v.object({ base: amount, head: amount, worse: v.boolean() })),
  seconds: amount,
  /**
   * From earlier runs on the same machine, by metric: the squared scale of a pair's noise (1 is what its slices let expect) and
   * its degrees of freedom. The verdict was made with it where the report had too few other rows.
   */
  expectedNoise: v.optional(record(noiseScale, METRICS_MAX, "metrics")),
  /** Every pair that was measured, voided ones included: the verdict can be made again from them. */
  recorded: v.optional(list(pair, PAIRS_PER_ROW_MAX, "pairs")),
  ...furtherMetrics,
  confirmation: v.optional(confirmation),
});
export type ComparedRow = v.InferOutput<typeof row>;

/** A row without a speed verdict, and why. */
const uncomparedRow = v.object({
  kind: v.picklist([
    "new",
    "removed",
    "failed-in-head",
    "failed-in-base",
    "unmeasured",
    "voided",
    "not-comparable",
    "cannot-have-changed",
  ]),
  id: rowId,
  connections: count,
  title,
  reason: v.optional(text),
});
export type UncomparedRow = v.InferOutput<typeof uncomparedRow>;

/** A base file: used, or left out with a reason. */
const baseRun = v.object({
  source: text,
  id: line,
  startedAt: timestamp,
  sha: v.optional(line),
  leftOut: v.optional(text),
});
export type BaseRun = v.InferOutput<typeof baseRun>;

/** Rows whose server is identical in all files. Their change is treated as drift, and divided out of the other rows. */
const anchor = v.object({
  servers: list(title, ROWS_MAX, "servers"),
  rows: list(text, ROWS_MAX, "rows"),
  /** By metric: head's run against base's, relative. */
  day: record(finite, METRICS_MAX, "metrics"),
});

/** What is known of base: its commit, its date, its machine. */
const baseFacts = record(text, KNOBS_MAX, "facts");

export const comparison = v.object({
  /** `mixed`: merged from parts that were compared in different ways; each row has its own `mode`. */
  mode: v.picklist([...MODES, "mixed"]),
  /** Of `mixed`: base of the rows in pairs. */
  base: baseFacts,
  /** Of `mixed`: base of the rows that were compared with stored results. */
  storedBase: v.optional(baseFacts),
  rows: list(row, ROWS_MAX, "rows"),
  /** What was selected with `--metrics`; absent: throughput and CPU per request. */
  selectedMetrics: v.optional(list(v.picklist(METRIC_CHOICES), METRICS_MAX, "metrics")),
  /** Smallest relative change that the pairs looked for, where that was asked for: 0.01 is 1 %. */
  detect: v.optional(amount),
  /** Paired: rows that are identical on both sides. They show the noise of this run, and have no part in a verdict. */
  controls: v.optional(list(row, ROWS_MAX, "rows")),
  /** Rows of one file only, failed ones, and those that were measured in another way. */
  notCompared: v.optional(list(uncomparedRow, ROWS_MAX, "rows")),
  /** Why no row was compared: each field that differs, with both values. */
  notComparable: v.optional(list(text, NOTES_MAX, "reasons")),
  runs: v.optional(list(baseRun, FILES_MAX, "runs")),
  anchor: v.optional(anchor),
  /** Stored results: what suspect rows were measured in pairs with. */
  confirmedWith: v.optional(baseFacts),
  notes: v.optional(list(text, NOTES_MAX, "notes")),
  /** The command that repeats the comparison. */
  command: v.optional(command),
});
export type Comparison = v.InferOutput<typeof comparison>;
