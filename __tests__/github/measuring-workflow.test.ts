import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkMeasuringWorkflow } from "../../src/github/measuring-workflow.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";

const REPORTING = { defaultBranch: "main", workflowFile: "report.yml" };
const PATH = ".github/workflows/bench.yml";

let double: GitHubDouble;
beforeEach(async () => {
  double = await GitHubDouble.start();
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

/** @param name as the measured run has it */
function check(name: string | undefined, job: { readonly defaultBranch?: string; readonly workflowFile: string }) {
  const run = {
    ...{ id: 70, attempt: 1, event: "pull_request", headRepository: "contributor/server", headBranch: "feature" },
    ...{ headSha: "0".repeat(40), conclusion: "success", workflowFile: "bench.yml", workflowName: name },
  };
  return checkMeasuringWorkflow(quickClient(double), { defaultBranch: undefined, ...job }, run);
}

describe("checkMeasuringWorkflow", () => {
  it.each([
    { text: "name: Benchmark\non: [push]\n", name: "Benchmark" },
    { text: 'name: "Benchmark: all"\n', name: "Benchmark: all" },
    { text: "name: 2026\n", name: "2026" },
    { text: "on: [push]\n", name: PATH },
    { text: "name: [\n", name: PATH },
  ])("takes a run whose file is on the default branch under its name: $name", async ({ text, name }) => {
    double.state.files.set(PATH, text);
    expect(await check(name, REPORTING)).toEqual({ state: "expected" });
    expect(double.requests).toMatchObject([{ query: { ref: "main" } }]);
  });

  it.each([
    { what: "the file is not there", text: undefined, name: "Benchmark", reason: /is not on main; .*contents: read/ },
    { what: "it has another name there", text: "name: Lint\n", name: "Benchmark", reason: /another name on main/ },
    { what: "it has none there", text: "on: [push]\n", name: "Benchmark", reason: /another name on main/ },
    { what: "the run has no name", text: "name: Benchmark\n", name: undefined, reason: /another name on main/ },
  ])("takes no other: $what", async ({ text, name, reason }) => {
    if (text !== undefined) double.state.files.set(PATH, text);
    expect(await check(name, REPORTING)).toEqual({ state: "unexpected", reason: expect.stringMatching(reason) });
  });

  it("asks nothing for its own file, and where the event names no default branch", async () => {
    double.state.files.set(PATH, "name: Benchmark\n");
    expect(await check("Benchmark", { ...REPORTING, workflowFile: "bench.yml" })).toMatchObject({
      state: "unexpected",
      reason: `${PATH} is this job's own workflow, which measures nothing`,
    });
    expect(await check("Benchmark", { workflowFile: "report.yml" })).toMatchObject({ state: "unexpected" });
    expect(double.requests).toEqual([]);
  });

  it("says what GitHub refuses", async () => {
    double.fail({ path: /contents/, status: 403, body: { message: "Resource not accessible by integration" } });
    expect(await check("Benchmark", REPORTING)).toMatchObject({
      state: "refused",
      failure: { kind: "forbidden", message: expect.stringContaining("contents: read") },
    });
    double.fail({ path: /contents/, status: 200, body: [] });
    expect(await check("Benchmark", REPORTING)).toMatchObject({ state: "refused", failure: { kind: "server" } });
  });
});
