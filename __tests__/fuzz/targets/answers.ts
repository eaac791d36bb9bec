/** Answers of GitHub's API, as the real client reads them: a value, or a failure that has words. */
import * as fc from "fast-check";
import { InputError } from "../../../src/errors.js";
import { listResultsArtifacts } from "../../../src/github/artifacts.js";
import { headAt, readPull, typedCommit } from "../../../src/github/asked-commit.js";
import { findBaseRuns } from "../../../src/github/base-runs.js";
import { ClaimedRuns } from "../../../src/github/claimed-runs.js";
import { type GitHub, openGitHub, toFailure } from "../../../src/github/client.js";
import { verifyCommits } from "../../../src/github/commits.js";
import { checkMeasuringWorkflow } from "../../../src/github/measuring-workflow.js";
import { OwnComments } from "../../../src/github/own-comments.js";
import { canWrite } from "../../../src/github/permission.js";
import { findPullRequest } from "../../../src/github/pull-request.js";
import { readResultsArtifact } from "../../../src/github/read-artifact.js";
import { readReleaseAssets } from "../../../src/github/release-assets.js";
import { findReleases } from "../../../src/github/releases.js";
import { cancelRequestedRuns } from "../../../src/github/requested-runs.js";
import { sampleFacts } from "../../support/comment.js";
import { mutatedBytes, mutatedJson } from "../mutate.js";
import { hold, type Target } from "../target.js";

const API = "https://api.github.com";
const HEAD = "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678";
const BASE = "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3";
const head = { ref: "feature", sha: HEAD, repo: { full_name: "fork/app" } };
const base = { ref: "main", sha: BASE, repo: { full_name: "octo/app" } };
const pull = { number: 7, state: "open", locked: false, head, base, user: { login: "a" } };
const asked = {
  ...{ number: 7, open: true, locked: false, headSha: HEAD, headRef: "feature", headRepository: "fork/app" },
  ...{ baseRef: "main", baseSha: BASE, fork: true },
};
const marker = (run: number) => `<!-- server-bench key=default run=${run} attempt=1 phase=done -->\ntext`;
const comment = (id: number, login: string, body: string | null) => ({
  ...{ id, body, html_url: `https://github.com/octo/app/pull/7#issuecomment-${id}`, user: { login } },
});
const run = {
  ...{ id: 5, run_attempt: 1, path: ".github/workflows/bench.yml", event: "push", status: "completed" },
  ...{ conclusion: "success", head_branch: "main", head_sha: BASE, head_repository: { full_name: "octo/app" } },
  ...{ html_url: "https://github.com/octo/app/actions/runs/5", created_at: "2026-01-01T00:00:00Z" },
  ...{ run_started_at: "2026-01-01T00:00:00Z", display_title: "/bench #7 (default)" },
};
const measuredRun = {
  ...{ id: 5, attempt: 1, event: "pull_request", headRepository: "fork/app", headBranch: "feature", headSha: HEAD },
  ...{ conclusion: "success", workflowFile: "bench.yml" },
};
const log = () => {};

interface Reader {
  /** The body that each request of the reader gets. */
  readonly answer: unknown;
  read(github: GitHub): Promise<unknown>;
}

