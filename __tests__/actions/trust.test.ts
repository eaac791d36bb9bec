/** Which runs `command: report` believes. */
import { describe, expect, it } from "vitest";
import { trustOf } from "../../src/actions/trust.js";
import type { Job, MeasuredRun } from "../../src/github/job.js";

const RUN: MeasuredRun = {
  ...{ id: 1, attempt: 1, event: "push", headRepository: "acme/server", headBranch: "main" },
  ...{ headSha: "a".repeat(40), conclusion: "success", workflowFile: "bench.yml" },
};

function jobOf(run: Partial<MeasuredRun>, defaultBranch: string | undefined = "main"): Job {
  const web = { apiUrl: "https://api.github.com", serverUrl: "https://github.com", runUrl: "https://github.com/x" };
  const job = {
    owner: "acme",
    repo: "server",
    runId: 2,
    runAttempt: 1,
    workflowFile: "report.yml",
    sha: "b".repeat(40),
  };
  return { ...web, ...job, tag: undefined, defaultBranch, event: { kind: "workflow_run", run: { ...RUN, ...run } } };
}

describe("a run that another workflow reports", () => {
  it.each([
    { event: "push" },
    { event: "schedule" },
    { event: "workflow_dispatch" },
    { headRepository: "Acme/Server" },
  ])("is trusted on the default branch: %j", (run) => {
    expect(trustOf(jobOf(run))).toEqual({ kind: "own" });
  });

  it.each([
    { event: "pull_request", headRepository: "mallory/server", headBranch: "feature" },
    { event: "pull_request", headBranch: "feature" },
    // A branch of a fork may be called main, and a pull request may come from main.
    { event: "pull_request" },
    { headRepository: "mallory/server" },
    { headRepository: undefined },
    { headBranch: "feature" },
    { headBranch: undefined },
    { event: "issue_comment" },
    { event: "pull_request_target" },
  ])("is a claim: %j", (run) => {
    expect(trustOf(jobOf(run as Partial<MeasuredRun>))).toEqual({
      ...{ kind: "pull-request-run", head: "claimed", base: "claimed" },
    });
  });

  it("is a claim where the default branch is not known", () => {
    const { defaultBranch: _, ...job } = jobOf({ headBranch: undefined });
    expect(trustOf({ ...job, defaultBranch: undefined }).kind).toBe("pull-request-run");
  });

  it("is a claim where a request made the run measure a pull request", () => {
    const job = { ...jobOf({}), event: { kind: "push", branch: "feature" } } as const;
    expect(trustOf(job).kind).toBe("own");
    expect(trustOf(job, true).kind).toBe("pull-request-run");
  });
});
