/** The file of live runs: verdicts and seconds of whole runs of the command line. */
import * as v from "valibot";
import { readChecked } from "../read-checked.js";

const liveRun = v.object({
  startedAt: v.string(),
  /** From the first pair to the last. */
  measuredSec: v.number(),
  /** Share of `measuredSec` under load. */
  loadShare: v.number(),
  /** What differs between the sides; absent in files from before there was a choice. */
  sides: v.optional(v.string()),
  rows: v.array(
    v.object({
      id: v.string(),
      verdict: v.string(),
      seconds: v.number(),
      pairs: v.number(),
      /** What the report says of the row. */
      notes: v.optional(v.array(v.string())),
    }),
  ),
});
export type LiveRun = v.InferOutput<typeof liveRun>;

/** @throws InputError that names the file and the field */
export async function readLiveRuns(file: string): Promise<LiveRun[]> {
  return await readChecked(file, v.array(liveRun));
}
