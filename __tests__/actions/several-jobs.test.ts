/** Several jobs of one run measure. A report shows the results with its key, and none of them is lost in silence. */
import { describe, expect, it, vi } from "vitest";
import { formatResults } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";
import { compared, comparison } from "../support/comment.js";
import type { GitHubDouble, StoredRun } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { reportOn } from "../support/report-action.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

let workspace: string;
let github: GitHubDouble;
let run: StoredRun;
eachOnGitHub((folder, double) => {
  workspace = folder;
  github = double;
  const { headSha, headRef } = github.addPull({ number: 7 });
  const running = { status: "in_progress", conclusion: null } as const;
  run = github.addRun({ event: "pull_request", headBranch: headRef, headSha, ...running });
});

/** What a job measured: the verdict of one row. */
function store(name: string, verdict: "worse" | "unchanged", change: Partial<Results["run"]> = {}): void {
  const [first] = sampleResults().cases;
  const sample = sampleResults();
  const results: Results = {
    ...sample,
    run: { ...sample.run, ...change },
    comparison: comparison([compared(first?.id ?? "", verdict)]),
  };
  github.addArtifact({ runId: run.id, name, zip: makeZip([{ name: "results.json", data: formatResults(results) }]) });
}

async function report(inputs: Readonly<Record<string, string>>) {
  const env = { ...(await github.jobEnv(run)), ...github.runtimeEnv(run.id) };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const reported = await reportOn(github, workspace, env, inputs);
  return { ...reported, comment: github.commentsOf(7).at(-1)?.body };
}

describe("jobs without a key", () => {
  const others =
    "the run has the results of several jobs under one name (server-bench-results, server-bench-results-2), and only the newest were read";

  it.each(["worse", "never"])("fail the step with fail-on: %s, and are named", async (failOn) => {
    store("server-bench-results", "worse");
    store("server-bench-results-2", "unchanged");
    const { failure, log, summary, comment } = await report({ "fail-on": failOn });
    expect(failure).toContain("the results of several jobs");
    for (const text of [log, summary, comment]) expect(text).toContain(others);
    expect(failure).toContain("give each job that measures a comment-key, and its report the same one");
  });
});

describe("a gate", () => {
  const missing = [{ shard: "2/2", reason: "it left no results", rows: ["interfaces/asgi-bytes"] }];

  it.each([
    ["that ended early", { finishedAt: null }, "the run ended early"],
    ["without a shard", { missing }, "1 shard left no results"],
  ])("does not pass a run %s", async (_, change, what) => {
    store("server-bench-results", "unchanged", change);
    const { failure } = await report({ "fail-on": "worse" });
    expect(failure).toBe(
      `not all rows were measured: ${what}, so the gate (fail-on: worse) cannot pass. Measure again.`,
    );
    expect((await report({ "fail-on": "never" })).failure).toBeUndefined();
  });
});

describe("jobs with a key", () => {
  it("are reported each with its own", async () => {
    store("server-bench-results", "worse");
    store("server-bench_http2_results", "unchanged");
    const http2 = await report({ "comment-key": "http2", "fail-on": "worse" });
    expect(http2.failure, http2.log).toBeUndefined();
    expect(http2.outputs.verdict).toBe("unchanged");
    expect(http2.comment).toContain("key=http2");
    expect(http2.comment).not.toContain("several jobs");
    const usual = await report({ "fail-on": "worse" });
    expect(usual.failure).toMatch(/^worse \(fail-on: worse\): /);
    expect(usual.outputs.verdict).toBe("worse");
    expect(usual.comment).toContain("key=default");
  });

  it("say which key the measuring job needs", async () => {
    store("server-bench-results", "worse");
    const { failure, comment, log } = await report({ "comment-key": "http2" });
    const reason = "the run uploaded no results with the comment-key http2: give the job that measures the same key";
    expect(failure).toContain("no results to report");
    for (const text of [log, comment]) expect(text).toContain(reason);
  });
});
