import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { GitHubDouble, sha256, shaOf } from "../support/github/double.js";
import { operationOf } from "../support/github/openapi.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Fields that a test looks into; what is not there is undefined. */
type Loose = { readonly [key: string]: Loose } & readonly Loose[];

async function ask(
  double: GitHubDouble,
  method: string,
  path: string,
  options: { body?: unknown; token?: string } = {},
) {
  const response = await fetch(`${double.url}${path}`, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${options.token ?? double.token}` },
    ...("body" in options ? { body: JSON.stringify(options.body) } : {}),
  });
  const text = await response.text();
  const body = text === "" ? undefined : (JSON.parse(text) as Loose);
  return { status: response.status, headers: response.headers, body } satisfies Answer;
}

const REPO = "/repos/acme/server";

describe("GitHub's description as a judge", () => {
  test("a wrong body, a wrong query and an unknown route are flagged, and disposing throws", async () => {
    const double = await GitHubDouble.start();
    double.addPull();
    await ask(double, "POST", `${REPO}/issues/1/comments`, { body: { text: "x" } });
    await ask(double, "GET", `${REPO}/pulls?stat=open`);
    await ask(double, "GET", `${REPO}/pulls?state=opened`);
    await ask(double, "GET", `${REPO}/pulls/one`);
    await ask(double, "GET", `${REPO}/issues/1/comments`, {});
    await ask(double, "GET", `${REPO}/branches`);
    expect(double.violations).toEqual([
      `POST ${REPO}/issues/1/comments: body: must have required property 'body'`,
      `POST ${REPO}/issues/1/comments: body: text is not among GitHub's fields`,
      `GET ${REPO}/pulls: query: stat is not among GitHub's parameters`,
      `GET ${REPO}/pulls: query/state: must be equal to one of the allowed values`,
      `GET ${REPO}/pulls/one: path/pull_number: must be integer`,
      `GET ${REPO}/branches: the double has no such route`,
    ]);
    await expect(double[Symbol.asyncDispose]()).rejects.toThrow("text is not among GitHub's fields");
  });

  test("a wrong answer is flagged", async () => {
    const double = await GitHubDouble.start();
    const comment = double.addComment();
    Object.assign(comment, { createdAt: 7 });
    await ask(double, "GET", `${REPO}/issues/1/comments`);
    expect(double.violations).toEqual([`GET ${REPO}/issues/1/comments: answer 200/0/created_at: must be string`]);
    await expect(double[Symbol.asyncDispose]()).rejects.toThrow("created_at");
  });

  test("answers of another status or with a missing field are flagged", () => {
    const get = operationOf("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts");
    expect(get.checkAnswer(200, { total_count: 0, artifacts: [] })).toEqual([]);
    expect(get.checkAnswer(200, { artifacts: [] })).toEqual(["answer 200: must have required property 'total_count'"]);
    expect(get.checkAnswer(201, {})).toEqual(["answer: 201 is not among GitHub's"]);
    const remove = operationOf("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}");
    expect(remove.checkAnswer(204, undefined)).toEqual([]);
    expect(remove.checkAnswer(204, {})).toEqual(["answer 204: no body is expected"]);
    expect(() => operationOf("GET", "/nowhere")).toThrow("GitHub's description has no GET /nowhere");
  });

  test("everything the double answers keeps to it", async () => {
    await using double = await GitHubDouble.start();
    double.addToken("pat", { login: "maintainer", kind: "user", permissions: {} });
    const pull = double.addPull({ headRepository: "someone/server" });
    double.addPull({ headRepository: undefined });
    const comment = double.addComment({ login: "github-actions[bot]" });
    const run = double.addRun({ headRepository: "someone/server" });
    double.addRun({ headRepository: undefined, headBranch: null, status: "in_progress" });
    const artifact = double.addArtifact({ runId: run.id, zip: Buffer.from("zip") });
    double.addArtifact({ runId: run.id, zip: Buffer.from("old"), digest: null, expired: true });
    double.addCommit(shaOf("tip"), { branch: "main", parents: [shaOf("base")] });
    double.addComparison("main", pull.headSha, { aheadBy: 2, behindBy: 1 });
    const answered: number[] = [];
    const get = async (path: string, token = double.token) => {
      answered.push((await ask(double, "GET", path, { token })).status);
    };
    await get("/user", "pat");
    await get("/user");
    await get("/user", "nobody");
    await get(`${REPO}/issues/1/comments?per_page=100&page=1`);
    await get(`${REPO}/issues/comments/${comment.id}`);
    await get(`${REPO}/issues/comments/1`);
    await get(`${REPO}/pulls?state=all&head=someone:feature&base=main`);
    await get(`${REPO}/pulls?state=all`);
    await get(`${REPO}/pulls/1`);
    await get(`${REPO}/pulls/2`);
    await get(
      `${REPO}/actions/workflows/bench.yml/runs?branch=main&event=push&status=success&exclude_pull_requests=true`,
    );
    await get(`${REPO}/actions/workflows/bench.yml/runs`);
    await get(`${REPO}/actions/runs/${run.id}`);
    await get(`${REPO}/actions/runs/${run.id}/artifacts?name=server-bench-results`);
    await get(`${REPO}/actions/artifacts?name=other`);
    await get(`${REPO}/actions/artifacts/${artifact.id}/zip`);
    await get(`${REPO}/actions/artifacts/${artifact.id + 1}/zip`);
    await get(`${REPO}/compare/main...${pull.headSha}`);
    await get(`${REPO}/commits/main`);
    await get(`${REPO}/commits/nowhere`);
    expect(answered).toEqual([
      200, 403, 401, 200, 200, 404, 200, 200, 200, 200, 200, 200, 200, 200, 200, 302, 410, 200, 200, 422,
    ]);
    const changed = await ask(double, "PATCH", `${REPO}/issues/comments/${comment.id}`, { body: { body: "new" } });
    expect(changed.body).toMatchObject({ body: "new", user: { login: "github-actions[bot]", type: "Bot" } });
    const created = await ask(double, "POST", `${REPO}/issues/2/comments`, { body: { body: "x" }, token: "pat" });
    // What is not named in a token's permissions may be read only.
    expect(created.status).toBe(403);
    expect((await ask(double, "DELETE", `${REPO}/issues/comments/${comment.id}`)).status).toBe(204);
    expect(double.commentsOf(1)).toEqual([]);
  });
});

