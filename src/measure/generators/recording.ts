/** What oha recorded of every response (`--db-url`, its src/db.rs), counted by the environment's own Python. */
import * as v from "valibot";
import { childFailure, childTail, runChild } from "../../process/child.js";
import type { Failures, LatencyMs } from "../../results/schema.js";
import { formatCpuList } from "../machine/cpus.js";
import type { GeneratorSetup } from "./contract.js";
import { type OhaOutput, toFailures } from "./oha-output.js";
import { count, latency } from "./output-schema.js";

/**
 * argv: the file, the expected status, the expected size. Percentiles by oha's own definition (src/result_data.rs):
 * the sorted latencies at index floor(p / 100 * n).
 */
const SCRIPT: CountingScript = {
  text: `
import json, sqlite3, sys
from array import array
path, status, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
db = sqlite3.connect(path)
counts = db.execute("SELECT status, len_bytes = ?, COUNT(*) FROM oha GROUP BY 1, 2", (size,)).fetchall()
right = db.execute("SELECT duration FROM oha WHERE status = ? AND len_bytes = ?", (status, size))
times = sorted(array("d", (row[0] for row in right)))
latency = None
if times:
    latency = {"p%d" % p: times[int(p / 100 * len(times))] for p in (50, 60, 70, 75, 80, 90, 95, 99)}
    latency["mean"] = sum(times) / len(times)
    latency["max"] = times[-1]
json.dump({"counts": counts, "latency": latency}, sys.stdout)
`,
  // A million rows take two seconds.
  timeoutMs: 120_000,
};

/** Python that reads the recording's path and numbers from argv, and answers in JSON. */
export interface CountingScript {
  readonly text: string;
  readonly timeoutMs: number;
}

const recording = v.object({
  counts: v.array(v.tuple([count, v.picklist([0, 1]), count])),
  latency: v.nullable(latency),
});

export interface Recorded {
  readonly requests: number;
  readonly failures: Failures;
  readonly latencyMs: LatencyMs | undefined;
}

/** Parses the script's answer; the failures without a response come from oha's summary. @throws Error naming the field */
export function parseRecording(text: string, expectedStatus: number, output: Pick<OhaOutput, "errors">): Recorded {
  const { counts, latency } = readCounts(recording, text);
  const failed: [string, number][] = [...output.errors];
  let requests = 0;
  for (const [status, rightSize, n] of counts) {
    if (status !== expectedStatus) failed.push([`status ${status}`, n]);
    else if (rightSize === 0) failed.push(["wrong body", n]);
    else requests += n;
  }
  if (latency === null) return { requests, failures: toFailures(failed), latencyMs: undefined };
  const { mean, p50, p60, p70, p75, p80, p90, p95, p99, max } = latency;
  const ms = (seconds: number): number => seconds * 1000;
  const latencyMs: LatencyMs = {
    mean: ms(mean),
    p50: ms(p50),
    p60: ms(p60),
    p70: ms(p70),
    p75: ms(p75),
    p80: ms(p80),
    p90: ms(p90),
    p95: ms(p95),
    p99: ms(p99),
    max: ms(max),
  };
  return { requests, failures: toFailures(failed), latencyMs };
}

/** @throws Error naming the field */
export function readCounts<Schema extends v.GenericSchema>(schema: Schema, text: string): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, JSON.parse(text));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`the recording of the requests, field ${v.getDotPath(issue) ?? "(top)"}: ${issue.message}`);
}

/** The script's answer, as text. @throws Error with the script's own output where it fails */
export async function countRecording(
  setup: GeneratorSetup,
  script: CountingScript,
  file: string,
  numbers: readonly number[],
): Promise<string> {
  const outcome = await runChild({
    argv: [setup.python, "-I", "-c", script.text, file, ...numbers.map(String)],
    cpuList: formatCpuList(setup.cpus),
    env: setup.env,
    signal: setup.signal,
    timeoutMs: script.timeoutMs,
  });
  const failure = childFailure(outcome, "counting the recorded requests");
  if (failure !== undefined) throw new Error(`${failure}: ${childTail(outcome)}`);
  return outcome.stdout;
}

/** Counts a recording. @throws Error with the script's own output where it fails */
export async function readRecording(
  setup: GeneratorSetup,
  file: string,
  expected: { readonly status: number; readonly bytes: number },
  output: OhaOutput,
): Promise<Recorded> {
  const counts = await countRecording(setup, SCRIPT, file, [expected.status, expected.bytes]);
  return parseRecording(counts, expected.status, output);
}
