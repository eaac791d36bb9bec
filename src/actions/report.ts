/** `command: report`: the results that other jobs uploaded -> one report and one comment. Executes nothing of them. */
import { Recorder } from "../commands/recorder.js";
import { exitCodeOf } from "../commands/run.js";
import { InputError } from "../errors.js";
import { type ArtifactInfo, listResultsArtifacts, readPlanArtifact, readResultsArtifact } from "../github/artifacts.js";
import type { GitHub } from "../github/client.js";
import type { Job } from "../github/job.js";
import { findPullRequest } from "../github/pull-request.js";
import { mergeResults } from "../merge/merge.js";
import { missingShards, withMissing } from "../merge/missing-shards.js";
import type { Part } from "../merge/parts.js";
import { renderStopped } from "../report/comment/comment.js";
import type { PlanFile } from "../results/plan-file.js";
import type { Results } from "../results/schema.js";
import { type CommentPlace, RunComment } from "./comment.js";
import { type Published, publish } from "./publish.js";
import type { Setting } from "./setting.js";

/** The run whose artifacts are read. */
interface Source {
  readonly runId: number;
  readonly attempt: number;
  readonly runUrl: string;
  readonly headSha: string;
  /** It is this run itself: the jobs before this one measured. */
  readonly own: boolean;
}

export async function reportAction(setting: Setting): Promise<Published> {
  const { job, github, log } = setting;
  if (!job) throw new InputError("command: report works inside GitHub Actions; on a machine use `server-bench report`");
  if (!github) throw new InputError("command: report needs the input token");
  const source = sourceOf(job);
  const place = await placeOf(job, github, source, log);
  const comment = RunComment.open(setting, place);
  const fetched = await fetchAll(github, source, log);
  if (fetched.parts.length === 0) {
    const reason = fetched.problems[0] ?? "the run uploaded no results";
    await comment?.finish(renderStopped({ reason, runUrl: source.runUrl }));
    return {
      ...{ outputs: { "comment-url": comment?.url ?? "", verdict: "none" }, annotations: [] },
      summary: `No results: ${reason}\n`,
      failure: `no results to report: ${[...fetched.problems, source.runUrl].join("; ")}`,
    };
  }
  const merged = await mergeOrTell(fetched.parts, comment, source);
  const missing = missingShards(
    fetched.parts.map((part) => part.results),
    fetched.plan,
  );
  for (const { shard, reason } of missing) log(`shard ${shard}: ${reason}`);
  const recorder = new Recorder(setting.inputs.run.out, withMissing(merged, missing));
  await recorder.open();
  await recorder.finish({ warnings: [...merged.run.warnings, ...fetched.problems] });
  const { results, resultsPath, reportPath } = recorder;
  const exitCode = exitCodeOf(results, setting.inputs.run.failOn);
  return await publish(setting, { results, resultsPath, reportPath, exitCode }, comment, {
    // What was merged of this run's shards is the baseline of later ones.
    upload: source.own && fetched.sharded,
    measured: { runUrl: source.runUrl, headSha: source.headSha },
  });
}

/** @throws InputError for shards that do not fit together, after the comment said so */
async function mergeOrTell(
  parts: readonly Part[],
  comment: RunComment | undefined,
  { runUrl }: Source,
): Promise<Results> {
  try {
    return mergeResults(parts);
  } catch (error) {
    if (error instanceof InputError) await comment?.finish(renderStopped({ reason: error.message, runUrl }));
    throw error;
  }
}

function sourceOf(job: Job): Source {
  const { event, runId, runAttempt, runUrl, owner, repo, serverUrl } = job;
  if (event.kind === "workflow_run") {
    const { id, attempt, headSha } = event.run;
    return { runId: id, attempt, headSha, runUrl: `${serverUrl}/${owner}/${repo}/actions/runs/${id}`, own: false };
  }
  const headSha = event.kind === "pull_request" ? event.pullRequest.headSha : job.sha;
  return { runId, attempt: runAttempt, runUrl, headSha, own: true };
}

/** From the event alone: what an artifact says of itself is not asked. */
async function placeOf(
  { event }: Job,
  github: GitHub,
  { runId, attempt, runUrl }: Source,
  log: (line: string) => void,
): Promise<CommentPlace | undefined> {
  const run = { id: runId, attempt, url: runUrl };
  if (event.kind === "pull_request") return { pullRequest: event.pullRequest.number, run };
  if (event.kind !== "workflow_run") return undefined;
  const found = await findPullRequest(github, event.run);
  if (found.state === "found") return { pullRequest: found.pullRequest.number, run };
  log(`no comment: ${found.state === "none" ? found.reason : found.failure.message}`);
  return undefined;
}

interface Fetched {
  readonly parts: readonly Part[];
  readonly plan: PlanFile | undefined;
  readonly sharded: boolean;
  /** Artifacts that could not be read. */
  readonly problems: readonly string[];
}

async function fetchAll(github: GitHub, { runId }: Source, log: (line: string) => void): Promise<Fetched> {
  const listed = await listResultsArtifacts(github, runId);
  if (listed.state === "refused")
    return { parts: [], plan: undefined, sharded: false, problems: [listed.failure.message] };
  const problems: string[] = [];
  const parts: Part[] = [];
  let plan: PlanFile | undefined;
  for (const artifact of sourcesOf(listed.artifacts)) {
    const read =
      artifact.kind === "plan" ? await readPlanArtifact(github, artifact) : await readResultsArtifact(github, artifact);
    if (read.state === "read" && "plan" in read) plan = read.plan;
    else if (read.state === "read") parts.push({ source: artifact.name, results: read.results });
    else problems.push(problemOf(artifact, read.reason));
  }
  for (const problem of problems) log(problem);
  return { parts, plan, sharded: parts.some(({ results }) => results.run.shard !== undefined), problems };
}

/** What an earlier attempt of a report made of the shards is not merged with them. */
function sourcesOf(artifacts: readonly ArtifactInfo[]): readonly ArtifactInfo[] {
  const sharded = artifacts.some(({ shard }) => shard !== undefined);
  return artifacts.filter(({ kind, shard }) => !sharded || kind === "plan" || shard !== undefined);
}

function problemOf({ name }: ArtifactInfo, reason: string): string {
  return `the artifact ${name} was not read: ${reason}`;
}
