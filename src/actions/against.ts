/**
 * What a job's run is compared with: base measured beside head, stored results of the base branch, both, or nothing.
 * Nothing to compare with is no failure: the results say why.
 */
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Against, type MeasuredBase, readStoredRuns, type StoredBase } from "../commands/run/against.js";
import { InputError } from "../errors.js";
import { BASE_EVENTS } from "../github/base-runs.js";
import { type Baseline, type BaselineOptions, findBaseline } from "../github/baseline.js";
import { type Job, NOT_TAKEN } from "../github/job.js";
import { USUAL_METRICS, whyNotStored } from "../plan/selected-metrics.js";
import type { Remote } from "../provision/sides/fetch-aside.js";
import { mergedWith, pullRequestBase } from "../provision/sides/pull-request-base.js";
import { type BaseSource, findBase } from "../provision/sides/sides.js";
import type { NothingToCompare } from "../results/schema.js";
import { writeResults } from "../results/write.js";
import { storedResultsName } from "./artifact-names.js";
import type { BenchRequest } from "./bench/request.js";
import type { ActionContext } from "./context.js";
import { unusedNote } from "./unused-inputs.js";

export interface ChosenAgainst {
  readonly against: Against;
  /** For the report: what is missing, and why. */
  readonly notes: readonly string[];
  /** Names of files that were put beside the results. */
  readonly files: readonly string[];
}

/** Beside the results, so that the comparison can be repeated from the artifact. */
const BASE_FILE = "base.json";

const STORED = "Its results are stored: later runs can compare with them.";

type Side =
  | { readonly state: "found"; readonly source: BaseSource }
  /** There is a base, but it cannot be checked out. */
  | { readonly state: "missing"; readonly reason: string }
  /** Neither a pull request, nor a merge queue, nor the input `base`. */
  | { readonly state: "none"; readonly reason: string };

type Stored =
  | { readonly state: "found"; readonly stored: StoredBase; readonly files: readonly string[] }
  | { readonly state: "missing"; readonly reason: string };

/** @throws InputError for a file of `base-results` that cannot be read */
export async function chooseAgainst(action: ActionContext): Promise<ChosenAgainst> {
  const chosen = await choose(action);
  const { against } = chosen;
  // A workflow gives the same inputs on all of its events: the reason why nothing is compared says enough.
  if (against.kind === "none" && against.because) return chosen;
  const unused = unusedNote(against, action.inputs);
  if (unused === undefined) return chosen;
  if (against.kind === "none") return { ...chosen, notes: [...chosen.notes, unused] };
  // If something is compared, the report does not list the inputs that had no effect.
  action.log(unused);
  return chosen;
}

async function choose(action: ActionContext): Promise<ChosenAgainst> {
  if (action.inputs.request) return await againstRequested(action, action.inputs.request);
  const { baseline, files } = action.inputs.compare;
  if (baseline === "none") return nothing();
  if (files.length > 0) return await againstFiles(action, files);
  if (baseline === "artifact") return againstStored(await findStored(action));
  const side = await findSide(action);
  if (side.state === "none")
    return nothing({ kind: "event", reason: `${side.reason}.${isStored(action) ? ` ${STORED}` : ""}` });
  if (baseline === "auto") return storedFirst(action, await findStored(action), side);
  if (side.state === "found") return inPairs(action, side.source);
  return againstStored(await findStored(action), side.reason);
}

/** In pairs only: the runs of this workflow measure pull requests, so none of their stored results is a base. */
async function againstRequested(action: ActionContext, { base }: BenchRequest): Promise<ChosenAgainst> {
  // GITHUB_SHA names the default branch here, and the checkout is no merge by GitHub.
  const found = await pullRequestBase(action.context.cwd, { sha: "", baseSha: base }, remoteOf(action));
  const side = found.state === "found" ? await findSource(found.ref, action.context.cwd) : found;
  if (side.state === "found") return inPairs(action, side.source);
  return nothing({ kind: "event", reason: `base cannot be measured next to head: ${side.reason}.` });
}

function nothing(because?: NothingToCompare): ChosenAgainst {
  return { against: { kind: "none", ...(because && { because }) }, notes: [], files: [] };
}

