/** Whose results become a comment, and which comments keep it away: echoes of our marker, and runs of other workflows. */
import { describe, expect, it } from "vitest";
import { formatResults } from "../../src/results/layout.js";
import { startAction } from "../support/action.js";
import { GitHubDouble, type StoredRun, shaOf } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";
import { asked, bodies, bodyOf, knownRun, LOGIN, PULL, writer } from "../support/sticky.js";
import { makeZip } from "../support/zip.js";

const IMPOSSIBLE = Number.MAX_SAFE_INTEGER;

async function withEcho(runId: number, of: { readonly attempt?: number } = {}) {
  const double = await GitHubDouble.start();
  double.addPull({ number: PULL });
  double.addComment({ issue: PULL, login: LOGIN, body: bodyOf(runId, "an echo", of) });
  return double;
}

describe("a comment of our account with the marker of an impossible run", () => {
  it.each([
    { what: "a run that GitHub does not know", runId: IMPOSSIBLE },
    { what: "an attempt of our own run that was never made", runId: 7, attempt: 9 },
    { what: "an attempt of a later run that was never made", runId: 8, attempt: 9, known: {} },
    { what: "a later run of another workflow", runId: 8, known: { workflowFile: "lint.yml" } },
    { what: "a later run of another branch", runId: 8, known: { headBranch: "another" } },
    { what: "a later run of another repository's branch", runId: 8, known: { headRepository: "mallory/server" } },
  ])("does not keep ours away: $what", async ({ runId, attempt = 1, known }) => {
    await using double = await withEcho(runId, { attempt });
    if (known) double.addRun({ id: runId, event: "pull_request", headBranch: "feature", ...known });
    const ours = writer(double, 7);
    expect(await ours.write("0 of 3 benchmarks", "measuring")).toMatchObject({ state: "written" });
    expect(await ours.write("the end", "done")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(7, "the end")]);
    expect(ours.lines).toContainEqual(
      expect.stringMatching(new RegExp(`names run ${runId}, attempt ${attempt}, which is no later run: not counted`)),
    );
  });

  it("is removed where it stands beside ours, and seen where it comes between two writes", async () => {
    await using double = await GitHubDouble.start();
    double.addPull({ number: PULL });
    const ours = writer(double, 7);
    await ours.write("0 of 3 benchmarks", "measuring");
    const [comment] = double.commentsOf(PULL);
    if (comment) comment.body = bodyOf(IMPOSSIBLE, "an echo");
    expect(await ours.write("1 of 3 benchmarks", "measuring")).toMatchObject({ state: "written" });
    double.addComment({ issue: PULL, login: LOGIN, body: bodyOf(IMPOSSIBLE, "a second echo") });
    expect(await writer(double, 8).write("the end", "done")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(8, "the end")]);
  });

  it("costs two requests, and none where every marker is of our run or an older one", async () => {
    await using double = await withEcho(IMPOSSIBLE);
    const ours = writer(double, 7);
    await ours.write("0 of 3 benchmarks", "measuring");
    const lookUps = () => asked(double).filter((request) => request.includes("/actions/runs/"));
    expect(lookUps()).toHaveLength(2);
    await ours.write("1 of 3 benchmarks", "measuring");
    await ours.write("the end", "done");
    expect(lookUps()).toHaveLength(2);
  });
});

