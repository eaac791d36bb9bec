/** What head is compared with, on events that are no pull request: real commits, and runs on a double of GitHub. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseAgainst } from "../../src/actions/against.js";
import type { ActionContext } from "../../src/actions/context.js";
import { readInputs } from "../../src/actions/inputs.js";
import { readJob } from "../../src/github/job.js";
import { formatResults } from "../../src/results/layout.js";
import { quickClient } from "../support/github/client.js";
import { type GitHubDouble, type StoredRun, shaOf } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { commit, git, newRepository } from "../support/repository.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

let temp: string;
let cwd: string;
let github: GitHubDouble;
let first: string;
eachOnGitHub((folder, double) => {
  temp = folder;
  github = double;
  cwd = newRepository(join(temp, "checkout"));
  first = commit(cwd, { "app.py": "1" });
});

/** A finished run of main with results. */
function store(headSha: string, { version = 1, expired = false } = {}): StoredRun {
  const run = github.addRun({ headSha });
  const results = formatResults(sampleResults({ run: { ...sampleResults().run, git: { sha: headSha } } }));
  const data = results.replace('"version": 1', `"version": ${version}`);
  github.addArtifact({ runId: run.id, expired, zip: makeZip([{ name: "results.json", data }]) });
  return run;
}

interface Event {
  readonly name: string;
  readonly payload?: unknown;
  readonly ref?: string;
}

async function choose(event: Event, inputs: Readonly<Record<string, string>>, attempt = 1) {
  const headSha = git(cwd, "rev-parse", "HEAD");
  const run = github.addRun({ event: event.name, headSha, attempt, status: "in_progress", conclusion: null });
  const job = await readJob(await github.jobEnv(run, event));
  const lines: string[] = [];
  const given: Readonly<Record<string, string>> = { out: "out", ...inputs };
  const action = {
    ...{ inputs: readInputs((name) => given[name] ?? "", cwd), job, github: quickClient(github) },
    ...{ context: { cwd }, log: (line: string) => void lines.push(line) },
  };
  return { ...(await chooseAgainst(action as unknown as ActionContext)), log: lines };
}

const REPOSITORY = { full_name: "acme/server", default_branch: "main" };
const QUEUE = "refs/heads/gh-readonly-queue/main/pr-7-0123456";

function mergeGroup(baseSha: string): Event {
  const group = { head_sha: git(cwd, "rev-parse", "HEAD"), head_ref: QUEUE, base_sha: baseSha };
  const payload = { action: "checks_requested", merge_group: { ...group, base_ref: "refs/heads/main" } };
  return { name: "merge_group", payload: { ...payload, repository: REPOSITORY }, ref: QUEUE };
}

describe("in a merge queue", () => {
  it("base is the commit that the group is merged onto", async () => {
    commit(cwd, { "app.py": "2" });
    const { against } = await choose(mergeGroup(first), {});
    expect(against).toMatchObject({ kind: "paired", base: { source: { kind: "commit", sha: first } } });
  });

  it("a base that is not in the checkout is no silence", async () => {
    const { against } = await choose(mergeGroup(shaOf("unknown")), {});
    expect(against).toMatchObject({
      kind: "none",
      because: {
        reason: expect.stringMatching(/^base cannot be measured next to head: the commit .* is not in the checkout/),
      },
    });
  });

  it("stored results are those of the branch, up to the base commit", async () => {
    store(first);
    const later = store(shaOf("later"));
    commit(cwd, { "app.py": "2" });
    const { against } = await choose(mergeGroup(first), { baseline: "artifact" });
    expect(against).toMatchObject({
      kind: "stored",
      stored: { runs: [{ results: { run: { git: { sha: first } } } }] },
    });
    expect(later.headSha).not.toBe(first);
  });
});

