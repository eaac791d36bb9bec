/** `command: report`: makes one report and one comment of the results that other jobs uploaded. It runs nothing of them. */
import { checkOutputFolder } from "../commands/output-folder.js";
import { ResultsWriter } from "../commands/results-writer.js";
import { exitCodeOf } from "../commands/run/exit-code.js";
import { InputError } from "../errors.js";
import type { GitHub } from "../github/client.js";
import { DEFAULT_KEY } from "../github/comment-marker.js";
import { type Job, NOT_TAKEN, type PullRequest } from "../github/job.js";
import { checkMeasuringWorkflow } from "../github/measuring-workflow.js";
import { findPullRequest } from "../github/pull-request.js";
import { nameSome, plural } from "../messages/sentence.js";
import { renderRefused, renderStopped } from "../report/comment/comment.js";
import type { Trust } from "../report/trust/trust.js";
import type { Results } from "../results/schema.js";
import { isWhole } from "../results/whole.js";
import { answerRequest, findRequestedPull, type PullToComment } from "./bench/requested-report.js";
import { type CommentTarget, RunComment } from "./comment.js";
import type { ActionContext } from "./context.js";
import { earlierResults } from "./earlier-attempt.js";
import { type Fetched, fetchAll, mergeFetched, type Source, sourceOf } from "./fetch-results.js";
import type { ActionInputs } from "./inputs.js";
import { type Published, publish } from "./publish.js";
import { orRefused } from "./refused.js";
import { measuringFile, trustIn } from "./trust.js";
import { artifactUrl } from "./upload-results.js";

export async function reportAction(action: ActionContext): Promise<Published> {
  const { request } = action.inputs;
  return request ? await answerRequest(action, request, () => report(action)) : await report(action);
}

async function report(action: ActionContext): Promise<Published> {
  const { job, github, log } = action;
  if (!job) throw new InputError("command: report works inside GitHub Actions; on a machine use `server-bench report`");
  if (!github) throw new InputError("command: report needs the input token");
  await checkOutputFolder(action.inputs.run.out, "out");
  const { request } = action.inputs;
  const own = sourceOf(job, action.inputs);
  const source: Source = request ? { ...own, headSha: request.sha } : own;
  const { pull, reason: noPull } = request
    ? await findRequestedPull(action, github, request)
    : await findPull(job, github);
  if (noPull !== undefined) log(`no comment: ${noPull}`);
  const comment = RunComment.open(action, pull && targetOf(pull, source));
  const fetched = await fetchAll(github, source, log);
  const trust = await trustIn(action, { job, github, pull, parts: fetched.parts });
  if (fetched.parts.length === 0) {
    const reason = fetched.problems[0] ?? noResults(action.inputs);
    if (fetched.problems.length === 0) log(reason);
    const text =
      fetched.problems.length === 0
        ? renderStopped({ reason, runUrl: source.runUrl })
        : renderRefused({ reason, runUrl: job.runUrl, trust });
    const expired = fetched.unread.length > 0 && fetched.unread.every((artifact) => artifact.expired);
    await (expired ? comment?.finishWithout(text) : comment?.finish(text));
    return {
      outputs: { "comment-url": comment?.url ?? "", verdict: "none" },
      annotations: [],
      summary: `${text}\n`,
      failure: nothingToReport(fetched.problems, trust, source),
    };
  }
  const merged = await orRefused(comment, { runUrl: job.runUrl, trust }, async () => mergeFetched(fetched, log));
  const writer = new ResultsWriter(action.inputs.run.out, merged);
  const lead = await earlierResults(github, source, fetched.artifacts, log);
  await orRefused(comment, { runUrl: job.runUrl, trust }, async () => {
    await writer.open();
    const warnings = [...(lead === undefined ? [] : [lead]), ...merged.run.warnings, ...fetched.problems];
    await writer.finish({ warnings });
  });
  const { results, resultsPath, reportPath } = writer;
  const exitCode = exitCodeOf(results, action.inputs.run.failOn);
  const published = await publish(action, { results, resultsPath, reportPath, exitCode }, comment, {
    notes: fetched.mixedUp,
    uncommented: action.inputs.comment.wanted ? noPull : undefined,
    // The merged shards of this run are the baseline of later runs.
    upload: source.own && fetched.sharded,
    // Runs on request never store a baseline, so there are no earlier figures.
    base: request
      ? undefined
      : pull && { branch: pull.baseRef, baseSha: pull.baseSha, workflowFile: measuringFile(job) },
    measured: { runUrl: source.runUrl, headSha: source.headSha, trust, lead, ...artifactLink(fetched, job, source) },
  });
  return withLeftOut(published, fetched, unmeasured(results, action.inputs.run.failOn));
}

