/** `command: report`: the results that other jobs uploaded -> one report and one comment. Runs nothing from them. */
import { checkOutputFolder } from "../commands/output-folder.js";
import { ResultsWriter } from "../commands/results-writer.js";
import { exitCodeOf } from "../commands/run/exit-code.js";
import { InputError } from "../errors.js";
import { type ArtifactInfo, listResultsArtifacts, readPlanArtifact, readResultsArtifact } from "../github/artifacts.js";
import type { GitHub } from "../github/client.js";
import { verifyCommits } from "../github/commits.js";
import type { Job, PullRequest } from "../github/job.js";
import { checkMeasuringWorkflow } from "../github/measuring-workflow.js";
import { findPullRequest } from "../github/pull-request.js";
import { mergeResults } from "../merge/merge.js";
import { missingShards, withMissing } from "../merge/missing-shards.js";
import type { Part } from "../merge/parts.js";
import { renderRefused, renderStopped } from "../report/comment/comment.js";
import type { Trust } from "../report/trust/trust.js";
import type { PlanFile } from "../results/plan-file.js";
import { type CommentTarget, RunComment } from "./comment.js";
import type { ActionContext } from "./context.js";
import { type Published, publish } from "./publish.js";
import { orRefused } from "./refused.js";
import { trustOf } from "./trust.js";

/** The run whose artifacts are read. */
interface Source {
  readonly runId: number;
  readonly attempt: number;
  readonly runUrl: string;
  readonly headSha: string;
  /** Whether it is this run itself, whose earlier jobs measured. */
  readonly own: boolean;
}

export async function reportAction(action: ActionContext): Promise<Published> {
  const { job, github, log } = action;
  if (!job) throw new InputError("command: report works inside GitHub Actions; on a machine use `server-bench report`");
  if (!github) throw new InputError("command: report needs the input token");
  await checkOutputFolder(action.inputs.run.out, "out");
  const source = sourceOf(job);
  const pull = await findPull(job, github, log);
  const comment = RunComment.open(action, pull && targetOf(pull, source));
  const fetched = await fetchAll(github, source, log);
  const trust = await trustIn(job, github, pull, fetched.parts);
  if (fetched.parts.length === 0) {
    const reason = fetched.problems[0] ?? "the run uploaded no results";
    const text =
      fetched.problems.length === 0
        ? renderStopped({ reason, runUrl: source.runUrl })
        : renderRefused({ reason, runUrl: job.runUrl, trust });
    await comment?.finish(text);
    return {
      ...{ outputs: { "comment-url": comment?.url ?? "", verdict: "none" }, annotations: [] },
      summary: `${text}\n`,
      failure: `no results to report: ${[...fetched.problems, source.runUrl].join("; ")}`,
    };
  }
  const merged = await orRefused(comment, { runUrl: job.runUrl, trust }, async () => mergeResults(fetched.parts));
  const missing = missingShards(
    fetched.parts.map((part) => part.results),
    fetched.plan,
  );
  for (const { shard, reason } of missing) log(`shard ${shard}: ${reason}`);
  const writer = new ResultsWriter(action.inputs.run.out, withMissing(merged, missing));
  await orRefused(comment, { runUrl: job.runUrl, trust }, async () => {
    await writer.open();
    await writer.finish({ warnings: [...merged.run.warnings, ...fetched.problems] });
  });
  const { results, resultsPath, reportPath } = writer;
  const exitCode = exitCodeOf(results, action.inputs.run.failOn);
  return await publish(action, { results, resultsPath, reportPath, exitCode }, comment, {
    // The merged shards of this run are the baseline of later runs.
    upload: source.own && fetched.sharded,
    measured: { runUrl: source.runUrl, headSha: source.headSha, trust, ...artifactLink(fetched, source) },
  });
}

export function sourceOf(job: Job): Source {
  const { event, runId, runAttempt, runUrl, owner, repo, serverUrl } = job;
  if (event.kind === "workflow_run") {
    const { id, attempt, headSha } = event.run;
    return { runId: id, attempt, headSha, runUrl: `${serverUrl}/${owner}/${repo}/actions/runs/${id}`, own: false };
  }
  const headSha = event.kind === "pull_request" ? event.pullRequest.headSha : job.sha;
  return { runId, attempt: runAttempt, runUrl, headSha, own: true };
}

