/** `command: report` on a double of GitHub: which results it reads, what it says of those that it cannot read, and how it ends. */
import { describe, expect, it, vi } from "vitest";
import { planFileOf } from "../../src/plan/matrix.js";
import { formatResults } from "../../src/results/layout.js";
import type { GitHubDouble, StoredArtifact, StoredRun } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { reportOn } from "../support/report-action.js";
import { completed, resultsOf } from "../support/results.js";
import { makeZip } from "../support/zip.js";

const PULL = 7;
const ROWS = ["interfaces/a", "interfaces/b"];

let workspace: string;
let github: GitHubDouble;
eachOnGitHub((folder, double) => {
  workspace = folder;
  github = double;
});

/** A run of the pull request whose earlier jobs have measured. */
function addRun(): StoredRun {
  const { headSha } = github.addPull({ number: PULL });
  return github.addRun({ event: "pull_request", headSha, status: "in_progress", conclusion: null });
}

async function report(run: StoredRun, event?: { readonly name: string; readonly payload: unknown }) {
  const env = { ...(await github.jobEnv(run, event)), ...github.runtimeEnv(run.id), RUNNER_TEMP: workspace };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const reported = await reportOn(github, workspace, env);
  return { ...reported, comment: github.commentsOf(PULL)[0]?.body ?? "" };
}

function resultsZip(rows: readonly string[], shard?: { readonly index: number; readonly of: number }): Buffer {
  const results = resultsOf(rows.map((id) => completed(id, id, 64, 1000)));
  const data = formatResults({ ...results, run: { ...results.run, ...(shard && { shard }) } });
  return makeZip([{ name: "results.json", data }]);
}

/** The plan, and the results of both shards. */
function addShards(run: StoredRun): readonly StoredArtifact[] {
  const plan = planFileOf(ROWS.map((id, i) => ({ index: i + 1, of: 2, rows: [id], expectedSec: 60 })));
  const zip = makeZip([{ name: "plan.json", data: JSON.stringify(plan) }]);
  github.addArtifact({ runId: run.id, name: "server-bench-plan", zip });
  return ROWS.map((id, i) => {
    const name = `server-bench-results-${i + 1}-of-2`;
    return github.addArtifact({ runId: run.id, name, zip: resultsZip([id], { index: i + 1, of: 2 }) });
  });
}

describe("a shard whose results cannot be read", () => {
  it("is named with this reason, and the step fails", async () => {
    const run = addRun();
    const [, second] = addShards(run);
    Object.assign(second ?? {}, { digest: `sha256:${"0".repeat(64)}` });
    const { failure, log, comment } = await report(run);
    expect(comment).toMatch(
      /\*\*Not measured:\*\* shard `2\/2`: its results were uploaded, but could not be read: .*: `interfaces\/b`/,
    );
    expect(comment).not.toContain("left no results");
    expect(failure).toBe(
      "not read: server-bench-results-2-of-2. The log has the reason, and the verdicts lack these results. Run this job again.",
    );
    expect(log).toContain(
      "the artifact server-bench-results-2-of-2 was not read: artifact server-bench-results-2-of-2",
    );
  });

  it("differs from a shard that left none: the report then passes", async () => {
    const run = addRun();
    const [, second] = addShards(run);
    github.state.artifacts.splice(
      github.state.artifacts.findIndex(({ id }) => id === second?.id),
      1,
    );
    const { failure, comment } = await report(run);
    expect(failure).toBeUndefined();
    expect(comment).toContain("**Not measured:** shard `2/2`: it left no results");
  });
});

it("links the results of the run, whichever attempt reports them", async () => {
  const run = addRun();
  run.attempt = 2;
  const { id } = github.addArtifact({ runId: run.id, zip: resultsZip(ROWS) });
  const { comment } = await report(run);
  const address = `https://github.com/acme/server/actions/runs/${run.id}`;
  expect(comment).toContain(`[all results](${address}/artifacts/${id})`);
  expect(comment).toContain(`[the run](${address}/attempts/2)`);
});

