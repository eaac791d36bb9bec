/** What oha recorded of every response (`--db-url`, its src/db.rs), counted by the environment's own Python. */
import * as v from "valibot";
import { childFailure, childTail, runChild } from "../../process/child.js";
import type { Failures, LatencyMs } from "../../results/schema.js";
import { formatCpuList } from "../machine/cpus.js";
import { ANY_SIZE } from "../server/exchange.js";
import { type SizeRange, sizeWords } from "../server/expected.js";
import type { GeneratorSetup } from "./contract.js";
import { type OhaOutput, toFailures } from "./oha-output.js";
import { count, latency, readOutput } from "./output-schema.js";

/** What the recorded answers of one URL are checked for. */
export interface RecordedAnswer {
  /** As it is recorded; undefined: there is one URL only. */
  readonly url: string | undefined;
  readonly status: number;
  readonly size: SizeRange | undefined;
}

/**
 * Common to the scripts, which have in argv the file and what is expected as JSON: a list of URL or null, status, least and
 * most bytes. `is_right` and `has_status` are conditions of SQL with their values. `latency_of` takes sorted latencies; its
 * percentiles are those of oha (src/result_data.rs): the latency at index floor(p / 100 * n).
 */
export const COUNTS = `
import json, sqlite3, sys
path, expected = sys.argv[1], json.loads(sys.argv[2])
db = sqlite3.connect(path)
def condition(sizes):
    words, values = [], []
    for url, status, least, most in expected:
        part = ["status = ?"] + ["len_bytes BETWEEN ? AND ?"] * sizes + ["url = ?"] * (url is not None)
        words.append("(" + " AND ".join(part) + ")")
        values += [status] + [least, most] * sizes + [url] * (url is not None)
    return "(" + " OR ".join(words) + ")", values
is_right, right_values = condition(True)
has_status, status_values = condition(False)
kind = "CASE WHEN %s THEN 'right' WHEN %s THEN 'size' ELSE 'status' END" % (is_right, has_status)
wrong = db.execute("SELECT MIN(len_bytes), MAX(len_bytes) FROM oha WHERE %s AND NOT %s" % (has_status, is_right), status_values + right_values).fetchone()
counts = db.execute("SELECT status, %s, COUNT(*) FROM oha GROUP BY 1, 2" % kind, right_values + status_values).fetchall()
def latency_of(times):
    if not times:
        return None
    latency = {"p%d" % p: times[int(p / 100 * len(times))] for p in (50, 60, 70, 75, 80, 90, 95, 99)}
    return {**latency, "p999": times[int(0.999 * len(times))], "mean": sum(times) / len(times), "max": times[-1]}
`;

const SCRIPT: CountingScript = {
  text: `${COUNTS}
from array import array
right = db.execute("SELECT duration FROM oha WHERE " + is_right, right_values)
times = sorted(array("d", (row[0] for row in right)))
json.dump({"counts": counts, "wrong": wrong, "latency": latency_of(times)}, sys.stdout)
`,
  // A million rows take two seconds.
  timeoutMs: 120_000,
};

/** Python that reads the recording's path and numbers from argv, and answers in JSON. */
export interface CountingScript {
  readonly text: string;
  readonly timeoutMs: number;
}

/** A kind of failure: the right status with a body of another size. */
export const WRONG_BODY = "wrong body";

/** In messages. */
export const RECORDING = "the recording of the requests";

const recording = v.object({
  counts: v.array(v.tuple([count, v.picklist(["right", "size", "status"]), count])),
  latency: v.nullable(latency),
  /** The least and the most bytes of wrong bodies. */
  wrong: v.optional(v.tuple([v.nullable(count), v.nullable(count)])),
});

export interface Recorded {
  /** `17 bytes`; undefined: no body was wrong. */
  readonly wrongSizes?: string;
  readonly requests: number;
  readonly failures: Failures;
  readonly latencyMs: LatencyMs | undefined;
}

/** Parses the script's answer; the failures without a response come from oha's summary. @throws Error naming the field */
export function parseRecording(text: string, output: Pick<OhaOutput, "errors">): Recorded {
  const { counts, latency, wrong: [least, most] = [] } = readOutput(recording, text, RECORDING);
  const failed: [string, number][] = [...output.errors];
  let requests = 0;
  for (const [status, kind, n] of counts) {
    if (kind === "status") failed.push([`status ${status}`, n]);
    else if (kind === "size") failed.push([WRONG_BODY, n]);
    else requests += n;
  }
  const sizes = typeof least === "number" && typeof most === "number" ? { wrongSizes: sizeWords({ least, most }) } : {};
  if (latency === null) return { requests, failures: toFailures(failed), latencyMs: undefined, ...sizes };
  const { mean, p50, p60, p70, p75, p80, p90, p95, p99, p999, max } = latency;
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
    ...(p999 !== undefined && { p999: ms(p999) }),
    max: ms(max),
  };
  return { requests, failures: toFailures(failed), latencyMs, ...sizes };
}

/** The script's answer, as text. @throws Error with the script's own output where it fails */
export async function countRecording(
  setup: GeneratorSetup,
  script: CountingScript,
  file: string,
  expected: readonly RecordedAnswer[],
  numbers: readonly number[] = [],
): Promise<string> {
  const routes = expected.map(({ url, status, size }) => [
    url ?? null,
    status,
    size?.least ?? 0,
    size?.most ?? ANY_SIZE,
  ]);
  const outcome = await runChild({
    argv: [setup.python, "-I", "-c", script.text, file, JSON.stringify(routes), ...numbers.map(String)],
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
  expected: readonly RecordedAnswer[],
  output: OhaOutput,
): Promise<Recorded> {
  return parseRecording(await countRecording(setup, SCRIPT, file, expected), output);
}
