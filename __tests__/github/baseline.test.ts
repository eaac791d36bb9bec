import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BaselineOptions, findBaseline } from "../../src/github/baseline.js";
import type { GitHub } from "../../src/github/client.js";
import { formatResults } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble, type StoredArtifact, type StoredRun, shaOf } from "../support/github/double.js";
import { runOf } from "../support/github/factories.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

const FORK = "mallory/server";
const asked: BaselineOptions = { branch: "main", workflowFile: "bench.yml" };

let double: GitHubDouble;
let github: GitHub;

beforeEach(async () => {
  double = await GitHubDouble.start();
  github = quickClient(double);
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

function resultsZip(sha: string | undefined, change: Partial<Results["run"]> = {}): Buffer {
  const { git: _, ...run } = { ...sampleResults().run, ...change };
  const results = sampleResults({ run: sha === undefined ? run : { ...run, git: { sha } } });
  return makeZip([{ name: "results.json", data: formatResults(results) }]);
}

/** A run of the commit of that word, with results. */
function measured(word: string, run: Partial<StoredRun> = {}, artifact: Partial<StoredArtifact> = {}): StoredRun {
  const stored = double.addRun({ headSha: shaOf(word), ...run });
  double.addArtifact({ runId: stored.id, name: "server-bench-results", zip: resultsZip(stored.headSha), ...artifact });
  return stored;
}

function behind(head: string, count: number, base = "main", ahead = 0): void {
  double.addComparison(base, shaOf(head), { behindBy: count, aheadBy: ahead });
}

const find = (change: Partial<BaselineOptions> = {}) => findBaseline(github, { ...asked, ...change });

describe("findBaseline", () => {
  it("takes the newest good run, and says how far behind it is, in four calls", async () => {
    measured("old");
    const newest = measured("new");
    behind("new", 3);
    const found = await find();
    expect(found).toMatchObject({
      state: "found",
      run: {
        id: newest.id,
        sha: newest.headSha,
        url: expect.stringContaining(`/actions/runs/${newest.id}`),
        startedAt: newest.createdAt,
      },
      behind: 3,
      history: [],
    });
    expect(found.state === "found" && found.results.run.git?.sha).toBe(newest.headSha);
    expect(github.calls).toBe(4);
  });

  it("takes a run that was cut off only where no run is whole", async () => {
    const cutOff = (word: string) => measured(word, {}, { zip: resultsZip(shaOf(word), { finishedAt: null }) });
    for (const word of ["first", "whole", "last"]) behind(word, 1);
    const first = cutOff("first");
    expect(await find()).toMatchObject({ state: "found", run: { id: first.id } });
    const whole = measured("whole");
    cutOff("last");
    expect(await find()).toMatchObject({ state: "found", run: { id: whole.id } });
  });

  it("takes the run of the base commit, in three calls", async () => {
    measured("older");
    const base = measured("base commit");
    measured("later");
    expect(await find({ baseSha: base.headSha })).toMatchObject({ state: "found", run: { id: base.id }, behind: 0 });
    expect(github.calls).toBe(3);
  });

  it("takes the newest run before a base commit that was not measured", async () => {
    measured("older");
    const before = measured("before");
    measured("later");
    measured("latest");
    const baseSha = shaOf("base commit");
    double.fail({
      path: /\/compare\/.*latest|\/compare\//,
      status: 200,
      body: comparison(2, 5, [shaOf("later"), shaOf("unmeasured"), shaOf("latest")]),
    });
    behind("before", 4, baseSha);
    expect(await find({ baseSha })).toMatchObject({ state: "found", run: { id: before.id }, behind: 4 });
    expect(github.calls).toBe(5);
  });

  it("says so when all runs are later than the base commit", async () => {
    measured("later");
    double.fail({ path: /\/compare\//, status: 200, body: comparison(0, 1, [shaOf("later")]) });
    expect(await find({ baseSha: shaOf("base commit") })).toMatchObject({
      state: "none",
      reason: expect.stringMatching(
        /^all 1 runs of bench\.yml on main are of commits after [0-9a-f]{7}, .*update the pull request$/,
      ),
    });
  });

  describe("where the newest runs are all of later commits", () => {
    /** `count` runs, oldest first, after the base commit. */
    function addLater(count: number): void {
      const later = Array.from({ length: count }, (_, i) => measured(`later ${i}`).headSha);
      const newest = later.at(-1) ?? "";
      double.fail({ path: new RegExp(`/compare/.*${newest}`), status: 200, body: comparison(0, count, later) });
    }
    const baseSha = shaOf("base commit");

    it("goes through the next pages", async () => {
      const before = measured("before");
      addLater(120);
      behind("before", 4, baseSha);
      expect(await find({ baseSha })).toMatchObject({ state: "found", run: { id: before.id }, behind: 4 });
      // Three pages, the base commit's runs, and the newest run compared; then artifacts, zip, and this run compared.
      expect(github.calls).toBe(8);
    });

    it.each([
      ["gives up after the newest 150", 150, 5],
      ["stops at the end of the list", 60, 4],
    ])("%s, and says how many are later", async (_, count, calls) => {
      if (count === 150) measured("before");
      addLater(count);
      expect(await find({ baseSha })).toMatchObject({
        state: "none",
        reason: expect.stringMatching(new RegExp(`^all ${count} runs of bench\\.yml on main are of commits after `)),
      });
      expect(github.calls).toBe(calls);
    });
  });

  it("asks for the base commit's run where it is too old to be listed first", async () => {
    const base = measured("base commit");
    for (let i = 0; i < 60; i += 1) measured(`later ${i}`);
    expect(await find({ baseSha: base.headSha })).toMatchObject({ state: "found", run: { id: base.id }, behind: 0 });
    expect(github.calls).toBe(4);
  });

  it.each([
    ["a fork's, on a branch of the same name", { headRepository: FORK }],
    ["a deleted fork's", { headRepository: undefined }],
    ["of a pull request", { event: "pull_request" }],
    ["of pull_request_target", { event: "pull_request_target" }],
    ["of another workflow", { workflowFile: "xbench.yml" }],
    ["of another branch", { headBranch: "next" }],
    ["cancelled", { conclusion: "cancelled" }],
    ["timed out", { conclusion: "timed_out" }],
    ["under way", { status: "in_progress", conclusion: null }],
  ] satisfies [string, Partial<StoredRun>][])("passes over a run that is %s", async (_, change) => {
    const good = measured("good");
    const evil = measured("evil", change);
    behind("good", 1);
    // The listing holds it on top, whatever was asked for.
    const listing = (...runs: StoredRun[]) => ({
      ...{ path: /\/runs$/, status: 200 },
      body: { total_count: runs.length, workflow_runs: runs.map((run) => runOf(run)) },
    });
    double.fail(listing(evil, good));
    expect(await find()).toMatchObject({ state: "found", run: { id: good.id } });
    double.fail(listing(evil));
    expect(await find()).toMatchObject({ state: "none" });
    double.fail(listing(evil));
    expect(await find({ baseSha: evil.headSha })).toMatchObject({ state: "none" });
    expect(double.requests.filter(({ path }) => path.endsWith("/artifacts"))).toHaveLength(1);
  });

  it.each([{ event: "schedule" }, { event: "workflow_dispatch" }, { conclusion: "failure" }])(
    "counts a run with %j",
    async (change) => {
      measured("older");
      const run = measured("run", change);
      behind("run", 0);
      expect(await find()).toMatchObject({ state: "found", run: { id: run.id }, behind: 0 });
    },
  );

  it("finds a good run below pages of forks' runs", async () => {
    const good = measured("good");
    behind("good", 1);
    for (let i = 0; i < 120; i += 1)
      double.addRun({ headRepository: FORK, event: "pull_request", headSha: shaOf(`f${i}`) });
    expect(await find()).toMatchObject({ state: "found", run: { id: good.id } });
    expect(github.calls).toBe(6);
    for (let i = 0; i < 60; i += 1)
      double.addRun({ headRepository: FORK, event: "pull_request", headSha: shaOf(`g${i}`) });
    // Three pages, a list for each event that counts, artifacts, zip, compare.
    expect(await find()).toMatchObject({ state: "found", run: { id: good.id } });
    expect(github.calls).toBe(6 + 9);
    double.state.runs.splice(double.state.runs.indexOf(good), 1);
    expect(await find()).toMatchObject({
      state: "none",
      reason: expect.stringMatching(/^no run of bench\.yml on main counts, of the newest 150 finished ones/),
    });
    expect(github.calls).toBe(6 + 9 + 6);
  });

  it("goes on to older runs where the artifact has expired, is gone, or never was", async () => {
    const good = measured("good");
    behind("good", 4);
    double.addRun({ headSha: shaOf("without") });
    const shards = double.addRun({ headSha: shaOf("shards") });
    double.addArtifact({ runId: shards.id, name: "server-bench-results-1-of-2", zip: resultsZip(shards.headSha) });
    measured("expired", {}, { expired: true });
    expect(await find()).toMatchObject({ state: "found", run: { id: good.id }, behind: 4 });
    expect(github.calls).toBe(7);
    measured("gone");
    double.fail({ path: /\/zip$/, status: 404, body: { message: "Not Found" } });
    expect(await find()).toMatchObject({ state: "none", reason: expect.stringMatching(/gone|no longer there/) });
    expect(github.calls).toBeLessThanOrEqual(7 + 8);
  });

  it("does not choose between the results of two jobs", async () => {
    const good = measured("good");
    behind("good", 1);
    const both = measured("both");
    behind("both", 0);
    double.addArtifact({ runId: both.id, name: "server-bench-results-2", zip: resultsZip(both.headSha) });
    expect(await find()).toMatchObject({ state: "found", run: { id: good.id } });
    double.state.runs.splice(double.state.runs.indexOf(good), 1);
    expect(await find()).toMatchObject({
      state: "none",
      reason: expect.stringContaining(
        `run ${both.id} has the results of several jobs (server-bench-results, server-bench-results-2); give each job a comment-key`,
      ),
    });
  });

  it("gives up after five, and says why", async () => {
    measured("good");
    for (let i = 0; i < 5; i += 1) measured(`expired ${i}`, {}, { expired: true });
    expect(await find()).toMatchObject({
      state: "none",
      reason: expect.stringMatching(
        /^the newest runs of bench\.yml on main have no results to compare with \(run \d+: artifact server-bench-results \(\d+\) has expired; .*; its next run makes some$/,
      ),
    });
    expect(github.calls).toBe(6);
  });

  it("never makes more than eight calls", async () => {
    measured("good");
    for (let i = 0; i < 5; i += 1) measured(`gone ${i}`);
    double.fail({
      path: /\/zip$/,
      times: Number.POSITIVE_INFINITY,
      status: 410,
      body: { message: "Artifact has expired" },
    });
    expect(await find()).toMatchObject({ state: "none" });
    expect(github.calls).toBeLessThanOrEqual(8);
  });

  it("says that there is none yet", async () => {
    expect(await find()).toEqual({
      state: "none",
      reason: "bench.yml on main has no finished run",
    });
    double.fail({ path: /\/runs$/, status: 404, body: { message: "Not Found" } });
    expect(await find()).toMatchObject({
      state: "none",
      reason: expect.stringContaining("GitHub knows no workflow bench.yml here"),
    });
  });

  it("refuses results of another commit, and of none", async () => {
    measured("older");
    measured("new", {}, { zip: resultsZip(shaOf("another")) });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: {
        kind: "invalid",
        message: expect.stringContaining(
          `says that it measured ${shaOf("another")}, but the run is of ${shaOf("new")}`,
        ),
      },
    });
    measured("newer", {}, { zip: resultsZip(undefined) });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: { message: expect.stringContaining("does not say which commit it measured") },
    });
  });

  it("refuses a hostile archive and a wrong digest, and does not take an older run instead", async () => {
    measured("older");
    measured("bad digest", {}, { digest: `sha256:${"0".repeat(64)}` });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: { kind: "invalid", message: expect.stringMatching(/is not what was uploaded/) },
    });
    measured("hostile", {}, { zip: makeZip([{ name: "../results.json", data: "{}" }]) });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: { message: expect.stringMatching(/invalid relative path/) },
    });
  });

  it("says what GitHub refused", async () => {
    measured("good");
    double.fail({ path: /\/runs$/, status: 403, body: { message: "Resource not accessible by integration" } });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: { kind: "forbidden", message: expect.stringMatching(/actions: read/) },
    });
    double.fail({ path: /\/artifacts$/, status: 401, body: { message: "Bad credentials" } });
    expect(await find()).toMatchObject({ state: "refused", failure: { kind: "unauthorized" } });
    double.fail({ path: /\/zip$/, status: 401, body: { message: "Bad credentials" } });
    expect(await find()).toMatchObject({ state: "refused", failure: { kind: "unauthorized", status: 401 } });
    double.fail({ path: /\/runs$/, status: 200, body: { total_count: 1, workflow_runs: [{ id: "x" }] } });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: { message: expect.stringMatching(/cannot be read/) },
    });
  });

  it("does not take a run whose commit GitHub no longer has, and says what GitHub refuses to compare", async () => {
    measured("forced away");
    double.fail({ path: /\/compare\//, status: 404, body: { message: "Not Found" } });
    expect(await find()).toMatchObject({
      state: "none",
      reason: expect.stringContaining(`${shaOf("forced away").slice(0, 7)} is not on main`),
    });
    double.fail({ path: /\/compare\//, status: 403, body: { message: "Resource not accessible by integration" } });
    expect(await find()).toMatchObject({
      state: "refused",
      failure: { kind: "forbidden", message: expect.stringContaining("contents: read") },
    });
  });

  it("reads a history where one is asked for, without what cannot be believed", async () => {
    const runs = [measured("1"), measured("2"), measured("3"), measured("4")];
    measured("bad", { createdAt: "2020-01-01T00:00:00Z" });
    for (const [count, word] of ["4", "3", "2", "1"].entries()) behind(word, count);
    const found = await find({ history: 3 });
    expect(found).toMatchObject({
      state: "found",
      run: { id: runs[3]?.id },
      behind: 0,
      history: [
        { run: { id: runs[2]?.id }, behind: 1 },
        { run: { id: runs[1]?.id }, behind: 2 },
      ],
    });
    expect(github.calls).toBe(10);
    const third = double.state.artifacts.find((artifact) => artifact.runId === runs[2]?.id);
    if (third) third.zip = makeZip([]);
    expect(await find({ history: 3 })).toMatchObject({
      history: [{ run: { id: runs[1]?.id } }, { run: { id: runs[0]?.id } }],
    });
  });

  it("reads artifacts of another name, and branches with a slash", async () => {
    const run = measured("good", { headBranch: "release/1.x" }, { name: "nightly" });
    behind("good", 2, "release/1.x");
    expect(await find({ branch: "release/1.x" })).toMatchObject({ state: "none" });
    expect(await find({ branch: "release/1.x", artifactName: "nightly" })).toMatchObject({
      run: { id: run.id },
      behind: 2,
    });
  });
});

/** Only what is read of it: the double's own answers are whole. */
function comparison(behindBy: number, aheadBy: number, shas: readonly string[]) {
  return { ahead_by: aheadBy, behind_by: behindBy, commits: shas.map((sha) => ({ sha })) };
}
