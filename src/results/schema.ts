/**
 * The results file (`results.json`): types and validation. Units stand in the names; every number is finite.
 * Additions keep `version`; a change of meaning raises it.
 */
import * as v from "valibot";
import { METRIC_COLUMNS, type MetricColumn } from "../plan/schema.js";
import { SHARDS_MAX } from "../plan/shards.js";
import { comparison } from "./comparison.js";

export const SCHEMA_NAME = "server-bench/results";
export const SCHEMA_VERSION = 1;

const finite = v.pipe(v.number(), v.finite());
const amount = v.pipe(finite, v.minValue(0));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(20_000));
const side = v.picklist(["base", "head"]);
const texts = v.record(v.pipe(v.string(), v.maxLength(200)), text);

/** Failures by kind: `status 500`, `connection`, `timeout`, `wrong body`, or the load generator's own words. */
const failures = v.strictObject({ total: count, byKind: v.record(v.string(), count) });
export type Failures = v.InferOutput<typeof failures>;

/** Milliseconds, over successful requests; p60, p70 and p80 only where every latency was recorded. */
const latency = v.strictObject({
  mean: amount,
  p50: amount,
  p60: v.optional(amount),
  p70: v.optional(amount),
  p75: amount,
  p80: v.optional(amount),
  p90: amount,
  p95: amount,
  p99: amount,
  max: amount,
});
export type LatencyMs = v.InferOutput<typeof latency>;

/** One window of load: what the load generator counted and what the machine did meanwhile. */
const slice = v.strictObject({
  /** Elapsed seconds, by the load generator's clock. */
  seconds: amount,
  /** Successful requests: expected status and body size. */
  requests: count,
  failures,
  /** Absent when no request succeeded. */
  latencyMs: v.optional(latency),
  /** CPU seconds of all processes of the server, and of the load generator. */
  serverCpuSec: amount,
  clientCpuSec: amount,
  /** Share (0 to 1) of the machine's CPU time that the hypervisor gave to others. */
  stealShare: v.optional(amount),
  /** Of a broadcast: messages sent, and the seconds until the last one of each round was; those received are the requests. */
  messages: v.optional(v.strictObject({ sent: count, sendSec: amount })),
});
export type Slice = v.InferOutput<typeof slice>;

const summary = v.strictObject({
  requests: count,
  requestsPerSec: amount,
  failures,
  latencyMs: latency,
  cpuPerRequestUs: amount,
  /** Proportional memory of all processes of the server at its peak. */
  peakMemoryMiB: amount,
  /** The load generator was the limit: the throughput is a lower bound. */
  clientBound: v.boolean(),
  /** CPUs in use, mean over the slices: 1 is one CPU. */
  serverCpu: amount,
  clientCpu: amount,
  /** Of a broadcast: a request is a message that arrived at one client. */
  messages: v.optional(v.strictObject({ sentPerSec: amount, receivedPerSec: amount, combinedPerSec: amount })),
});
export type Summary = v.InferOutput<typeof summary>;

const serverInfo = v.strictObject({
  name: text,
  title: text,
  /** Absent when it was never installed. */
  version: v.optional(text),
  interface: text,
  /** argv as it was run, with the port open. */
  command: v.array(text),
  python: v.optional(text),
  /** Every distribution of the environment, `name==version`. */
  packages: v.optional(v.array(text)),
});
export type ServerInfo = v.InferOutput<typeof serverInfo>;

const caseFields = {
  id: text,
  set: text,
  title: text,
  group: v.optional(text),
  side,
  knobs: v.record(v.string(), v.union([v.string(), finite, v.boolean()])),
  server: serverInfo,
  connections: count,
  /** What was run to load it, for reproduction. */
  generatorCommand: v.optional(v.array(text)),
};
const completedCase = v.strictObject({
  ...caseFields,
  state: v.literal("completed"),
  summary,
  slices: v.array(slice),
  /** Share (0 to 1) of the time of server's and client's CPUs that other processes took. */
  othersShare: v.optional(amount),
  /** Relative standard deviation of the slices' throughput; absent with fewer than four. */
  spread: v.optional(amount),
  /** Others took so much that the figures cannot be compared with those of a calm machine. */
  disturbed: v.optional(v.literal(true)),
  /** Seconds from the start of the server to its end. */
  wallSec: amount,
  warnings: v.optional(v.array(text)),
});
const failedCase = v.strictObject({
  ...caseFields,
  state: v.literal("failed"),
  reason: text,
  /** The last lines of the server's or the installer's own output. */
  log: v.optional(text),
  /** Slices that were measured before it failed. */
  slices: v.optional(v.array(slice)),
});
const skippedCase = v.strictObject({ ...caseFields, state: v.literal("skipped"), reason: text });
const benchCase = v.variant("state", [completedCase, failedCase, skippedCase]);
export type CaseResult = v.InferOutput<typeof benchCase>;
export type CompletedCase = v.InferOutput<typeof completedCase>;
export type FailedCase = v.InferOutput<typeof failedCase>;

