/** "There is nothing to compare with" is reported and never fails: the examples' inputs on every event. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseAgainst } from "../../src/actions/against.js";
import type { ActionContext } from "../../src/actions/context.js";
import { readInputs } from "../../src/actions/inputs.js";
import { readJob } from "../../src/github/job.js";
import { startAction } from "../support/action.js";
import { quickClient } from "../support/github/client.js";
import type { GitHubDouble } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";
import { stepsOf, workflowsIn } from "../support/workflows.js";

const TIMEOUT_MS = 120_000;
/** A smaller load; how it is compared stays the example's own. */
const TINY = { scenarios: "mine", "scenarios-dir": "bench", profile: "quick", servers: "", token: "test-token" };

let temp: string;
let github: GitHubDouble;
eachOnGitHub((folder, double) => {
  temp = folder;
  github = double;
});

function inputsOf(example: string): Record<string, string> {
  const workflow = workflowsIn("examples").find(({ file }) => file === join("examples", example));
  const step = workflow && stepsOf(workflow).find(({ uses }) => uses?.startsWith("org/server-bench@"));
  if (!step) throw new Error(`no step of ours in examples/${example}`);
  return Object.fromEntries(Object.entries(step.with).map(([name, value]) => [name, String(value)]));
}

type Texts = Readonly<Record<string, string>>;

async function jobOn(event: string) {
  const cwd = newRepository(join(temp, "checkout"));
  const headSha = commit(cwd, { ...waitingScenarios("hello"), "hello/app.py": waitingApp() });
  const name = event === "workflow_run" ? "push" : event;
  const run = github.addRun({ event: name, headSha, status: "in_progress", conclusion: null });
  const payload = event === "workflow_run" ? { payload: github.workflowRunEvent(run) } : {};
  return { cwd, env: { ...(await github.jobEnv(run, { name: event, ...payload })), ...github.runtimeEnv(run.id) } };
}

/** Through the bundle. */
async function runOn(event: string, inputs: Texts) {
  const { cwd, env } = await jobOn(event);
  const action = startAction({ ...inputs, ...TINY }, { cwd, env });
  const { code, stdout } = await action.ended;
  return { action, code, stdout, log: () => readFileSync(join(cwd, "server-bench-results/report.md"), "utf8") };
}

/** What the run would be compared with, and all that it says of that. */
async function chosenOn(event: string, inputs: Texts) {
  const { cwd, env } = await jobOn(event);
  const given: Texts = { ...inputs, ...TINY };
  const lines: string[] = [];
  const action = {
    ...{ inputs: readInputs((name) => given[name] ?? "", cwd), job: await readJob(env), github: quickClient(github) },
    ...{ context: { cwd }, log: (line: string) => void lines.push(line) },
  };
  const { against, notes } = await chooseAgainst(action as unknown as ActionContext);
  return { against, said: [...lines, ...notes] };
}

describe("nothing to compare with", () => {
  const LATER = "later runs can compare with them";

  it.each([
    ["issue_comment", "this run is of the event issue_comment, not a pull request, and the input base is empty."],
    ["workflow_run", "this run is of the event workflow_run, not a pull request, and the input base is empty."],
    [
      "pull_request_target",
      "this run is of the event pull_request_target, which is not taken for a pull request, because its token can write: use pull_request.",
    ],
  ])("on %s promises no baseline: no such run ever is one", async (event, reason) => {
    const { against, said } = await chosenOn(event, inputsOf("server-repository.yml"));
    expect(against).toEqual({ kind: "none", because: { kind: "event", reason: expect.stringContaining(reason) } });
    expect(JSON.stringify(against)).not.toContain(LATER);
    expect(said).toEqual([]);
  });

  it.each([
    ["server-repository.yml", "schedule", {}, "this run is of the event schedule, not a pull request"],
    ["server-repository.yml", "workflow_dispatch", {}, "this run is of the event workflow_dispatch"],
    ["nightly.yml", "schedule", {}, "no baseline yet: "],
    ["nightly.yml", "push", { "fail-on": "worse", latency: "true", budget: "5" }, "no baseline yet: "],
    ["server-repository.yml", "push", { baseline: "auto", anchor: "uvicorn", latency: "true" }, "this run is a push"],
    [
      "server-repository.yml",
      "push",
      { base: "no-such-tag" },
      "base cannot be measured next to head: base no-such-tag: ",
    ],
    ["server-repository.yml", "workflow_run", {}, "this run is of the event workflow_run"],
  ])("%s on %s %j: says why, and nothing of inputs", async (example, event, more, reason) => {
    const { against, said } = await chosenOn(event, { ...inputsOf(example), ...more });
    expect(against).toMatchObject({ kind: "none", because: { reason: expect.stringContaining(reason) } });
    // A shipped workflow on one of its own events must not warn: its reader can change nothing.
    expect(said).toEqual([]);
    expect(JSON.stringify(against)).not.toMatch(/--(?:fail-on|budget|anchor|latency|base)\b/);
  });

  it.each<[Texts, string, boolean]>([
    [{}, "this run is a push, not a pull request", false],
    [{ baseline: "none", "fail-on": "worse" }, "The inputs fail-on: worse, budget have nothing to apply to", true],
  ])("%j: measures, stores, says why, ends 0", { timeout: TIMEOUT_MS }, async (more, reason, warns) => {
    const inputs = { ...inputsOf("server-repository.yml"), ...more };
    const { action, code, stdout, log } = await runOn("push", inputs);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain(reason);
    expect(stdout.includes("nothing to apply")).toBe(warns);
    expect(stdout).not.toMatch(/::error/);
    expect(action.summary).toContain(reason);
    expect(log()).toContain(reason);
    expect(action.outputs).toMatchObject({ verdict: "none", completed: "1", failed: "0" });
    expect(github.state.archives.map(({ name }) => name)).toEqual(["server-bench-results"]);
    expect(stdout).not.toMatch(/--(?:fail-on|budget|anchor|latency|base)\b/);
  });

  it("fails for an anchor that no scenario file knows, in the action's words", async () => {
    const { code, stdout } = await runOn("push", { ...inputsOf("nightly.yml"), anchor: "uvicron" });
    expect(code).toBe(1);
    expect(stdout).toContain('::error::anchor uvicron: unknown server "uvicron"; did you mean "uvicorn"?');
  });

  it("fails for an output that cannot be written, before anything is installed", async () => {
    const { code, stdout } = await runOn("push", { ...inputsOf("server-repository.yml"), out: "hello/app.py" });
    expect(code).toBe(1);
    expect(stdout).toMatch(/::error::out .*app\.py: .*app\.py is a file; give a folder/);
    expect(stdout).not.toContain("setup ");
    expect(github.state.artifacts).toEqual([]);
  });
});
