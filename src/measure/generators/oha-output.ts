/** oha's JSON (its src/printer.rs): from unknown text to what a slice needs. */
import * as v from "valibot";
import type { Failures, LatencyMs } from "../../results/schema.js";
import type { RouteAnswer } from "../server/exchange.js";
import { amount, count, elapsed, readOutput } from "./output-schema.js";

/** Without any response oha computes NaN, which JSON writes as null. */
const maybe = v.nullable(amount);

const output = v.object({
  summary: v.object({ total: elapsed, slowest: maybe, average: maybe, totalData: count }),
  latencyPercentiles: v.object({
    p50: maybe,
    p75: maybe,
    p90: maybe,
    p95: maybe,
    p99: maybe,
    "p99.9": v.optional(maybe),
  }),
  firstBytePercentiles: v.optional(v.object({ p50: maybe })),
  statusCodeDistribution: v.record(v.pipe(v.string(), v.regex(/^\d{3}$/, "a status code")), count),
  errorDistribution: v.record(v.string(), count),
});

/** One per connection at the end of the window: neither a success nor a failure. */
const DEADLINE = "aborted due to deadline";
const TIMEOUT = "timeout";
/** Phrases of hyper, std::io and oha for a connection that was refused or lost or could not be made. */
const CONNECTION =
  /connection|refused|reset|broken pipe|os error|channel closed|operation was canceled|http2 error|incomplete/i;
const KIND_LIMIT_CHARS = 100;

export interface OhaOutput {
  readonly seconds: number;
  /** Responses by status code. */
  readonly byStatus: ReadonlyMap<number, number>;
  readonly responses: number;
  /** Body bytes of all responses. */
  readonly totalBytes: number;
  /** Requests without a response, by kind of failure. */
  readonly errors: ReadonlyMap<string, number>;
  /** Of all responses, whatever their status. */
  readonly latencyMs: LatencyMs | undefined;
  /** Median of all responses. */
  readonly firstByteMs: number | undefined;
}

/** The kind of failure that a message of oha stands for; undefined: no failure. */
export function errorKind(words: string): string | undefined {
  if (words === DEADLINE) return undefined;
  if (words === TIMEOUT) return "timeout";
  if (CONNECTION.test(words)) return "connection";
  return words.replace(/\s+/g, " ").slice(0, KIND_LIMIT_CHARS);
}

/** @throws Error that names the field */
export function parseOhaOutput(text: string): OhaOutput {
  const { summary, latencyPercentiles, firstBytePercentiles, statusCodeDistribution, errorDistribution } = readOutput(
    output,
    text,
    "oha's output",
  );
  const firstByte = firstBytePercentiles?.p50 ?? undefined;
  const byStatus = new Map(Object.entries(statusCodeDistribution).map(([status, n]) => [Number(status), n]));
  const errors = new Map<string, number>();
  for (const [words, n] of Object.entries(errorDistribution)) {
    const kind = errorKind(words);
    if (kind !== undefined) errors.set(kind, (errors.get(kind) ?? 0) + n);
  }
  return {
    seconds: summary.total,
    byStatus,
    responses: [...byStatus.values()].reduce((sum, n) => sum + n, 0),
    totalBytes: summary.totalData,
    errors,
    latencyMs: milliseconds({ mean: summary.average, ...latencyPercentiles, max: summary.slowest }),
    firstByteMs: firstByte === undefined ? undefined : firstByte * 1000,
  };
}

type Seconds = { readonly [Name in "mean" | "p50" | "p75" | "p90" | "p95" | "p99" | "max"]: number | null } & {
  readonly "p99.9"?: number | null | undefined;
};

function milliseconds(seconds: Seconds): LatencyMs | undefined {
  const { mean, p50, p75, p90, p95, p99, max, "p99.9": p999 } = seconds;
  if (mean === null || p50 === null || p75 === null || p90 === null || p95 === null || p99 === null || max === null)
    return undefined;
  return {
    mean: mean * 1000,
    p50: p50 * 1000,
    p75: p75 * 1000,
    p90: p90 * 1000,
    p95: p95 * 1000,
    p99: p99 * 1000,
    ...(typeof p999 === "number" && { p999: p999 * 1000 }),
    max: max * 1000,
  };
}

/** Failures in the results' form, from counts by kind; kinds without any are left out. */
export function toFailures(counts: Iterable<readonly [string, number]>): Failures {
  const byKind = new Map<string, number>();
  let total = 0;
  for (const [given, n] of counts) {
    if (n === 0) continue;
    // Results files refuse names that every object inherits.
    const kind = given in Object.prototype ? `error ${given}` : given;
    byKind.set(kind, (byKind.get(kind) ?? 0) + n);
    total += n;
  }
  return { total, byKind: Object.fromEntries(byKind) };
}

/**
 * The figures of the summary alone. They are not exact where statuses differ, where the bodies' sizes do not add up, and
 * where the sizes of right bodies differ: then only a recording shows which answers are right.
 */
export function judge(
  output: OhaOutput,
  answers: readonly Pick<RouteAnswer, "status" | "size">[],
): { requests: number; failures: Failures; latencyMs: LatencyMs | undefined; exact: boolean } {
  const statuses = new Set(answers.map(({ status }) => status));
  const counts = [...output.byStatus];
  const right = counts.reduce((sum, [status, n]) => sum + (statuses.has(status) ? n : 0), 0);
  const wrongStatus = counts
    .filter(([status]) => !statuses.has(status))
    .map(([status, n]) => [`status ${status}`, n] as const);
  // Where no answer has the expected status, all of them are failures.
  const exact =
    right === 0 || (statuses.size === 1 && right === output.responses && sizesAddUp(output, right, answers));
  return {
    requests: right,
    failures: toFailures([...output.errors, ...wrongStatus]),
    latencyMs: right === 0 ? undefined : output.latencyMs,
    exact,
  };
}

/** Whether the sum of all sizes shows that each of them is right. */
function sizesAddUp({ totalBytes }: OhaOutput, right: number, answers: readonly Pick<RouteAnswer, "size">[]): boolean {
  if (answers.every(({ size }) => size === undefined)) return true;
  const sizes = new Set(answers.flatMap(({ size }) => [size?.least, size?.most]));
  const [only] = sizes;
  return sizes.size === 1 && only !== undefined && totalBytes === right * only;
}
