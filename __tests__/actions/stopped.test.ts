/** An error after the measurement: the action fails, its comment says so, and the results are uploaded all the same. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { startAction } from "../support/action.js";
import type { GitHubDouble } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";

let temp: string;
let github: GitHubDouble;
eachOnGitHub((folder, double) => {
  temp = folder;
  github = double;
});

/** Its report cannot be written. */
const NO_REPORT = `
import os
report = os.path.join(os.path.dirname(__file__), "../server-bench-results/report.md")
os.makedirs(report, exist_ok=True)
`;

it("uploads what was measured", async () => {
  const cwd = newRepository(join(temp, "checkout"));
  const headSha = commit(cwd, { ...waitingScenarios("hello"), "hello/app.py": waitingApp(NO_REPORT) });
  const run = github.addRun({ event: "push", headSha, status: "in_progress", conclusion: null });
  const env = { ...(await github.jobEnv(run, { name: "push" })), ...github.runtimeEnv(run.id) };
  const inputs = { scenarios: "mine", "scenarios-dir": "bench", profile: "quick", token: "test-token" };
  const { code, stdout } = await startAction(inputs, { cwd, env }).ended;
  expect(code, stdout).toBe(1);
  expect(stdout).toMatch(/what was measured before is in .*results\.json/);
  expect(stdout).toContain("uploaded the results as the artifact server-bench-results");
  expect(github.state.archives.map(({ name }) => name)).toEqual(["server-bench-results"]);
});
