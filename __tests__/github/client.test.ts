import { afterEach, describe, expect, test } from "vitest";
import { type ClientOptions, type GitHub, type GitHubFailure, openGitHub, toFailure } from "../../src/github/client.js";
import { GitHubDouble } from "../support/github/double.js";
import { refusingUrl } from "../support/releases.js";

/** Waits that take seconds in production take milliseconds. */
const QUICK: ClientOptions = { retryBaseMs: 5, paced: false, version: "1.2.3" };

const lines: string[] = [];
afterEach(() => {
  lines.length = 0;
});

function open(double: GitHubDouble, options: ClientOptions = {}): GitHub {
  const job = { owner: double.owner, repo: double.repo, apiUrl: double.url };
  return openGitHub(job, double.token, (line) => lines.push(line), { ...QUICK, ...options });
}

function comments({ octokit, owner, repo }: GitHub) {
  return octokit.rest.issues.listComments({ owner, repo, issue_number: 1 });
}

function comment({ octokit, owner, repo }: GitHub, body = "text") {
  return octokit.rest.issues.createComment({ owner, repo, issue_number: 1, body });
}

async function troubleWith(request: Promise<unknown>): Promise<GitHubFailure> {
  return request.then(
    () => {
      throw new Error("the request succeeded");
    },
    (error: unknown) => toFailure(error),
  );
}

const COMMENTS = { path: /\/issues\/1\/comments$/ };

describe("requests", () => {
  test("say who asks, with the token, and are counted", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    const github = open(double);
    expect(github).toMatchObject({ owner: "acme", repo: "server", calls: 0 });
    const { url } = await comments(github);
    expect(url).toBe(`${double.url}/repos/acme/server/issues/1/comments`);
    await comment(github);
    expect(github.calls).toBe(2);
    expect(double.requests[0]?.headers["user-agent"]).toMatch(/^server-bench\/1\.2\.3 /);
    expect(double.requests[0]?.headers.authorization).toBe("token test-token");
    expect(lines).toEqual([]);
  });

  test("find every page", async () => {
    await using double = await GitHubDouble.start();
    for (let i = 0; i < 250; i += 1) double.addComment({ body: `comment ${i}` });
    const github = open(double);
    const { octokit, owner, repo } = github;
    const all = await octokit.paginate(octokit.rest.issues.listComments, {
      owner,
      repo,
      issue_number: 1,
      per_page: 100,
    });
    expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 250 }, (_, i) => `comment ${i}`));
    expect(github.calls).toBe(3);
  });

  test("keep the base's path", async () => {
    await using double = await GitHubDouble.start();
    const job = { owner: "acme", repo: "server", apiUrl: `${double.url}/api/v3` };
    const github = openGitHub(job, "test-token", () => {}, QUICK);
    await expect(comments(github)).rejects.toMatchObject({ status: 404 });
    expect(double.requests[0]?.path).toBe("/api/v3/repos/acme/server/issues/1/comments");
    expect(double.violations.splice(0)).toHaveLength(1);
  });
});

describe("what is repeated", () => {
  test.each([500, 502, 503, 504])("a GET after %i, until it succeeds", async (status) => {
    await using double = await GitHubDouble.start();
    double.addComment();
    double.fail({ ...COMMENTS, status, times: 3, body: "<html>Unicorn!</html>" });
    const github = open(double);
    expect((await comments(github)).data).toHaveLength(1);
    expect(github.calls).toBe(4);
    expect(lines).toEqual(Array(3).fill(`GitHub: GET /repos/{owner}/{repo}/issues/{issue_number}/comments: ${status}`));
  });

  test("a GET three times at most", async () => {
    await using double = await GitHubDouble.start();
    double.fail({ ...COMMENTS, status: 502, times: Number.POSITIVE_INFINITY });
    const github = open(double);
    const trouble = await troubleWith(comments(github));
    expect(trouble).toMatchObject({ kind: "server", status: 502 });
    expect(github.calls).toBe(4);
  });

  test("every request anew: waits begin small again", async () => {
    await using double = await GitHubDouble.start();
    double.addComment();
    const github = open(double, { retryBaseMs: 200 });
    double.fail({ ...COMMENTS, status: 502, times: 3 });
    await comments(github);
    double.fail({ ...COMMENTS, status: 502 });
    await comments(github);
    const [failed, repeated] = double.requests.slice(4);
    // One unit, where the fourth wait of the request before would have been 16.
    expect((repeated?.atMs ?? 0) - (failed?.atMs ?? 0)).toBeLessThan(8 * 200);
  });

  test("a PATCH after 502: writing the same text twice does no harm", async () => {
    await using double = await GitHubDouble.start();
    const { id } = double.addComment({ login: "github-actions[bot]" });
    double.fail({ method: "PATCH", path: /comments/, dropAfterApplying: true });
    const github = open(double);
    const { octokit, owner, repo } = github;
    await octokit.rest.issues.updateComment({ owner, repo, comment_id: id, body: "new" });
    expect(github.calls).toBe(2);
    expect(double.commentsOf(1)[0]?.body).toBe("new");
  });

  test.each([
    ["502 although it was applied", { dropAfterApplying: true }, 1],
    ["500", { status: 500 }, 0],
    ["a connection cut after it was applied", { reset: true, dropAfterApplying: true }, 1],
    ["a connection cut", { reset: true }, 0],
  ])("never a POST after %s", async (_name, fault, applied) => {
    await using double = await GitHubDouble.start();
    double.addPull();
    double.fail({ method: "POST", ...COMMENTS, ...fault });
    const github = open(double);
    await expect(comment(github)).rejects.toThrow();
    expect(github.calls).toBe(1);
    expect(double.commentsOf(1)).toHaveLength(applied);
    await comments(github);
    double.fail({ ...COMMENTS, status: 502 });
    await comments(github);
    expect(github.calls).toBe(4);
  });

  test.each([400, 401, 403, 404, 409, 410, 422])("nothing after %i", async (status) => {
    await using double = await GitHubDouble.start();
    double.fail({ ...COMMENTS, status });
    const github = open(double);
    await expect(comments(github)).rejects.toMatchObject({ status });
    expect(github.calls).toBe(1);
    expect(lines).toEqual([]);
  });
});