describe("a comment that is not written", () => {
  it("has its reason in the summary: a green job without a comment would say nothing", async () => {
    const run = addRun();
    github.addArtifact({ runId: run.id, zip: resultsZip(ROWS) });
    Object.assign(github.state.pulls[0] ?? {}, { locked: true });
    const { summary, failure } = await report(run);
    expect(failure).toBeUndefined();
    expect(summary).toMatch(
      /^# .*\n\n> \*\*The comment was not written:\*\* 403: the conversation is locked \(Unable to create comment because issue is locked\.\): unlock it to let the job comment\n\n/,
    );
  });

  it("has it where no pull request could be found", async () => {
    const run = addRun();
    Object.assign(run, { status: "completed", conclusion: "success", headBranch: "feature" });
    github.addPull({ number: 8, headSha: run.headSha });
    github.addArtifact({ runId: run.id, zip: resultsZip(ROWS) });
    const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
    const { summary } = await report(github.addReportingRun("report.yml"), event);
    expect(summary).toContain("> **The comment was not written:** 2 open pull requests match: ");
  });

  it("names a fork's way in a fork: no permission of the job helps there", async () => {
    const { headSha } = github.addPull({ number: PULL, headRepository: "mallory/server" });
    const run = github.addRun({ event: "pull_request", headSha, status: "in_progress", conclusion: null });
    github.addArtifact({ runId: run.id, zip: resultsZip(ROWS) });
    github.fail({
      method: "POST",
      path: /\/comments$/,
      status: 403,
      body: { message: "Resource not accessible by integration" },
    });
    const { summary } = await report(run);
    expect(summary).toContain(
      "> **The comment was not written:** GitHub gives the job of a fork's pull request no token",
    );
    expect(summary).not.toContain("give the job");
  });

  it("has none where it is written", async () => {
    const run = addRun();
    github.addArtifact({ runId: run.id, zip: resultsZip(ROWS) });
    expect((await report(run)).summary).not.toContain("The comment was not written");
  });
});

it("writes no comment on pull_request_target, and says which event gets one", async () => {
  const run = addRun();
  github.addArtifact({ runId: run.id, zip: resultsZip(ROWS) });
  const [pull] = github.state.pulls;
  const event = { name: "pull_request_target", payload: pull && github.pullRequestEvent(pull) };
  const { log, comment, failure } = await report(run, event);
  expect([comment, failure]).toEqual(["", undefined]);
  expect(log).toContain(
    "no comment: this run is of the event pull_request_target, which is not taken for a pull request, because its token can write: use pull_request\n",
  );
});

describe("the second attempt of a run", () => {
  const FIRST = "2026-01-01T10:00:00Z";
  const SECOND = "2026-01-01T12:00:00Z";
  const LATER = "2026-01-01T12:30:00Z";
  const ALL = "These results are of an earlier attempt. Attempt 2 of the run uploaded none.";

  function addSecondAttempt(): StoredRun {
    return Object.assign(addRun(), { attempt: 2, startedAt: SECOND });
  }

  it("says that its results are the first attempt's, when it uploaded none", async () => {
    const run = addSecondAttempt();
    github.addArtifact({ runId: run.id, zip: resultsZip(ROWS), createdAt: FIRST });
    const { comment, summary, failure } = await report(run);
    // Reports can be run again without the measurement, so this is no failure.
    expect(failure).toBeUndefined();
    expect(comment).toMatch(new RegExp(`^<!--.*attempt=2.*-->\n### Server benchmarks\n\n> \\*\\*${ALL}\\*\\*\n`));
    // Said once above the figures, not below them again.
    expect(comment).not.toContain(`\n- ${ALL}`);
    expect(summary).toContain(`> **Warning:** ${ALL}`);
  });

  it("says it for a fork's run, too", async () => {
    const run = addSecondAttempt();
    Object.assign(run, { status: "completed", conclusion: "failure", headBranch: "feature" });
    github.addArtifact({ runId: run.id, zip: resultsZip(ROWS), createdAt: FIRST });
    const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
    const { comment, summary } = await report(github.addReportingRun("report.yml"), event);
    expect(comment).toContain(`> **${ALL}**`);
    expect(summary).toContain(`> **Warning:** ${ALL}`);
  });

  it("names the shards that it did not measure", async () => {
    const run = addSecondAttempt();
    const [first, second] = addShards(run);
    Object.assign(first ?? {}, { createdAt: FIRST });
    Object.assign(second ?? {}, { createdAt: LATER });
    const { comment } = await report(run);
    expect(comment).toContain(
      "> **Some of these results are of an earlier attempt. Attempt 2 of the run uploaded none of the shard 1/2.**",
    );
  });

  it("adds nothing to its own results, or where GitHub does not answer", async () => {
    const run = addSecondAttempt();
    const { id } = github.addArtifact({ runId: run.id, zip: resultsZip(ROWS), createdAt: LATER });
    expect((await report(run)).comment).not.toContain("earlier attempt");
    Object.assign(github.state.artifacts.find((one) => one.id === id) ?? {}, { createdAt: FIRST });
    github.fail({ path: /attempts\/2$/, status: 403 });
    const { comment, log } = await report(run);
    expect(comment).not.toContain("earlier attempt");
    expect(log).toContain("note it is not known which attempt measured: 403: ");
  });
});

