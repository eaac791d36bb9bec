/** A repository on a double of GitHub, in a state that an event can find; and the runs that events start there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitHubDouble, type StoredPull, type StoredRun, shaOf } from "../github/double.js";
import { commentEvent, labelEvent } from "../github/factories.js";
import { app, tinyScenarios, waitingApp, waitingScenarios } from "../own-set.js";
import { commit, git, newRepository } from "../repository.js";
import { makeZip } from "../zip.js";
import type { WorkflowRun } from "./runner.js";

/** What an event can find, beside the event itself. */
export const STATES = {
  first: "first run ever",
  baseline: "the base branch has stored results",
  "other-machine": "the stored results are of another machine",
  "no-history": "the base commit cannot be had, nothing is stored",
  "adds-scenarios": "the pull request adds the scenarios",
  "changes-load": "the pull request changes the load of every row",
  "breaks-scenarios": "the pull request breaks the scenarios",
  fork: "the pull request comes from a fork",
  "second-attempt": "second attempt of the same run",
  "cancelled-before": "an earlier run was cancelled while it measured",
  "shard-lost": "one shard's runner never came back",
  "shard-without-base": "one shard cannot fetch its base",
  asked: "somebody who can write asks",
  "asked-for-fork": "somebody who can write asks for a fork's commit",
  "asked-by-stranger": "somebody asks who can only read",
  "asked-elsewhere": "the checkout is not the commit of the request",
  "first-release": "the first release",
  "no-release": "a tag without a release on GitHub",
} as const;

export interface EventCase {
  readonly file: string;
  readonly event: string;
  readonly state: keyof typeof STATES;
}

interface World {
  readonly github: GitHubDouble;
  readonly temp: string;
  readonly repository: string;
  readonly baseSha: string;
  /** Of the runs that events start. */
  readonly headSha: string;
  readonly headBranch: string;
  readonly pull?: StoredPull;
}

const TAG = "v1.10.0";
const ASKED_AT = "2026-11-20T12:00:00Z";
const PUSHED_AT = "2026-11-20T11:00:00Z";

/** That workflow has no inputs: the checkout says what is measured. */
const SHORTEST = "pull-request.yml";

/** The workflow's inputs with a load of seconds: rows of a tiny app, on servers that are already installed. */
function tinyLoad(inputs: Readonly<Record<string, string>>): Record<string, string> {
  if (["report", "dispatch"].includes(inputs.command ?? "") || inputs.measure === "false") return { ...inputs };
  return {
    ...inputs,
    // A shard's rows come from the plan.
    ...(inputs.shard === "" && { scenarios: "mine" }),
    "scenarios-dir": "bench",
    profile: "quick",
    servers: "",
    // Minutes: enough for the first pairs, or the first rounds of counting, of one row.
    ...((inputs.budget !== "" || inputs.command === "release") && { budget: "0.6" }),
  };
}

function withLimits(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return { ...inputs, profile: "quick", budget: "0.6" };
}

/** A set of a small server's rows, each an app of this name. */
function benchOf(rows: readonly string[], comment = ""): Record<string, string> {
  const apps = rows.map((row) => [`${row}/app.py`, waitingApp(comment)]);
  return { ...waitingScenarios(...rows), ...Object.fromEntries(apps) };
}

