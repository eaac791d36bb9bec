import { describe, expect, it } from "vitest";
import { openGitHub } from "../../src/github/client.js";
import type { MeasuredRun } from "../../src/github/job.js";
import { findPullRequest } from "../../src/github/pull-request.js";
import { GitHubDouble, type StoredPull, shaOf } from "../support/github/double.js";

const SHA = shaOf("measured");
const RUN: MeasuredRun = {
  id: 70,
  attempt: 1,
  event: "pull_request",
  headRepository: "contributor/server",
  headBranch: "feature",
  headSha: SHA,
  conclusion: "success",
  workflowFile: "bench.yml",
};
/** What the event says, as a pull request that matches it. */
const MATCHING: Partial<StoredPull> = { headRepository: "contributor/server", headRef: "feature", headSha: SHA };

async function withPulls(...pulls: readonly Partial<StoredPull>[]): Promise<GitHubDouble> {
  const double = await GitHubDouble.start();
  for (const pull of pulls) double.addPull(pull);
  return double;
}

function find(double: GitHubDouble, run: Partial<MeasuredRun> = {}, token = double.token) {
  const { owner, repo, url: apiUrl } = double;
  const github = openGitHub({ owner, repo, apiUrl }, token, () => {}, { retryBaseMs: 1, timeoutMs: 1000 });
  return findPullRequest(github, { ...RUN, ...run });
}

