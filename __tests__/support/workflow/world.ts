/** A repository on a double of GitHub, in the states of the world that a workflow's event can find. */
import { join } from "node:path";
import { type GitHubDouble, type StoredPull, type StoredRun, shaOf } from "../github/double.js";
import { app, tinyScenarios, waitingApp, waitingScenarios } from "../own-set.js";
import { commit, git, newRepository } from "../repository.js";
import { makeZip } from "../zip.js";
import type { WorkflowWorld } from "./runner.js";

/** What an event can find, beside the event itself. */
export const STATES = {
  first: "first run ever",
  baseline: "the base branch has stored results",
  expired: "the stored results have expired",
  "other-machine": "the stored results are of another machine",
  "later-schema": "the stored results are of a later schema",
  "no-history": "the base commit cannot be had, nothing is stored",
  "no-history-baseline": "the base commit cannot be had, results are stored",
  "no-history-expired": "the base commit cannot be had, the stored results have expired",
  "no-history-other-machine": "the base commit cannot be had, the stored results are of another machine",
  "no-history-later-schema": "the base commit cannot be had, the stored results are of a later schema",
  "adds-scenarios": "the pull request adds the scenarios",
  "changes-load": "the pull request changes the load of every row",
  "breaks-scenarios": "the pull request breaks the scenarios",
  fork: "the pull request comes from a fork",
  "second-attempt": "second attempt of the same run",
  "cancelled-before": "an earlier run was cancelled while it measured",
  "shard-lost": "one shard's runner never came back",
  "shard-without-base": "one shard cannot fetch its base",
  asked: "somebody who can write asks",
  "asked-for-fork": "somebody who can write asks; the pull request comes from a fork",
  "asked-by-stranger": "somebody asks who can only read",
  "asked-elsewhere": "the checkout is not the commit of the request",
  "first-release": "the first release",
  "later-release": "a release with an earlier one",
  "no-release": "a tag without a release on GitHub",
} as const;
export type StateName = keyof typeof STATES;

/** Of a run on the base branch, as JSON. */
export type StoredResults = Readonly<Record<string, unknown>> & {
  readonly run: Readonly<Record<string, unknown>>;
  readonly cases: readonly Readonly<Record<string, unknown>>[];
  readonly environment: Readonly<Record<string, unknown>>;
};

export interface WorldOptions {
  readonly github: GitHubDouble;
  /** An empty folder. */
  readonly temp: string;
  readonly event: string;
  readonly state: StateName;
  /** "bench.yml" */
  readonly workflowFile: string;
  /** Rows of the set, each an app of this name. */
  readonly rows: readonly string[];
  /** Needed where the state has stored results. */
  readonly stored?: StoredResults;
}

/** The workflow's inputs with a load of seconds: rows of a tiny app, on servers that are already installed. */
export function tinyLoad(inputs: Readonly<Record<string, string>>): Record<string, string> {
  if (["report", "dispatch"].includes(inputs.command ?? "") || inputs.measure === "false") return { ...inputs };
  return {
    ...inputs,
    // A shard's rows come from the plan.
    ...(inputs.shard === "" && { scenarios: "mine" }),
    "scenarios-dir": "bench",
    profile: "quick",
    servers: "granian=2.8.7",
    // Minutes: the first row gets its first pairs, or its first rounds of counting, and nothing more.
    ...((inputs.budget !== "" || inputs.command === "release") && { budget: "0.1" }),
  };
}

/** The name of an app whose set has a row of uvicorn too. */
export const ANCHORED = "anchored";

/** Whether an earlier run on the base branch stored results. */
export function hasStored(state: StateName): boolean {
  return /(baseline|expired|other-machine|later-schema)$/.test(state);
}

/** A state of a repository with a tag that is released. */
function isRelease(state: StateName): boolean {
  return /release$/.test(state);
}

export function makeWorld(options: WorldOptions): WorkflowWorld {
  return isRelease(options.state) ? releaseWorld(options) : branchWorld(options);
}

const TAG = "v1.10.0";