function filesFor(file: string, comment = ""): Record<string, string> {
  if (file === "matrix.yml") return benchOf(["one", "two"], comment);
  if (file === SHORTEST)
    return Object.fromEntries(
      Object.entries(benchOf(["hello"], comment)).map(([name, text]) => [
        name.replace(/^bench\//, "benchmarks/"),
        text,
      ]),
    );
  // It counts instructions, where a window of requests that wait takes seconds.
  if (file === "hosted.yml") return { ...tinyScenarios("hello"), "hello/app.py": app(0, comment) };
  const files = benchOf(["hello"], comment);
  const anchored = `${files["bench/mine.yml"]}  - { title: anchor, app: hello, server: uvicorn }\n`;
  return file === "nightly.yml" ? { ...files, "bench/mine.yml": anchored } : files;
}

function changedFiles({ file, state }: EventCase): Record<string, string> {
  const files = filesFor(file, "# Changed");
  const set = files["bench/mine.yml"] ?? "";
  if (state === "breaks-scenarios") files["bench/mine.yml"] = "title: Mine\nrow: []\n";
  if (state === "changes-load") files["bench/mine.yml"] = set.replace("connections: 16", "connections: 8");
  return files;
}

function isAsked({ state }: EventCase): boolean {
  return state.startsWith("asked");
}

/** @param temp an empty folder */
export function makeWorld(github: GitHubDouble, temp: string, one: EventCase): World {
  const { file, event, state } = one;
  const repository = newRepository(join(temp, "repository"));
  const baseSha = commit(repository, state === "adds-scenarios" ? { "README.md": "A server" } : filesFor(file));
  const world = { github, temp, repository, baseSha, headSha: baseSha, headBranch: "main" };
  if (file === "release.yml") return { ...world, headSha: tagRelease(world, one), headBranch: TAG };
  if (["push", "schedule"].includes(event)) return world;
  const headBranch = event === "merge_group" ? `gh-readonly-queue/main/pr-7-${baseSha}` : "feature";
  git(repository, "checkout", "--quiet", "-b", headBranch);
  const headSha = commit(repository, changedFiles(one));
  if (event === "merge_group") return { ...world, headSha, headBranch };
  const fork = state === "fork" || state === "asked-for-fork";
  const headRepository = fork ? "mallory/server" : `${github.owner}/${github.repo}`;
  git(repository, "checkout", "--quiet", ...(isAsked(one) ? ["main"] : ["--detach", "main"]));
  // Else checked out as a runner does: GitHub's merge into main, on no branch.
  if (!isAsked(one)) git(repository, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature");
  const mainSha = isAsked(one) ? goOn(world, headSha) : baseSha;
  const pull = github.addPull({ number: 7, headSha, baseSha: mainSha, headRepository });
  return isAsked(one) ? { ...world, headSha: mainSha, pull } : { ...world, headSha, headBranch, pull };
}

/** The default branch goes on: its newer commits do not count against the pull request. @returns its head */
function goOn({ github, repository, baseSha }: World, headSha: string): string {
  const mainSha = commit(repository, { "README.md": "Newer" });
  github.addCommit(mainSha, { branch: "main" });
  github.addComparison("main", baseSha, { aheadBy: 0, behindBy: 1 });
  const { roles, files, pushes } = github.state;
  roles.set("maint", "write");
  files.set(".github/workflows/bench-measure.yml", "name: Benchmark on request\n");
  pushes.push({ ref: "refs/heads/feature", before: shaOf("before"), after: headSha, at: PUSHED_AT });
  return mainSha;
}

/** A tag that is checked out, and the branch that keeps the pages. @returns the tag's commit */
function tagRelease({ github, repository }: World, one: EventCase): string {
  git(repository, "tag", one.state === "first-release" ? "nightly" : "v1.9.0");
  const headSha = commit(repository, changedFiles(one));
  git(repository, "tag", TAG);
  git(repository, "switch", "--quiet", "--orphan", "benchmark-pages");
  git(repository, "commit", "--quiet", "--allow-empty", "-m", "Pages");
  git(repository, "checkout", "--quiet", "--detach", TAG);
  if (one.state !== "no-release") github.addRelease({ tag: TAG, body: "## What's new\r\n" });
  return headSha;
}

/** The run that the event starts. @param before the run that ended before it, in the same world */
export function startRun(world: World, one: EventCase, before?: StoredRun): WorkflowRun {
  const { github, headSha, headBranch, pull } = world;
  const { file, event, state } = one;
  if (before) Object.assign(before, { status: "completed", conclusion: "success" });
  const ofPull = pull && !isAsked(one) ? { headRepository: pull.headRepository } : {};
  const running = { status: "in_progress", conclusion: null } as const;
  const attempt = state === "second-attempt" ? 2 : 1;
  const run =
    event === "workflow_run"
      ? github.addReportingRun(file)
      : github.addRun({ event, workflowFile: file, headSha, headBranch, attempt, ...ofPull, ...running });
  if (state === "cancelled-before") addCancelled(world, run);
  const payload = event === "workflow_run" && before ? github.workflowRunEvent(before) : payloadOf(world, one);
  const ref = file === "release.yml" ? { ref: `refs/tags/${TAG}` } : {};
  return {
    ...world,
    run,
    event: { name: event, payload, ...ref },
    // Only steps that take a request get another one.
    inputs: ({ request = "", ...given }) =>
      (file === SHORTEST ? withLimits : tinyLoad)({
        ...given,
        request: state === "asked-elsewhere" ? request.replace(/[0-9a-f]{40}/, shaOf("other")) : request,
      }),
    fault: (shard) => {
      if (state === "no-history" || (state === "shard-without-base" && shard.startsWith("2/"))) return "shallow";
      return state === "shard-lost" && shard.startsWith("2/") ? "lost" : undefined;
    },
  };
}

/** What a run that was cancelled while it measured left: no results, and a comment that says "Measuring". */
function addCancelled({ github, headBranch }: World, { id, event, workflowFile }: StoredRun): void {
  const headSha = shaOf("cancelled");
  const conclusion = "cancelled";
  const { id: earlier } = github.addRun({ id: id - 500, event, workflowFile, conclusion, headSha, headBranch });
  const marker = `<!-- server-bench key=default run=${earlier} attempt=1 phase=measuring -->`;
  const body = `${marker}\n**Measuring:** 0 of 1 benchmark done.`;
  github.addComment({ issue: 7, login: "github-actions[bot]", body });
}

function payloadOf({ github, pull, ...world }: World, one: EventCase): Readonly<Record<string, unknown>> {
  const { headSha, headBranch, baseSha } = world;
  const { event, state } = one;
  const login = state === "asked-by-stranger" ? "stranger" : "maint";
  const repository = { full_name: `${github.owner}/${github.repo}`, name: github.repo, default_branch: "main" };
  if (pull && event === "issue_comment") {
    const body = state === "asked-for-fork" ? `/bench ${pull.headSha}` : "/bench";
    const comment = github.addComment({ issue: 7, login, body, createdAt: ASKED_AT, updatedAt: ASKED_AT });
    return commentEvent(pull, comment);
  }
  if (pull && event === "pull_request")
    return isAsked(one) ? labelEvent(pull, "bench", login) : github.pullRequestEvent(pull);
  const head_ref = `refs/heads/${headBranch}`;
  const merge_group = { head_sha: headSha, head_ref, base_sha: baseSha, base_ref: "refs/heads/main" };
  const payloads: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    merge_group: { action: "checks_requested", merge_group },
    release: { action: "published", release: { tag_name: TAG } },
    schedule: { schedule: "17 3 * * *" },
    workflow_dispatch: { inputs: github.state.dispatches.at(-1)?.inputs ?? null, ref: "refs/heads/main" },
    push: { ref: headBranch === TAG ? `refs/tags/${TAG}` : head_ref, after: headSha },
  };
  return { ...payloads[event], repository };
}

/** Has the results that the run stored as those of the state. @param path of the results file */
export function keepResults({ github, baseSha }: World, { id }: StoredRun, path: string, { state }: EventCase): void {
  const results = JSON.parse(readFileSync(path, "utf8"));
  // Whether the machine was calm when they were measured is not what is tried here.
  for (const one of results.cases) delete one.disturbed;
  if (state === "other-machine") Object.assign(results.environment, { cpuModel: "Another CPU", fingerprint: "other" });
  const zip = makeZip([{ name: "results.json", data: JSON.stringify(results) }]);
  for (const artifact of github.state.archives.filter(({ runId }) => runId === id))
    Object.assign(artifact, { zip, digest: null });
  github.addComparison("main", baseSha, { aheadBy: 0 });
}
