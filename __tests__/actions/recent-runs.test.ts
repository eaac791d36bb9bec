/** Stored runs of base for the trend in the comment, on a double of GitHub. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ActionContext } from "../../src/actions/context.js";
import { recentRuns } from "../../src/actions/recent-runs.js";
import { formatResults } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";
import { compared, comparison } from "../support/comment.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

const BASE = { branch: "main", workflowFile: "bench.yml" };
let double: GitHubDouble;
let log: string[];
beforeEach(async () => {
  double = await GitHubDouble.start();
  log = [];
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

function store(runs: number): void {
  for (let i = 0; i < runs; i += 1) {
    const { id, headSha } = double.addRun();
    double.addComparison("main", headSha, { behindBy: runs - i, aheadBy: 0 });
    const results = sampleResults({ run: { ...sampleResults().run, id: `run-${i}`, git: { sha: headSha } } });
    double.addArtifact({ runId: id, zip: makeZip([{ name: "results.json", data: formatResults(results) }]) });
  }
}

function recent(verdict: "worse" | "unchanged", of: typeof BASE | "unknown" = BASE) {
  const github = quickClient(double);
  const action = {
    github,
    inputs: { comment: { key: "default" } },
    log: (line: string) => void log.push(line),
  } as unknown as ActionContext;
  const results: Results = { ...sampleResults(), comparison: comparison([compared("interfaces/a", verdict)]) };
  return recentRuns(action, results, of === "unknown" ? undefined : of);
}

it("are at most nine, where a row changed", async () => {
  store(12);
  const found = await recent("worse");
  expect(found.map(({ run }) => run.id)).toEqual(Array.from({ length: 9 }, (_, i) => `run-${11 - i}`));
});

it("are not asked for where no row changed, or base is not known", async () => {
  store(3);
  expect(await recent("unchanged")).toEqual([]);
  expect(await recent("worse", "unknown")).toEqual([]);
  expect(double.apiCalls).toBe(0);
});

it("are left out where there are none, or GitHub refuses; the log says why", async () => {
  expect(await recent("worse")).toEqual([]);
  expect(log).toEqual([]);
  double.fail({ method: "GET", path: /\/runs$/, status: 403 });
  expect(await recent("worse")).toEqual([]);
  expect(log).toEqual([expect.stringMatching(/^recent runs of base: not shown: 403: the token may not do this/)]);
});
