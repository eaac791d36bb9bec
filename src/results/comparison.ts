/** The comparison in a results file: what was compared, with what, and what came out row by row. */
import * as v from "valibot";

const finite = v.pipe(v.number(), v.finite());
const amount = v.pipe(finite, v.minValue(0));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(20_000));
const texts = v.record(v.pipe(v.string(), v.maxLength(200)), text);

/** `suspect-*` is the most that stored files can say: another hour of another day. Only `better` and `worse` are proof. */
const VERDICTS = ["better", "worse", "suspect-better", "suspect-worse", "unchanged", "inconclusive"] as const;
const verdict = v.picklist(VERDICTS);
export type Verdict = (typeof VERDICTS)[number];

const metric = v.strictObject({
  verdict,
  /** Relative to base: -0.031 is 3.1 % less, whether less is good or not. With a control, the day's speed is divided out. */
  change: finite,
  /** 95 % interval of the change. */
  interval: v.tuple([finite, finite]),
  /** Before the correction for many rows. */
  p: amount,
  /** The smallest relative change for the worse that would have been seen four times in five; without a sign. */
  minimumDetectable: amount,
  /** What it rests on: pairs, or base runs where the row was compared with stored results alone. */
  pairs: count,
  /** The figures themselves, in the metric's unit; base is the geometric mean of its runs. */
  base: v.optional(amount),
  head: v.optional(amount),
  /** The standard deviation of one run, on logarithms, that the interval is made of. */
  sd: v.optional(amount),
});
export type MetricComparison = v.InferOutput<typeof metric>;

/** What a slice at a fixed rate says of latency; its requests were due by a clock, however late the answers came. */
const openSlice = v.strictObject({
  /** Requests a second that were asked for: one number for both sides and all pairs of a row. */
  ratePerSec: amount,
  /** Of the part after all connections were made: requests that were due, and right answers to them. */
  due: count,
  answered: count,
  /** Of the whole slice. */
  failures: count,
  /** Length of the windows that this part is cut into. */
  windowSec: amount,
  /** Lowest percentiles of a window, each latency from the moment when its request was due; absent without enough of them. */
  latencyMs: v.optional(v.strictObject({ p50: amount, p99: v.optional(amount) })),
  /** Share (0 to 1) of the load generator's CPUs that it used: where it was the limit, the figures are its own. */
  clientShare: amount,
});
export type OpenSlice = v.InferOutput<typeof openSlice>;

/** One slice of a pair, as it was measured: what the decision is made from. */
const pairSlice = v.strictObject({
  side: v.picklist(["base", "head"]),
  /** Elapsed, by the load generator's clock. */
  seconds: amount,
  /** Successful ones. */
  requests: count,
  /** CPU seconds of all processes of the server. */
  serverCpuSec: amount,
  /** Shares (0 to 1) of CPU time that the hypervisor, and that other processes took meanwhile. */
  stealShare: v.optional(amount),
  othersShare: amount,
  /** CPU seconds of the other side's server, which ran beside this one and had no load. */
  idleCpuSec: v.optional(amount),
  /** Of a slice at a fixed rate, which says nothing of throughput; all others are closed loops. */
  open: v.optional(openSlice),
});
export type PairSlice = v.InferOutput<typeof pairSlice>;

/** Two processes that were started afresh together, and their interleaved slices in the order of time. */
const pair = v.strictObject({
  /** Wall time of it, server starts included. */
  seconds: amount,
  slices: v.array(pairSlice),
});
export type Pair = v.InferOutput<typeof pair>;

/** Of a row that stored results made suspect: whether it was measured in pairs before it was reported. */
const confirmation = v.variant("state", [
  /** Verdict and metrics are those of the pairs; this is what the stored results said. */
  v.strictObject({ state: v.literal("paired"), suspected: v.record(v.string(), metric) }),
  /** Base and head are the same here. */
  v.strictObject({ state: v.literal("cannot-have-changed") }),
  /** It is as suspect as before. */
  v.strictObject({ state: v.literal("not-confirmed"), reason: text }),
]);

const row = v.strictObject({
  id: text,
  connections: v.optional(count),
  title: v.optional(text),
  verdict,
  metrics: v.record(v.string(), metric),
  /** Why a metric has no stronger verdict, or none at all. */
  notes: v.optional(v.array(text)),
  /** CPUs that each side used while it had no load (0.15 is 15 % of one CPU), and whether head's are a change for the worse. */
  idleCpu: v.optional(v.strictObject({ base: amount, head: amount, worse: v.boolean() })),
  seconds: amount,
  /** Every pair that was measured, voided ones included: the verdict can be made anew from them. */
  recorded: v.optional(v.array(pair)),
  confirmation: v.optional(confirmation),
});
export type ComparedRow = v.InferOutput<typeof row>;

/** A row without a speed verdict, and why. */
const apart = v.strictObject({
  kind: v.picklist([
    "new",
    "removed",
    "failed-in-head",
    "failed-in-base",
    "unmeasured",
    "not-comparable",
    "cannot-have-changed",
  ]),
  id: text,
  connections: count,
  title: text,
  reason: v.optional(text),
});
export type UncomparedRow = v.InferOutput<typeof apart>;

/** A base file: used, or left out with a reason. */
const baseRun = v.strictObject({
  source: text,
  id: text,
  startedAt: v.pipe(v.string(), v.isoTimestamp()),
  sha: v.optional(text),
  leftOut: v.optional(text),
});
export type BaseRun = v.InferOutput<typeof baseRun>;

/** Rows that cannot have changed: how they differ is the day, and is divided out of the others. */
const anchor = v.strictObject({
  servers: v.array(text),
  rows: v.array(text),
  /** By metric: how much more head's day shows than base's, relative. */
  day: v.record(v.string(), finite),
});

export const comparison = v.strictObject({
  mode: v.picklist(["paired", "artifact"]),
  base: texts,
  rows: v.array(row),
  /** Paired: rows that are the same on both sides. What they show is this run's noise; they have no part in a verdict. */
  controls: v.optional(v.array(row)),
  /** Rows of one file only, failed ones, and those that were measured in another way. */
  apart: v.optional(v.array(apart)),
  /** Why no row was compared: each field that differs, with both values. */
  notComparable: v.optional(v.array(text)),
  runs: v.optional(v.array(baseRun)),
  anchor: v.optional(anchor),
  /** Stored results: what suspect rows were measured in pairs with. */
  confirmedWith: v.optional(texts),
  notes: v.optional(v.array(text)),
  /** The command that repeats the comparison. */
  command: v.optional(v.array(text)),
});
export type Comparison = v.InferOutput<typeof comparison>;
