/** The file of live runs: verdicts and seconds of whole runs of the command line. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { InputError, messageLine } from "../../src/errors.js";
import { checkShape } from "../../src/results/check.js";

const liveRun = v.object({
  startedAt: v.string(),
  /** From the first pair to the last. */
  measuredSec: v.number(),
  /** Share of `measuredSec` under load. */
  loadShare: v.number(),
  /** What differs between the sides; absent in files from before there was a choice. */
  sides: v.optional(v.string()),
  rows: v.array(v.object({ id: v.string(), verdict: v.string(), seconds: v.number(), pairs: v.number() })),
});
export type LiveRun = v.InferOutput<typeof liveRun>;

/** @throws InputError that names the file and the field */
export async function readLiveRuns(file: string): Promise<LiveRun[]> {
  const value: unknown = await readFile(file, "utf8")
    .then(JSON.parse)
    .catch((error) => {
      throw new InputError(`${file}: ${messageLine(error)}`);
    });
  const checked = checkShape(v.array(liveRun), value);
  if (checked.state === "valid") return checked.value;
  throw new InputError(checked.problems.map((problem) => `${file}: ${problem}`).join("\n"));
}
