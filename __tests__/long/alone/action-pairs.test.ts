/** The action on a double of GitHub: a stored base with a suspicion that is confirmed in pairs. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResults } from "../../../src/results/read.js";
import { worldOfTest } from "../../support/action-world.js";
import { git } from "../../support/repository.js";

const TIMEOUT_MS = 240_000;
/** Other work on the machine often goes within seconds. */
const RETRIES = 4;
/** What one run of a pull request may cost of the repository's quota. */
const API_CALLS = 15;

const world = worldOfTest();

describe("a pull request of the repository itself", () => {
  it("is compared with what the base branch stored; a suspicion is confirmed in pairs", {
    timeout: TIMEOUT_MS,
    retry: RETRIES,
  }, async ({ task }) => {
    const { workspace, run, baseSha, headSha } = world.pullRequest(20_000);
    git(workspace, "checkout", "--quiet", "main");
    const push = world.github.addRun({ headSha: baseSha, status: "in_progress", conclusion: null });
    // The inputs of a workflow are the same on a push, where there is nothing to compare with.
    const gated = { baseline: "auto", "fail-on": "worse", budget: "5" };
    const stored = await (await world.start(push, gated, { cwd: workspace })).ended;
    expect(stored.code, stored.stdout).toBe(0);
    Object.assign(push, { status: "completed", conclusion: "success" });
    git(workspace, "checkout", "--quiet", "feature");
    const before = world.github.apiCalls;
    const inputs = { baseline: "auto", "profile-rows": "none" };
    const action = await world.start(run, inputs, { cwd: workspace });
    const { code, stdout } = await action.ended;
    expect(code, stdout).toBe(0);
    // A row that other processes disturbed is never suspect. On a machine that is never calm, that is what there is to see.
    if (task.result?.retryCount === RETRIES && !stdout.includes("may have changed")) {
      const files = ["base.json", "results.json"].map((name) => join(workspace, "server-bench-results", name));
      const cases = (await Promise.all(files.map(readResults))).flatMap((results) => results.cases);
      expect(cases.some((result) => result.state === "completed" && result.disturbed)).toBe(true);
      expect(world.comments()[0]).not.toMatch(/[1-9]\d* suspected/);
      return;
    }
    expect(stdout).toContain("1 benchmark may have changed since the stored results");
    expect(world.comments()).toHaveLength(1);
    expect(world.comments()[0]).toMatch(/\*\*1 of 1 benchmark (?:is slower|needs more CPU per request), by /);
    expect(world.comments()[0]).toContain(`/actions/runs/${push.id}`);
    expect(world.comments()[0]).toContain(headSha.slice(0, 7));
    expect(world.comments()[0]).toContain("`server-bench-results/base.json`");
    expect(world.github.apiCalls - before).toBeLessThanOrEqual(API_CALLS);
  });
});
