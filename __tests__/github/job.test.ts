import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.js";
import { type Job, readJob } from "../../src/github/job.js";
import { GitHubDouble, shaOf } from "../support/github/double.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-job-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SHA = shaOf("measured");

const PUSH = {
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/server",
  GITHUB_API_URL: "https://api.example.com/v3/",
  GITHUB_SERVER_URL: "https://git.example.com",
  GITHUB_RUN_ID: "7000000001",
  GITHUB_RUN_ATTEMPT: "1",
  GITHUB_WORKFLOW_REF: "acme/server/.github/workflows/bench.yml@refs/heads/main",
  GITHUB_SHA: SHA,
  GITHUB_REF: "refs/heads/main",
  GITHUB_EVENT_NAME: "push",
};

let files = 0;
async function eventFile(content: unknown): Promise<string> {
  files += 1;
  const file = join(folder, `event-${files}.json`);
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

async function jobOf(variables: Record<string, string>, event: unknown): Promise<Job> {
  const job = await readJob({ ...PUSH, ...variables, GITHUB_EVENT_PATH: await eventFile(event) });
  if (job === undefined) throw new Error("no job");
  return job;
}

const pullRequest = (name: string, event: unknown) => jobOf({ GITHUB_EVENT_NAME: name }, event);

/** The message of the InputError that reading throws, with the file's name as EVENT. */
async function refusal(variables: Record<string, string>, event: unknown): Promise<string> {
  const file = await eventFile(event);
  const thrown = await readJob({ ...PUSH, ...variables, GITHUB_EVENT_PATH: file }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(InputError);
  return (thrown as InputError).message.replace(file, "EVENT");
}

describe("where the job runs", () => {
  test("there is no job outside GitHub Actions", async () => {
    expect(await readJob({})).toBeUndefined();
    expect(await readJob({ ...PUSH, GITHUB_ACTIONS: "" })).toBeUndefined();
  });

  test("the environment names repository, run and workflow", async () => {
    const job = await jobOf({}, { repository: { default_branch: "trunk" } });
    expect(job).toEqual({
      owner: "acme",
      repo: "server",
      apiUrl: "https://api.example.com/v3",
      serverUrl: "https://git.example.com",
      runId: 7000000001,
      runAttempt: 1,
      runUrl: "https://git.example.com/acme/server/actions/runs/7000000001",
      workflowFile: "bench.yml",
      sha: SHA,
      defaultBranch: "trunk",
      event: { kind: "push", branch: "main" },
      fork: false,
    });
  });

  test("a re-run has an address of its own", async () => {
    const job = await jobOf({ GITHUB_RUN_ATTEMPT: "3" }, {});
    expect(job.runAttempt).toBe(3);
    expect(job.runUrl).toMatch(/\/runs\/7000000001\/attempts\/3$/);
  });

  test("the workflow's file is read from refs with slashes and at-signs", async () => {
    const ref = "acme/server/.github/workflows/a@b.yaml@refs/heads/c/.github/workflows/d.yml@e";
    expect((await jobOf({ GITHUB_WORKFLOW_REF: ref }, {})).workflowFile).toBe("a@b.yaml");
  });

  test("a runner that does not say workflow, addresses or event is enough for a push", async () => {
    const { GITHUB_WORKFLOW_REF: _workflow, GITHUB_API_URL: _api, GITHUB_SERVER_URL: _server, ...bare } = PUSH;
    const job = await readJob({ ...bare, GITHUB_EVENT_PATH: "" });
    expect(job).toMatchObject({ workflowFile: "", apiUrl: "https://api.github.com", serverUrl: "https://github.com" });
    expect(job?.defaultBranch).toBeUndefined();
  });

  test.each([
    ["GITHUB_REPOSITORY", "acme", 'expected owner/name, got "acme"'],
    ["GITHUB_REPOSITORY", "acme/a/b", 'expected owner/name, got "acme/a/b"'],
    ["GITHUB_REPOSITORY", "", "is missing"],
    ["GITHUB_RUN_ID", "12x", 'expected a whole number, got "12x"'],
    ["GITHUB_RUN_ID", "0", 'expected a whole number, got "0"'],
    ["GITHUB_RUN_ID", "9007199254740993", "expected a whole number below 2^53"],
    ["GITHUB_SHA", "main", 'expected a commit\'s SHA of 40 hexadecimal digits, got "main"'],
    ["GITHUB_API_URL", "ftp://x", 'expected an http(s) URL, got "ftp://x"'],
    ["GITHUB_WORKFLOW_REF", "bench.yml", "expected owner/name/.github/workflows/FILE.yml@ref"],
    ["GITHUB_EVENT_NAME", "push\npush", 'expected a word, got "push\\npush"'],
  ])("a wrong %s (%j) is named", async (name, value, words) => {
    const message = await refusal({ [name]: value }, {});
    expect(message).toContain(`the job's environment: ${name}: `);
    expect(message).toContain(words);
  });
});

describe("events", () => {
  test("a pull request of the same repository", async () => {
    await using double = await GitHubDouble.start();
    const pull = double.addPull({ headRef: "faster/é", headSha: SHA });
    const run = double.addRun({ event: "pull_request", headBranch: "faster/é", headSha: pull.headSha });
    const job = await readJob(await double.jobEnv(run));
    expect(job).toMatchObject({ owner: "acme", repo: "server", runId: run.id, defaultBranch: "main" });
    expect(job?.event).toEqual({
      kind: "pull_request",
      pullRequest: {
        number: 1,
        headSha: SHA,
        headRef: "faster/é",
        headRepository: "acme/server",
        baseRef: "main",
        baseSha: shaOf("base"),
        fork: false,
      },
    });
  });

  test.each([
    ["a fork", "someone/server", true],
    ["another spelling of the same repository", "Acme/Server", false],
    ["a deleted fork", undefined, true],
  ])("a pull request of %s", async (_name, headRepository, fork) => {
    await using double = await GitHubDouble.start();
    const event = double.pullRequestEvent(double.addPull({ headRepository }));
    const job = await pullRequest("pull_request", event);
    expect(job.event).toMatchObject({ kind: "pull_request", pullRequest: { headRepository, fork } });
  });

  test("pull_request_target is never acted on", async () => {
    await using double = await GitHubDouble.start();
    const job = await pullRequest("pull_request_target", double.pullRequestEvent(double.addPull()));
    expect(job.event).toMatchObject({ kind: "other", name: "pull_request_target" });
  });

  test("workflow_run names the run that was measured", async () => {
    await using double = await GitHubDouble.start();
    const measured = double.addRun({
      event: "pull_request",
      attempt: 2,
      workflowFile: "measure.yml",
      headBranch: "main",
      headSha: SHA,
      headRepository: "someone/server",
      conclusion: "failure",
    });
    const job = await pullRequest("workflow_run", double.workflowRunEvent(measured));
    expect(job.event).toEqual({
      kind: "workflow_run",
      run: {
        id: measured.id,
        attempt: 2,
        event: "pull_request",
        headRepository: "someone/server",
        headBranch: "main",
        headSha: SHA,
        conclusion: "failure",
        workflowFile: "measure.yml",
      },
    });
  });

  test("workflow_run of a deleted fork, with a ref behind the path", async () => {
    await using double = await GitHubDouble.start();
    const run = double.addRun({ headRepository: undefined, conclusion: null, headBranch: null });
    const event = double.workflowRunEvent(run) as { workflow_run: object };
    const path = ".github/workflows/bench.yml@refs/heads/main";
    const job = await pullRequest("workflow_run", { ...event, workflow_run: { ...event.workflow_run, path } });
    expect(job.event).toMatchObject({
      run: { headRepository: undefined, headBranch: undefined, conclusion: undefined, workflowFile: "bench.yml" },
    });
  });

  test("a push of a tag has no branch", async () => {
    const job = await jobOf({ GITHUB_REF: "refs/tags/v1" }, {});
    expect(job.event).toEqual({ kind: "push", branch: undefined });
    expect(job.tag).toBe("v1");
  });

  test("a merge queue names the commit and the branch that the group is merged onto", async () => {
    const group = { head_sha: SHA, base_sha: shaOf("base"), base_ref: "refs/heads/release/1.x" };
    const job = await pullRequest("merge_group", { merge_group: group });
    expect(job.event).toEqual({ kind: "merge_group", baseSha: shaOf("base"), baseRef: "release/1.x" });
    expect(
      await refusal({ GITHUB_EVENT_NAME: "merge_group" }, { merge_group: { ...group, base_sha: "main" } }),
    ).toContain("merge_group.base_sha: expected a commit's SHA of 40 hexadecimal digits");
  });

  test.each(["schedule", "workflow_dispatch", "release"])("%s is another event", async (name) => {
    const job = await pullRequest(name, { repository: { default_branch: "main" } });
    expect(job).toMatchObject({ defaultBranch: "main", event: { kind: "other", name } });
  });
});

describe("a wrong event file names itself and the field", () => {
  const pull = {
    number: 3,
    head: { sha: SHA, ref: "x", repo: { full_name: "a/b" } },
    base: { sha: SHA, ref: "main" },
  };
  const cases: readonly [string, unknown, string][] = [
    ["an empty file", "", "EVENT: GitHub's event file is not valid JSON: Unexpected end of JSON input"],
    ["a list", [], "EVENT: pull_request: is missing"],
    ["no pull request", {}, "EVENT: pull_request: is missing"],
    [
      "a number that is none",
      { pull_request: { ...pull, number: "3" } },
      'pull_request.number: expected number, got "3"',
    ],
    ["a number of 0", { pull_request: { ...pull, number: 0 } }, "pull_request.number: expected at least 1, got 0"],
    [
      "half a number",
      { pull_request: { ...pull, number: 1.5 } },
      "pull_request.number: expected a whole number, got 1.5",
    ],
    [
      "a short SHA",
      { pull_request: { ...pull, head: { ...pull.head, sha: "abc" } } },
      "pull_request.head.sha: expected a commit's SHA of 40 hexadecimal digits",
    ],
    [
      "a branch that git would not take",
      { pull_request: { ...pull, head: { ...pull.head, ref: "a\n::error::b" } } },
      'pull_request.head.ref: expected the name of a branch or tag, got "a\\n::error::b"',
    ],
    [
      "a branch without end",
      { pull_request: { ...pull, head: { ...pull.head, ref: "x".repeat(10_000) } } },
      "pull_request.head.ref: expected at most 255 characters",
    ],
    [
      "a repository with a path",
      { pull_request: { ...pull, head: { ...pull.head, repo: { full_name: "a/../b" } } } },
      'pull_request.head.repo.full_name: expected owner/name, got "a/../b"',
    ],
    ["no base", { pull_request: { number: 3, head: pull.head } }, "pull_request.base: is missing"],
  ];
  test.each(cases)("%s", async (_name, event, words) => {
    expect(await refusal({ GITHUB_EVENT_NAME: "pull_request" }, event)).toContain(words);
  });

  test("a workflow_run of something else than a workflow file", async () => {
    await using double = await GitHubDouble.start();
    const event = double.workflowRunEvent(double.addRun()) as { workflow_run: object };
    const path = "dynamic/dependabot/dependabot-updates";
    const wrong = { ...event, workflow_run: { ...event.workflow_run, path } };
    const message = await refusal({ GITHUB_EVENT_NAME: "workflow_run" }, wrong);
    expect(message).toContain("EVENT: workflow_run.path: expected .github/workflows/FILE.yml");
  });

  test("a file that is not there", async () => {
    const file = join(folder, "none.json");
    await expect(readJob({ ...PUSH, GITHUB_EVENT_PATH: file })).rejects.toThrow(
      `${file}: GitHub's event file (GITHUB_EVENT_PATH) cannot be read: ENOENT`,
    );
  });

  test("what nobody uses may be anything", async () => {
    const event = { sender: { login: 7 }, __proto__: 1, commits: null, repository: { default_branch: "main", x: 1 } };
    expect((await jobOf({}, event)).defaultBranch).toBe("main");
  });
});