/** A tag that is checked out, and the branch that keeps the pages. */
function releaseWorld({ github, temp, event, state, workflowFile, rows }: WorldOptions): WorkflowWorld {
  const repository = newRepository(join(temp, "repository"));
  const bench = benchOf(rows);
  commit(repository, bench);
  git(repository, "tag", state === "first-release" ? "nightly" : "v1.9.0");
  const headSha = commit(repository, changedApps({ rows, workflowFile }));
  git(repository, "tag", TAG);
  git(repository, "switch", "--quiet", "--orphan", "benchmark-pages");
  git(repository, "commit", "--quiet", "--allow-empty", "-m", "Pages");
  git(repository, "checkout", "--quiet", "--detach", TAG);
  if (state !== "no-release") github.addRelease({ tag: TAG, body: "## What's new\r\n" });
  const run = github.addRun({ event, workflowFile, headSha, headBranch: TAG, status: "in_progress", conclusion: null });
  const ofRepository = { full_name: `${github.owner}/${github.repo}`, name: github.repo, default_branch: "main" };
  const ref = `refs/tags/${TAG}`;
  const payload =
    event === "release"
      ? { action: "published", release: { tag_name: TAG }, repository: ofRepository }
      : { ref, after: headSha, repository: ofRepository };
  return { github, run, repository, temp, inputs: tinyLoad, event: { name: event, payload, ref } };
}

function branchWorld(options: WorldOptions): WorkflowWorld {
  const { github, temp, event, state } = options;
  const repository = newRepository(join(temp, "repository"));
  const bench = isCounted(options) ? countedBench(options.rows) : benchOf(options.rows);
  const baseSha = commit(repository, state === "adds-scenarios" ? { "README.md": "A server" } : bench);
  if (hasStored(state)) addStored(options, baseSha);
  const pull =
    event === "pull_request" || event === "workflow_run" ? addPull(options, repository, bench, baseSha) : undefined;
  const queued = event === "merge_group" ? addQueued(options, repository, baseSha) : undefined;
  const run = addRun(options, pull?.headSha ?? queued?.headSha ?? baseSha, pull ?? queued);
  if (state === "cancelled-before") addCancelled(options, run, pull);
  return {
    github,
    run,
    repository,
    temp,
    inputs: tinyLoad,
    event: queued ? queued.event : { name: event, payload: payloadOf(github, event, run, pull) },
    lost: (job, matrix) => state === "shard-lost" && job === "measure" && String(matrix.shard).startsWith("2/"),
    shallow: (job, matrix) =>
      state.startsWith("no-history") ||
      (state === "shard-without-base" && job === "measure" && String(matrix.shard).startsWith("2/")),
  };
}

type Apps = Pick<WorldOptions, "rows" | "workflowFile">;

/** hosted.yml counts instructions, where a window of requests that wait takes seconds. */
function isCounted({ workflowFile }: Apps): boolean {
  return workflowFile === "hosted.yml";
}

function countedBench(rows: readonly string[]): Record<string, string> {
  return { ...tinyScenarios(...rows), ...appFiles(rows, app(0)) };
}

function appFiles(rows: readonly string[], source: string): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [`${row}/app.py`, source]));
}

/** A set of a small server's rows, and one of uvicorn, which some workflows name as their anchor. */
export function benchOf(rows: readonly string[]): Record<string, string> {
  const files = waitingScenarios(...rows);
  const anchored = rows.includes(ANCHORED) ? `  - { title: anchor, app: ${ANCHORED}, server: uvicorn }\n` : "";
  return { ...files, "bench/mine.yml": `${files["bench/mine.yml"]}${anchored}`, ...appFiles(rows, waitingApp()) };
}

