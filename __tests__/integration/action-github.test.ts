/** The action on a double of GitHub, from the event to the comment, where nothing is measured in pairs. */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { worldOfTest } from "../support/action-world.js";
import { waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";

const TIMEOUT_MS = 240_000;

const world = worldOfTest();

describe("a pull request of the repository itself", () => {
  it("says while it waits for another run on the machine, and until when", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run } = world.pullRequest(0);
    const lock = join(world.temp, "machine.lock");
    const now = Date.now();
    const [since, expectedEnd] = [now, now + 1_200_000].map((ms) => new Date(ms).toISOString());
    const note = { pid: process.pid, user: "runner", since, what: "http2: 6 benchmarks", expectedEnd };
    writeFileSync(lock, JSON.stringify(note));
    const other = spawn("flock", ["--no-fork", "--exclusive", lock, "sleep", "120"], { stdio: "ignore" });
    onTestFinished(() => void other.kill("SIGKILL"));
    const action = await world.start(run, { wait: "30" }, { cwd: workspace, env: { [LOCK_VARIABLE]: lock } });
    await action.printed(/another run measures on this machine/);
    await expect
      .poll(world.comments, { timeout: 60_000 })
      .toEqual([
        expect.stringContaining(
          `**Waiting:** another run measures on this machine, until about ${expectedEnd?.slice(11, 16)} UTC. This run waits at most 30 min, then measures 1 benchmark.`,
        ),
      ]);
    other.kill("SIGKILL");
    await expect
      .poll(world.comments, { timeout: 60_000 })
      .toEqual([expect.stringContaining("**Measuring:** 0 of 1 benchmark done")]);
    process.kill(action.pid, "SIGINT");
    await action.ended;
    expect(world.comments()).toEqual([expect.stringContaining("phase=done")]);
  });

  it("says that there is no baseline yet, and is no error", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run } = world.pullRequest(0);
    const inputs = { baseline: "artifact", "fail-on": "worse", anchor: "uvicorn" };
    const action = await world.start(run, inputs, { cwd: workspace });
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(0);
    expect(world.comments()[0]).toContain("no baseline yet");
    expect(action.outputs.verdict).toBe("none");
  });

  it("leaves what was measured when the job is cancelled", { timeout: TIMEOUT_MS }, async () => {
    const { workspace, run } = world.pullRequest(0);
    const action = await world.start(run, { baseline: "none", profile: "standard" }, { cwd: workspace });
    const results = join(workspace, "server-bench-results/results.json");
    await expect.poll(() => existsSync(results), { timeout: 60_000 }).toBe(true);
    process.kill(action.pid, "SIGINT");
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(1);
    expect(world.comments()).toEqual([expect.stringContaining("Stopped before the end")]);
    expect(world.github.state.archives).toHaveLength(1);
  });

  it("does not go on saying that it measures when the job is cancelled before it could", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { workspace, run } = world.pullRequest(0);
    const action = await world.start(run, { baseline: "none" }, { cwd: workspace });
    await expect.poll(world.comments, { timeout: 60_000 }).toEqual([expect.stringContaining("**Measuring:**")]);
    process.kill(action.pid, "SIGINT");
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(1);
    expect(world.comments()).toEqual([expect.stringContaining("Stopped before the end")]);
  });
});

describe("a fork", () => {
  it("writes nothing where the pull request has moved on", { timeout: TIMEOUT_MS }, async () => {
    const run = world.github.addRun({ event: "pull_request", headBranch: "feature", headRepository: "mallory/server" });
    world.github.addPull({ number: 7, headRepository: "mallory/server" });
    const reporting = world.github.addReportingRun("report.yml");
    const event = { name: "workflow_run", payload: world.github.workflowRunEvent(run) };
    const { code, stdout } = await (await world.start(reporting, { command: "report" }, { event })).ended;
    expect(code).toBe(1);
    expect(stdout).toContain("no comment: ");
    expect(stdout).toContain("::error::no results to report");
    expect(world.github.state.comments).toEqual([]);
  });
});

describe("a matrix", () => {
  it("is planned, measured in shards, merged, and commented once; a shard that is missing is named", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const workspace = newRepository(join(world.temp, "checkout"));
    const headSha = commit(workspace, {
      ...waitingScenarios("one", "two", "three"),
      "one/app.py": waitingApp(),
      "two/app.py": waitingApp(),
      "three/app.py": waitingApp(),
    });
    world.github.addPull({ number: 7, headSha });
    const run = world.github.addRun({
      event: "pull_request",
      headBranch: "feature",
      headSha,
      status: "in_progress",
      conclusion: null,
    });
    const planning = await world.start(run, { command: "plan", shards: "3" }, { cwd: workspace });
    expect((await planning.ended).code).toBe(0);
    const { include } = JSON.parse(planning.outputs.matrix ?? "") as {
      include: { shard: string; scenarios: string }[];
    };
    expect(include.map(({ shard }) => shard)).toEqual(["1/3", "2/3", "3/3"]);
    // The third one's runner never came back.
    for (const { shard, scenarios: selected } of include.slice(0, 2)) {
      const action = await world.start(
        run,
        { scenarios: selected, shard, baseline: "none", comment: "false" },
        { cwd: workspace },
      );
      const { code, stdout } = await action.ended;
      expect(code, stdout).toBe(0);
    }
    expect(world.comments()).toEqual([]);
    const report = await world.start(run, { command: "report" });
    const { code, stdout } = await report.ended;
    expect(code, stdout).toBe(0);
    expect(world.comments()).toHaveLength(1);
    expect(world.comments()[0]).toContain("Not measured: 1 benchmark of 1 shard");
    expect(world.comments()[0]).toContain("3/3");
    expect(world.comments()[0]).toContain(include[2]?.scenarios ?? "?");
    expect(report.outputs.completed).toBe("2");
    // The merge is what a later pull request is compared with; a report that is run again does not merge it twice.
    expect(world.github.state.archives.at(-1)?.name).toBe("server-bench-results");
    run.attempt = 2;
    const again = await (await world.start(run, { command: "report" })).ended;
    expect(again.code, again.stdout).toBe(0);
    expect(world.comments()).toHaveLength(1);
  });
});

describe("GitHub in trouble", () => {
  const measured = async (inputs: Readonly<Record<string, string>> = {}) => {
    const { workspace, run } = world.pullRequest(0);
    const action = await world.start(run, { baseline: "none", ...inputs }, { cwd: workspace });
    return { action, ...(await action.ended) };
  };

  it("keeps the results where the token is wrong", { timeout: TIMEOUT_MS }, async () => {
    const { action, code, stdout } = await measured({ token: "expired" });
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/no comment: .*401/);
    expect(action.summary).toContain("| hello (c16)");
    expect(world.github.state.archives).toHaveLength(1);
  });

  it("keeps the results where they cannot be uploaded", { timeout: TIMEOUT_MS }, async () => {
    world.github.fail({ method: "POST", path: /CreateArtifact/, times: 1, status: 400, body: { msg: "quota" } });
    const { code, stdout } = await measured();
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/was not uploaded: .*; the results are in /);
    expect(world.comments()).toEqual([expect.stringContaining("phase=done")]);
  });
});
