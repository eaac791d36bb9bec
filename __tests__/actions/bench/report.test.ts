/** What comes of a request in the run that it started: the checkout is checked, the comment links who asked, the answer is set. */
import { describe, expect, it } from "vitest";
import { type BenchRequest, makeRequest } from "../../../src/actions/bench/request.js";
import { listResultsArtifacts, RESULTS_ARTIFACT } from "../../../src/github/artifacts.js";
import { formatResults } from "../../../src/results/layout.js";
import { startAction } from "../../support/action.js";
import { type Asking, HEAD, openAsking, PULL, WORKFLOW } from "../../support/bench.js";
import { tempFolder } from "../../support/cli.js";
import { sampleComparison } from "../../support/comparison.js";
import { quickClient } from "../../support/github/client.js";
import { type StoredRun, shaOf } from "../../support/github/double.js";
import { reportOn } from "../../support/report-action.js";
import { sampleResults } from "../../support/results.js";
import { makeZip } from "../../support/zip.js";

const ARTIFACT = "server-bench-request-results";

function requestOf(asking: Asking, change: Partial<BenchRequest> = {}): BenchRequest {
  const asked = asking.github.addComment({ issue: PULL, login: "maint", body: "/bench" });
  const { headSha: sha, baseSha: base } = asking.pull;
  const given = { pullRequest: PULL, sha, base, fork: false, arguments: [], key: "request", by: "maint" };
  return makeRequest({ ...given, comment: asked.id, replace: false, ...change });
}

function addRun({ github }: Asking): StoredRun {
  const running = { status: "in_progress", conclusion: null } as const;
  return github.addRun({ event: "workflow_dispatch", workflowFile: WORKFLOW, ...running });
}

async function envOf({ github }: Asking, run: StoredRun, request: BenchRequest) {
  const payload = { inputs: { request: JSON.stringify(request) }, repository: { default_branch: "main" } };
  return await github.jobEnv(run, { payload });
}

/** The committed program, as a runner starts it. */
async function start(asking: Asking, run: StoredRun, request: BenchRequest, inputs: Readonly<Record<string, string>>) {
  const env = await envOf(asking, run, request);
  const given = { token: asking.github.token, request: JSON.stringify(request), ...inputs };
  const { code, stdout } = await startAction(given, { env }).ended;
  return { code, log: stdout, ...answersIn(asking) };
}

async function report(asking: Asking, run: StoredRun, request: BenchRequest) {
  const env = await envOf(asking, run, request);
  const reported = await reportOn(asking.github, tempFolder(), env, { request: JSON.stringify(request) });
  return { ...reported, ...answersIn(asking) };
}

function answersIn({ github }: Asking) {
  const [comment, ...others] = github.commentsOf(PULL).filter(({ login }) => login === "github-actions[bot]");
  expect(others).toEqual([]);
  const reactions = github.state.reactions.map(({ comment: to, content }) => [to, content]);
  return { comment: comment?.body.replaceAll("\u200b", ""), reactions };
}

/** Results as the measuring job left them. */
function addResults({ github }: Asking, run: StoredRun, sha: string, name = ARTIFACT): void {
  const results = sampleResults({ run: { ...sampleResults().run, git: { sha } } });
  github.addArtifact({ runId: run.id, name, zip: makeZip([{ name: "results.json", data: formatResults(results) }]) });
}

