/** What load generators print: figures that a results file can hold, or an error that says which field is wrong. */
import * as fc from "fast-check";
import { parseGhzOutput } from "../../../src/measure/generators/ghz-output.js";
import { judge, parseOhaOutput } from "../../../src/measure/generators/oha-output.js";
import { parseOpenRecording } from "../../../src/measure/generators/open-recording.js";
import { UnreadableOutput } from "../../../src/measure/generators/output-schema.js";
import { parseRecording } from "../../../src/measure/generators/recording.js";
import { brokenBroadcast, parseWebsocketOutput } from "../../../src/measure/generators/websocket-output.js";
import { judgeWrk, parseWrkOutput, WRK_MARK } from "../../../src/measure/generators/wrk-output.js";
import { summarise } from "../../../src/measure/summary.js";
import { checkOwnResults } from "../../../src/results/check.js";
import type { Slice } from "../../../src/results/schema.js";
import { completed, resultsOf } from "../../support/results.js";
import { mutatedBytes, mutatedJson } from "../mutate.js";
import { hold, orTyped, type Target } from "../target.js";

type Figures = Pick<Slice, "seconds" | "requests" | "failures"> & {
  readonly latencyMs: Slice["latencyMs"] | undefined;
};

const latency = { p50: 0.002, p75: 0.003, p90: 0.004, p95: 0.005, p99: 0.009 };
const many = { ...latency, p60: 0.0021, p70: 0.0025, p80: 0.0035, mean: 0.0022, max: 0.1 };

const OHA = {
  summary: {
    successRate: 1,
    total: 10.002,
    slowest: 0.1,
    fastest: 0.0001,
    average: 0.0022,
    totalData: 4000,
    sizePerRequest: 4,
  },
  latencyPercentiles: { p10: 0.001, p25: 0.0015, ...latency, "p99.9": 0.05 },
  statusCodeDistribution: { "200": 1000, "503": 2 },
  errorDistribution: {
    "aborted due to deadline": 64,
    timeout: 1,
    "connection error: Connection reset by peer (os error 104)": 3,
  },
};
const GHZ = {
  ...{ count: 3, total: 1_000_000_000, average: 500_000, rps: 3 },
  errorDistribution: { "rpc error: code = Unavailable desc = connection refused": 1 },
  statusCodeDistribution: { OK: 2, Unavailable: 1 },
  details: [
    { timestamp: "2026-01-01T00:00:00Z", latency: 400_000, error: "", status: "OK" },
    { timestamp: "2026-01-01T00:00:00Z", latency: 600_000, error: "", status: "OK" },
    { timestamp: "2026-01-01T00:00:00Z", latency: 10, error: "x", status: "Unavailable" },
  ],
};
const WEBSOCKET = {
  ...{
    whole: true,
    rounds: 20,
    sent: 640,
    received: 20_480,
    seconds: 5,
    sendSeconds: 1,
    cpuSeconds: 4,
    programCpuSeconds: 5,
  },
  ...{ failures: { "lost message": 2 }, latencyMs: many },
};
const WRK = {
  ...{ seconds: 10, requests: 1000, bytes: 140_000 },
  errors: { connect: 0, read: 1, write: 0, status: 2, timeout: 3 },
  latencyUs: many,
};
const RECORDING = {
  counts: [
    [200, "right", 1000],
    [200, "size", 2],
    [503, "status", 1],
  ],
  latency: many,
};
const OPEN = { counts: RECORDING.counts, latency: null, answered: 900, best: { p50: 0.001, p99: 0.01 } };
const ANSWERS = [{ status: 200, size: { least: 4, most: 4 } }] as const;

/** A slice with these figures can be written, and a case be made of it. */
function holdWritable(figures: Figures, messages?: Slice["messages"]): void {
  const { latencyMs, ...counted } = figures;
  const slice: Slice = {
    ...counted,
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(messages === undefined ? {} : { messages }),
    ...{ serverCpuSec: 1, clientCpuSec: 1 },
  };
  const summary = summarise([slice], { peakMemoryMiB: 1, clientBound: false });
  const base = completed("interfaces/fuzzed", "Fuzzed", 8, 1000);
  const checked = checkOwnResults(resultsOf([{ ...base, slices: [slice], summary: summary ?? base.summary }]));
  hold(
    checked.state === "valid",
    `figures that no file can hold: ${checked.state === "invalid" ? checked.problems.join("; ") : ""}`,
  );
}

function read<T>(work: () => T): T | undefined {
  return orTyped(work, [UnreadableOutput]);
}

const READERS: Readonly<Record<string, { readonly example: unknown; check(text: string): void }>> = {
  oha: {
    example: OHA,
    check(text) {
      const output = read(() => parseOhaOutput(text));
      if (output) holdWritable({ seconds: output.seconds, ...withoutExact(judge(output, ANSWERS)) });
    },
  },
  ghz: {
    example: GHZ,
    check(text) {
      const figures = read(() => parseGhzOutput(text));
      if (figures) holdWritable(figures);
    },
  },
  wrk: {
    example: WRK,
    check(text) {
      const output = read(() => parseWrkOutput(`Running 10s test\n${WRK_MARK}${text}\n`));
      const judged = output && read(() => judgeWrk(output, 4));
      if (output && judged) holdWritable({ seconds: output.seconds, ...judged });
    },
  },
  websocket: {
    example: WEBSOCKET,
    check(text) {
      const output = read(() => parseWebsocketOutput(text));
      if (!output || brokenBroadcast(output) !== undefined) return;
      const { seconds, received: requests, latencyMs, sent, sendSeconds } = output;
      holdWritable(
        { seconds, requests, failures: { total: 0, byKind: {} }, latencyMs },
        { sent, sendSec: sendSeconds },
      );
    },
  },
  recording: {
    example: RECORDING,
    check(text) {
      const recorded = read(() => parseRecording(text, { errors: new Map([["timeout", 2]]) }));
      if (recorded) holdWritable({ seconds: 10, ...recorded });
    },
  },
  "open-recording": {
    example: OPEN,
    check(text) {
      const recorded = read(() => parseOpenRecording(text, { errors: new Map() }));
      const { latencyMs } = recorded?.open ?? {};
      if (latencyMs) hold([latencyMs.p50, latencyMs.p99 ?? 0].every(Number.isFinite), "a latency is no finite number");
    },
  },
};

function withoutExact({ exact: _, ...figures }: ReturnType<typeof judge>): Omit<ReturnType<typeof judge>, "exact"> {
  return figures;
}

export const generatorTargets: readonly Target[] = Object.entries(READERS).map(([name, { example, check }]) => ({
  name: `output-${name}`,
  share: 4,
  inputs: fc.oneof(mutatedJson([example]), mutatedBytes([JSON.stringify(example)])),
  check: (input) => check(input.toString("utf8")),
}));
