/** The files of a run in its artifacts, read as hostile data. */
import { InputError } from "../errors.js";
import { type PlanFile, parsePlanFile } from "../results/plan-file.js";
import { parseResults } from "../results/read.js";
import type { Results } from "../results/schema.js";
import { readArchive } from "./archive.js";
import type { ArtifactRef } from "./artifacts.js";
import type { GitHub } from "./client.js";
import { type DownloadOptions, downloadArtifact, type Refused, titleOf } from "./download-artifact.js";

const RESULTS_FILE = "results.json";
export const PLAN_FILE = "plan.json";

export type ReadArtifact<T> =
  | ({ readonly state: "read" } & T)
  | { readonly state: "gone"; readonly reason: string }
  | Refused;

/** The results of a run, checked as hostile data. Costs one call of the API. */
export async function readResultsArtifact(
  github: GitHub,
  artifact: ArtifactRef,
  options?: DownloadOptions,
): Promise<ReadArtifact<{ readonly results: Results; readonly characters: number }>> {
  const read = (text: string, source: string) => ({ results: parseResults(text, source), characters: text.length });
  return await readFile(github, artifact, { file: RESULTS_FILE, read }, options);
}

/** Which rows each shard was to measure. Costs one call of the API. */
export async function readPlanArtifact(
  github: GitHub,
  artifact: ArtifactRef,
  options?: DownloadOptions,
): Promise<ReadArtifact<{ readonly plan: PlanFile }>> {
  const read = (text: string, source: string) => ({ plan: parsePlanFile(text, source) });
  return await readFile(github, artifact, { file: PLAN_FILE, read }, options);
}

/** One text file at the artifact's root. */
async function readFile<T>(
  github: GitHub,
  artifact: ArtifactRef,
  { file, read }: { readonly file: string; readonly read: (text: string, source: string) => T },
  options?: DownloadOptions,
): Promise<ReadArtifact<T>> {
  const download = await downloadArtifact(github, artifact, options);
  if (download.state !== "downloaded") return download;
  const title = titleOf(artifact);
  try {
    const text = (await readArchive(download.zip, file, title)).get(file);
    if (text === undefined) return { state: "refused", reason: `${title}: holds no ${file}` };
    return { state: "read", ...read(text, `${title}: ${file}`) };
  } catch (error) {
    if (error instanceof InputError) return { state: "refused", reason: error.message };
    throw error;
  }
}
