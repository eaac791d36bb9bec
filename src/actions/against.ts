/**
 * What a job's run is compared with: base measured beside head, stored results of the base branch, both, or nothing.
 * Where there is nothing, the results say why; it is never a failure.
 */
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Against, type MeasuredBase, readStoredRuns, type StoredBase } from "../commands/run/against.js";
import { InputError } from "../errors.js";
import { type Baseline, findBaseline } from "../github/baseline.js";
import type { Job } from "../github/job.js";
import { pullRequestBase } from "../provision/sides/pull-request-base.js";
import { type BaseSource, findBase } from "../provision/sides/sides.js";
import type { NothingToCompare } from "../results/schema.js";
import { writeResults } from "../results/write.js";
import type { ActionContext } from "./context.js";
import { unusedNote } from "./unused-inputs.js";

export interface ChosenAgainst {
  readonly against: Against;
  /** For the report: what could not be had, and why. */
  readonly notes: readonly string[];
  /** Names of files that were put beside the results. */
  readonly files: readonly string[];
}

/** Beside the results, so that the comparison can be repeated from the artifact. */
const BASE_FILE = "base.json";

const STORED = "Its results are stored: later runs can compare with them.";

type Side =
  | { readonly state: "found"; readonly source: BaseSource }
  /** There should be one, but it is not in the checkout. */
  | { readonly state: "missing"; readonly reason: string }
  /** Neither a pull request nor the input `base`. */
  | { readonly state: "none"; readonly reason: string };

type Stored =
  | { readonly state: "found"; readonly stored: StoredBase; readonly files: readonly string[] }
  | { readonly state: "missing"; readonly reason: string };

/** @throws InputError for a file of `base-results` that cannot be read */
export async function chooseAgainst(action: ActionContext): Promise<ChosenAgainst> {
  const chosen = await choose(action);
  const unused = unusedNote(chosen.against, action.inputs);
  if (unused === undefined) return chosen;
  // Where something is compared, the reader of the report need not know which inputs had no part in it.
  if (chosen.against.kind !== "none") action.log(unused);
  return chosen.against.kind === "none" ? { ...chosen, notes: [...chosen.notes, unused] } : chosen;
}

async function choose(action: ActionContext): Promise<ChosenAgainst> {
  const { baseline, files } = action.inputs.compare;
  if (baseline === "none") return nothing();
  if (files.length > 0) return await againstFiles(action, files);
  if (baseline === "artifact") return await againstStored(action);
  const side = await findSide(action);
  if (side.state === "none") return nothing({ kind: "event", reason: `${side.reason}. ${STORED}` });
  if (baseline === "auto") return await storedFirst(action, side);
  if (side.state === "found") return inPairs(action, side.source);
  return await againstStored(action, side.reason);
}

function nothing(because?: NothingToCompare): ChosenAgainst {
  return { against: { kind: "none", ...(because && { because }) }, notes: [], files: [] };
}

async function againstFiles(action: ActionContext, files: readonly string[]): Promise<ChosenAgainst> {
  const { baseline, anchors } = action.inputs.compare;
  const stored = { runs: await readStoredRuns(files, action.context.cwd), anchors, facts: {} };
  if (baseline === "auto") return confirmed(action, { stored, files: [] }, await findSide(action));
  return { against: { kind: "stored", stored }, notes: [], files: [] };
}

/** @param notPaired why base is not measured beside head, where that was asked for */
async function againstStored(action: ActionContext, notPaired?: string): Promise<ChosenAgainst> {
  const found = await findStored(action);
  const clauses = notPaired === undefined ? [] : [`base cannot be measured beside head: ${notPaired}`];
  if (found.state === "missing")
    return nothing({ kind: "stored", reason: `${[...clauses, found.reason].join("; ")}.` });
  const notes = clauses.map((clause) => `B${clause.slice(1)}.`);
  return { against: { kind: "stored", stored: found.stored }, notes, files: found.files };
}