/** With a gate, rows that were not measured may have any verdict too. */
function unmeasured({ run }: Results, failOn: string): string[] {
  if (failOn === "never" || isWhole(run)) return [];
  const { missing = [] } = run;
  const what = missing.length > 0 ? `${plural(missing.length, "shard")} left no results` : "the run ended early";
  return [`not all rows were measured: ${what}, so the gate (fail-on: ${failOn}) cannot pass. Measure again.`];
}

/** A problem may quote the artifact: the words of a pull request's run are only for the log. */
function nothingToReport(problems: readonly string[], { kind }: Trust, { runUrl }: Source): string {
  const lead = "no results to report";
  if (kind === "own" || problems.length === 0) return `${lead}: ${[...problems, runUrl].join("; ")}`;
  return `${lead}: those of ${runUrl} could not be read. The log has the reason.`;
}

/** Results that are there and are not in the report may have any verdict, so the step fails even where the others are good. */
function withLeftOut(published: Published, { unread, mixedUp }: Fetched, unmeasured: readonly string[]): Published {
  const names = nameSome(unread.map(({ name }) => name));
  const line = `not read: ${names}. The log has the reason, and the verdicts lack these results. Run this job again.`;
  const failures = [published.failure, ...mixedUp, ...(unread.length > 0 ? [line] : []), ...unmeasured].filter(Boolean);
  return failures.length === 0 ? published : { ...published, failure: failures.join("; ") };
}

function noResults({ comment, request }: ActionInputs): string {
  const none = "the run uploaded no results";
  if (request || comment.key === DEFAULT_KEY) return `${none}; the log of the job that measures says why`;
  return `${none} with the comment-key ${comment.key}: give the job that measures the same key`;
}

function targetOf({ number }: PullRequest, { runId, attempt, runUrl }: Source): CommentTarget {
  return { pullRequest: number, run: { id: runId, attempt, url: runUrl } };
}

/** The pull request that gets the comment. Only the event is trusted to name it, not an artifact. */
async function findPull(job: Job, github: GitHub): Promise<PullToComment> {
  const { event } = job;
  if (event.kind === "pull_request") return { pull: event.pullRequest };
  if (event.kind === "other" && event.name === "pull_request_target")
    return { reason: `this run is of the event ${event.name}, ${NOT_TAKEN}` };
  if (event.kind !== "workflow_run") return {};
  const found = await findPullRequest(github, event.run);
  if (found.state !== "found") return { reason: found.state === "none" ? found.reason : found.failure.message };
  const workflow = await checkMeasuringWorkflow(github, job, event.run);
  if (workflow.state === "expected") return { pull: found.pullRequest };
  return { reason: workflow.state === "unexpected" ? workflow.reason : workflow.failure.message };
}

/** The artifact, if one has the results of the whole run. Results of shards are merged and uploaded anew. */
function artifactLink({ artifacts, sharded }: Fetched, job: Job, { runId }: Source): { artifactUrl?: string } {
  const [artifact, ...others] = artifacts;
  if (artifact === undefined || others.length > 0 || sharded) return {};
  return { artifactUrl: artifactUrl({ ...job, runId }, artifact.id) };
}