const READERS: Readonly<Record<string, Reader>> = {
  pull: { answer: pull, read: (github) => readPull(github, 7) },
  pushes: {
    answer: [{ before: BASE, after: HEAD, ref: "refs/heads/feature", timestamp: "2026-01-01T00:00:00Z" }],
    read: (github) => headAt(github, asked, new Date("2026-01-02T00:00:00Z")),
  },
  commit: {
    answer: {
      sha: HEAD,
      parents: [{ sha: BASE }, { sha: HEAD }],
      committer: { login: "web-flow" },
      commit: { verification: { verified: true } },
    },
    async read(github) {
      await verifyCommits(github, { ...asked, fork: true }, [sampleFacts().results]);
      return await typedCommit(github, asked, HEAD.slice(0, 9));
    },
  },
  pulls: { answer: [pull, { ...pull, number: 8 }], read: (github) => findPullRequest(github, measuredRun) },
  runs: {
    answer: {
      total_count: 2,
      workflow_runs: [run, { ...run, id: 6, head_sha: HEAD }],
      ...{ ahead_by: 0, behind_by: 1, commits: [{ sha: HEAD }] },
    },
    async read(github) {
      const found = await findBaseRuns(github, { branch: "main", baseSha: BASE, workflowFile: "bench.yml" });
      for (const { sha } of found.runs) await found.place(sha);
      return await cancelRequestedRuns(github, "bench.yml", "/bench #7 (default)");
    },
  },
  run: {
    answer: run,
    read: (github) =>
      new ClaimedRuns(github, { id: 5, attempt: 1 }, log).checked([
        { id: 1, url: "u", body: marker(9), marker: { key: "default", run: { id: 9, attempt: 1 }, phase: "done" } },
      ]),
  },
  artifacts: {
    answer: {
      total_count: 2,
      artifacts: [
        {
          id: 1,
          name: "server-bench-results-1-of-2",
          size_in_bytes: 10,
          digest: `sha256:${"0".repeat(64)}`,
          expired: false,
        },
        { id: 2, name: "server-bench-plan", size_in_bytes: 10, digest: null, expired: true },
      ],
    },
    async read(github) {
      const listed = await listResultsArtifacts(github, 5);
      if (listed.state === "refused") return holdFailure(listed.failure.message);
      for (const artifact of listed.artifacts) await readResultsArtifact(github, artifact, { retryBaseMs: 0 });
      return listed;
    },
  },
  comments: {
    answer: [comment(1, "someone", "hello"), comment(2, "bench-bot", marker(5)), comment(3, "bench-bot", null)],
    read: (github) =>
      new OwnComments(github, { pullRequest: 7, key: "default", author: "bench-bot" }, 1000, log).list(),
  },
  author: {
    answer: { login: "bench-bot", id: 4 },
    read: (github) => new OwnComments(github, { pullRequest: 7, key: "default" }, 1000, log).list(),
  },
  permission: {
    answer: { permission: "write", user: { id: 4, login: "a" }, role_name: "write" },
    read: (github) => canWrite(github, { id: 4, login: "a" }),
  },
  workflow: {
    answer: { type: "file", encoding: "base64", content: Buffer.from("name: Bench\non: push\n").toString("base64") },
    read: (github) =>
      checkMeasuringWorkflow(github, { defaultBranch: "main", workflowFile: "report.yml" }, measuredRun),
  },
  releases: {
    answer: [
      {
        id: 3,
        html_url: "https://a.b",
        tag_name: "v1.0.0",
        body: "x",
        draft: true,
        upload_url: "https://a.b/assets{?name,label}",
      },
    ],
    read: (github) => findReleases(github, "v1.0.0"),
  },
  assets: {
    answer: [{ id: 3, name: "a.json", state: "uploaded", digest: null }],
    read: (github) => readReleaseAssets(github, 3),
  },
};

function holdFailure(message: string): void {
  hold(message !== "" && message.length < 1000 && !/[\n\r]/.test(message), "a failure has no words in one line");
}

interface Answer {
  readonly reader: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Text as it is sent. */
  readonly body: string;
}

const status = fc.oneof(
  { arbitrary: fc.constant(200), weight: 8 },
  fc.constantFrom(201, 204, 206, 301, 302, 304, 400, 401, 403, 404, 409, 410, 418, 422, 429, 451, 500, 502, 503),
);
const header = fc.tuple(
  fc.constantFrom(
    "link",
    "location",
    "retry-after",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "content-type",
    "date",
  ),
  fc.constantFrom(
    "",
    "0",
    "-1",
    "1",
    "999999",
    "NaN",
    "text/html",
    "https://a.b/x",
    "file:///etc/passwd",
    '<x>; rel="next"',
  ),
);

const inputs: fc.Arbitrary<Buffer> = fc
  .constantFrom(...Object.keys(READERS))
  .chain((reader) => {
    const { answer } = READERS[reader] as Reader;
    const body = fc.oneof(
      { arbitrary: mutatedJson([answer, { message: "Not Found", errors: [{ field: "x", code: "y" }] }]), weight: 5 },
      mutatedBytes([JSON.stringify(answer), "<html>502</html>", ""]),
    );
    return fc.record({ reader: fc.constant(reader), status, headers: fc.array(header, { maxLength: 2 }), body });
  })
  .map(({ body, ...answer }) =>
    Buffer.from(JSON.stringify({ ...answer, body: body.toString("latin1") } satisfies Answer)),
  );

const BODILESS: readonly number[] = [204, 304];
/** Requests of one reader; more would be a loop. */
const REQUESTS_MAX = 60;

async function check(input: Buffer): Promise<void> {
  const { reader, status, headers, body } = JSON.parse(input.toString("utf8")) as Answer;
  const json: readonly [string, string] = ["content-type", "application/json; charset=utf-8"];
  let requests = 0;
  const answer = async (): Promise<Response> => {
    requests += 1;
    hold(requests <= REQUESTS_MAX, "the reader asks without end");
    return new Response(BODILESS.includes(status) ? null : Buffer.from(body, "latin1"), {
      status,
      headers: [json, ...headers].map(([name, value]) => [name, value]),
    });
  };
  const original = globalThis.fetch;
  globalThis.fetch = answer;
  try {
    const options = { retryBaseMs: 0, retries: 1, paced: false, longestWaitSeconds: 0 };
    const github = openGitHub({ owner: "octo", repo: "app", apiUrl: API }, "token", log, options);
    await READERS[reader]?.read(github);
  } catch (error) {
    // toFailure throws what is no failure of a request.
    if (!(error instanceof InputError)) holdFailure(toFailure(error).message);
  } finally {
    globalThis.fetch = original;
  }
}

export const answerTargets: readonly Target[] = [{ name: "api-answers", share: 5, inputs, check }];
