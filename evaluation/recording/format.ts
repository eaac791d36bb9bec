/**
 * The form of a recording in its file: whole numbers in fixed order, which gzip makes small. Times are rounded to
 * microseconds, shares to millionths. Figures that a slice does not have are -1.
 */
import * as v from "valibot";
import type { OpenSlice, Pair, PairSlice } from "../../src/results/comparison.js";
import { amount, count, line, list, text, timestamp } from "../../src/results/fields.js";
import type { InstructionRound } from "../../src/results/further-metrics.js";
import type { Counts, Recording } from "./recording.js";

const FORMAT = "server-bench/recording";
const VERSION = 1;
const MILLION = 1e6;
const NONE = -1;
const TOGETHER = 0;

/** side, seconds, requests, CPU seconds, steal, others, idle CPU seconds, turns (0: at the same time as the other side). */
const CLOSED_FIGURES = 8;
/** Also: rate, due, answered, failures, window, p50, p99, client. */
const OPEN_FIGURES = 16;
const ROWS_MAX = 10_000;
const PAIRS_MAX = 100_000;
const SLICES_MAX = 1000;

const figure = v.pipe(v.number(), v.integer(), v.minValue(NONE));
const sliceForm = v.pipe(
  v.array(figure),
  v.check(
    ({ length }) => length === CLOSED_FIGURES || length === OPEN_FIGURES,
    `expected ${CLOSED_FIGURES} or ${OPEN_FIGURES} figures`,
  ),
  v.check(([side]) => side === 0 || side === 1, "expected side 0 (base) or 1 (head)"),
  v.check(
    (figures) =>
      figures.every((one, i) => one !== NONE || OPTIONAL.includes(i)) && Math.min(...figures.slice(1, 3)) >= 0,
    "expected a figure that is not negative",
  ),
);
/** Places of the figures that may be absent. */
const OPTIONAL: readonly number[] = [4, 6, 7, 13, 14];
const pairForm = v.strictTuple([count, list(sliceForm, SLICES_MAX, "slices")]);
const windows = list(count, SLICES_MAX, "windows");
/** seconds, PYTHONHASHSEED, instructions per request of base's windows, and of head's. */
const roundForm = v.strictTuple([count, count, windows, windows]);
const countsForm = v.strictObject({
  /** Of Valgrind. */
  version: line,
  connections: count,
  requests: count,
  rounds: list(roundForm, PAIRS_MAX, "rounds"),
});

export const recordingForm = v.strictObject({
  format: v.literal(FORMAT),
  version: v.literal(VERSION),
  recordedAt: timestamp,
  seed: count,
  /** Of all pairs. Absent in recordings of an earlier form. */
  sameAddresses: v.optional(v.boolean(), false),
  environment: v.record(v.string(), v.unknown()),
  notes: list(text, 1000, "notes"),
  rows: list(
    v.strictObject({
      server: text,
      plant: text,
      turns: count,
      builds: v.strictObject({ base: text, head: text }),
      neighbour: v.strictObject({ share: v.pipe(amount, v.maxValue(0.5)), cpus: list(count, 1024, "CPUs") }),
      pairs: list(pairForm, PAIRS_MAX, "pairs"),
      counts: v.optional(countsForm),
    }),
    ROWS_MAX,
    "rows",
  ),
});
type RecordingForm = v.InferOutput<typeof recordingForm>;
type PairForm = v.InferOutput<typeof pairForm>;
type CountsForm = v.InferOutput<typeof countsForm>;

export function encode(recording: Recording): RecordingForm {
  const { recordedAt, seed, environment, notes, rows } = recording;
  return {
    format: FORMAT,
    version: VERSION,
    recordedAt,
    seed,
    sameAddresses: rows.every(({ pairs }) => pairs.every((pair) => pair.sameAddresses)),
    environment: { ...environment },
    notes: [...notes],
    rows: rows.map(({ neighbour, builds, pairs, counts, ...row }) => ({
      server: row.server,
      plant: row.plant,
      turns: row.turns,
      builds: { ...builds },
      neighbour: { share: neighbour.share, cpus: [...neighbour.cpus] },
      pairs: pairs.map(encodePair),
      ...(counts && { counts: encodeCounts(counts) }),
    })),
  };
}