describe("state", () => {
  test("listings have pages and links to them", async () => {
    await using double = await GitHubDouble.start();
    for (let i = 0; i < 5; i += 1) double.addComment({ body: String(i) });
    const second = await ask(double, "GET", `${REPO}/issues/1/comments?per_page=2&page=2`);
    expect(second.body).toMatchObject([{ body: "2" }, { body: "3" }]);
    const address = `${double.url}${REPO}/issues/1/comments?per_page=2&page=`;
    expect(second.headers.get("link")).toBe(
      [
        `<${address}1>; rel="prev"`,
        `<${address}1>; rel="first"`,
        `<${address}3>; rel="next"`,
        `<${address}3>; rel="last"`,
      ].join(", "),
    );
    const last = await ask(double, "GET", `${REPO}/issues/1/comments?per_page=2&page=3`);
    expect(last.body).toMatchObject([{ body: "4" }]);
    expect(last.headers.get("link")).not.toContain("next");
  });

  test("runs are filtered and the newest comes first, a fork's among them", async () => {
    await using double = await GitHubDouble.start();
    const first = double.addRun();
    const fork = double.addRun({ event: "pull_request", headRepository: "someone/server" });
    double.addRun({ workflowFile: "other.yml" });
    double.addRun({ headBranch: "feature", conclusion: "cancelled" });
    const idsOf = async (query: string) => {
      const { body } = await ask(double, "GET", `${REPO}/actions/workflows/bench.yml/runs?${query}`);
      return (body?.workflow_runs ?? []).map((run) => Number(run.id));
    };
    expect(await idsOf("branch=main")).toEqual([fork.id, first.id]);
    expect(await idsOf("branch=main&event=push")).toEqual([first.id]);
    expect(await idsOf("status=cancelled")).toHaveLength(1);
    expect(await idsOf(`head_sha=${first.headSha}`)).toEqual([first.id]);
  });

  test("comments are refused when they are locked, too long or empty, or the token reads only", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    double.addPull({ locked: true });
    double.addToken("reader", { login: "reader[bot]", kind: "installation", permissions: { issues: "read" } });
    const post = async (issue: number, body: string, token = double.token) =>
      (await ask(double, "POST", `${REPO}/issues/${issue}/comments`, { body: { body }, token })).status;
    expect(await post(1, "x".repeat(65_536))).toBe(201);
    expect(await post(1, "x".repeat(65_537))).toBe(422);
    expect(await post(1, " ")).toBe(422);
    expect(await post(2, "x")).toBe(403);
    expect(await post(3, "x")).toBe(404);
    expect(await post(1, "x", "reader")).toBe(403);
  });
});

