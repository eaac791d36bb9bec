/** On a machine that outlives its jobs, nothing of a fork is run unless the workflow says so. */
import { expect, it } from "vitest";
import { makeRequest } from "../../src/actions/bench/request.js";
import type { ActionContext } from "../../src/actions/context.js";
import { refusedFork } from "../../src/actions/fork-guard.js";
import { readInputs } from "../../src/actions/inputs.js";
import { readJob } from "../../src/github/job.js";
import { startAction } from "../support/action.js";
import { GitHubDouble } from "../support/github/double.js";

const request = JSON.stringify(
  makeRequest({
    ...{ pullRequest: 7, sha: "a".repeat(40), base: "b".repeat(40), fork: true, arguments: [], key: "request" },
    ...{ comment: 1, by: "maint", replace: false },
  }),
);
const HOSTED = { RUNNER_ENVIRONMENT: "github-hosted" };
const OWN = { RUNNER_ENVIRONMENT: "self-hosted" };
const pull = (full_name: string | null) => ({
  pull_request: {
    number: 7,
    head: { sha: "a".repeat(40), ref: "feature", repo: full_name === null ? null : { full_name } },
    base: { sha: "b".repeat(40), ref: "main" },
  },
});
const run = (full_name: string) => ({
  workflow_run: {
    ...{ id: 1, run_attempt: 1, event: "pull_request", head_branch: "x", head_sha: "a".repeat(40), conclusion: null },
    ...{ head_repository: { full_name }, path: ".github/workflows/bench.yml" },
  },
});

it.each([
  ["a fork on an own machine", "pull_request", pull("mallory/server"), OWN, {}, true],
  ["a fork on a machine that does not say what it is", "pull_request", pull("mallory/server"), {}, {}, true],
  ["a fork that was deleted", "pull_request", pull(null), OWN, {}, true],
  [
    "a fork on an own machine, where the workflow says so",
    "pull_request",
    pull("mallory/server"),
    OWN,
    { "allow-forks": "true" },
    false,
  ],
  ["a fork on a hosted machine", "pull_request", pull("mallory/server"), HOSTED, {}, false],
  ["a branch of the repository", "pull_request", pull("Acme/Server"), OWN, {}, false],
  ["a fork, by another event", "pull_request_target", pull("mallory/server"), OWN, {}, true],
  ["a run of a fork", "workflow_run", run("mallory/server"), OWN, {}, true],
  ["a run of the repository", "workflow_run", run("acme/server"), OWN, {}, false],
  ["a push", "push", {}, OWN, {}, false],
  ["a request for a fork's commit", "workflow_dispatch", {}, OWN, { request }, true],
  ["the same, where the workflow says so", "workflow_dispatch", {}, OWN, { request, "allow-forks": "true" }, false],
])("%s", async (_, name, payload, machine, inputs, refused) => {
  await using github = await GitHubDouble.start();
  const env = {
    ...(await github.jobEnv(github.addRun({ event: name }), { name, payload })),
    RUNNER_ENVIRONMENT: "",
    ...machine,
  };
  const logged: string[] = [];
  const action = {
    job: await readJob(env),
    inputs: readInputs((input) => (inputs as Record<string, string>)[input] ?? "", "/work"),
    context: { env },
    log: (line: string) => void logged.push(line),
  } as unknown as ActionContext;
  expect(refusedFork(action) !== undefined).toBe(refused);
  expect(logged).toHaveLength(refused ? 1 : 0);
});

it("ends the step green, and says why and what to do in one line", async () => {
  await using github = await GitHubDouble.start();
  github.addPull({ number: 7, headSha: "c".repeat(40), headRepository: "mallory/server" });
  const one = github.addRun({ event: "pull_request", headSha: "c".repeat(40), headRepository: "mallory/server" });
  const env = { ...(await github.jobEnv(one)), ...OWN };
  const action = startAction({ token: github.token, python: "/not/to/be/run" }, { env });
  const { code, stdout } = await action.ended;
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^::notice title=Not measured::This pull request comes from a fork.*allow-forks: true/m);
  expect(action.summary).toContain("**Not measured.**");
  expect(action.outputs).toMatchObject({ verdict: "none", completed: "0" });
  expect(github.requests).toEqual([]);
});
