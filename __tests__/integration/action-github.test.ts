/** The action on a double of GitHub, from the event to the comment: real servers, real load, real artifacts. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { type ActionOptions, startAction } from "../support/action.js";
import { GitHubDouble, type StoredRun } from "../support/github/double.js";
import { app, scenarios } from "../support/own-set.js";
import { commit, git, newRepository } from "../support/repository.js";

const TIMEOUT_MS = 240_000;
/** Other work on the machine often goes within seconds. */
const RETRIES = 4;
/** What one run of a pull request may cost of the repository's quota. */
const API_CALLS = 15;

let temp: string;
let github: GitHubDouble;
beforeEach(async () => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  github = await GitHubDouble.start();
});
afterEach(async () => {
  rmSync(temp, { recursive: true, force: true });
  await github[Symbol.asyncDispose]();
});

const INPUTS = { scenarios: "mine", "scenarios-dir": "bench", profile: "quick", token: "test-token" };

async function start(
  run: StoredRun,
  inputs: Readonly<Record<string, string>>,
  options: ActionOptions & { readonly event?: { readonly name: string; readonly payload: unknown } } = {},
) {
  const env = { ...(await github.jobEnv(run, options.event)), ...github.runtimeEnv(run.id) };
  return startAction({ ...INPUTS, ...inputs }, { ...options, env });
}

/** The base branch with an app, and the pull request 7 that makes it slower, checked out. */
function pullRequest(burn: number, headRepository = "acme/server") {
  const workspace = newRepository(join(temp, "checkout"));
  const baseSha = commit(workspace, { ...scenarios("hello"), "hello/app.py": app(0) });
  git(workspace, "checkout", "--quiet", "-b", "feature");
  const headSha = commit(workspace, { "hello/app.py": app(burn, "# Changed") });
  const pull = github.addPull({ number: 7, headSha, baseSha, headRepository });
  const run = github.addRun({
    event: "pull_request",
    headBranch: "feature",
    headSha,
    headRepository,
    status: "in_progress",
    conclusion: null,
  });
  return { workspace, baseSha, headSha, pull, run };
}

const text = () => github.commentsOf(7).map(({ body }) => body);

