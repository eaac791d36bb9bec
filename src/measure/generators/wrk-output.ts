/** What the script for wrk prints at the end of a load: from unknown text to what a slice needs. */
import * as v from "valibot";
import type { Failures, LatencyMs } from "../../results/schema.js";
import { toFailures } from "./oha-output.js";
import { amount, count, elapsed, latency, readOutput, UnreadableOutput } from "./output-schema.js";

/** Marks the script's line within wrk's output. */
export const WRK_MARK = "server-bench ";

/** wrk divides by the number of answers, even if it is zero. */
const maybe = v.nullable(amount);

const output = v.object({
  seconds: elapsed,
  requests: count,
  bytes: count,
  errors: v.object({ connect: count, read: count, write: count, status: count, timeout: count }),
  latencyUs: v.object({ ...latency.entries, mean: maybe, max: maybe }),
});
export type WrkOutput = v.InferOutput<typeof output>;

/** @throws Error that names the field */
export function parseWrkOutput(text: string): WrkOutput {
  const line = text.split("\n").find((candidate) => candidate.startsWith(WRK_MARK));
  if (line === undefined) throw new UnreadableOutput(`wrk did not report: ${JSON.stringify(text.slice(0, 200))}`);
  return readOutput(output, line.slice(WRK_MARK.length), "wrk's report");
}

/**
 * Reads wrk's figures. Its `requests` are all answers; its `status` errors are those of 400 and above, its `timeout`
 * errors answers that came too late. A request without any answer is in neither. Latencies are those of all answers.
 * @throws Error where the answers were too short for the expected body: wrk does not report which
 */
export function judgeWrk(
  { requests: answers, bytes, errors, latencyUs }: WrkOutput,
  leastBytes: number,
): { requests: number; failures: Failures; latencyMs: LatencyMs | undefined } {
  const requests = Math.max(0, answers - errors.status - errors.timeout);
  if (bytes < requests * leastBytes)
    throw new UnreadableOutput(
      `wrk got ${bytes} bytes in ${answers} answers: too few for bodies of ${leastBytes} bytes; measure with oha to see which answers are wrong`,
    );
  const failures = toFailures([
    ["connection", errors.connect + errors.read + errors.write],
    ["status 400 or above", errors.status],
    ["timeout", errors.timeout],
  ]);
  return { requests, failures, latencyMs: requests === 0 ? undefined : milliseconds(latencyUs) };
}

function milliseconds({ mean, max, ...percentiles }: WrkOutput["latencyUs"]): LatencyMs | undefined {
  if (mean === null || max === null) return undefined;
  const { p50, p60, p70, p75, p80, p90, p95, p99 } = percentiles;
  return {
    mean: mean / 1000,
    p50: p50 / 1000,
    p60: p60 / 1000,
    p70: p70 / 1000,
    p75: p75 / 1000,
    p80: p80 / 1000,
    p90: p90 / 1000,
    p95: p95 / 1000,
    p99: p99 / 1000,
    max: max / 1000,
  };
}