describe("a comment that names a later run", () => {
  it("stays where that run is real, whatever attempt it has reached", async () => {
    await using double = await withEcho(8, { attempt: 2 });
    knownRun(double, 8, 3);
    expect(await writer(double, 7).write("older", "done")).toMatchObject({ state: "newer" });
  });

  it("stays where the workflow is not started by pull requests", async () => {
    await using double = await withEcho(8);
    for (const [id, headBranch] of [
      [7, "main"],
      [8, "next"],
    ] as const)
      double.addRun({ id, event: "workflow_dispatch", headBranch });
    expect(await writer(double, 7).write("older", "done")).toMatchObject({ state: "newer" });
  });

  it.each([
    { what: "the token may not look runs up", fault: { path: /\/actions\/runs\//, status: 403 } },
    { what: "GitHub fails", fault: { path: /\/actions\/runs\//, status: 502 } },
    { what: "the token does not see our own run either", fault: { path: /\/actions\/runs\//, status: 404 } },
  ])("stays where it cannot be known: $what", async ({ fault }) => {
    await using double = await withEcho(IMPOSSIBLE);
    double.fail({ ...fault, times: Number.POSITIVE_INFINITY });
    const ours = writer(double, 7);
    expect(await ours.write("older", "done")).toMatchObject({ state: "newer" });
    expect(ours.lines).toContainEqual(expect.stringMatching(/not known whether run \d+ exists \(.+\): taken for/));
  });
});

describe("the report of a workflow_run, through the bundle", () => {
  const FORK = { headRepository: "mallory/server", headBranch: "feature" };

  /** A run of the fork's pull request, its results, and the job that the run's end starts. */
  async function report(double: GitHubDouble, run: Partial<StoredRun>, sha?: string) {
    const pull = double.addPull({ number: PULL, headRepository: FORK.headRepository });
    const measured = double.addRun({ event: "pull_request", ...FORK, headSha: pull.headSha, ...run });
    const results = sampleResults({ run: { ...sampleResults().run, git: { sha: sha ?? pull.headSha } } });
    double.addArtifact({ runId: measured.id, zip: makeZip([{ name: "results.json", data: formatResults(results) }]) });
    const reporting = double.addRun({ workflowFile: "report.yml", event: "workflow_run", status: "in_progress" });
    return async () => {
      const event = { name: "workflow_run", payload: double.workflowRunEvent(measured) };
      const env = await double.jobEnv(reporting, event);
      return await startAction({ command: "report", token: double.token }, { env }).ended;
    };
  }

  it("comments a run of the workflow on the default branch", async () => {
    await using double = await GitHubDouble.start();
    const run = await report(double, {});
    const { code, stdout } = await run();
    expect(code, stdout).toBe(0);
    expect(bodies(double)).toEqual([expect.stringContaining("phase=done")]);
  });

  it.each([
    { what: "links the head that the results name", sha: undefined, said: /commit\/HEAD\)(?!.*claims that)/ },
    {
      what: "calls a commit claimed that is not the pull request's",
      sha: shaOf("another"),
      said: /claims that it measured `ANOTHER/,
    },
  ])("$what", async ({ sha, said }) => {
    await using double = await GitHubDouble.start();
    const run = await report(double, {}, sha);
    const { code, stdout } = await run();
    expect(code, stdout).toBe(0);
    const named = (bodies(double)[0] ?? "")
      .replaceAll(shaOf(`head of ${PULL}`), "HEAD")
      .replaceAll(shaOf("another").slice(0, 7), "ANOTHER");
    expect(named).toMatch(said);
  });

  it.each([
    { what: "that the pull request adds", run: { workflowFile: "evil.yml" }, file: undefined, said: /is not on main/ },
    {
      what: "that the pull request renames",
      run: { workflowFile: "lint.yml" },
      file: "name: Lint\n",
      said: /has the name Lint on main, which is not in the list/,
    },
    { what: "that reports", run: { workflowFile: "report.yml" }, file: "name: Benchmark\n", said: /measures nothing/ },
  ])("writes nothing for a run of a workflow $what", async ({ run, file, said }) => {
    await using double = await GitHubDouble.start();
    const start = await report(double, run);
    double.state.files.delete(`.github/workflows/${run.workflowFile}`);
    if (file !== undefined) double.state.files.set(`.github/workflows/${run.workflowFile}`, file);
    const { stdout } = await start();
    expect(stdout).toMatch(/^no comment: /m);
    expect(stdout).toMatch(said);
    expect(bodies(double)).toEqual([]);
  });
});