async function againstFiles(action: ActionContext, files: readonly string[]): Promise<ChosenAgainst> {
  const { baseline, anchors } = action.inputs.compare;
  const stored = { runs: await readStoredRuns(files, action.context.cwd), anchors, facts: {} };
  const found = unjudged(action) ?? { state: "found", stored, files: [] };
  return baseline === "auto" ? storedFirst(action, found, await findSide(action)) : againstStored(found);
}

/** @param notPaired why base is not measured beside head, if that was asked for */
function againstStored(found: Stored, notPaired?: string): ChosenAgainst {
  const clauses = notPaired === undefined ? [] : [`base cannot be measured next to head: ${notPaired}`];
  if (found.state === "missing")
    return nothing({ kind: "stored", reason: `${[...clauses, found.reason].join("; ")}.` });
  const notes = clauses.map((clause) => `B${clause.slice(1)}.`);
  return { against: { kind: "stored", stored: found.stored }, notes, files: found.files };
}

function storedFirst(action: ActionContext, found: Stored, side: Side): ChosenAgainst {
  if (found.state === "found") return confirmed(action, found, side);
  if (side.state === "found") {
    // Nothing else says it: base is measured in pairs instead.
    action.log(`${found.reason}; base is measured next to head`);
    return inPairs(action, side.source);
  }
  return nothing({ kind: "stored", reason: `${found.reason}; base cannot be measured next to head: ${side.reason}.` });
}

/** If there is a base, rows that may have changed since the stored results are measured in pairs. */
function confirmed(
  { inputs }: ActionContext,
  { stored, files }: { readonly stored: StoredBase; readonly files: readonly string[] },
  side: Side,
): ChosenAgainst {
  if (side.state === "found") {
    const base = measured(inputs.compare, side.source);
    return { against: { kind: "storedThenPaired", stored, base }, notes: [], files };
  }
  const note = `Suspected benchmarks cannot be confirmed in pairs: ${side.reason}.`;
  return { against: { kind: "stored", stored }, notes: [note], files };
}

/** A base without scenarios is no mistake: the pull request may be the one that adds them. */
function inPairs({ inputs }: ActionContext, source: BaseSource): ChosenAgainst {
  const base = measured(inputs.compare, source);
  return { against: { kind: "paired", base, ifUnusable: "measure-head-alone" }, notes: [], files: [] };
}

function measured(
  { budgetMinutes, latency, precision }: ActionContext["inputs"]["compare"],
  source: BaseSource,
): MeasuredBase {
  return { source, budgetMinutes, latency, precision };
}

async function findSide(action: ActionContext): Promise<Side> {
  const { inputs, job, context } = action;
  const { base } = inputs.compare;
  if (base !== undefined) return await findSource(base, context.cwd);
  const event = job && eventBase(job);
  if (!event) return { state: "none", reason: `this run is ${eventOf(job)}` };
  const found = await pullRequestBase(context.cwd, event, remoteOf(action));
  return found.state === "found" ? await findSource(found.ref, context.cwd) : found;
}

/** For what the checkout lacks. */
function remoteOf({ inputs: { token }, job }: ActionContext): Remote | undefined {
  return job === undefined || token === "" ? undefined : { url: `${job.serverUrl}/${job.owner}/${job.repo}`, token };
}

/** @returns as `pullRequestBase` takes it */
function eventBase({ event, sha }: Job): { readonly sha: string; readonly baseSha: string } | undefined {
  if (event.kind === "pull_request") return { sha, baseSha: event.pullRequest.baseSha };
  // The first parent of GitHub's merge may be another pull request of the group.
  return event.kind === "merge_group" ? { sha: "", baseSha: event.baseSha } : undefined;
}

async function findSource(given: string, cwd: string): Promise<Side> {
  try {
    return { state: "found", source: await findBase(given, cwd, "commit", "base") };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { state: "missing", reason: error.message };
  }
}