async function storedFirst(action: ActionContext, side: Exclude<Side, { state: "none" }>): Promise<ChosenAgainst> {
  const found = await findStored(action);
  if (found.state === "found") return confirmed(action, found, side);
  if (side.state === "found") return inPairs(action, side.source);
  return nothing({ kind: "stored", reason: `${found.reason}; base cannot be measured beside head: ${side.reason}.` });
}

/** Rows that look changed against stored results are measured in pairs, where there is a base. */
function confirmed(
  { inputs }: ActionContext,
  { stored, files }: { readonly stored: StoredBase; readonly files: readonly string[] },
  side: Side,
): ChosenAgainst {
  if (side.state === "found") {
    const base = measured(inputs.compare, side.source);
    return { against: { kind: "storedThenPaired", stored, base }, notes: [], files };
  }
  const note = `Suspect rows cannot be confirmed in pairs: ${side.reason}.`;
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

async function findSide({ inputs, job, context }: ActionContext): Promise<Side> {
  const { base } = inputs.compare;
  if (base !== undefined) return await findSource(base, context.cwd);
  if (job?.event.kind !== "pull_request")
    return { state: "none", reason: `this run is ${eventOf(job)}, and the input base is empty` };
  const { baseSha } = job.event.pullRequest;
  const found = await pullRequestBase(context.cwd, { sha: job.sha, baseSha });
  return found.state === "found" ? await findSource(found.ref, context.cwd) : found;
}

async function findSource(given: string, cwd: string): Promise<Side> {
  try {
    return { state: "found", source: await findBase(given, cwd, "commit", "base") };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { state: "missing", reason: error.message };
  }
}

/** `a push, not a pull request` */
function eventOf(job: Job | undefined): string {
  if (!job) return "no job of GitHub Actions";
  const { event } = job;
  return `${event.kind === "other" ? `a ${event.name} run` : `a ${event.kind}`}, not a pull request`;
}

async function findStored({ github, job, inputs, context, log }: ActionContext): Promise<Stored> {
  const branch = job && branchOf(job);
  if (!github || !job || branch === undefined)
    return {
      state: "missing",
      reason: "no baseline: stored results are looked up on GitHub, which needs a job there and a token",
    };
  const baseSha = job.event.kind === "pull_request" ? job.event.pullRequest.baseSha : undefined;
  const { workflowFile } = job;
  const found = await findBaseline(github, { branch, workflowFile, ...(baseSha !== undefined && { baseSha }) });
  if (found.state !== "found") {
    const reason = found.state === "none" ? found.reason : found.failure.message;
    log(`no baseline: ${reason}`);
    return { state: "missing", reason: `no baseline yet: ${reason}` };
  }
  log(`baseline: ${found.run.url}, commit ${found.run.sha}`);
  await mkdir(inputs.run.out, { recursive: true });
  const file = join(inputs.run.out, BASE_FILE);
  await writeResults(file, found.results);
  // The report shows the path: without the runner's folders.
  const runs = [{ source: relative(context.cwd, file), results: found.results }];
  return {
    state: "found",
    stored: { runs, anchors: inputs.compare.anchors, facts: factsOf(found) },
    files: [BASE_FILE],
  };
}

/** The branch whose runs are the base. */
function branchOf({ event, defaultBranch }: Job): string | undefined {
  if (event.kind === "pull_request") return event.pullRequest.baseRef;
  if (event.kind === "push") return event.branch;
  // A nightly run is of the default branch, even where its event does not name a branch.
  return defaultBranch ?? (event.kind === "other" ? event.branch : undefined);
}

/** For the comparison's description of its base. */
function factsOf({ run, behind }: Extract<Baseline, { readonly state: "found" }>): Readonly<Record<string, string>> {
  return { runUrl: run.url, ...(behind !== undefined && { behind: String(behind) }) };
}