describe("a pull request of the repository itself", () => {
  it("is compared in pairs, reported in one comment, and fails the gate after everything is kept", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { workspace, run, baseSha } = pullRequest(5000);
    const action = await start(run, { "fail-on": "worse" }, { cwd: workspace });
    await action.printed(/mine: 1 row/);
    await expect.poll(text, { timeout: 60_000 }).toEqual([expect.stringContaining("**Measuring:** 0 of 1 row done")]);
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(1);
    expect(stdout).toContain("::error::worse (fail-on: worse): mine/hello");
    expect(stdout).toMatch(/::error title=.*hello.*::/);
    expect(text()).toHaveLength(1);
    expect(text()[0]).toMatch(/^<!-- server-bench key=default run=\d+ attempt=1 phase=done -->\n/);
    expect(text()[0]).toContain("Of 1 row: 1 worse");
    expect(text()[0]).toContain(baseSha.slice(0, 7));
    expect(action.outputs).toMatchObject({
      verdict: "worse",
      worse: "1",
      better: "0",
      completed: "2",
      "comment-url": expect.stringContaining("#issuecomment-"),
    });
    expect(action.summary).toContain("Of 1 row: 1 worse");
    expect(github.state.artifacts.map(({ runId, name }) => [runId, name])).toEqual([[run.id, "server-bench-results"]]);
    expect(text()[0]).toContain(`/actions/runs/${run.id}/artifacts/${action.outputs["artifact-id"]}`);
    expect(github.apiCalls).toBeLessThanOrEqual(API_CALLS);
    // The user's checkout is as it was.
    expect(git(workspace, "status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(git(workspace, "rev-parse", "--abbrev-ref", "HEAD")).toBe("feature");
  });

  it("is compared with what the base branch stored; a suspicion is confirmed in pairs", {
    timeout: TIMEOUT_MS,
    retry: RETRIES,
  }, async ({ task }) => {
    const { workspace, run, baseSha, headSha } = pullRequest(20_000);
    git(workspace, "checkout", "--quiet", "main");
    const push = github.addRun({ headSha: baseSha, status: "in_progress", conclusion: null });
    // The inputs of a workflow are the same on a push, where there is nothing to compare with.
    const gated = { baseline: "auto", "fail-on": "worse", budget: "5" };
    const stored = await (await start(push, gated, { cwd: workspace })).ended;
    expect(stored.code, stored.stdout).toBe(0);
    Object.assign(push, { status: "completed", conclusion: "success" });
    git(workspace, "checkout", "--quiet", "feature");
    const before = github.apiCalls;
    const action = await start(run, { baseline: "auto" }, { cwd: workspace });
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(0);
    // A row that other processes disturbed is never suspect. On a machine that is never calm, that is what there is to see.
    if (task.result?.retryCount === RETRIES && !stdout.includes("looks changed")) {
      const files = ["base.json", "results.json"].map((name) => join(workspace, "server-bench-results", name));
      const cases = (await Promise.all(files.map(readResults))).flatMap((results) => results.cases);
      expect(cases.some((result) => result.state === "completed" && result.disturbed)).toBe(true);
      expect(text()[0]).not.toMatch(/[1-9]\d* suspected/);
      return;
    }
    expect(stdout).toContain("1 row looks changed against the stored results");
    expect(text()).toHaveLength(1);
    expect(text()[0]).toContain("Of 1 row: 1 worse");
    expect(text()[0]).toContain(`/actions/runs/${push.id}`);
    expect(text()[0]).toContain(headSha.slice(0, 7));
    expect(text()[0]).toContain("`server-bench-results/base.json`");
    expect(github.apiCalls - before).toBeLessThanOrEqual(API_CALLS);
  });

  it("says that there is no baseline yet, and is no error", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run } = pullRequest(0);
    const inputs = { baseline: "artifact", "fail-on": "worse", anchor: "uvicorn" };
    const action = await start(run, inputs, { cwd: workspace });
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(0);
    expect(text()[0]).toContain("no baseline yet");
    expect(action.outputs.verdict).toBe("none");
  });

  it("clears a stale alarm", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run } = pullRequest(0);
    const old = `<!-- server-bench key=default run=${run.id - 1} attempt=1 phase=done -->\n**Of 1 row: 1 worse**`;
    github.addComment({ issue: 7, login: "github-actions[bot]", body: old });
    const { code, stdout } = await (await start(run, { baseline: "none" }, { cwd: workspace })).ended;
    expect(code, stdout).toBe(0);
    expect(text()).toHaveLength(1);
    expect(text()[0]).not.toContain("worse");
  });

  it("leaves what was measured when the job is cancelled", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run } = pullRequest(0);
    const action = await start(run, { baseline: "none", profile: "standard" }, { cwd: workspace });
    const results = join(workspace, "server-bench-results/results.json");
    await expect.poll(() => existsSync(results), { timeout: 60_000 }).toBe(true);
    process.kill(action.pid, "SIGINT");
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(1);
    expect(text()).toEqual([expect.stringContaining("Stopped before the end")]);
    expect(github.state.artifacts).toHaveLength(1);
  });

  it("does not go on saying that it measures when the job is cancelled before it could", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { workspace, run } = pullRequest(0);
    const action = await start(run, { baseline: "none" }, { cwd: workspace });
    await expect.poll(text, { timeout: 60_000 }).toEqual([expect.stringContaining("**Measuring:**")]);
    process.kill(action.pid, "SIGINT");
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(1);
    expect(text()).toEqual([expect.stringContaining("Stopped before the end")]);
  });
});

describe("a fork", () => {
  it("is measured without a comment, and reported by the second workflow", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run, pull } = pullRequest(0, "mallory/server");
    github.addToken("read-only", {
      login: "github-actions[bot]",
      kind: "installation",
      permissions: { actions: "read" },
    });
    const action = await start(run, { baseline: "none", token: "read-only" }, { cwd: workspace });
    const measured = await action.ended;
    expect(measured.code, measured.stdout).toBe(0);
    expect(measured.stdout).toContain("no comment: ");
    expect(measured.stdout).toContain("examples/fork-report.yml");
    expect(action.summary).toContain("| hello (c16)");
    expect(text()).toEqual([]);
    Object.assign(run, { status: "completed", conclusion: "success" });
    const other = github.addPull({
      number: 8,
      headSha: pull.headSha,
      headRef: "other",
      headRepository: "mallory/server",
    });
    const reporting = github.addRun({
      workflowFile: "report.yml",
      event: "workflow_run",
      status: "in_progress",
      conclusion: null,
    });
    const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
    const report = await start(reporting, { command: "report" }, { event });
    const { code, stdout } = await report.ended;
    expect(code, stdout).toBe(0);
    expect(text()).toEqual([expect.stringContaining(`run=${run.id} attempt=1 phase=done`)]);
    expect(text()[0]).toContain("hello");
    expect(github.commentsOf(other.number)).toEqual([]);
    expect(report.outputs["comment-url"]).toContain("#issuecomment-");
  });

  it("writes nothing where the pull request has moved on", { timeout: TIMEOUT_MS }, async () => {
    const run = github.addRun({ event: "pull_request", headBranch: "feature", headRepository: "mallory/server" });
    github.addPull({ number: 7, headRepository: "mallory/server" });
    const reporting = github.addRun({
      workflowFile: "report.yml",
      event: "workflow_run",
      status: "in_progress",
      conclusion: null,
    });
    const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
    const { code, stdout } = await (await start(reporting, { command: "report" }, { event })).ended;
    expect(code).toBe(1);
    expect(stdout).toContain("no comment: ");
    expect(stdout).toContain("::error::no results to report");
    expect(github.state.comments).toEqual([]);
  });
});