/** Checked out as a runner does: GitHub's merge of it into main, on no branch. */
function addPull(
  { github, rows, state, workflowFile }: WorldOptions,
  repository: string,
  bench: Readonly<Record<string, string>>,
  baseSha: string,
): StoredPull {
  git(repository, "checkout", "--quiet", "-b", "feature");
  const set = bench["bench/mine.yml"] ?? "";
  const ofState: Partial<Record<StateName, string>> = {
    "breaks-scenarios": "title: Mine\nrow: []\n",
    "changes-load": set.replace("connections: 16", "connections: 8"),
  };
  const files = { ...bench, ...changedApps({ rows, workflowFile }), "bench/mine.yml": ofState[state] ?? set };
  const headSha = commit(repository, files);
  git(repository, "checkout", "--quiet", "--detach", "main");
  git(repository, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature");
  return github.addPull({ number: 7, headSha, baseSha, headRepository: headRepositoryOf(github, state) });
}

export function changedApps(options: Apps): Record<string, string> {
  return appFiles(options.rows, isCounted(options) ? app(0, "# Changed") : waitingApp("# Changed"));
}

/** A merge of a pull request into main, on the branch that GitHub's merge queue makes for it. */
function addQueued({ github, rows, workflowFile }: WorldOptions, repository: string, baseSha: string) {
  const headRef = `gh-readonly-queue/main/pr-7-${baseSha}`;
  git(repository, "checkout", "--quiet", "-b", headRef);
  const headSha = commit(repository, changedApps({ rows, workflowFile }));
  const ref = `refs/heads/${headRef}`;
  const payload = {
    action: "checks_requested",
    merge_group: { head_sha: headSha, head_ref: ref, base_sha: baseSha, base_ref: "refs/heads/main" },
    repository: { full_name: `${github.owner}/${github.repo}`, default_branch: "main" },
  };
  return { headRef, headSha, event: { name: "merge_group", payload, ref } };
}

function headRepositoryOf({ owner, repo }: GitHubDouble, state: StateName): string {
  return state === "fork" ? "mallory/server" : `${owner}/${repo}`;
}

function addRun(
  { github, event, state, workflowFile }: WorldOptions,
  headSha: string,
  branch?: { readonly headRef: string },
): StoredRun {
  const attempt = state === "second-attempt" ? 2 : 1;
  const run = github.addRun({
    event: event === "workflow_run" ? "pull_request" : event,
    workflowFile,
    headSha,
    attempt,
    headBranch: branch?.headRef ?? "main",
    headRepository: headRepositoryOf(github, state),
    status: "in_progress",
    conclusion: null,
  });
  // The runs above and before it: GitHub lists them newest first.
  return run;
}

/** What the workflow stored on the base branch, as the state has it. */
function addStored({ github, state, stored, workflowFile }: WorldOptions, baseSha: string): void {
  if (!stored) throw new Error(`the state ${state} needs stored results`);
  const run = github.addRun({ workflowFile, headSha: baseSha });
  github.addComparison("main", baseSha, { aheadBy: 0 });
  const zip = makeZip([{ name: "results.json", data: JSON.stringify(asStored(stored, state, baseSha)) }]);
  github.addArtifact({ runId: run.id, zip, expired: state.endsWith("expired") });
}

function asStored(stored: StoredResults, state: StateName, sha: string): unknown {
  // Whether the machine was calm when they were measured is not what is tried here.
  const cases = stored.cases.map(({ disturbed: _, ...result }) => result);
  const ofBase = { ...stored, cases, run: { ...stored.run, git: { sha, ref: "main" } } };
  if (state.endsWith("later-schema")) return { ...ofBase, version: 2 };
  if (!state.endsWith("other-machine")) return ofBase;
  return { ...ofBase, environment: { ...stored.environment, cpuModel: "Another CPU", fingerprint: "other" } };
}

/** A cancelled run that came before, and what it left: no results, and in a pull request a comment that says "Measuring". */
function addCancelled({ github, event, workflowFile }: WorldOptions, run: StoredRun, pull?: StoredPull): void {
  const cancelled = github.addRun({
    id: run.id - 500,
    event,
    workflowFile,
    conclusion: "cancelled",
    headSha: shaOf("cancelled"),
    ...(pull && { headBranch: pull.headRef }),
  });
  const marker = `<!-- server-bench key=default run=${cancelled.id} attempt=1 phase=measuring -->`;
  if (pull)
    github.addComment({
      issue: pull.number,
      login: "github-actions[bot]",
      body: `${marker}\n**Measuring:** 0 of 1 row done.`,
    });
}

function payloadOf(
  github: GitHubDouble,
  event: string,
  run: StoredRun,
  pull?: StoredPull,
): Readonly<Record<string, unknown>> {
  const repository = { full_name: `${github.owner}/${github.repo}`, default_branch: "main" };
  if (event === "workflow_run") return github.workflowRunEvent(run);
  if (event === "pull_request" && pull) return github.pullRequestEvent(pull);
  if (event === "push") return { ref: "refs/heads/main", after: run.headSha, repository };
  return event === "schedule"
    ? { schedule: "17 3 * * *", repository }
    : { inputs: null, ref: "refs/heads/main", repository };
}
