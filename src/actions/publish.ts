/** Results -> the artifact, the comment, the step's summary, annotations, outputs and the gate, in this order. */

import { dirname } from "node:path";
import { writePage } from "../commands/results-writer.js";
import { failedRows, gateRows } from "../commands/run/exit-code.js";
import type { BaseOf } from "../github/base-runs.js";
import { nameSome } from "../messages/sentence.js";
import { replaceFile } from "../replace-file.js";
import { type Annotation, annotationsOf } from "../report/comment/annotations.js";
import { renderComment, renderStopped } from "../report/comment/comment.js";
import type { CommentFacts } from "../report/comment/facts.js";
import { type ReportOptions, renderReport, renderSummary } from "../report/markdown/report.js";
import { type Origin, originOf } from "../report/repeat/origin.js";
import { resultsToShow } from "../report/trust/claims.js";
import type { Trust } from "../report/trust/trust.js";
import type { Comparison } from "../results/comparison.js";
import type { Results } from "../results/schema.js";
import type { RunComment } from "./comment.js";
import type { ActionContext } from "./context.js";
import { unlessCancelled } from "./finish-in-peace.js";
import { recentRuns } from "./recent-runs.js";
import { orRefused } from "./refused.js";
import { uploadPage, uploadResults } from "./upload-results.js";

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
  /** Whether results and page are uploaded. Default: true. */
  readonly upload?: boolean;
  /** Names of further files in the folder of the results, which are uploaded with them. */
  readonly files?: readonly string[];
  /** Where stored results of base are; undefined: this run looks for none. */
  readonly base?: BaseOf | undefined;
  /** Why there was no comparison with base. */
  readonly notes?: readonly string[];
  /** Why no pull request gets the comment that was wanted. */
  readonly uncommented?: string | undefined;
  /** Aborted when the job is cancelled: the comment is then written at once. */
  readonly cancelled?: AbortSignal;
  /** The run that measured, if that was another one. */
  readonly measured?: {
    readonly runUrl: string;
    readonly headSha: string;
    readonly artifactUrl?: string;
    readonly trust: Trust;
    /** What a reader has to know before the verdict. */
    readonly lead?: string | undefined;
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
  if (interrupted) await comment?.finish(stoppedText(factsOf(action, results, extra, {})));
  const shown = shownAs(action, results, extra);
  // Written a second time: only this job knows where the action and the checkout can be cloned.
  await replaceFile(finished.reportPath, renderReport(results, { ...shown, charts: true }));
  await writePage(dirname(finished.reportPath), results, shown);
  // Before the gate: results become a baseline even when the gate fails.
  const uploading = upload(action, finished, extra);
  if (!interrupted && comment) await finishComment(action, results, comment, { extra, uploading });
  const { artifact, pageUrl } = await uploading;
  const toShow = resultsToShow(results, trustOf(extra));
  const failure = failureOf({ results: toShow, exitCode }, action.inputs.run.failOn);
  return {
    outputs: {
      ...outputsOf(finished),
      ...(artifact && { "artifact-id": artifact.id }),
      "comment-url": comment?.url ?? "",
    },
    annotations: annotationsOf(toShow, { gate: action.inputs.run.failOn === "worse" }),
    summary: renderSummary(results, {
      ...shown,
      uncommented: extra.uncommented ?? comment?.refusal,
      ...(artifact && { artifactUrl: artifact.url }),
      ...(pageUrl !== undefined && { pageUrl }),
    }),
    ...(failure !== undefined && { failure }),
  };
}

const NEVER = new AbortController().signal;

interface Uploaded {
  readonly artifact?: { readonly id: number; readonly url: string } | undefined;
  readonly pageUrl?: string | undefined;
}

async function upload(action: ActionContext, finished: Finished, extra: Extra): Promise<Uploaded> {
  const { cancelled = NEVER, files = [] } = extra;
  const artifact = extra.upload === false ? undefined : await uploadResults(action, finished, files);
  // If the results were refused, the page would be refused for the same reason.
  const refused = extra.upload !== false && artifact === undefined;
  const pageUrl = refused || cancelled.aborted ? undefined : await uploadPage(action, finished);
  return { artifact, pageUrl };
}

/** With links to what was uploaded. A cancelled job has seconds left, so its comment does not wait for them. */
async function finishComment(
  action: ActionContext,
  results: Results,
  comment: RunComment,
  { extra, uploading }: { readonly extra: Extra; readonly uploading: Promise<Uploaded> },
): Promise<void> {
  const { cancelled = NEVER } = extra;
  const { artifact, pageUrl } = (await unlessCancelled(() => uploading, cancelled)) ?? {};
  const facts = factsOf(action, results, extra, { artifactUrl: artifact?.url, pageUrl });
  const recent = (await unlessCancelled(() => recentRuns(action, results, extra.base), cancelled)) ?? [];
  await comment.finish(renderComment({ ...facts, recent }));
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

export function repeatedFrom({ job, context, inputs }: ActionContext, { run }: Results): Origin | undefined {
  if (!job) return undefined;
  const { serverUrl, owner, repo, event } = job;
  const own = event.kind === "pull_request" ? event.pullRequest.headSha : job.sha;
  const sha = inputs.request?.sha ?? own;
  const here = { serverUrl, repository: `${owner}/${repo}`, workspace: context.cwd, sha };
  return originOf(context.env, here, run.tool.version);
}

interface Links {
  readonly artifactUrl?: string | undefined;
  readonly pageUrl?: string | undefined;
}

function factsOf(action: ActionContext, results: Results, extra: Extra, links: Links): CommentFacts {
  const { job } = action;
  const { measured, notes = [] } = extra;
  const headSha = measured?.headSha ?? (job?.event.kind === "pull_request" ? job.event.pullRequest.headSha : job?.sha);
  const link = measured?.artifactUrl ?? links.artifactUrl;
  return {
    results,
    ...shownAs(action, results, extra),
    where: {
      repository: job ? `${job.owner}/${job.repo}` : "",
      serverUrl: job?.serverUrl ?? "",
      runUrl: measured?.runUrl ?? job?.runUrl ?? "",
      ...(link === undefined ? {} : { artifactUrl: link }),
      ...(links.pageUrl === undefined ? {} : { pageUrl: links.pageUrl }),
      ...(headSha === undefined ? {} : { headSha }),
    },
    ...(measured?.lead === undefined ? {} : { lead: measured.lead }),
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

/** One word for all rows: the verdict with the most weight. */
function overallVerdict(comparison: Comparison | undefined): string {
  if (!comparison || comparison.rows.length === 0) return "none";
  const found = (verdict: string) => comparison.rows.some((row) => row.verdict === verdict);
  const named = ["worse", "suspect-worse", "better", "suspect-better", "inconclusive"].find(found);
  return named ?? "unchanged";
}

/** @param results as they may be shown */
export function failureOf(
  { results, exitCode }: Pick<Finished, "results" | "exitCode">,
  failOn: string,
): string | undefined {
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
  const ids = failOn === "worse" ? gateRows(results).map(gateName) : failedRows(results);
  return `${failOn} (fail-on: ${failOn}): ${nameSome([...new Set(ids)])}`;
}

function gateName({ id, started }: ReturnType<typeof gateRows>[number]): string {
  return started === undefined ? id : `${id} (started differently)`;
}
