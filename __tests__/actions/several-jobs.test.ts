/** Several jobs of one run measure. A report shows the results with its key, and none of them is lost in silence. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatResults } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";
import { startAction } from "../support/action.js";
import { compared, comparison } from "../support/comment.js";
import { GitHubDouble, type StoredRun } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

const TIMEOUT_MS = 60_000;

let github: GitHubDouble;
let run: StoredRun;
beforeEach(async () => {
  github = await GitHubDouble.start();
  const { headSha, headRef } = github.addPull({ number: 7 });
  const running = { status: "in_progress", conclusion: null } as const;
  run = github.addRun({ event: "pull_request", headBranch: headRef, headSha, ...running });
});
afterEach(async () => {
  await github[Symbol.asyncDispose]();
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
  const action = startAction({ token: "test-token", command: "report", ...inputs }, { env });
  const { code, stdout } = await action.ended;
  return { code, stdout, outputs: action.outputs, summary: action.summary, comment: github.commentsOf(7).at(-1)?.body };
}

describe("jobs without a key", () => {
  const others =
    "the run has the results of several jobs under one name (server-bench-results, server-bench-results-2), and only the newest were read";

  it.each(["worse", "never"])(
    "fail the step with fail-on: %s, and are named",
    { timeout: TIMEOUT_MS },
    async (failOn) => {
      store("server-bench-results", "worse");
      store("server-bench-results-2", "unchanged");
      const { code, stdout, summary, comment } = await report({ "fail-on": failOn });
      expect(code, stdout).toBe(1);
      expect(stdout).toMatch(/^::error::.*the results of several jobs/m);
      for (const text of [stdout, summary, comment]) expect(text).toContain(others);
      expect(stdout).toContain("give each job that measures a comment-key, and its report the same one");
    },
  );
});

describe("a gate", () => {
  const missing = [{ shard: "2/2", reason: "it left no results", rows: ["interfaces/asgi-bytes"] }];

  it.each([
    ["that ended early", { finishedAt: null }, "the run ended early"],
    ["without a shard", { missing }, "1 shard left no results"],
  ])("does not pass a run %s", { timeout: TIMEOUT_MS }, async (_, change, what) => {
    store("server-bench-results", "unchanged", change);
    const { code, stdout } = await report({ "fail-on": "worse" });
    expect(code, stdout).toBe(1);
    expect(stdout).toContain(
      `not all rows were measured: ${what}, so the gate (fail-on: worse) cannot pass. Measure again.`,
    );
    const open = await report({ "fail-on": "never" });
    expect(open.code, open.stdout).toBe(0);
  });
});

describe("jobs with a key", () => {
  it("are reported each with its own", { timeout: TIMEOUT_MS }, async () => {
    store("server-bench-results", "worse");
    store("server-bench_http2_results", "unchanged");
    const http2 = await report({ "comment-key": "http2", "fail-on": "worse" });
    expect(http2.code, http2.stdout).toBe(0);
    expect(http2.outputs.verdict).toBe("unchanged");
    expect(http2.comment).toContain("key=http2");
    expect(http2.comment).not.toContain("several jobs");
    const usual = await report({ "fail-on": "worse" });
    expect(usual.code, usual.stdout).toBe(1);
    expect(usual.outputs.verdict).toBe("worse");
    expect(usual.comment).toContain("key=default");
  });

  it("say which key the measuring job needs", { timeout: TIMEOUT_MS }, async () => {
    store("server-bench-results", "worse");
    const { code, stdout, comment } = await report({ "comment-key": "http2" });
    expect(code, stdout).toBe(1);
    const reason = "the run uploaded no results with the comment-key http2: give the job that measures the same key";
    expect(stdout).toContain(reason);
    expect(comment).toContain(reason);
  });
});