describe.concurrent("the report of a request", () => {
  it("writes the comment, links who asked, and sets the rocket", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    addResults(asking, run, HEAD);
    const { failure, log, comment, reactions } = await report(asking, run, request);
    expect(failure, log).toBeUndefined();
    expect(comment).toMatch(new RegExp(`^<!-- server-bench key=request run=${run.id} attempt=1 phase=done -->\n`));
    const link = `https://github.com/acme/server/pull/7#issuecomment-${request.comment}`;
    expect(comment?.endsWith(`\n\nMeasured \`${HEAD}\`, as \`maint\` asked in [this comment](${link}).`)).toBe(true);
    expect(reactions).toEqual([[request.comment, "rocket"]]);
  });

  it("looks for no earlier figures: runs on request store none that count", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    const compared = sampleComparison();
    const results = { ...compared, run: { ...compared.run, git: { sha: HEAD } } };
    const zip = makeZip([{ name: "results.json", data: formatResults(results) }]);
    asking.github.addArtifact({ runId: run.id, name: ARTIFACT, zip });
    const { comment } = await report(asking, run, request);
    expect(comment).toContain("may be slower");
    expect(asking.github.requests.filter(({ path }) => /\/workflows\/[^/]+\/runs$/.test(path))).toEqual([]);
  });

  it("says that the figures are the pull request's own, although the run is the default branch's", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    addResults(asking, run, HEAD);
    const { comment } = await report(asking, run, request);
    expect(comment).toContain("Measured by the pull request's own run: its figures are claims of that run's code.");
  });

  it("calls a commit claimed that is not the one of the request", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    addResults(asking, run, shaOf("another"));
    const { comment } = await report(asking, run, request);
    expect(comment).toMatch(/claims that it measured/);
  });

  it("shows what was asked for, although the head moved on since", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    addResults(asking, run, HEAD);
    Object.assign(asking.pull, { headSha: shaOf("next") });
    const { failure, log, comment } = await report(asking, run, request);
    expect(failure, log).toBeUndefined();
    expect(log).toContain(`the pull request has newer commits than ${HEAD}`);
    expect(comment).toContain(`Measured \`${HEAD}\``);
  });

  it("answers a label at the pull request itself", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking, { comment: null }), addRun(asking)];
    addResults(asking, run, HEAD);
    const { comment, reactions } = await report(asking, run, request);
    expect(comment?.endsWith("as `maint` asked with a label.")).toBe(true);
    expect(reactions).toEqual([[null, "rocket"]]);
  });

  it.each([
    ["none", undefined],
    ["those of another name", "server-bench-results"],
  ])("is confused where there are no results: %s", async (_, name) => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    if (name !== undefined) addResults(asking, run, HEAD, name);
    const { failure, comment, reactions } = await report(asking, run, request);
    expect(failure).toContain("no results to report");
    expect(comment).toContain(
      "**Stopped before the end:** the run uploaded no results; the log of the job that measures says why.",
    );
    expect(reactions).toEqual([[request.comment, "confused"]]);
  });

  it("is confused where the comment cannot be written, although there are results", async () => {
    await using asking = await openAsking();
    const [request, run] = [requestOf(asking), addRun(asking)];
    addResults(asking, run, HEAD);
    asking.github.fail({ method: "POST", path: /\/issues\/7\/comments$/, status: 403 });
    const { failure, log, comment, reactions } = await report(asking, run, request);
    expect(failure, log).toBeUndefined();
    expect(comment).toBeUndefined();
    expect(reactions).toEqual([[request.comment, "confused"]]);
  });

  it("writes nothing on another event", async () => {
    await using asking = await openAsking();
    const run = asking.github.addRun({ event: "push", workflowFile: WORKFLOW });
    const { code, log, comment, reactions } = await start(asking, run, requestOf(asking), { command: "report" });
    expect([code, comment, reactions]).toEqual([1, undefined, []]);
    expect(log).toContain("request: only a run that command: dispatch started (workflow_dispatch) takes one");
  });
});

describe.concurrent("the run of a request", () => {
  it("refuses another checkout before anything is installed", async () => {
    await using asking = await openAsking();
    const { code, log } = await start(asking, addRun(asking), requestOf(asking), { comment: "false" });
    expect(code).toBe(1);
    expect(log).toContain(`request: no commit is checked out, not ${HEAD}: give actions/checkout "ref: `);
    expect(asking.github.requests).toEqual([]);
  });

  it("refuses a request that was changed on the way", async () => {
    await using asking = await openAsking();
    const request = { ...requestOf(asking), arguments: ["--server", "granian=evil"] };
    const { code, log } = await start(asking, addRun(asking), request, { comment: "false" });
    expect(code).toBe(1);
    expect(log).toContain("--server is not for commands");
  });

  it("never becomes a baseline: its results have a name of their own", async () => {
    await using asking = await openAsking();
    const run = addRun(asking);
    addResults(asking, run, HEAD);
    const listed = await listResultsArtifacts(quickClient(asking.github), run.id, RESULTS_ARTIFACT);
    expect(listed).toEqual({ state: "listed", artifacts: [] });
  });
});
