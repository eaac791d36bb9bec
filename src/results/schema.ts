/**
 * The results file (`results.json`): types and validation. Units stand in the names; every number is finite.
 *
 * The rule for changes: a reader of version 1 ignores fields that it does not know, so a field can be added without a new
 * version. What changes the meaning of a field, or removes one, raises `version`, and older readers refuse the file.
 * What server-bench itself writes has known fields only: see `checkOwnResults`.
 */
import * as v from "valibot";
import { answer } from "./answers.js";
import { comparison } from "./comparison.js";
import {
  amount,
  command,
  count,
  finite,
  line,
  list,
  record,
  rowId,
  shortText,
  text,
  timestamp,
  title,
} from "./fields.js";
import { furtherMetrics } from "./further-metrics.js";
import {
  CASES_MAX,
  COLUMNS_MAX,
  FAILURE_KIND_CHARACTERS,
  FAILURE_KINDS_MAX,
  FILES_MAX,
  KNOBS_MAX,
  NOTES_MAX,
  NOTES_PER_ROW_MAX,
  PACKAGES_MAX,
  REQUESTS_PER_ROW_MAX,
  ROWS_MAX,
  SET_NAME_CHARACTERS,
  SETS_MAX,
  SLICES_PER_CASE_MAX,
} from "./limits.js";
import { METRIC_COLUMN_NAMES } from "./metric-columns.js";
import { rowProfile } from "./profile.js";
import { SHARDS_MAX } from "./shard.js";

export const SCHEMA_NAME = "server-bench/results";
export const SCHEMA_VERSION = 1;

/** As scenario files are named; it becomes part of the names of charts and artifacts. */
const setName = v.pipe(
  shortText(SET_NAME_CHARACTERS),
  v.regex(/^[a-z0-9][a-z0-9.-]*$/, "expected lower-case letters, digits, dots and dashes"),
);
const warnings = list(text, NOTES_MAX, "warnings");

/** By kind: `status 500`, `connection`, `timeout`, `wrong body`, `no answer` (connections), or the load generator's own message. */
const failures = v.object({
  total: count,
  byKind: v.pipe(
    v.record(shortText(FAILURE_KIND_CHARACTERS), count),
    v.maxEntries(FAILURE_KINDS_MAX, `expected at most ${FAILURE_KINDS_MAX} kinds`),
  ),
});
export type Failures = v.InferOutput<typeof failures>;

/** Milliseconds, over successful requests; p60, p70 and p80 only where every latency was recorded. */
const latency = v.object({
  mean: amount,
  p50: amount,
  p60: v.optional(amount),
  p70: v.optional(amount),
  p75: amount,
  p80: v.optional(amount),
  p90: amount,
  p95: amount,
  p99: amount,
  /** Only of the load generator oha. */
  p999: v.optional(amount),
  max: amount,
});
export type LatencyMs = v.InferOutput<typeof latency>;

/** One window of load: what the load generator counted, and what the machine did in that time. */
const slice = v.object({
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
  /** Share (0 to 1) of the time of server's and load generator's CPUs that the hypervisor gave to others. */
  stealShare: v.optional(amount),
  /** Of a broadcast: messages sent, and the seconds until the last one of each round was; those received are the requests. */
  messages: v.optional(v.object({ sent: count, sendSec: amount })),
  /** Median time to the first byte of an answer. */
  firstByteMs: v.optional(amount),
});
export type Slice = v.InferOutput<typeof slice>;
const slices = list(slice, SLICES_PER_CASE_MAX, "slices");

const summary = v.object({
  /** In pairs, requests, throughput and CPU time are those of the slices alone; latencies and failures those of all slices. */
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
  messages: v.optional(v.object({ sentPerSec: amount, receivedPerSec: amount, combinedPerSec: amount })),
  /** Median time to the first byte of an answer. */
  firstByteMs: v.optional(amount),
  /** Bytes per second in the bodies of requests and right answers; absent where their sizes are not known. */
  bodyBytesPerSec: v.optional(amount),
  /**
   * Medians over several starts: seconds to the first right answer, and proportional memory once the server was ready (beside a
   * base: once both were).
   */
  startup: v.optional(v.object({ seconds: amount, memoryMiB: amount })),
  /**
   * Of a row with idle connections: how many were open at the end, and the server's memory for each of them. The memory is
   * absent where the server closed some of them before it was read.
   */
  idle: v.optional(v.object({ open: count, kibPerConnection: v.optional(amount) })),
});
export type Summary = v.InferOutput<typeof summary>;

