/**
 * Further metrics, measured in addition to the timed pairs: the verdicts are made from these. Instructions are counted while
 * the server runs below Valgrind, memory is sampled while it answers a fixed number of requests.
 */
import * as v from "valibot";
import { amount, count, line, list, text } from "./fields.js";
import { PAIRS_PER_ROW_MAX, SLICES_PER_PAIR_MAX } from "./limits.js";

/** Why a row has no figures, or no further ones. */
const problem = {
  reason: text,
  /** Absent where neither side failed: there is no Valgrind, or the budget had no room. */
  failedIn: v.optional(v.picklist(["base", "head"])),
};
const problemObject = v.object(problem);
export type FurtherProblem = v.InferOutput<typeof problemObject>;

const notMeasured = v.object({ state: v.literal("not-measured"), ...problem });

/** A later round failed. The rounds before it count. */
const stopped = v.optional(problemObject);

const windows = list(amount, SLICES_PER_PAIR_MAX, "windows");

/** A process of each side, with one hash seed. */
const instructionRound = v.object({
  /** PYTHONHASHSEED of both sides. */
  hashSeed: count,
  /** Wall time. */
  seconds: amount,
  /** Instructions per request of each window; absent where head was counted alone. */
  base: v.optional(windows),
  head: windows,
});
export type InstructionRound = v.InferOutput<typeof instructionRound>;

const instructionCounts = v.variant("state", [
  v.object({
    state: v.literal("measured"),
    /** What counted: user-space instructions below Valgrind. */
    source: v.literal("callgrind"),
    /** Of Valgrind. */
    version: line,
    connections: count,
    /** Of a window. */
    requests: count,
    rounds: list(instructionRound, PAIRS_PER_ROW_MAX, "rounds"),
    stopped,
  }),
  notMeasured,
]);
type InstructionCounts = v.InferOutput<typeof instructionCounts>;

/** Memory of all processes of a server, after each chunk of requests. */
const memorySide = v.object({
  /** Proportional set size, or resident set size where that cannot be read. */
  source: v.picklist(["pss", "rss"]),
  peakMiB: amount,
  samplesMiB: list(amount, SLICES_PER_PAIR_MAX, "samples"),
});
export type MemorySide = v.InferOutput<typeof memorySide>;

const memoryPair = v.object({ seconds: amount, base: v.optional(memorySide), head: memorySide });
export type MemoryPair = v.InferOutput<typeof memoryPair>;

const memorySamples = v.variant("state", [
  v.object({
    state: v.literal("measured"),
    connections: count,
    /** Between two samples. */
    requests: count,
    pairs: list(memoryPair, PAIRS_PER_ROW_MAX, "pairs"),
    stopped,
  }),
  notMeasured,
]);
type MemorySamples = v.InferOutput<typeof memorySamples>;

export const furtherMetrics = {
  instructions: v.optional(instructionCounts),
  memory: v.optional(memorySamples),
};
export interface FurtherMetrics {
  readonly instructions?: InstructionCounts | undefined;
  readonly memory?: MemorySamples | undefined;
}