const environment = v.strictObject({
  cpuModel: text,
  cpus: count,
  os: text,
  kernel: text,
  memoryMiB: count,
  /** Version of the Python that runs the servers. */
  python: text,
  /** name -> version */
  loadGenerators: texts,
  governor: v.optional(text),
  virtualization: v.optional(text),
  /** CPU lists as taskset takes them; equal when the machine has one CPU only. */
  serverCpus: text,
  clientCpus: text,
  /** Equal on machines whose figures may be compared. */
  fingerprint: text,
});
export type Environment = v.InferOutput<typeof environment>;

const setInfo = v.strictObject({
  name: text,
  title: text,
  description: v.optional(text),
  methodology: v.array(text),
  label: text,
  /** Heading of the first column where every concurrency is a line of its own. */
  connectionsColumn: v.optional(text),
  /** Columns before the label's. */
  leadColumns: v.optional(texts),
  knobColumns: texts,
  columns: v.array(v.picklist(Object.keys(METRIC_COLUMNS) as MetricColumn[])),
  boldBestPer: v.optional(text),
  charts: v.optional(v.array(v.picklist(Object.keys(METRIC_COLUMNS) as MetricColumn[]))),
});

/** Which of the shards of a plan this run was. */
const shard = v.pipe(
  v.strictObject({
    index: v.pipe(v.number(), v.integer(), v.minValue(1)),
    of: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(SHARDS_MAX)),
  }),
  v.check(({ index, of }) => index <= of, "expected an index up to the number of shards"),
);

export const resultsFile = v.strictObject({
  schema: v.literal(SCHEMA_NAME),
  version: v.literal(SCHEMA_VERSION),
  run: v.strictObject({
    id: text,
    startedAt: v.pipe(v.string(), v.isoTimestamp()),
    finishedAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
    tool: v.strictObject({ version: text }),
    /** The checkout that was measured; absent outside a git repository. */
    git: v.optional(
      v.strictObject({
        sha: text,
        ref: v.optional(text),
        base: v.optional(text),
        /** Tracked files differed from that commit. */
        uncommitted: v.optional(v.literal(true)),
      }),
    ),
    profile: v.picklist(["quick", "standard", "thorough"]),
    /** The command that repeats this run. */
    command: v.array(text),
    /** Said once about the whole run: too few CPUs, an interruption. */
    warnings: v.array(text),
    /** Seconds after set-up, and the share (0 to 1) of them under load. */
    measuredSec: amount,
    loadShare: amount,
    /** Absent in a run of its own, and in a merged file, whose parts have it. */
    shard: v.optional(shard),
    /** Of a merged file: rows that were to be measured and were not, by the shard (`2/4`) that they fell to. */
    missing: v.optional(v.array(v.strictObject({ shard: text, reason: text, rows: v.array(text) }))),
    /** Where a merged file comes from; absent in the file of one run. */
    parts: v.optional(
      v.array(
        v.strictObject({
          source: text,
          id: text,
          startedAt: v.pipe(v.string(), v.isoTimestamp()),
          fingerprint: text,
          command: v.array(text),
          shard: v.optional(shard),
          /** It did not come to its end. */
          unfinished: v.optional(v.literal(true)),
        }),
      ),
    ),
  }),
  environment,
  sets: v.array(setInfo),
  cases: v.array(benchCase),
  comparison: v.optional(comparison),
});
export type Results = v.InferOutput<typeof resultsFile>;