describe("faults and hooks", () => {
  test("are used up in order, and log what was answered", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    const path = /\/issues\/1\/comments$/;
    double.fail({ method: "POST", path, status: 503, headers: { "retry-after": "1" }, times: 2 });
    double.fail({ method: "POST", path, dropAfterApplying: true });
    const post = () => ask(double, "POST", `${REPO}/issues/1/comments`, { body: { body: "x" } });
    expect((await ask(double, "GET", `${REPO}/issues/1/comments`)).status).toBe(200);
    expect((await post()).headers.get("retry-after")).toBe("1");
    expect((await post()).status).toBe(503);
    expect(double.commentsOf(1)).toHaveLength(0);
    expect((await post()).status).toBe(502);
    expect(double.commentsOf(1)).toHaveLength(1);
    expect((await post()).status).toBe(201);
    expect(double.requests.map(({ status }) => status)).toEqual([200, 503, 503, 502, 201]);
    expect(double.apiCalls).toBe(5);
  });

  test("may keep silent or cut the connection, before the work or after it", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    const path = /comments/;
    double.fail({ path, timeout: true });
    double.fail({ path, reset: true, dropAfterApplying: true });
    const send = (signal?: AbortSignal) =>
      fetch(`${double.url}${REPO}/issues/1/comments`, {
        method: "POST",
        headers: { authorization: `token ${double.token}` },
        body: JSON.stringify({ body: "x" }),
        ...(signal ? { signal } : {}),
      });
    await expect(send(AbortSignal.timeout(50))).rejects.toThrow("timeout");
    expect(double.commentsOf(1)).toHaveLength(0);
    await expect(send()).rejects.toThrow("fetch failed");
    expect(double.commentsOf(1)).toHaveLength(1);
    expect(double.requests.map(({ status }) => status)).toEqual([undefined, undefined]);
  });

  test("hooks see the request before the work and after it", async () => {
    await using double = await GitHubDouble.start();
    double.addPull();
    const seen: string[] = [];
    const note = (when: string) => () => void seen.push(`${when}: ${double.commentsOf(1).length}`);
    double.before({ method: "POST", path: /comments/ }, note("before"));
    double.after({ method: "POST", path: /comments/ }, note("after"));
    await ask(double, "POST", `${REPO}/issues/1/comments`, { body: { body: "x" } });
    await ask(double, "POST", `${REPO}/issues/1/comments`, { body: { body: "y" } });
    expect(seen).toEqual(["before: 0", "after: 1"]);
  });
});

describe("artifacts through @actions/artifact", () => {
  test("an upload arrives with its digest, is listed, and comes back; its name is taken", async () => {
    await using double = await GitHubDouble.start();
    const run = double.addRun();
    const folder = await mkdtemp(join(tmpdir(), "server-bench-upload-"));
    try {
      const file = join(folder, "results.json");
      await writeFile(file, JSON.stringify({ text: "x".repeat(100_000) }));
      for (const [name, value] of Object.entries(double.runtimeEnv(run.id))) vi.stubEnv(name, value);
      vi.stubEnv("GITHUB_SERVER_URL", "https://github.com");
      const { DefaultArtifactClient } = await import("@actions/artifact");
      const client = new DefaultArtifactClient();
      const uploaded = await client.uploadArtifact("results", [file], folder);
      const listed = await ask(double, "GET", `${REPO}/actions/runs/${run.id}/artifacts`);
      expect(listed.body).toMatchObject({
        total_count: 1,
        artifacts: [
          { id: uploaded.id, name: "results", digest: `sha256:${uploaded.digest}`, size_in_bytes: uploaded.size },
        ],
      });
      const redirect = await ask(double, "GET", `${REPO}/actions/artifacts/${uploaded.id}/zip`);
      const address = redirect.headers.get("location") ?? "";
      expect(new URL(address).origin).toBe(double.blobUrl);
      const zip = Buffer.from(await (await fetch(address)).arrayBuffer());
      expect(sha256(zip)).toBe(`sha256:${uploaded.digest}`);
      expect(zip.length).toBe(uploaded.size);
      expect(zip.subarray(0, 2).toString()).toBe("PK");
      expect((await client.listArtifacts()).artifacts).toMatchObject([{ name: "results", id: uploaded.id }]);
      await expect(client.uploadArtifact("results", [file], folder)).rejects.toThrow("(409)");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("a token that is sent to blob storage is a violation, and a wrong signature gets nothing", async () => {
    await using double = await GitHubDouble.start();
    const artifact = double.addArtifact({ runId: double.addRun().id, zip: Buffer.from("zip") });
    const redirect = await ask(double, "GET", `${REPO}/actions/artifacts/${artifact.id}/zip`);
    const address = redirect.headers.get("location") ?? "";
    expect((await fetch(address.replace(/sig=./, "sig=-"))).status).toBe(403);
    await fetch(address, { headers: { authorization: "token test-token" } });
    expect(double.violations.splice(0)).toEqual([
      `a token was sent to blob storage: GET /actions/artifacts/${artifact.id}`,
    ]);
    artifact.expired = true;
    expect((await fetch(address)).status).toBe(404);
  });

  test("the results service knows its own tokens only", async () => {
    await using double = await GitHubDouble.start();
    const call = `${double.url}/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts`;
    const answer = await fetch(call, { method: "POST", headers: { authorization: "Bearer x.y.z" }, body: "{}" });
    expect(answer.status).toBe(401);
  });
});
