/** Comments that name runs which cannot have written them: a bot of our account that repeats what somebody wrote. */
import { describe, expect, it } from "vitest";
import { GitHubDouble } from "../support/github/double.js";
import { asked, bodies, bodyOf, knownRun, LOGIN, PULL, writer } from "../support/sticky.js";

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
    expect(await ours.write("0 of 3 rows", "measuring")).toMatchObject({ state: "written" });
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
    await ours.write("0 of 3 rows", "measuring");
    const [comment] = double.commentsOf(PULL);
    if (comment) comment.body = bodyOf(IMPOSSIBLE, "an echo");
    expect(await ours.write("1 of 3 rows", "measuring")).toMatchObject({ state: "written" });
    double.addComment({ issue: PULL, login: LOGIN, body: bodyOf(IMPOSSIBLE, "a second echo") });
    expect(await writer(double, 8).write("the end", "done")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(8, "the end")]);
  });

  it("costs two requests, and none where every marker is of our run or an older one", async () => {
    await using double = await withEcho(IMPOSSIBLE);
    const ours = writer(double, 7);
    await ours.write("0 of 3 rows", "measuring");
    const lookUps = () => asked(double).filter((request) => request.includes("/actions/runs/"));
    expect(lookUps()).toHaveLength(2);
    await ours.write("1 of 3 rows", "measuring");
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
