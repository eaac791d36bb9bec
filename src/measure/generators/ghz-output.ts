/** ghz's JSON (its runner/reporter.go): from unknown text to what a slice needs. */
import * as v from "valibot";
import type { Failures, LatencyMs } from "../../results/schema.js";
import { toFailures } from "./oha-output.js";
import { amount, count, elapsed, readOutput } from "./output-schema.js";
import { latencyOf } from "./percentiles.js";

const NS_PER_SEC = 1e9;
const NS_PER_MS = 1e6;
const KIND_LIMIT_CHARS = 100;

/** Go writes null for an empty list. */
const counts = v.nullable(v.record(v.string(), count));

const output = v.object({
  total: elapsed,
  errorDistribution: counts,
  statusCodeDistribution: counts,
  details: v.nullish(v.array(v.object({ latency: amount, status: v.string() }))),
});

/** The kind of failure that an error's words (`rpc error: code = ... desc = ...`) stand for. */
export function grpcErrorKind(words: string): string {
  const code = /code = (\w+)/.exec(words)?.[1];
  if (code === undefined) return words.replace(/\s+/g, " ").slice(0, KIND_LIMIT_CHARS);
  if (code === "DeadlineExceeded") return "timeout";
  // This code stands for a broken connection, and for a server that reports that it is overloaded.
  if (code === "Unavailable" && /connection|transport|EOF|reset|refused|dial tcp/i.test(words)) return "connection";
  return `status ${code}`;
}

/**
 * Counts and exact latencies of the answers that were OK. ghz keeps the latencies of the first million calls; its counts
 * are of all.
 * @throws Error that names the field
 */
export function parseGhzOutput(text: string): {
  seconds: number;
  requests: number;
  failures: Failures;
  latencyMs: LatencyMs | undefined;
} {
  const { total, errorDistribution, statusCodeDistribution, details } = readOutput(output, text, "ghz's report");
  const failed = Object.entries(errorDistribution ?? {}).map(([words, n]) => [grpcErrorKind(words), n] as const);
  const right = (details ?? []).filter((detail) => detail.status === "OK");
  return {
    seconds: total / NS_PER_SEC,
    requests: statusCodeDistribution?.OK ?? 0,
    failures: toFailures(failed),
    latencyMs: latencyOf(right.map((detail) => detail.latency / NS_PER_MS)),
  };
}