describe("rate limits", () => {
  const SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
  test.each([
    ["429 with retry-after", { status: 429, headers: { "retry-after": "20" } }],
    ["403 with retry-after", { status: 403, headers: { "retry-after": "20" }, body: { message: SECONDARY } }],
    ["429 with retry-after in plain text", { status: 429, headers: { "retry-after": "20" }, body: "Slow down" }],
  ])("%s are waited out, for a POST too", async (_name, fault) => {
    await using double = await GitHubDouble.start();
    double.addPull();
    double.fail({ ...COMMENTS, ...fault });
    const github = open(double);
    await comment(github);
    expect(double.commentsOf(1)).toHaveLength(1);
    expect(github.calls).toBe(2);
    const [first, second] = double.requests;
    // 20 units of 5 ms, less what timers round.
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(95);
    expect(lines).toEqual([
      "GitHub limits the rate of POST /repos/{owner}/{repo}/issues/{issue_number}/comments: waiting 20 s",
    ]);
  });

  test.each([
    ["429", { status: 429, headers: { "retry-after": "61" } }],
    ["403", { status: 403, headers: { "retry-after": "3600" }, body: { message: SECONDARY } }],
  ])("%s that asks for more than a minute is not", async (_name, fault) => {
    await using double = await GitHubDouble.start();
    double.fail({ ...COMMENTS, ...fault });
    const github = open(double);
    const trouble = await troubleWith(comments(github));
    expect(trouble.kind).toBe("rate-limited");
    expect(trouble.message).toMatch(/GitHub limits how much the token may ask.*: run the job again in (61|3600) s$/);
    expect(github.calls).toBe(1);
  });

  test("an hour's limit that is used up is not waited out", async () => {
    await using double = await GitHubDouble.start();
    const reset = Math.floor(Date.now() / 1000) + 1800;
    double.fail({
      ...COMMENTS,
      status: 403,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) },
      body: { message: "API rate limit exceeded for installation ID 1." },
    });
    const github = open(double);
    expect(await troubleWith(comments(github))).toEqual({
      kind: "rate-limited",
      status: 403,
      message: `403: GitHub limits how much the token may ask (API rate limit exceeded for installation ID 1.): run the job again after ${new Date(reset * 1000).toISOString()}`,
    });
    expect(github.calls).toBe(1);
  });

  test("three times at most", async () => {
    await using double = await GitHubDouble.start();
    double.fail({ ...COMMENTS, status: 429, headers: { "retry-after": "1" }, times: Number.POSITIVE_INFINITY });
    const github = open(double);
    expect((await troubleWith(comments(github))).kind).toBe("rate-limited");
    expect(github.calls).toBe(4);
    expect(lines).toHaveLength(3);
  });

  test("writes that notify people are seconds apart unless asked otherwise", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    const github = open(double, { paced: true });
    await comment(github);
    await comment(github);
    const [first, second] = double.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(2900);
  });
});