describe("a report that is run again after its results have expired", () => {
  const expire = () => {
    for (const artifact of github.state.artifacts) artifact.expired = true;
  };

  it("keeps the comment that shows them, and the step fails with the reason", async () => {
    const run = addRun();
    github.addArtifact({ runId: run.id, name: "server-bench-results", zip: resultsZip(ROWS) });
    const first = await report(run);
    expect(first.comment).toContain("2 benchmarks of 1 set measured");
    expire();
    const again = await report({ ...run, attempt: run.attempt + 1 });
    expect(again.comment).toBe(first.comment);
    expect(again.failure).toContain("has expired");
    expect(again.log).toContain("the comment still shows this run's results: left as it is");
    expect(again.outputs["comment-url"]).toBe(first.outputs["comment-url"]);
  });

  it("says it where an earlier attempt's comment had no figures either, whatever its line ends are", async () => {
    const run = addRun();
    github.addArtifact({ runId: run.id, name: "server-bench-results", zip: resultsZip(ROWS) });
    expire();
    await report(run);
    const [comment] = github.commentsOf(PULL);
    Object.assign(comment ?? {}, { body: comment?.body.replaceAll("\n", "\r\n") });
    expect((await report({ ...run, attempt: run.attempt + 1 })).comment).toContain("attempt=2");
  });

  it("says it where a later attempt uploaded results that cannot be read", async () => {
    const run = addRun();
    github.addArtifact({ runId: run.id, name: "server-bench-results", zip: resultsZip(ROWS) });
    await report(run);
    github.state.artifacts.splice(0);
    const zip = makeZip([{ name: "results.json", data: "{" }]);
    github.addArtifact({ runId: run.id, name: "server-bench-results", zip });
    expect((await report({ ...run, attempt: run.attempt + 1 })).comment).toContain("**The results were refused");
  });

  it("says it where no comment shows them", async () => {
    const run = addRun();
    github.addArtifact({ runId: run.id, name: "server-bench-results", zip: resultsZip(ROWS) });
    expire();
    expect((await report(run)).comment).toContain("**The results were refused, because**");
    const again = await report({ ...run, attempt: run.attempt + 1 });
    expect(again.comment).toContain("attempt=2");
    expect(again.log).not.toContain("left as it is");
  });

  it("replaces the comment of an earlier run", async () => {
    const earlier = addRun();
    github.addArtifact({ runId: earlier.id, name: "server-bench-results", zip: resultsZip(ROWS) });
    await report(earlier);
    const { headSha } = earlier;
    const later = github.addRun({ event: "pull_request", headSha, status: "in_progress", conclusion: null });
    expect((await report(later)).comment).toContain("**Stopped before the end:**");
  });
});