export function decode(form: RecordingForm): Recording {
  const { format: _, version: __, sameAddresses, rows, ...rest } = form;
  const decoded = (pair: PairForm): Pair => ({
    ...decodePair(pair),
    ...(sameAddresses && { sameAddresses }),
  });
  return {
    ...rest,
    rows: rows.map(({ counts, ...row }) => ({
      ...row,
      pairs: row.pairs.map(decoded),
      ...(counts && { counts: decodeCounts(counts) }),
    })),
  };
}

function encodeCounts({ version, connections, requests, rounds }: Counts): CountsForm {
  const whole = (windows: readonly number[] = []) => windows.map(Math.round);
  return {
    version,
    connections,
    requests,
    rounds: rounds.map(({ seconds, hashSeed, base, head }) => [micro(seconds), hashSeed, whole(base), whole(head)]),
  };
}

function decodeCounts({ rounds, ...counts }: CountsForm): Counts {
  const decoded = rounds.map(
    ([seconds, hashSeed, base, head]): InstructionRound => ({ hashSeed, seconds: seconds / MILLION, base, head }),
  );
  return { state: "measured", source: "callgrind", ...counts, rounds: decoded };
}

function encodePair({ seconds, slices }: Pair): PairForm {
  return [micro(seconds), slices.map(encodeSlice)];
}

function encodeSlice(slice: PairSlice): number[] {
  const { side, seconds, requests, serverCpuSec, stealShare, othersShare, idleCpuSec, open } = slice;
  const closed = [
    side === "base" ? 0 : 1,
    micro(seconds),
    requests,
    micro(serverCpuSec),
    optional(stealShare),
    micro(othersShare),
    optional(idleCpuSec),
    slice.together ? TOGETHER : (slice.turns ?? NONE),
  ];
  return open === undefined ? closed : [...closed, ...encodeOpen(open)];
}

function encodeOpen(open: OpenSlice): number[] {
  const { ratePerSec, due, answered, failures, windowSec, latencyMs, clientShare } = open;
  const latency = [optional(latencyMs?.p50), optional(latencyMs?.p99)];
  return [micro(ratePerSec), due, answered, failures, micro(windowSec), ...latency, micro(clientShare)];
}

function decodePair([seconds, slices]: PairForm): Pair {
  return { seconds: seconds / MILLION, slices: slices.map(decodeSlice) };
}

function decodeSlice(figures: readonly number[]): PairSlice {
  const at = (i: number) => figures[i] ?? NONE;
  return {
    side: at(0) === 0 ? "base" : "head",
    seconds: at(1) / MILLION,
    requests: at(2),
    serverCpuSec: at(3) / MILLION,
    ...(at(4) === NONE ? {} : { stealShare: at(4) / MILLION }),
    othersShare: at(5) / MILLION,
    ...(at(6) === NONE ? {} : { idleCpuSec: at(6) / MILLION }),
    ...sharedFields(at(7)),
    ...(figures.length === OPEN_FIGURES ? { open: decodeOpen(figures.slice(CLOSED_FIGURES)) } : {}),
  };
}

function sharedFields(turns: number): Pick<PairSlice, "together" | "turns"> {
  if (turns === TOGETHER) return { together: true };
  return turns === NONE ? {} : { turns };
}

function decodeOpen(figures: readonly number[]): OpenSlice {
  const [rate = 0, due = 0, answered = 0, failures = 0, window = 0, p50 = NONE, p99 = NONE, client = 0] = figures;
  const latency =
    p50 === NONE ? {} : { latencyMs: { p50: p50 / MILLION, ...(p99 === NONE ? {} : { p99: p99 / MILLION }) } };
  return {
    ratePerSec: rate / MILLION,
    due,
    answered,
    failures,
    windowSec: window / MILLION,
    ...latency,
    clientShare: client / MILLION,
  };
}

function micro(value: number): number {
  return Math.round(value * MILLION);
}

function optional(value: number | undefined): number {
  return value === undefined ? NONE : micro(value);
}