describe("time limits", () => {
  test("a request that is not answered ends, and is repeated", async () => {
    await using double = await GitHubDouble.start();
    double.addComment();
    double.fail({ ...COMMENTS, timeout: true });
    const github = open(double, { timeoutMs: 1000 });
    expect((await comments(github)).data).toHaveLength(1);
    expect(github.calls).toBe(2);
    expect(lines[0]).toMatch(/: no answer in time$/);
  });

  test("a POST that is not answered is not repeated", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    double.fail({ method: "POST", ...COMMENTS, timeout: true, dropAfterApplying: true });
    const github = open(double, { timeoutMs: 200 });
    expect(await troubleWith(comment(github))).toEqual({
      kind: "unreachable",
      message: "GitHub cannot be reached (no answer in time): run the job again",
    });
    expect(github.calls).toBe(1);
  });

  test("an answer that breaks off is no empty answer", async () => {
    await using double = await GitHubDouble.start();
    double.addComment();
    double.fail({ ...COMMENTS, status: 200, headers: { "content-length": "1000" }, body: [], times: 4 });
    const trouble = await troubleWith(comments(open(double, { timeoutMs: 200 })));
    expect(trouble.kind).toBe("unreachable");
  });
});

describe("what an error means", () => {
  test("a wrong token", async () => {
    await using double = await GitHubDouble.start();
    const job = { owner: "acme", repo: "server", apiUrl: double.url };
    const github = openGitHub(job, "wrong", () => {}, QUICK);
    expect(await troubleWith(comments(github))).toEqual({
      kind: "unauthorized",
      status: 401,
      message: "401: GitHub does not accept the token (Bad credentials): give another one",
    });
  });

  test("a read-only token", async () => {
    await using double = await GitHubDouble.start({ permissions: { pullRequests: "read", issues: "read" } });
    double.addPull();
    expect(await troubleWith(comment(open(double)))).toEqual({
      kind: "forbidden",
      status: 403,
      message:
        '403: the token may not do this (Resource not accessible by integration): give the job "pull-requests: write"',
    });
  });

  // What reads comments or pull requests then writes: after "read" the job would fail once more.
  test("a token that may not even read the pull request's comments", async () => {
    await using double = await GitHubDouble.start({ permissions: { pullRequests: "none", issues: "none" } });
    double.addPull();
    expect((await troubleWith(comments(open(double)))).message).toContain('give the job "pull-requests: write"');
  });

  test.each([
    ["actions", { actions: "none" }, "actions: read"],
    ["compare", { contents: "none" }, "contents: read"],
  ] as const)("a token without %s names the permission", async (what, permissions, words) => {
    await using double = await GitHubDouble.start({ permissions });
    const { octokit, owner, repo } = open(double);
    const request =
      what === "actions"
        ? octokit.rest.actions.listArtifactsForRepo({ owner, repo })
        : octokit.rest.repos.compareCommitsWithBasehead({ owner, repo, basehead: "a...b" });
    expect((await troubleWith(request)).message).toContain(`give the job "${words}"`);
  });

  test("a locked conversation", async () => {
    await using double = await GitHubDouble.start();
    double.addPull({ locked: true });
    expect(await troubleWith(comment(open(double)))).toMatchObject({ kind: "locked", status: 403 });
  });

  test("a text that is too long", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    const trouble = await troubleWith(comment(open(double), "x".repeat(65_537)));
    expect(trouble).toEqual({
      kind: "invalid",
      status: 422,
      message:
        "422: GitHub refuses POST /repos/acme/server/issues/1/comments (Validation Failed: Body is too long (maximum is 65536 characters))",
    });
  });

  test("something that is not there, or no longer", async () => {
    await using double = await GitHubDouble.start();
    const { octokit, owner, repo } = open(double);
    const missing = await troubleWith(octokit.rest.pulls.get({ owner, repo, pull_number: 9 }));
    expect(missing).toMatchObject({ kind: "not-found", status: 404 });
    const artifact = double.addArtifact({ runId: 1, zip: Buffer.from("x"), expired: true });
    const gone = await troubleWith(
      octokit.rest.actions.downloadArtifact({ owner, repo, artifact_id: artifact.id, archive_format: "zip" }),
    );
    expect(gone).toMatchObject({ kind: "gone", status: 410 });
    expect(gone.message).toContain("Artifact has expired");
  });

  test("nobody there, and no such name", async () => {
    const refusing = openGitHub({ owner: "a", repo: "b", apiUrl: await refusingUrl() }, "t", () => {}, QUICK);
    expect(await troubleWith(comments(refusing))).toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/^GitHub cannot be reached \(.*ECONNREFUSED.*\): run the job again$/),
    });
    const nameless = openGitHub({ owner: "a", repo: "b", apiUrl: "http://name.invalid" }, "t", () => {}, QUICK);
    expect((await troubleWith(comments(nameless))).message).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(nameless.calls).toBe(4);
  });

  test("GitHub's words stay on one line and are clipped", async () => {
    await using double = await GitHubDouble.start();
    double.fail({ ...COMMENTS, status: 403, body: { message: `no\n::error::${"x".repeat(1000)}` } });
    const { message } = await troubleWith(comments(open(double)));
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(400);
  });

  test("a defect is none of GitHub's", () => {
    const defect = new TypeError("undefined is not a function");
    expect(() => toFailure(defect)).toThrow(defect);
  });
});