/** `a push, not a pull request, and the input base is empty` */
function eventOf(job: Job | undefined): string {
  if (!job) return "no job of GitHub Actions, and the input base is empty";
  const name = nameOf(job);
  if (name === "pull_request_target") return `of the event ${name}, ${NOT_TAKEN}`;
  return `${name === "push" ? "a push" : `of the event ${name}`}, not a pull request, and the input base is empty`;
}

/** Whether later runs may take the results of this one as their base. */
function isStored({ job }: ActionContext): boolean {
  return job !== undefined && BASE_EVENTS.includes(nameOf(job));
}

function nameOf({ event }: Job): string {
  return event.kind === "other" ? event.name : event.kind;
}

/** Stored results cannot be compared by the metrics that were asked for. */
function unjudged({ inputs }: ActionContext): Extract<Stored, { state: "missing" }> | undefined {
  const reason = whyNotStored(inputs.run.metrics ?? USUAL_METRICS, "metrics:");
  return reason === undefined ? undefined : { state: "missing", reason };
}

async function findStored(action: ActionContext): Promise<Stored> {
  const { github, job, inputs, context, log } = action;
  const notJudged = unjudged(action);
  if (notJudged) return notJudged;
  if (!github || !job)
    return {
      state: "missing",
      reason: "no baseline: stored results are looked up on GitHub, which needs a job there and a token",
    };
  const branch = branchOf(job);
  if (branch === undefined)
    return {
      state: "missing",
      reason: `no baseline: ${job.tag === undefined ? "this run" : "a tag"} is on no branch, and the event does not name the default branch`,
    };
  const newest = await newestBase(job, action);
  const { workflowFile } = job;
  const artifactName = storedResultsName(inputs);
  const found = await findBaseline(github, { branch, workflowFile, artifactName, ...newest });
  if (found.state !== "found") {
    const reason = found.state === "none" ? found.reason : found.failure.message;
    return { state: "missing", reason: `no baseline yet: ${reason}` };
  }
  log(`baseline: ${found.run.url}, commit ${found.run.sha}`);
  await mkdir(inputs.run.out, { recursive: true });
  const file = join(inputs.run.out, BASE_FILE);
  await writeResults(file, found.results);
  // The report shows this path, so it has no folders of the runner.
  const runs = [{ source: relative(context.cwd, file), results: found.results }];
  return {
    state: "found",
    stored: { runs, anchors: inputs.compare.anchors, facts: factsOf(found) },
    files: [BASE_FILE],
  };
}

/**
 * Runs of later commits are no base. Such runs are listed where an old push is run again, or an older branch is measured by hand.
 */
async function newestBase(job: Job, action: ActionContext): Promise<Pick<BaselineOptions, "baseSha" | "baseIs">> {
  if (job.event.kind === "pull_request")
    return { baseSha: await leftBaseAt(action, job.sha, job.event.pullRequest.baseSha) };
  if (job.event.kind === "merge_group") return { baseSha: job.event.baseSha, baseIs: "which the group is merged onto" };
  return { baseSha: job.sha, baseIs: "which this run measures" };
}

/** The event's base may be older than what GitHub merged with. Where the head itself is checked out, it may be newer than where head left it. */
async function leftBaseAt(action: ActionContext, sha: string, baseSha: string): Promise<string> {
  const { cwd } = action.context;
  const merged = await mergedWith(cwd, sha);
  if (merged !== undefined) return merged;
  const found = await pullRequestBase(cwd, { sha, baseSha }, remoteOf(action));
  return found.state === "found" ? found.sha : baseSha;
}

/** The branch whose runs are the base. */
function branchOf({ event, defaultBranch }: Job): string | undefined {
  if (event.kind === "pull_request") return event.pullRequest.baseRef;
  if (event.kind === "merge_group") return event.baseRef;
  if (event.kind === "push" && event.branch !== undefined) return event.branch;
  // A nightly run measures the default branch, even if its event names no branch. A tag is on no branch: later runs are no base.
  return defaultBranch ?? (event.kind === "other" ? event.branch : undefined);
}

/** For the comparison's description of its base. */
function factsOf({ run, behind }: Extract<Baseline, { readonly state: "found" }>): Readonly<Record<string, string>> {
  return { runUrl: run.url, ...(behind !== undefined && { behind: String(behind) }) };
}