describe("a pull request whose base commit cannot be had", () => {
  const missing =
    /^base cannot be measured next to head: the commit \S+ is not in the checkout: give actions\/checkout/;
  const because = "; no baseline yet: ";
  const pullRequest = () => {
    const headSha = git(cwd, "rev-parse", "HEAD");
    const pull = github.addPull({ number: 7, headSha, baseSha: shaOf("unknown") });
    return { name: "pull_request", payload: github.pullRequestEvent(pull), ref: "refs/pull/7/merge" };
  };

  it("is compared with stored results, and the report says why", async () => {
    store(first);
    github.addComparison(shaOf("unknown"), first, { aheadBy: 0, behindBy: 1 });
    const { against, notes, log } = await choose(pullRequest(), {});
    expect(against, log.join("\n")).toMatchObject({
      kind: "stored",
      stored: { runs: [{ results: { run: { git: { sha: first } } } }] },
    });
    expect(notes).toEqual([expect.stringMatching(/^Base cannot be measured next to head: the commit .*\.$/)]);
  });

  it.each([
    ["nothing is stored", () => {}, {}, `${because}bench.yml on main has no finished run.`],
    [
      "the stored results have expired",
      () => store(first, { expired: true }),
      {},
      /; no baseline yet: the newest runs of bench\.yml on main have no results to compare with \(run \d+: artifact server-bench-results \(\d+\) has expired\); its next run makes some\.$/,
    ],
    [
      "the stored results are of a later schema",
      () => store(first, { version: 2 }),
      {},
      /; no baseline yet: run \d+: artifact server-bench-results \(\d+\): results\.json: version: written by a newer server-bench: version 2; /,
    ],
    [
      "the only run was cancelled",
      () => github.addRun({ conclusion: "cancelled" }),
      {},
      `${because}no run of bench.yml on main counts, of the newest 1 finished ones: it has to be a push, schedule or workflow_dispatch of this repository that ended in success or failure.`,
    ],
    [
      "instructions are counted",
      () => store(first),
      { metrics: "instructions" },
      "; metrics: instructions cannot be compared with stored results, which are compared by throughput and cpu.",
    ],
  ])("is measured alone where %s", async (_, prepare, inputs, reason) => {
    prepare();
    github.addComparison(shaOf("unknown"), first, { aheadBy: 0, behindBy: 1 });
    const { against, notes } = await choose(pullRequest(), inputs);
    if (against.kind !== "none") throw new Error(against.kind);
    expect(against.because?.kind).toBe("stored");
    expect(against.because?.reason).toMatch(missing);
    expect(against.because?.reason).toMatch(reason);
    expect(notes).toEqual([]);
  });
});

it.each([
  ["that are there", 1],
  ["in a second attempt", 2],
])("a push is not compared with stored results %s", async (_, attempt) => {
  store(first);
  const { against } = await choose({ name: "push", ref: "refs/heads/main" }, {}, attempt);
  const reason =
    "this run is a push, not a pull request, and the input base is empty. Its results are stored: later runs can compare with them.";
  expect(against).toEqual({ kind: "none", because: { kind: "event", reason } });
});

