/** What oha recorded of a load at a fixed rate: latencies of the requests that were due after it had settled. */
import * as v from "valibot";
import { lowestMean } from "../../compare/lowest-mean.js";
import type { GeneratorSetup, Load, OpenOutcome } from "./contract.js";
import type { OhaOutput } from "./oha-output.js";
import { amount, count, readOutput } from "./output-schema.js";
import {
  COUNTS,
  type CountingScript,
  countRecording,
  parseRecording,
  RECORDING,
  type Recorded,
  type RecordedAnswer,
} from "./recording.js";

/** With fewer requests, fewer than five lie above the p99 of a window. */
export const P99_REQUESTS = 500;
/** Where fewer requests than this share were due in a window, the load generator itself was stopped. */
const WINDOW_SHARE = 0.9;
/** Of a slice's windows, this share counts: the quieter ones. */
const QUIETER = 3 / 8;

/**
 * argv: the file and what is expected, then seconds until latencies count, seconds of a window, how many windows, and
 * how many answers a window needs for its p50 and its p99. `start_latency_correction` is when a request was due,
 * `duration` counts from there. Failures count from the beginning. `windows` has the percentiles of each whole window; `latency` is
 * over all answers after the settling.
 */
const SCRIPT: CountingScript = {
  text: `${COUNTS}
settle, seconds, windows, *needs = map(float, sys.argv[3:8])
due = "SELECT start_latency_correction, duration FROM oha WHERE " + is_right + " AND start_latency_correction >= ?"
times = {}
answered = 0
for start, duration in db.execute(due, right_values + [settle]):
    answered += 1
    times.setdefault(int((start - settle) / seconds), []).append(duration)
percentiles = {"p50": [], "p99": []}
for number, window in times.items():
    window.sort()
    for p, need in zip((50, 99), needs):
        if number < windows and len(window) >= need:
            percentiles["p%d" % p].append(window[int(p / 100 * len(window))])
latency = latency_of(sorted(duration for window in times.values() for duration in window))
json.dump({"counts": counts, "wrong": wrong, "latency": latency, "answered": answered, "windows": percentiles}, sys.stdout)
`,
  // A load holds some 100,000 requests at the most, which take half a second.
  timeoutMs: 60_000,
};

/** Seconds. */
const openRecording = v.object({
  answered: count,
  windows: v.object({ p50: v.array(amount), p99: v.array(amount) }),
});

export interface OpenRecorded extends Recorded {
  readonly open: OpenOutcome;
}

/** @throws Error naming the field */
export function parseOpenRecording(text: string, output: Pick<OhaOutput, "errors">): OpenRecorded {
  const recorded = parseRecording(text, output);
  const { answered, windows } = readOutput(openRecording, text, RECORDING);
  const [p50, p99] = [quieterMs(windows.p50), quieterMs(windows.p99)];
  const latencyMs = p50 === undefined ? undefined : { p50, p99 };
  return { ...recorded, open: { answered, latencyMs } };
}

/** Geometric mean in the quieter windows, in milliseconds. @param seconds a percentile of each window; none: undefined */
function quieterMs(seconds: readonly number[]): number | undefined {
  if (seconds.length === 0) return undefined;
  return 1000 * Math.exp(lowestMean(seconds.map(Math.log), QUIETER));
}

/** At least one. Sums of decimal fractions are a little off. */
export function windowsIn({
  seconds,
  settleSec,
  windowSec,
}: Record<"seconds" | "settleSec" | "windowSec", number>): number {
  return Math.max(1, Math.floor((seconds - settleSec) / windowSec + 1e-6));
}

/** @throws Error with the script's own output where it fails */
export async function readOpenRecording(
  setup: GeneratorSetup,
  file: string,
  expected: readonly RecordedAnswer[],
  { seconds, open }: Required<Pick<Load, "seconds" | "open">>,
  output: OhaOutput,
): Promise<OpenRecorded> {
  const { ratePerSec, settleSec, windowSec } = open;
  const windows = windowsIn({ seconds, settleSec, windowSec });
  const wanted = WINDOW_SHARE * ratePerSec * windowSec;
  const numbers = [settleSec, windowSec, windows, wanted, Math.max(wanted, P99_REQUESTS)];
  return parseOpenRecording(await countRecording(setup, SCRIPT, file, expected, numbers), output);
}
