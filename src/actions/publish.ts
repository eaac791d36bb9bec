/** Results -> the artifact, the comment, the step's summary, annotations, outputs and the gate, in this order. */

import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writePage } from "../commands/results-writer.js";
import { gateRows } from "../commands/run/exit-code.js";
import { type Annotation, annotationsOf } from "../report/comment/annotations.js";
import { renderComment, renderStopped } from "../report/comment/comment.js";
import type { CommentFacts } from "../report/comment/facts.js";
import { type ReportOptions, renderReport, renderSummary } from "../report/page/page.js";
import { type Origin, originOf } from "../report/repeat/origin.js";
import { resultsToShow } from "../report/trust/claims.js";
import type { Trust } from "../report/trust/trust.js";
import type { Comparison } from "../results/comparison.js";
import type { Results } from "../results/schema.js";
import type { RunComment } from "./comment.js";
import type { ActionContext } from "./context.js";
import { orRefused } from "./refused.js";
import { uploadResults } from "./upload-results.js";

export interface Finished {
  readonly results: Results;
  readonly resultsPath: string;
  readonly reportPath: string;
  readonly exitCode: number;
}

/** What the step shows and ends with. */
export interface Published {
  readonly outputs: Readonly<Record<string, string | number>>;
  readonly annotations: readonly Annotation[];
  readonly summary: string;
  /** Why the step fails; undefined: it does not. */
  readonly failure?: string;
}

interface Extra {
  /** Default: true. */
  readonly upload?: boolean;
  /** Names of further files in the folder of the results, which are uploaded with them. */
  readonly files?: readonly string[];
  /** Why base could not be compared with. */
  readonly notes?: readonly string[];
  /** The run that measured, where it is another one. */
  readonly measured?: {
    readonly runUrl: string;
    readonly headSha: string;
    readonly artifactUrl?: string;
    readonly trust: Trust;
  };
}

const INTERRUPTED = [130, 143];

export async function publish(
  action: ActionContext,
  finished: Finished,
  comment: RunComment | undefined,
  extra: Extra = {},
): Promise<Published> {
  const by = { runUrl: action.job?.runUrl ?? "", trust: trustOf(extra) };
  return await orRefused(comment, by, () => publishResults(action, finished, comment, extra));
}

async function publishResults(
  action: ActionContext,
  finished: Finished,
  comment: RunComment | undefined,
  extra: Extra,
): Promise<Published> {
  const { results, exitCode } = finished;
  const interrupted = INTERRUPTED.includes(exitCode);
  // A cancelled job has seconds left: its comment must not stay at "measuring".
  if (interrupted) await comment?.finish(stoppedText(factsOf(action, results, extra, undefined)));
  const shown = shownAs(action, results, extra);
  // Again: only this job knows where the action and the checkout can be cloned.
  await writeFile(finished.reportPath, renderReport(results, { ...shown, charts: true }));
  await writePage(dirname(finished.reportPath), results, shown);
  // Before the gate: a failing gate must not keep the results from becoming a baseline.
  const artifact = extra.upload === false ? undefined : await uploadResults(action, finished, extra.files ?? []);
  const facts = factsOf(action, results, extra, artifact?.url);
  if (!interrupted) await comment?.finish(renderComment(facts));
  const failure = failureOf(finished, action.inputs.run.failOn);
  return {
    outputs: {
      ...outputsOf(finished),
      ...(artifact && { "artifact-id": artifact.id }),
      "comment-url": comment?.url ?? "",
    },
    annotations: annotationsOf(resultsToShow(results, trustOf(extra)), { gate: action.inputs.run.failOn === "worse" }),
    summary: renderSummary(results, { ...shown, ...(artifact && { artifactUrl: artifact.url }) }),
    ...(failure !== undefined && { failure }),
  };
}

function stoppedText(facts: CommentFacts): string {
  return renderStopped({ reason: "the run was cancelled", runUrl: facts.where.runUrl, facts });
}

function trustOf({ measured }: Extra): Trust {
  return measured?.trust ?? { kind: "own" };
}

function shownAs(
  action: ActionContext,
  results: Results,
  extra: Extra,
): Required<Pick<ReportOptions, "trust">> & ReportOptions {
  const origin = repeatedFrom(action, results);
  return { trust: trustOf(extra), ...(origin && { origin }) };
}

export function repeatedFrom({ job, context }: ActionContext, { run }: Results): Origin | undefined {
  if (!job) return undefined;
  const { serverUrl, owner, repo, event } = job;
  const sha = event.kind === "pull_request" ? event.pullRequest.headSha : job.sha;
  const here = { serverUrl, repository: `${owner}/${repo}`, workspace: context.cwd, sha };
  return originOf(context.env, here, run.tool.version);
}

function factsOf(action: ActionContext, results: Results, extra: Extra, artifactUrl: string | undefined): CommentFacts {
  const { job } = action;
  const { measured, notes = [] } = extra;
  const headSha = measured?.headSha ?? (job?.event.kind === "pull_request" ? job.event.pullRequest.headSha : job?.sha);
  const link = measured?.artifactUrl ?? artifactUrl;
  return {
    results,
    ...shownAs(action, results, extra),
    where: {
      repository: job ? `${job.owner}/${job.repo}` : "",
      serverUrl: job?.serverUrl ?? "",
      runUrl: measured?.runUrl ?? job?.runUrl ?? "",
      ...(link === undefined ? {} : { artifactUrl: link }),
      ...(headSha === undefined ? {} : { headSha }),
    },
    notes,
  };
}

export function outputsOf({ results, resultsPath, reportPath }: Finished): Record<string, string | number> {
  const cases = (state: string) => results.cases.filter((result) => result.state === state).length;
  const rows = (verdict: string) => results.comparison?.rows.filter((row) => row.verdict === verdict).length ?? 0;
  return {
    "results-path": resultsPath,
    "report-path": reportPath,
    completed: cases("completed"),
    failed: cases("failed"),
    verdict: overallVerdict(results.comparison),
    worse: rows("worse"),
    better: rows("better"),
  };
}

/** One word for all rows: their worst verdict. */
function overallVerdict(comparison: Comparison | undefined): string {
  if (!comparison || comparison.rows.length === 0) return "none";
  const found = (verdict: string) => comparison.rows.some((row) => row.verdict === verdict);
  const named = ["worse", "suspect-worse", "better", "suspect-better", "inconclusive"].find(found);
  return named ?? "unchanged";
}

export function failureOf({ results, exitCode }: Finished, failOn: string): string | undefined {
  switch (exitCode) {
    case 0:
      return undefined;
    case 1:
      return gateMessage(results, failOn);
    case 3:
      return "nothing could be measured: every row failed or was skipped; the report says why";
    default:
      return "interrupted";
  }
}

function gateMessage(results: Results, failOn: string): string {
  const ids =
    failOn === "worse"
      ? gateRows(results).map((row) => row.id)
      : results.cases.filter(({ side, state }) => side === "head" && state === "failed").map(({ id }) => id);
  return `${failOn} (fail-on: ${failOn}): ${[...new Set(ids)].join(", ")}`;
}
