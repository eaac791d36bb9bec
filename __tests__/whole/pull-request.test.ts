/**
 * A pull request through the action on a double of GitHub: real servers in pairs, real artifacts, the comment read. As in the shortest
 * workflow, no input says what is measured, and actions/checkout left its token.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { worldOfTest } from "../support/action-world.js";
import { git } from "../support/repository.js";

/** What one run of a pull request may cost of the repository's quota. */
const API_CALLS = 15;

const world = worldOfTest();

it("is compared in pairs, reported in one comment, and fails the gate after everything is kept", async () => {
  const { workspace, run, baseSha } = world.pullRequest(5000, undefined, "benchmarks");
  const token = ["http.https://github.com/.extraheader", "AUTHORIZATION: basic dG9rZW4="] as const;
  git(workspace, "config", ...token);
  // The functions of a changed row take half a minute more: long/action-profile.test.ts.
  const inputs = { scenarios: "", "scenarios-dir": "", "fail-on": "worse", "profile-rows": "none" };
  const action = await world.start(run, inputs, { cwd: workspace });
  await action.printed(/mine: 1 benchmark/);
  await expect
    .poll(world.comments, { timeout: 60_000 })
    .toEqual([expect.stringContaining("**Measuring:** 0 of 1 benchmark done")]);
  expect(git(workspace, "config", "--get", "--default", "none", token[0])).toBe("none");
  const { code, stdout } = await action.ended;
  expect(code, stdout).toBe(1);
  expect(stdout).toContain("::error::worse (fail-on: worse): mine/hello");
  expect(stdout).toMatch(/::error title=.*hello.*::/);
  expect(world.comments()).toHaveLength(1);
  expect(world.comments()[0]).toMatch(/^<!-- server-bench key=default run=\d+ attempt=1 phase=done -->\n/);
  expect(world.comments()[0]).toMatch(/\*\*1 of 1 benchmark (?:is slower|needs more CPU per request), by /);
  expect(world.comments()[0]).toContain(baseSha.slice(0, 7));
  expect(action.outputs).toMatchObject({
    verdict: "worse",
    worse: "1",
    better: "0",
    completed: "2",
    "comment-url": expect.stringContaining("#issuecomment-"),
  });
  expect(action.summary).toMatch(/\*\*1 of 1 benchmark (?:is slower|needs more CPU per request), by /);
  expect(world.github.state.archives.map(({ runId, name }) => [runId, name])).toEqual([
    [run.id, "server-bench-results"],
  ]);
  expect(world.comments()[0]).toContain(`/actions/runs/${run.id}/artifacts/${action.outputs["artifact-id"]}`);
  // One click from the comment, and from the summary, to the page.
  const [page, ...otherPages] = world.github.state.pages;
  expect(otherPages).toEqual([]);
  expect(page).toMatchObject({ runId: run.id, name: "server-bench-page.html" });
  expect(page?.zip.toString("utf8")).toBe(readFileSync(join(workspace, "server-bench-results/index.html"), "utf8"));
  for (const markdown of [world.comments()[0], action.summary])
    expect(markdown).toMatch(
      new RegExp(
        `\\[[tT]he page\\]\\(https://github\\.com/acme/server/actions/runs/${run.id}/artifacts/${page?.id}\\)`,
      ),
    );
  expect(world.github.apiCalls).toBeLessThanOrEqual(API_CALLS);
  // The user's checkout is as it was.
  expect(git(workspace, "config", "--get", token[0])).toBe(token[1]);
  expect(git(workspace, "status", "--porcelain", "--untracked-files=no")).toBe("");
  expect(git(workspace, "rev-parse", "--abbrev-ref", "HEAD")).toBe("feature");
});
