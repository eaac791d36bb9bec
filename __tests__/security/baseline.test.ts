/** Whose stored results become the base: only those of commits that lie on the base branch. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findBaseline } from "../../src/github/baseline.js";
import type { GitHub } from "../../src/github/client.js";
import { formatResults } from "../../src/results/layout.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble, type StoredRun, shaOf } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

const BASE = shaOf("base of the pull request");

let double: GitHubDouble;
let github: GitHub;
beforeEach(async () => {
  double = await GitHubDouble.start();
  github = quickClient(double);
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

function measured(word: string, run: Partial<StoredRun> = {}): StoredRun {
  const stored = double.addRun({ headSha: shaOf(word), ...run });
  const results = sampleResults({ run: { ...sampleResults().run, git: { sha: stored.headSha } } });
  double.addArtifact({ runId: stored.id, zip: makeZip([{ name: "results.json", data: formatResults(results) }]) });
  return stored;
}

/** Commits that only one of the two holds, as seen from the branch and from the pull request's base. */
function place(word: string, { ahead, behind }: { readonly ahead: number; readonly behind: number }): void {
  for (const base of ["main", BASE]) double.addComparison(base, shaOf(word), { aheadBy: ahead, behindBy: behind });
}

describe.each([
  { asked: "a push", of: {} },
  { asked: "a pull request", of: { baseSha: BASE } },
])("for $asked, a run that names the base branch", ({ of }) => {
  const find = () => findBaseline(github, { branch: "main", workflowFile: "bench.yml", ...of });

  it.each([
    // GitHub writes the tag's name into head_branch, as it does a branch's.
    { what: "is of a tag called main, on a commit that was never merged", run: {}, ahead: 1, behind: 2 },
    { what: "was started by hand on that tag", run: { event: "workflow_dispatch" }, ahead: 1, behind: 0 },
    { what: "is of the branch before it was deleted and made anew", run: {}, ahead: 40, behind: 12 },
  ])("does not count where it $what", async ({ run, ahead, behind }) => {
    const good = measured("good");
    place("good", { ahead: 0, behind: 1 });
    const evil = measured("evil", run);
    place("evil", { ahead, behind });
    expect(await find()).toMatchObject({ state: "found", run: { id: good.id }, behind: 1 });
    expect(github.calls).toBeLessThanOrEqual(8);
    double.state.runs.splice(double.state.runs.indexOf(good), 1);
    expect(await find()).toMatchObject({
      state: "none",
      reason: expect.stringMatching(of.baseSha ? /commits after/ : new RegExp(`run ${evil.id}: .* is not on main`)),
    });
  });

  it("counts where its commit lies on the branch, whatever started it", async () => {
    const run = measured("good", { event: "workflow_dispatch" });
    place("good", { ahead: 0, behind: 3 });
    expect(await find()).toMatchObject({ state: "found", run: { id: run.id }, behind: 3 });
    expect(github.calls).toBe(4);
  });
});