describe("a matrix", () => {
  it("is planned, measured in shards, merged, and commented once; a shard that is missing is named", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const workspace = newRepository(join(temp, "checkout"));
    const headSha = commit(workspace, {
      ...scenarios("one", "two", "three"),
      "one/app.py": app(0),
      "two/app.py": app(0),
      "three/app.py": app(0),
    });
    github.addPull({ number: 7, headSha });
    const run = github.addRun({
      event: "pull_request",
      headBranch: "feature",
      headSha,
      status: "in_progress",
      conclusion: null,
    });
    const planning = await start(run, { command: "plan", shards: "3" }, { cwd: workspace });
    expect((await planning.ended).code).toBe(0);
    const { include } = JSON.parse(planning.outputs.matrix ?? "") as {
      include: { shard: string; scenarios: string }[];
    };
    expect(include.map(({ shard }) => shard)).toEqual(["1/3", "2/3", "3/3"]);
    // The third one's runner never came back.
    for (const { shard, scenarios: selected } of include.slice(0, 2)) {
      const action = await start(
        run,
        { scenarios: selected, shard, baseline: "none", comment: "false" },
        { cwd: workspace },
      );
      const { code, stdout } = await action.ended;
      expect(code, stdout).toBe(0);
    }
    expect(text()).toEqual([]);
    const report = await start(run, { command: "report" });
    const { code, stdout } = await report.ended;
    expect(code, stdout).toBe(0);
    expect(text()).toHaveLength(1);
    expect(text()[0]).toContain("Not measured: 1 row of 1 shard");
    expect(text()[0]).toContain("3/3");
    expect(text()[0]).toContain(include[2]?.scenarios ?? "?");
    expect(report.outputs.completed).toBe("2");
    // The merge is what a later pull request is compared with; a report that is run again does not merge it twice.
    expect(github.state.artifacts.at(-1)?.name).toBe("server-bench-results");
    run.attempt = 2;
    const again = await (await start(run, { command: "report" })).ended;
    expect(again.code, again.stdout).toBe(0);
    expect(text()).toHaveLength(1);
  });
});

describe("GitHub in trouble", () => {
  const measured = async (inputs: Readonly<Record<string, string>> = {}) => {
    const { workspace, run } = pullRequest(0);
    const action = await start(run, { baseline: "none", ...inputs }, { cwd: workspace });
    return { action, ...(await action.ended) };
  };

  it("keeps the results where the token is wrong", { timeout: TIMEOUT_MS }, async () => {
    const { action, code, stdout } = await measured({ token: "expired" });
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/no comment: .*401/);
    expect(action.summary).toContain("| hello (c16)");
    expect(github.state.artifacts).toHaveLength(1);
  });

  it("keeps the results where the conversation is locked", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run, pull } = pullRequest(0);
    pull.locked = true;
    const { code, stdout } = await (await start(run, { baseline: "none" }, { cwd: workspace })).ended;
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/no comment: .*locked/);
    expect(github.state.artifacts).toHaveLength(1);
  });

  it("keeps the results where they cannot be uploaded", { timeout: TIMEOUT_MS }, async () => {
    github.fail({ method: "POST", path: /CreateArtifact/, times: 1, status: 400, body: { msg: "quota" } });
    const { code, stdout } = await measured();
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/was not uploaded: .*; the results are in /);
    expect(text()).toEqual([expect.stringContaining("phase=done")]);
  });
});
