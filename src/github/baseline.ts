/** The stored results that head is compared with: of its base commit, or of the newest good run before it. */
import type { Results } from "../results/schema.js";
import { isWhole } from "../results/whole.js";
import { type ArtifactRef, listResultsArtifacts, RESULTS_ARTIFACT } from "./artifacts.js";
import { type BaseOf, type BaseRun, type BaseRuns, findBaseRuns } from "./base-runs.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";
import { readResultsArtifact } from "./read-artifact.js";

interface BaselineResults {
  readonly results: Results;
  readonly run: BaseRun;
  /** Commits of the base branch after the run's. */
  readonly behind: number;
}

export type Baseline =
  | (BaselineResults & {
      readonly state: "found";
      /** Older runs, newest first, if a history was asked for. */
      readonly history: readonly BaselineResults[];
    })
  /** `reason` continues "no baseline yet: ". */
  | { readonly state: "none"; readonly reason: string }
  /** GitHub did not answer, or the stored results contradict the run. */
  | { readonly state: "refused"; readonly failure: GitHubFailure };

export interface BaselineOptions extends BaseOf {
  /** What the base commit is to the run, for messages. Default: "where this pull request left it". */
  readonly baseIs?: string;
  /** Of the results; default RESULTS_ARTIFACT. */
  readonly artifactName?: string;
  /** How many runs to read in all. Each further run costs three calls, and lets the comparison find smaller changes. */
  readonly history?: number;
}

/** Calls for one run: artifacts, zip, comparison. */
const CALLS_PER_RUN = 3;
/** Calls besides those for each run of the history, retries included: enough to skip four runs without results. */
const SPARE_CALLS = 5;

/**
 * Four calls in the usual case (runs, artifacts, zip, compare; three where the base commit itself was measured), eight
 * at most with a history of one; three more for each further run, and three more where forks' runs fill the list.
 */
export async function findBaseline(github: GitHub, options: BaselineOptions): Promise<Baseline> {
  if (options.workflowFile === "")
    return {
      state: "none",
      reason: "the runner does not name the workflow of this run (GITHUB_WORKFLOW_REF is empty)",
    };
  try {
    return await find(github, options);
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== "not-found") return { state: "refused", failure };
    const { workflowFile } = options;
    return {
      state: "none",
      reason: `GitHub knows no workflow ${workflowFile} here; it has to be on the default branch`,
    };
  }
}

async function find(github: GitHub, options: BaselineOptions): Promise<Baseline> {
  const { history = 1, artifactName = RESULTS_ARTIFACT } = options;
  const usual = github.calls + SPARE_CALLS + CALLS_PER_RUN * history;
  const candidates = await findBaseRuns(github, options);
  // However many calls the list took, as many runs can be read as were asked for.
  const lastCall = Math.max(usual, github.calls + CALLS_PER_RUN * history);
  const found: BaselineResults[] = [];
  const partial: BaselineResults[] = [];
  const passed: string[] = [];
  for (const run of candidates.runs) {
    if (found.length >= history || github.calls + CALLS_PER_RUN > lastCall) break;
    const read = await readRun(github, run, artifactName);
    if (read.state === "found") {
      const place = await candidates.place(run.sha);
      const one = { results: read.results, run };
      if (place.state === "on-branch")
        (isWhole(read.results.run) ? found : partial).push({ ...one, behind: place.behind });
      else passed.push(`run ${run.id}: ${run.sha.slice(0, 7)} is not on ${options.branch}`);
    } else if (read.state === "passed" || found.length + partial.length > 0) passed.push(read.reason);
    else return { state: "refused", failure: read.failure };
  }
  // A run that was cut off has rows that are right, but not all of them.
  const [newest, ...older] = found.length > 0 ? found : partial.slice(0, 1);
  if (!newest) return { state: "none", reason: whyNone(options, candidates, passed) };
  return { state: "found", ...newest, history: older };
}

type ReadRun =
  | { readonly state: "found"; readonly results: Results }
  | { readonly state: "passed"; readonly reason: string }
  | { readonly state: "refused"; readonly reason: string; readonly failure: GitHubFailure };

async function readRun(github: GitHub, run: BaseRun, artifactName: string): Promise<ReadRun> {
  const artifact = await findArtifact(github, run, artifactName);
  if (artifact.state !== "artifact") return artifact;
  const read = await readResultsArtifact(github, artifact.artifact);
  if (read.state === "gone") return { state: "passed", reason: `run ${run.id}: ${read.reason}` };
  if (read.state === "refused") return unusable(run, read.reason, read.failure);
  const sha = read.results.run.git?.sha;
  if (sha === run.sha) return { state: "found", results: read.results };
  const measured = sha === undefined ? "does not say which commit it measured" : `says that it measured ${shown(sha)}`;
  const problem = `artifact ${artifact.artifact.name} ${measured}, but the run is of ${run.sha}`;
  return unusable(run, `${problem}; measure the commit that the run is of`);
}

async function findArtifact(
  github: GitHub,
  run: BaseRun,
  artifactName: string,
): Promise<{ readonly state: "artifact"; readonly artifact: ArtifactRef } | Exclude<ReadRun, { state: "found" }>> {
  const listed = await listResultsArtifacts(github, run.id, artifactName);
  if (listed.state === "refused") {
    const { failure } = listed;
    if (failure.kind === "not-found" || failure.kind === "gone")
      return { state: "passed", reason: `run ${run.id} was deleted` };
    return { state: "refused", reason: failure.message, failure };
  }
  const results = listed.artifacts.filter((artifact) => artifact.kind === "results");
  const whole = results.find((artifact) => !artifact.shard);
  if (whole?.others.length === 0) return { state: "artifact", artifact: whole };
  const what = whole
    ? `has the results of several jobs (${[...whole.others, whole.name].join(", ")}); give each job a comment-key`
    : results.length > 0
      ? `has shards only, which its report did not merge into ${artifactName}`
      : `has no artifact ${artifactName}`;
  return { state: "passed", reason: `run ${run.id} ${what}` };
}

function unusable(run: BaseRun, problem: string, failure?: GitHubFailure): ReadRun {
  const reason = `run ${run.id}: ${problem}`;
  return { state: "refused", reason, failure: failure ?? { kind: "invalid", message: reason } };
}

const LEFT = "where this pull request left it; update the pull request";

function whyNone(
  { branch, baseSha, baseIs = LEFT, workflowFile }: BaselineOptions,
  { runs, listed, later }: BaseRuns,
  passed: readonly string[],
): string {
  const where = `${workflowFile} on ${branch}`;
  if (listed === 0) return `${where} has no finished run`;
  if (runs.length === 0 && later > 0)
    return `all ${later} runs of ${where} are of commits after ${baseSha?.slice(0, 7)}, ${baseIs}`;
  if (runs.length === 0)
    return `no run of ${where} counts, of the newest ${listed} finished ones: it has to be a push, schedule or workflow_dispatch of this repository that ended in success or failure`;
  return `the newest runs of ${where} have no results to compare with (${passed.join("; ")}); its next run makes some`;
}

function shown(sha: string): string {
  return sha.replace(/[^\w.-]+/g, "?").slice(0, 40);
}
