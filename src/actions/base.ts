/** What a run is compared with: base beside head, stored results of the base branch, or nothing. */
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { RunOptions } from "../commands/run.js";
import { type Baseline, findBaseline } from "../github/baseline.js";
import type { Job } from "../github/job.js";
import { pullRequestBase } from "../provision/sides/pull-request-base.js";
import { writeResults } from "../results/write.js";
import type { Setting } from "./setting.js";

export interface ChosenBase {
  readonly options: Pick<RunOptions, "base" | "baseline" | "confirm">;
  /** For the report: what could not be had, and why. */
  readonly notes: readonly string[];
  /** Names of files that were put beside the results. */
  readonly files: readonly string[];
}

/** Beside the results, so that the comparison can be repeated from the artifact. */
const BASE_FILE = "base.json";

/** Anchors are for stored results only. */
const NOTHING = { baseline: { files: [], anchors: [] } };

type SideBySide =
  | { readonly state: "found"; readonly ref: string }
  | { readonly state: "missing"; readonly reason: string };

export async function chooseBase(setting: Setting): Promise<ChosenBase> {
  const { inputs } = setting;
  const { anchors = [], files = [] } = inputs.run.baseline ?? {};
  if (inputs.baseline === "none") return without([]);
  if (files.length > 0) {
    const given = { options: { baseline: { files, anchors } }, notes: [], files: [] };
    return inputs.baseline === "auto" ? withConfirmation(setting, given, await sideBySide(setting)) : given;
  }
  if (inputs.baseline === "artifact") return await stored(setting, anchors, []);
  const sides = await sideBySide(setting);
  if (!sides) return without([]);
  if (inputs.baseline === "auto") return await storedFirst(setting, anchors, sides);
  if (sides.state === "found") return beside(setting, sides.ref);
  return await stored(setting, anchors, [`Base cannot be measured beside head: ${sides.reason}.`]);
}

/** Undefined where there is nothing to compare with: no pull request, and no base given. */
async function sideBySide({ inputs, job, host }: Setting): Promise<SideBySide | undefined> {
  if (inputs.base !== undefined) return { state: "found", ref: inputs.base };
  if (job?.event.kind !== "pull_request") return undefined;
  const { baseSha } = job.event.pullRequest;
  return await pullRequestBase(host.cwd, { sha: job.sha, baseSha });
}

function beside({ inputs }: Setting, ref: string): ChosenBase {
  return { options: { ...NOTHING, base: baseOptions(inputs.budgetMinutes, ref) }, notes: [], files: [] };
}

function baseOptions(budgetMinutes: number | undefined, given: string): NonNullable<RunOptions["base"]> {
  return { given, kind: "commit", optional: true, ...(budgetMinutes !== undefined && { budgetMinutes }) };
}

async function storedFirst(setting: Setting, anchors: readonly string[], sides: SideBySide): Promise<ChosenBase> {
  const found = await stored(setting, anchors, []);
  if (found.files.length === 0) return sides.state === "found" ? beside(setting, sides.ref) : found;
  return withConfirmation(setting, found, sides);
}

/** With `auto`, what looks changed against stored files is measured in pairs. */
function withConfirmation({ inputs }: Setting, found: ChosenBase, sides: SideBySide | undefined): ChosenBase {
  if (sides?.state === "found") {
    const confirm = { base: baseOptions(inputs.budgetMinutes, sides.ref) };
    return { ...found, options: { ...found.options, confirm } };
  }
  const reason = sides === undefined ? "there is no pull request and no base was given" : sides.reason;
  return { ...found, notes: [...found.notes, `Suspect rows cannot be confirmed in pairs: ${reason}.`] };
}

async function stored(setting: Setting, anchors: readonly string[], notes: readonly string[]): Promise<ChosenBase> {
  const { github, job, inputs, host, log } = setting;
  const branch = job && branchOf(job);
  if (!github || !job || branch === undefined)
    return without([
      ...notes,
      "No baseline: stored results are looked up on GitHub, which needs a job there and a token.",
    ]);
  const mergeBase = job.event.kind === "pull_request" ? job.event.pullRequest.baseSha : undefined;
  const found = await findBaseline(github, {
    ...{ branch, workflowFile: job.workflowFile },
    ...(mergeBase === undefined ? {} : { mergeBase }),
  });
  if (found.state !== "found") {
    const reason = found.state === "none" ? found.reason : found.failure.message;
    log(`no baseline: ${reason}`);
    return without([...notes, `No baseline yet: ${reason}.`]);
  }
  log(`baseline: ${found.run.url}, commit ${found.run.sha}`);
  await mkdir(inputs.run.out, { recursive: true });
  const file = join(inputs.run.out, BASE_FILE);
  await writeResults(file, found.results);
  // The report names it: the runner's folders are nobody's business.
  const files = [relative(host.cwd, file)];
  return { options: { baseline: { files, anchors, facts: factsOf(found) } }, notes, files: [BASE_FILE] };
}

function without(notes: readonly string[]): ChosenBase {
  return { options: NOTHING, notes, files: [] };
}

/** The branch whose runs are the base. */
function branchOf({ event, defaultBranch }: Job): string | undefined {
  if (event.kind === "pull_request") return event.pullRequest.baseRef;
  if (event.kind === "push") return event.branch;
  // A nightly run is on the default branch, whether its event says so or not.
  return defaultBranch ?? (event.kind === "other" ? event.branch : undefined);
}

/** For the comparison's account of its base. */
function factsOf({ run, behind }: Extract<Baseline, { readonly state: "found" }>): Readonly<Record<string, string>> {
  return { runUrl: run.url, ...(behind === undefined ? {} : { behind: String(behind) }) };
}