const serverInfo = v.object({
  name: line,
  title,
  /** Absent when it was never installed. */
  version: v.optional(line),
  interface: line,
  /** argv as it was run, with the port open. */
  command,
  python: v.optional(line),
  /** Every distribution of the environment, `name==version`. */
  packages: v.optional(list(text, PACKAGES_MAX, "packages")),
});
export type ServerInfo = v.InferOutput<typeof serverInfo>;

const caseFields = {
  id: rowId,
  set: setName,
  title,
  group: v.optional(title),
  side: v.picklist(["base", "head"]),
  knobs: record(v.union([text, finite, v.boolean()]), KNOBS_MAX, "knobs"),
  server: serverInfo,
  connections: count,
  /** What was run to load it, for reproduction. */
  generatorCommand: v.optional(command),
  /**
   * Of a load at a share (0 to 1) of the server's own maximum: that share. The maximum and the rate were measured and made in
   * this run. Absent where the rate was made from another server's maximum (base's), and in files from before this field existed.
   */
  rateShare: v.optional(v.pipe(amount, v.maxValue(1, "at most 1"))),
  /** By request. Absent where no answer came, and in files that were written before this field existed. */
  answers: v.optional(list(answer, REQUESTS_PER_ROW_MAX, "answers")),
};
const completedCase = v.object({
  ...caseFields,
  state: v.literal("completed"),
  summary,
  slices,
  /** Share (0 to 1) of the time of server's and client's CPUs that other processes took. */
  othersShare: v.optional(amount),
  /**
   * Relative standard deviation of the throughput: between the slices of pairs, or between tenths of a single window. Absent with
   * fewer than four of them, over a unix socket, and in windows that are too short or have too few answers.
   */
  spread: v.optional(amount),
  /** Others took so much that the figures cannot be compared with those of a calm machine. */
  disturbed: v.optional(v.literal(true)),
  /** Seconds from the start of the server to its end. */
  wallSec: amount,
  warnings: v.optional(list(text, NOTES_PER_ROW_MAX, "warnings")),
});
const failedCase = v.object({
  ...caseFields,
  state: v.literal("failed"),
  reason: text,
  /** The last lines of the server's or the installer's own output. */
  log: v.optional(text),
  /** Slices that were measured before it failed. */
  slices: v.optional(slices),
});
const skippedCase = v.object({ ...caseFields, state: v.literal("skipped"), reason: text });
export const caseResult = v.variant("state", [completedCase, failedCase, skippedCase]);
export type CaseResult = v.InferOutput<typeof caseResult>;
export type CompletedCase = v.InferOutput<typeof completedCase>;
export type FailedCase = v.InferOutput<typeof failedCase>;

const environment = v.object({
  cpuModel: line,
  cpus: count,
  os: line,
  kernel: line,
  memoryMiB: count,
  /** Version of the Python that runs the servers. */
  python: line,
  /** name -> version */
  loadGenerators: record(line, KNOBS_MAX, "load generators"),
  governor: v.optional(line),
  virtualization: v.optional(line),
  /** CPU lists as taskset takes them; equal when the machine has one CPU only. */
  serverCpus: text,
  clientCpus: text,
  /** Equal on machines whose figures may be compared. */
  fingerprint: line,
});
export type Environment = v.InferOutput<typeof environment>;

const metricColumn = v.picklist(METRIC_COLUMN_NAMES);
/** Heading -> knob. */
const headings = record(title, COLUMNS_MAX, "columns");