describe("stored results", () => {
  const stored = { baseline: "artifact" };

  it.each([
    ["a push that is run again", "push", "refs/heads/main"],
    ["a schedule", "schedule", undefined],
    ["a run by hand", "workflow_dispatch", undefined],
  ])("are not those of later commits: %s", async (_, name, ref) => {
    const head = git(cwd, "rev-parse", "HEAD");
    store(shaOf("before"));
    store(shaOf("after"));
    github.addComparison(head, shaOf("after"), { aheadBy: 1 });
    github.fail({
      ...{ path: new RegExp(`/compare/${head}\\.\\.\\.${shaOf("after")}`), status: 200 },
      body: { ahead_by: 1, behind_by: 0, commits: [{ sha: shaOf("after") }] },
    });
    github.addComparison(head, shaOf("before"), { aheadBy: 0, behindBy: 2 });
    const { against, log } = await choose({ name, payload: { repository: REPOSITORY }, ...(ref && { ref }) }, stored);
    expect(against, log.join("\n")).toMatchObject({
      kind: "stored",
      stored: { runs: [{ results: { run: { git: { sha: shaOf("before") } } } }], facts: { behind: "2" } },
    });
  });

  it.each([1, 2])("are not those of the run itself, in attempt %d", async (attempt) => {
    const { against } = await choose({ name: "schedule", payload: { repository: REPOSITORY } }, stored, attempt);
    const reason = "no baseline yet: bench.yml on main has no finished run.";
    expect(against).toMatchObject({ kind: "none", because: { kind: "stored", reason } });
  });

  it("that are all of later commits are named as such", async () => {
    const head = git(cwd, "rev-parse", "HEAD");
    store(shaOf("after"));
    github.fail({
      ...{ path: /\/compare\//, status: 200 },
      body: { ahead_by: 1, behind_by: 0, commits: [{ sha: shaOf("after") }] },
    });
    const { against } = await choose({ name: "workflow_dispatch", payload: { repository: REPOSITORY } }, stored);
    const reason = `no baseline yet: all 1 runs of bench.yml on main are of commits after ${head.slice(0, 7)}, which this run measures.`;
    expect(against).toMatchObject({ kind: "none", because: { kind: "stored", reason } });
  });

  it("of a pull request are those of the commit that GitHub merged with, though the event's base is older", async () => {
    git(cwd, "checkout", "--quiet", "-b", "feature");
    commit(cwd, { "feature.py": "1" });
    git(cwd, "checkout", "--quiet", "main");
    const second = commit(cwd, { "app.py": "2" });
    git(cwd, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature");
    store(first);
    store(second);
    const pull = github.addPull({ number: 7, headRef: "feature", headSha: shaOf("feature"), baseSha: first });
    const event = { name: "pull_request", payload: github.pullRequestEvent(pull), ref: "refs/pull/7/merge" };
    const { against } = await choose(event, stored);
    expect(against).toMatchObject({ stored: { runs: [{ results: { run: { git: { sha: second } } } }] } });
  });

  it("of a pull request whose head itself is checked out are those of the commit where it left its base", async () => {
    git(cwd, "checkout", "--quiet", "-b", "feature");
    const head = commit(cwd, { "feature.py": "1" });
    git(cwd, "checkout", "--quiet", "main");
    const second = commit(cwd, { "app.py": "2" });
    git(cwd, "checkout", "--quiet", "--detach", head);
    store(first);
    store(second);
    github.addComparison(first, second, { aheadBy: 1 });
    const pull = github.addPull({ number: 7, headRef: "feature", headSha: head, baseSha: second });
    const event = { name: "pull_request", payload: github.pullRequestEvent(pull), ref: "refs/pull/7/merge" };
    const { against, log } = await choose(event, stored);
    expect(against, log.join("\n")).toMatchObject({
      stored: { runs: [{ results: { run: { git: { sha: first } } } }] },
    });
  });

  it("of the default branch are the base of a tag", async () => {
    store(first);
    const tag = { name: "push", ref: "refs/tags/v1.2.0" };
    const { against } = await choose({ ...tag, payload: { repository: REPOSITORY } }, stored);
    expect(against).toMatchObject({
      kind: "stored",
      stored: { runs: [{ results: { run: { git: { sha: first } } } }] },
    });
    const without = await choose({ ...tag, payload: {} }, stored);
    expect(without.against).toMatchObject({
      because: { reason: "no baseline: a tag is on no branch, and the event does not name the default branch." },
    });
  });

  it("that are missing are told once: in the report, or in the log where base is measured instead", async () => {
    const missing = /^no baseline yet: .* has no finished run/;
    const alone = await choose(mergeGroup(first), stored);
    expect(alone.against).toMatchObject({ kind: "none", because: { reason: expect.stringMatching(missing) } });
    expect(alone.log).toEqual([]);
    const beside = await choose(mergeGroup(first), { baseline: "auto" });
    expect(beside.against).toMatchObject({ kind: "paired" });
    expect(beside.log).toEqual([expect.stringMatching(missing)]);
  });
});
