/** The results of a run -> an artifact: the files that the report names, and the logs of builds that failed. */
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { PAGE_FILE } from "../commands/output-folder.js";
import { LOGS_FOLDER, type WrittenResults } from "../commands/run/request.js";
import { RESULTS_ARTIFACT, uploadArtifact } from "../github/artifacts.js";
import { CHARTS_FOLDER, chartsOf } from "../report/charts/charts.js";
import type { ActionContext } from "./context.js";

/** @param others names of further files in the folder of the results @returns undefined where nothing was uploaded */
export async function uploadResults(
  { job, inputs, log }: ActionContext,
  { results, resultsPath, reportPath }: WrittenResults,
  others: readonly string[],
): Promise<{ readonly id: number; readonly url: string } | undefined> {
  if (!job) return undefined;
  const { shard } = results.run;
  const name = shard ? `${RESULTS_ARTIFACT}-${shard.index}-of-${shard.of}` : RESULTS_ARTIFACT;
  const root = dirname(resultsPath);
  const charts = chartsOf(results).map((chart) => join(CHARTS_FOLDER, chart.name));
  const files = [
    relative(root, resultsPath),
    relative(root, reportPath),
    relative(root, join(dirname(reportPath), PAGE_FILE)),
    ...others,
    ...charts,
    ...(await logsIn(root)),
  ];
  const uploaded = await uploadArtifact(name, files, root, inputs.retentionDays);
  if (uploaded.state === "refused") {
    log(`${uploaded.reason}; the results are in ${root}`);
    return undefined;
  }
  log(`uploaded the results as the artifact ${uploaded.name} (${uploaded.bytes} bytes, ${uploaded.digest})`);
  const { serverUrl, owner, repo, runId } = job;
  return { id: uploaded.id, url: `${serverUrl}/${owner}/${repo}/actions/runs/${runId}/artifacts/${uploaded.id}` };
}

/** Written where a build failed. */
async function logsIn(root: string): Promise<string[]> {
  const names = await readdir(join(root, LOGS_FOLDER)).catch(() => []);
  return names.filter((name) => name.endsWith(".log")).map((name) => join(LOGS_FOLDER, name));
}