const setInfo = v.object({
  name: setName,
  title,
  description: v.optional(text),
  methodology: list(text, NOTES_PER_ROW_MAX, "sentences"),
  label: title,
  /** Heading of the first column where every concurrency has its own line. */
  connectionsColumn: v.optional(title),
  /** Columns before the label's. */
  leadColumns: v.optional(headings),
  knobColumns: headings,
  columns: list(metricColumn, COLUMNS_MAX, "columns"),
  boldBestPer: v.optional(title),
  /** Of a shard: ids of all rows of the set, as the scenario file orders them. */
  rowOrder: v.optional(list(rowId, ROWS_MAX, "rows")),
  charts: v.optional(
    v.pipe(
      list(metricColumn, METRIC_COLUMN_NAMES.length, "charts"),
      v.check((charts) => new Set(charts).size === charts.length, "expected every chart once"),
    ),
  ),
});

/** Which of the shards of a plan this run was. */
const shard = v.pipe(
  v.object({
    index: v.pipe(v.number(), v.integer(), v.minValue(1)),
    of: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(SHARDS_MAX)),
  }),
  v.check(({ index, of }) => index <= of, "expected an index up to the number of shards"),
);

const git = v.object({
  sha: line,
  ref: v.optional(line),
  base: v.optional(line),
  /** Tracked files differed from that commit. */
  uncommitted: v.optional(v.literal(true)),
});

/** A run that a merged file was made from. */
const part = v.object({
  source: text,
  id: line,
  startedAt: timestamp,
  fingerprint: line,
  command,
  shard: v.optional(shard),
  /** It was ended before its last row. */
  unfinished: v.optional(v.literal(true)),
});

/** Rows that a shard (`2/4`) was to measure and did not. */
const missingShard = v.object({ shard: line, reason: text, rows: list(rowId, CASES_MAX, "rows") });

/** Why head could not be compared. `kind` is for programs, `reason` for people. */
const nothingToCompare = v.object({
  /** `event`: a push or another event without a base. `base`: no base to measure. `stored`: no stored results. */
  kind: v.picklist(["event", "base", "stored"]),
  reason: text,
});
export type NothingToCompare = v.InferOutput<typeof nothingToCompare>;

const run = v.object({
  id: line,
  startedAt: timestamp,
  finishedAt: v.nullable(timestamp),
  tool: v.object({ version: line }),
  /** The checkout that was measured; absent outside a git repository. */
  git: v.optional(git),
  profile: v.picklist(["quick", "standard", "thorough"]),
  /** The command that repeats this run. */
  command,
  /** Absent where rows were compared, and where nobody asked for it. */
  nothingToCompare: v.optional(nothingToCompare),
  /** Of the whole run: too few CPUs, an interruption. */
  warnings,
  /** Seconds after set-up, and the share (0 to 1) of them under load. */
  measuredSec: amount,
  loadShare: amount,
  /** Absent in a run without shards, and in a merged file, whose parts have it. */
  shard: v.optional(shard),
  /** Of a merged file. */
  missing: v.optional(list(missingShard, FILES_MAX, "shards")),
  /** Of a merged file: the runs that it was made from. */
  parts: v.optional(list(part, FILES_MAX, "parts")),
});
export type ProfileName = v.InferOutput<typeof run>["profile"];

/** Figures without verdicts. */
const furtherRow = v.object({ id: rowId, title, ...furtherMetrics });
export type FurtherRow = v.InferOutput<typeof furtherRow>;

export const resultsFile = v.object({
  schema: v.literal(SCHEMA_NAME),
  version: v.literal(SCHEMA_VERSION),
  run,
  environment,
  sets: list(setInfo, SETS_MAX, "sets"),
  cases: list(caseResult, CASES_MAX, "cases"),
  comparison: v.optional(comparison),
  /** Rows that were sampled after all pairs. */
  profiles: v.optional(list(rowProfile, ROWS_MAX, "profiles")),
  /** Rows that were counted or sampled without a base. */
  furtherMetrics: v.optional(list(furtherRow, ROWS_MAX, "rows")),
});
export type Results = v.InferOutput<typeof resultsFile>;
