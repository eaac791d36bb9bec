/** Uploads the results of a run as an artifact: the files that the report names, and the logs of builds that failed. */
import { existsSync, lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { PAGE_FILE } from "../commands/output-folder.js";
import { LOGS_FOLDER, type WrittenResults } from "../commands/run/request.js";
import { messageLine } from "../errors.js";
import { PAGE_ARTIFACT } from "../github/artifacts.js";
import type { Job } from "../github/job.js";
import { uploadArtifact, uploadFile } from "../github/upload.js";
import { CHARTS_FOLDER, chartFiles } from "../report/charts/charts.js";
import { profileFiles } from "../report/profile/files.js";
import { filesThatFit } from "./artifact-files.js";
import { artifactNames } from "./artifact-names.js";
import type { ActionContext } from "./context.js";
import { shortenLog } from "./shorten-log.js";

interface Uploaded {
  readonly id: number;
  readonly url: string;
}

/** @param others names of further files in the folder of the results @returns undefined where nothing was uploaded */
export async function uploadResults(
  { job, inputs, log }: ActionContext,
  { results, resultsPath, reportPath }: WrittenResults,
  others: readonly string[],
): Promise<Uploaded | undefined> {
  if (!job) return undefined;
  const { shard } = results.run;
  const whole = artifactNames(inputs).results;
  const name = shard ? `${whole}-${shard.index}-of-${shard.of}` : whole;
  const root = dirname(resultsPath);
  const charts = chartFiles(results).map((chart) => join(CHARTS_FOLDER, chart.name));
  const files = [
    relative(root, resultsPath),
    relative(root, reportPath),
    relative(root, join(dirname(reportPath), PAGE_FILE)),
    ...others,
    ...charts,
    ...(await logsIn(root, log)),
    ...profilesIn(root, results),
  ];
  // A run that an error stopped may have no report, or a folder in its place.
  const written = files.filter((file) => existsSync(join(root, file)) && !lstatSync(join(root, file)).isDirectory());
  const fitting = await filesThatFit(root, written, log);
  const uploaded = await uploadArtifact(name, fitting, root, inputs.retentionDays);
  if (uploaded.state === "refused") {
    log(`${uploaded.reason}; the results are in ${root}`);
    return undefined;
  }
  log(`uploaded the results as the artifact ${uploaded.name} (${uploaded.bytes} bytes, ${uploaded.digest})`);
  return { id: uploaded.id, url: artifactUrl(job, uploaded.id) };
}

/**
 * Uploads the page as a separate artifact, which a browser opens. The zip of the results has it too. A shard has no page: its
 * rows are reported together with those of the others. @returns its address; undefined if it was not uploaded
 */
export async function uploadPage(
  { job, inputs, log }: ActionContext,
  { results, reportPath }: Pick<WrittenResults, "results" | "reportPath">,
): Promise<string | undefined> {
  if (!job || results.run.shard) return undefined;
  const uploaded = await uploadFile(PAGE_ARTIFACT, join(dirname(reportPath), PAGE_FILE), inputs.retentionDays);
  if (uploaded.state === "uploaded") return artifactUrl(job, uploaded.id);
  log(`${uploaded.reason}; the page is among the results`);
  return undefined;
}

/** An artifact belongs to the run: addresses of its attempts have none. */
export function artifactUrl(
  { serverUrl, owner, repo, runId }: Pick<Job, "serverUrl" | "owner" | "repo" | "runId">,
  id: number,
): string {
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}/artifacts/${id}`;
}

/** The stacks of the rows that were sampled in this run. A merged file's stacks are in the results of its shards. */
function profilesIn(root: string, { profiles = [] }: WrittenResults["results"]): string[] {
  const files = profiles.flatMap((profile) =>
    profile.state === "sampled" ? Object.values(profileFiles(profile)) : [],
  );
  return files.filter((file) => existsSync(join(root, file)));
}

/** Written where a build failed. */
async function logsIn(root: string, log: (line: string) => void): Promise<string[]> {
  const names = await readdir(join(root, LOGS_FOLDER)).catch(() => []);
  const files = names.filter((name) => name.endsWith(".log")).map((name) => join(LOGS_FOLDER, name));
  for (const file of files) {
    try {
      if (await shortenLog(join(root, file)))
        log(`${file}: the artifact has its beginning and its end; the whole is ${join(root, file)}.whole`);
    } catch (error) {
      log(`${file} could not be shortened: ${messageLine(error)}`);
    }
  }
  return files;
}
