/** The file of the runs: what each row came to. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { InputError, messageLine } from "../../src/errors.js";
import { checkShape } from "../../src/results/check.js";
import { PLANTS } from "./apps.js";

const judgedRow = v.object({
  run: v.number(),
  server: v.string(),
  plant: v.picklist(PLANTS),
  /** Relative, of the instructions; of CPU per request where `detect` is 3. */
  change: v.number(),
  /** Of counting; 0: the pairs decided it alone. */
  rounds: v.number(),
  /** Of each round: log(head / base), and its standard deviation by the decision. */
  logs: v.array(v.object({ log: v.number(), sd: v.number() })),
  /** Of the row where `detect` is there, else of its counts. */
  verdict: v.string(),
  /** Wall time of all its rounds, one after the other on two CPUs, and of its pairs. */
  seconds: v.number(),
});
export type JudgedRow = v.InferOutput<typeof judgedRow>;

/** A row that a run could not count: it failed, or has no verdict. */
const uncountedRow = v.object({
  run: v.number(),
  server: v.string(),
  plant: v.picklist(PLANTS),
  reason: v.string(),
});
export type UncountedRow = v.InferOutput<typeof uncountedRow>;

const instructionsFile = v.object({
  /** Before the first run. */
  startedAt: v.string(),
  machine: v.string(),
  cpus: v.number(),
  valgrind: v.string(),
  /** Share of the time for which the neighbour was busy, on every CPU. */
  neighbour: v.number(),
  /** Per cent: smallest change that the runs looked for, by time too. */
  detect: v.optional(v.number()),
  runs: v.number(),
  /** What a reader has to know of these runs. */
  notes: v.optional(v.array(v.string())),
  /** Wall time of all runs after set-up. */
  measuredSec: v.number(),
  rows: v.array(judgedRow),
  notCounted: v.optional(v.array(uncountedRow)),
});
export type InstructionsFile = v.InferOutput<typeof instructionsFile>;

/** @returns undefined where there is none yet @throws InputError that names the file and the field */
export async function readInstructionsFile(file: string): Promise<InstructionsFile | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new InputError(`${file}: ${messageLine(error)}`);
  }
  const checked = checkShape(instructionsFile, value);
  if (checked.state === "valid") return checked.value;
  throw new InputError(checked.problems.map((problem) => `${file}: ${problem}`).join("\n"));
}
