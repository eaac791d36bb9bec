/** The file of measured commits. */
import * as v from "valibot";
import { readChecked } from "../read-checked.js";

/** The last one is the reference. */
export const METRICS_OF_COMMITS = ["cpuPerRequest", "throughput", "instructions"] as const;

const metric = v.object({ verdict: v.string(), change: v.number(), interval: v.tuple([v.number(), v.number()]) });
const measuredCommit = v.object({
  commit: v.string(),
  subject: v.string(),
  metrics: v.record(v.string(), metric),
  /** Of the timed row, and its seconds. */
  pairs: v.number(),
  seconds: v.number(),
  /** Why there are no figures. */
  reason: v.optional(v.string()),
});
export type MeasuredCommit = v.InferOutput<typeof measuredCommit>;

/** @throws InputError that names the file and the field */
export async function readMeasuredCommits(file: string): Promise<MeasuredCommit[]> {
  return await readChecked(file, v.array(measuredCommit));
}