describe("findPullRequest", () => {
  it("finds the one whose repository, branch and commit are the event's, with one request", async () => {
    await using double = await withPulls(
      { number: 1, headRef: "feature", headSha: SHA },
      { number: 7, ...MATCHING, baseRef: "main", baseSha: shaOf("base") },
      { number: 8, ...MATCHING, headRepository: "contributor/another" },
      { number: 9, ...MATCHING, headRef: "feature-2" },
    );
    expect(await find(double)).toEqual({
      state: "found",
      pullRequest: {
        number: 7,
        headSha: SHA,
        headRef: "feature",
        headRepository: "contributor/server",
        baseRef: "main",
        baseSha: shaOf("base"),
        fork: true,
      },
    });
    expect(double.requests).toHaveLength(1);
    expect(double.requests[0]).toMatchObject({
      path: "/repos/acme/server/pulls",
      query: { state: "open", head: "contributor:feature", per_page: "100" },
    });
  });

  it("knows a branch of the repository itself", async () => {
    await using double = await withPulls({ number: 3, ...MATCHING, headRepository: "acme/server" });
    const found = await find(double, { headRepository: "acme/server" });
    expect(found).toMatchObject({ state: "found", pullRequest: { number: 3, fork: false } });
  });

  it.each([
    "a/b/c",
    "ünïcode-✓",
    "a&state=closed",
    "a%26head=x",
    "a#b",
    "$(touch x)",
    "`x`",
    "{owner}",
    "a+b=c;d,e",
    "x".repeat(200),
  ])("takes a branch of any name: %s", async (headRef) => {
    await using double = await withPulls({ number: 6, headRef: "other" }, { number: 7, ...MATCHING, headRef });
    expect(await find(double, { headBranch: headRef })).toMatchObject({ state: "found", pullRequest: { number: 7 } });
    expect(double.requests[0]?.query).toMatchObject({ state: "open", head: `contributor:${headRef}` });
  });

  it("looks through all pages", async () => {
    const others = Array.from({ length: 130 }, (_, i) => ({
      ...MATCHING,
      number: i + 1,
      headSha: shaOf(`other ${i}`),
    }));
    await using double = await withPulls(...others, { number: 500, ...MATCHING });
    expect(await find(double)).toMatchObject({ state: "found", pullRequest: { number: 500 } });
    expect(double.requests).toHaveLength(2);
  });

  it.each([
    {
      what: "none at all",
      pulls: [],
      reason: "no open pull request comes from the measured run's branch: it was closed, merged or renamed",
    },
    {
      what: "a closed one",
      pulls: [{ ...MATCHING, state: "closed" as const }],
      reason: "no open pull request comes from the measured run's branch: it was closed, merged or renamed",
    },
    {
      what: "newer commits",
      pulls: [{ ...MATCHING, number: 7, headSha: shaOf("newer") }],
      reason: `the pull request has newer commits than the measured ${SHA.slice(0, 7)}: #7`,
    },
    {
      what: "two of them, to two branches",
      pulls: [
        { ...MATCHING, number: 7, baseRef: "main" },
        { ...MATCHING, number: 8, baseRef: "stable" },
      ],
      reason: "2 open pull requests match: #7, #8",
    },
    {
      what: "a fork that was deleted",
      pulls: [{ ...MATCHING, headRepository: undefined }],
      reason: "no open pull request comes from the measured run's branch: it was closed, merged or renamed",
    },
    {
      what: "the same branch and commit in the repository itself",
      pulls: [{ ...MATCHING, headRepository: "acme/server" }],
      reason: "no open pull request comes from the measured run's branch: it was closed, merged or renamed",
    },
  ])("finds none, and says why: $what", async ({ pulls, reason }) => {
    await using double = await withPulls(...pulls);
    const found = await find(double);
    expect(found.state === "none" && found.reason.replace("#8, #7", "#7, #8")).toBe(reason);
  });

  it("takes one of two when the other has other commits", async () => {
    await using double = await withPulls(
      { ...MATCHING, number: 7, baseRef: "main" },
      { ...MATCHING, number: 8, baseRef: "stable", headSha: shaOf("newer") },
    );
    expect(await find(double)).toMatchObject({ state: "found", pullRequest: { number: 7 } });
  });

  it("compares by itself what a list that ignored the question holds", async () => {
    await using double = await withPulls();
    const base = { ref: "main", sha: shaOf("base"), repo: { full_name: "acme/server" } };
    const head = { ref: "feature", sha: SHA, repo: { full_name: "contributor/server" } };
    const body = [
      { number: 1, base, head: { ...head, ref: "Feature" } },
      { number: 2, base, head: { ...head, repo: { full_name: "contributor/server2" } } },
      { number: 3, base, head: { ...head, repo: null } },
      { number: 4, base, head: { ...head, sha: shaOf("other"), ref: "main" } },
    ];
    double.fail({ path: /pulls/, status: 200, body });
    expect(await find(double)).toMatchObject({
      state: "none",
      reason: expect.stringContaining("no open pull request"),
    });
    double.fail({ path: /pulls/, status: 200, body: [...body, { number: 5, base, head }] });
    expect(await find(double)).toMatchObject({ state: "found", pullRequest: { number: 5 } });
  });

  it.each([
    { what: "push", run: { event: "push" }, reason: "the measured run was not started by a pull_request event" },
    {
      what: "pull_request_target",
      run: { event: "pull_request_target" },
      reason: "the measured run was not started by a pull_request event",
    },
    {
      what: "a fork that is gone",
      run: { headRepository: undefined },
      reason: "the repository that the pull request came from is gone",
    },
    { what: "no branch", run: { headBranch: undefined }, reason: "the measured run has no branch" },
  ])("asks nothing for $what", async ({ run, reason }) => {
    await using double = await withPulls({ number: 7, ...MATCHING });
    expect(await find(double, run)).toEqual({ state: "none", reason });
    expect(double.requests).toEqual([]);
  });

  it("says what GitHub refuses", async () => {
    await using double = await withPulls({ number: 7, ...MATCHING });
    expect(await find(double, {}, "wrong")).toMatchObject({ state: "refused", failure: { kind: "unauthorized" } });
    double.fail({ path: /pulls/, status: 502, times: 2 });
    expect(await find(double)).toMatchObject({ state: "found" });
    double.fail({ path: /pulls/, status: 502, times: Number.POSITIVE_INFINITY });
    expect(await find(double)).toMatchObject({ state: "refused", failure: { kind: "server", status: 502 } });
  });

  it("does not take an answer of another form for an empty one", async () => {
    await using double = await withPulls();
    double.fail({ path: /pulls/, status: 200, body: [{ number: "7" }] });
    expect(await find(double)).toMatchObject({
      state: "refused",
      failure: { kind: "server", message: expect.stringContaining("the list of pull requests, field 0.number") },
    });
  });
});
