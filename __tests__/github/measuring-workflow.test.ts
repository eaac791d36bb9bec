import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkMeasuringWorkflow } from "../../src/github/measuring-workflow.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";

const REPORTING = { defaultBranch: "main", workflowFile: "report.yml" };
const PATH = ".github/workflows/bench.yml";
const REPORT_PATH = ".github/workflows/report.yml";

let double: GitHubDouble;
beforeEach(async () => {
  double = await GitHubDouble.start();
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

const reporting = (workflows: string) => `on:\n  workflow_run:\n    workflows: ${workflows}\n`;

function check(job: { readonly defaultBranch?: string; readonly workflowFile: string }) {
  const run = {
    ...{ id: 70, attempt: 1, event: "pull_request", headRepository: "contributor/server", headBranch: "feature" },
    ...{ headSha: "0".repeat(40), conclusion: "success", workflowFile: "bench.yml" },
  };
  return checkMeasuringWorkflow(quickClient(double), { defaultBranch: undefined, ...job }, run);
}

describe("checkMeasuringWorkflow", () => {
  it.each([
    { text: "name: Benchmark\non: [push]\n", reported: "[Lint, Benchmark]" },
    { text: 'name: "Benchmark: all"\n', reported: '["Benchmark: all"]' },
    { text: "name: 2026\n", reported: "[2026]" },
    { text: "name: Benchmark\n", reported: "Benchmark" },
    { text: "on: [push]\n", reported: `[${PATH}]` },
    { text: "name: [\n", reported: `[${PATH}]` },
    { text: `name: Benchmark\nrun-name: Benchmark of \${{ github.head_ref }}\n`, reported: "[Benchmark]" },
  ])(
    "takes a run whose file on the default branch has a name that the job reports: $text",
    async ({ text, reported }) => {
      double.state.files.set(PATH, text).set(REPORT_PATH, reporting(reported));
      expect(await check(REPORTING)).toEqual({ state: "expected" });
      expect(double.requests).toMatchObject([{ query: { ref: "main" } }, { query: { ref: "main" } }]);
    },
  );

  it.each([
    { what: "the file is not there", text: undefined, reason: /is not on main; .*contents: read/ },
    { what: "it has another name there", text: "name: Lint\n", reason: /has the name Lint on main, which is not in/ },
    { what: "it has none there", text: "on: [push]\n", reason: /has the name \.github\/workflows\/bench\.yml on main/ },
    { what: "the job's own file lists none", text: "name: Benchmark\n", own: "on: push\n", reason: /which is not in/ },
    { what: "the job's own file is no YAML", text: "name: Benchmark\n", own: "on: [\n", reason: /which is not in/ },
  ])("takes no other: $what", async ({ text, own = reporting("[Benchmark]"), reason }) => {
    if (text !== undefined) double.state.files.set(PATH, text);
    double.state.files.set(REPORT_PATH, own);
    expect(await check(REPORTING)).toEqual({ state: "unexpected", reason: expect.stringMatching(reason) });
  });

  it("asks nothing for its own file, and where the event names no default branch", async () => {
    double.state.files.set(PATH, "name: Benchmark\n");
    expect(await check({ ...REPORTING, workflowFile: "bench.yml" })).toMatchObject({
      state: "unexpected",
      reason: `${PATH} is this job's own workflow, which measures nothing`,
    });
    expect(await check({ workflowFile: "report.yml" })).toMatchObject({ state: "unexpected" });
    expect(double.requests).toEqual([]);
  });

  it("says what GitHub refuses", async () => {
    double.fail({ path: /contents/, status: 403, body: { message: "Resource not accessible by integration" } });
    expect(await check(REPORTING)).toMatchObject({
      state: "refused",
      failure: { kind: "forbidden", message: expect.stringContaining("contents: read") },
    });
    double.fail({ path: /contents/, status: 200, body: [] });
    expect(await check(REPORTING)).toMatchObject({ state: "refused", failure: { kind: "server" } });
  });
});