function targetOf({ number }: PullRequest, { runId, attempt, runUrl }: Source): CommentTarget {
  return { pullRequest: number, run: { id: runId, attempt, url: runUrl } };
}

/** What GitHub confirms of the commits that the results name. */
async function trustIn(
  job: Job,
  github: GitHub,
  pull: PullRequest | undefined,
  parts: readonly Part[],
): Promise<Trust> {
  const trust = trustOf(job);
  if (trust.kind === "own" || pull === undefined || parts.length === 0) return trust;
  return trustOf(
    job,
    await verifyCommits(
      github,
      pull,
      parts.map(({ results }) => results),
    ),
  );
}

/** The pull request that the comment is for, from the event alone: what an artifact claims is not trusted. */
async function findPull(job: Job, github: GitHub, log: (line: string) => void): Promise<PullRequest | undefined> {
  const { event } = job;
  if (event.kind === "pull_request") return event.pullRequest;
  if (event.kind !== "workflow_run") return undefined;
  const found = await findPullRequest(github, event.run);
  if (found.state !== "found") return notCommented(log, found.state === "none" ? found.reason : found.failure.message);
  const workflow = await checkMeasuringWorkflow(github, job, event.run);
  if (workflow.state === "expected") return found.pullRequest;
  return notCommented(log, workflow.state === "unexpected" ? workflow.reason : workflow.failure.message);
}

function notCommented(log: (line: string) => void, reason: string): undefined {
  log(`no comment: ${reason}`);
  return undefined;
}

/** The whole run's results, where one artifact has them; those of shards are uploaded anew, merged. */
function artifactLink({ artifactIds, sharded }: Fetched, { runUrl }: Source): { artifactUrl?: string } {
  const [id, ...others] = artifactIds;
  if (id === undefined || others.length > 0 || sharded) return {};
  return { artifactUrl: `${runUrl}/artifacts/${id}` };
}

interface Fetched {
  readonly parts: readonly Part[];
  readonly plan: PlanFile | undefined;
  readonly sharded: boolean;
  /** Of those that were read. */
  readonly artifactIds: readonly number[];
  /** Artifacts that could not be read. */
  readonly problems: readonly string[];
}

export async function fetchAll(github: GitHub, { runId }: Source, log: (line: string) => void): Promise<Fetched> {
  const listed = await listResultsArtifacts(github, runId);
  if (listed.state === "refused")
    return { parts: [], plan: undefined, sharded: false, artifactIds: [], problems: [listed.failure.message] };
  const problems: string[] = [];
  const parts: Part[] = [];
  const artifactIds: number[] = [];
  let plan: PlanFile | undefined;
  for (const artifact of sourcesOf(listed.artifacts)) {
    const read =
      artifact.kind === "plan" ? await readPlanArtifact(github, artifact) : await readResultsArtifact(github, artifact);
    if (read.state === "read" && "plan" in read) plan = read.plan;
    else if (read.state === "read") {
      parts.push({ source: artifact.name, results: read.results });
      artifactIds.push(artifact.id);
    } else problems.push(problemOf(artifact, read.reason));
  }
  for (const problem of problems) log(problem);
  const sharded = parts.some(({ results }) => results.run.shard !== undefined);
  return { parts, plan, sharded, artifactIds, problems };
}

/** Where there are shards, only they are read: a whole file is what an earlier attempt of the report merged. */
function sourcesOf(artifacts: readonly ArtifactInfo[]): readonly ArtifactInfo[] {
  const sharded = artifacts.some(({ shard }) => shard !== undefined);
  return artifacts.filter(({ kind, shard }) => !sharded || kind === "plan" || shard !== undefined);
}

function problemOf({ name }: ArtifactInfo, reason: string): string {
  return `the artifact ${name} was not read: ${reason}`;
}
