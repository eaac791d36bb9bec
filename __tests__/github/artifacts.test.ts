import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ArtifactRef, listResultsArtifacts } from "../../src/github/artifacts.js";
import type { GitHub } from "../../src/github/client.js";
import { downloadArtifact, MAX_ZIP_BYTES } from "../../src/github/download-artifact.js";
import { readPlanArtifact, readResultsArtifact } from "../../src/github/read-artifact.js";
import { planFileOf } from "../../src/plan/matrix.js";
import { formatResults } from "../../src/results/layout.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble, type StoredArtifact } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";
import { makeZip } from "../support/zip.js";

const RUN = 77;
const resultsText = formatResults(sampleResults());
const zip = makeZip([
  { name: "report.md", data: "# report" },
  { name: "results.json", data: resultsText },
]);
const quick = { retryBaseMs: 1 };

let double: GitHubDouble;
let github: GitHub;

beforeEach(async () => {
  double = await GitHubDouble.start();
  github = quickClient(double);
  double.addRun({ id: RUN });
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

function add(change: Partial<StoredArtifact> = {}): ArtifactRef {
  const stored = double.addArtifact({ runId: RUN, zip, name: "server-bench-results", ...change });
  const { id, name, digest, expired } = stored;
  return { id, name, sizeInBytes: stored.zip.length, digest: digest ?? undefined, expired };
}

async function names(...asked: readonly [results?: string, plan?: string]): Promise<string[]> {
  const listed = await listResultsArtifacts(github, RUN, ...asked);
  if (listed.state !== "listed") throw new Error(listed.failure.message);
  return listed.artifacts.map((artifact) => artifact.name);
}

/** Another host than GitHub's API, as the store of the artifacts is one. */
async function blobHost(answer: RequestListener) {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    headers,
    url: `http://127.0.0.1:${port}/zip?sig=abc`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The next download is sent to this address. */
function redirectTo(location: string): void {
  double.fail({ path: /\/zip$/, status: 302, headers: { location } });
}

describe("listResultsArtifacts", () => {
  it("takes names of exactly our forms, the newest of each", async () => {
    for (const name of ["server-bench-results", "server-bench-results-2-of-2", "server-bench-results-1-of-2"])
      add({ name });
    add({ name: "server-bench-plan" });
    const strange = ["x-server-bench-results", "server-bench-results-", "server-bench-results-0-of-2"];
    strange.push(
      "server-bench-results-1-of-257",
      "server-bench-results-3-of-2",
      "server-bench-results-1-of-2-x",
      "server-bench-results-10",
    );
    strange.push(
      "Server-Bench-Results",
      "server-bench-results\n",
      "server-bench-results-1-of-2-of-3",
      "server-bench-planner",
    );
    for (const name of strange) add({ name });
    const newest = add({ name: "server-bench-results-1-of-2-2" });
    const listed = await listResultsArtifacts(github, RUN);
    expect(listed).toMatchObject({
      artifacts: [
        { name: "server-bench-results", kind: "results", expired: false, sizeInBytes: zip.length },
        { name: "server-bench-plan", kind: "plan" },
        { id: newest.id, kind: "results", shard: { index: 1, of: 2 }, digest: newest.digest },
        { name: "server-bench-results-2-of-2", shard: { index: 2, of: 2 } },
      ],
    });
  });

  it("takes the newest attempt's, and no shards of another count", async () => {
    for (const name of ["1-of-3", "2-of-3", "3-of-3"]) add({ name: `server-bench-results-${name}` });
    add();
    for (const name of ["1-of-2", "2-of-2"]) add({ name: `server-bench-results-${name}` });
    const same = add();
    const listed = await listResultsArtifacts(github, RUN);
    expect(listed).toMatchObject({ artifacts: [{ id: same.id }, {}, {}] });
    expect(await names()).toEqual([
      "server-bench-results",
      "server-bench-results-1-of-2",
      "server-bench-results-2-of-2",
    ]);
    if (listed.state === "listed") expect(listed.artifacts.flatMap(({ others }) => others)).toEqual([]);
  });

  it("names those of other jobs, which took the same name in one attempt", async () => {
    add();
    add({ name: "server-bench-results-3" });
    const newest = add({ name: "server-bench-results-2" });
    for (const name of ["plan", "plan-2", "results-1-of-2", "results-2-of-2", "results-2-of-2-2"])
      add({ name: `server-bench-${name}` });
    expect(await listResultsArtifacts(github, RUN)).toMatchObject({
      artifacts: [
        { id: newest.id, others: ["server-bench-results", "server-bench-results-3"] },
        { kind: "plan", name: "server-bench-plan-2", others: ["server-bench-plan"] },
        { shard: { index: 1, of: 2 }, others: [] },
        { shard: { index: 2, of: 2 }, others: ["server-bench-results-2-of-2"] },
      ],
    });
  });

  it("names no other job where only a number is left: the name was taken by an upload that broke off", async () => {
    add({ name: "server-bench-results-2" });
    expect(await listResultsArtifacts(github, RUN)).toMatchObject({ artifacts: [{ others: [] }] });
  });

  it("looks through all pages", async () => {
    add();
    for (let i = 0; i < 250; i += 1) add({ name: `coverage-${i}`, zip: Buffer.from("x") });
    add({ name: "server-bench-results-1-of-1" });
    expect(await names()).toEqual(["server-bench-results", "server-bench-results-1-of-1"]);
    expect(github.calls).toBe(3);
  });

  it("takes another name", async () => {
    add();
    add({ name: "nightly" });
    add({ name: "nightly-1-of-1" });
    add({ name: "nightly-plan" });
    expect(await names("nightly", "nightly-plan")).toEqual(["nightly", "nightly-plan", "nightly-1-of-1"]);
  });

  it("marks expired ones, and says what GitHub refused", async () => {
    add({ expired: true });
    expect(await listResultsArtifacts(github, RUN)).toMatchObject({ artifacts: [{ expired: true }] });
    double.fail({ path: /\/artifacts$/, status: 403, body: { message: "Resource not accessible by integration" } });
    expect(await listResultsArtifacts(github, RUN)).toMatchObject({
      state: "refused",
      failure: { kind: "forbidden", message: expect.stringContaining("actions: read") },
    });
  });
});

describe("downloadArtifact", () => {
  it("gives the zip, by one call", async () => {
    const artifact = add();
    expect(await downloadArtifact(github, artifact)).toEqual({ state: "downloaded", zip });
    expect(github.calls).toBe(1);
  });

  it("keeps the token from the host that has the bytes", async () => {
    await using host = await blobHost((_, response) => response.end(zip));
    redirectTo(host.url);
    expect(await downloadArtifact(github, add())).toMatchObject({ state: "downloaded" });
    expect(double.requests.at(-1)?.headers.authorization).toContain(double.token);
    expect(host.headers).toHaveLength(1);
    expect(JSON.stringify(host.headers)).not.toContain(double.token);
    expect(host.headers[0]?.authorization).toBeUndefined();
  });

  it("follows a redirect whose answer is a page", async () => {
    await using host = await blobHost((_, response) => response.end(zip));
    double.fail({ path: /\/zip$/, status: 302, headers: { location: host.url }, body: "<html>Moved</html>" });
    expect(await downloadArtifact(github, add())).toEqual({ state: "downloaded", zip });
  });

  it("refuses one flipped byte, and another digest", async () => {
    const flipped = Buffer.from(zip);
    flipped.writeUInt8(flipped.readUInt8(200) ^ 1, 200);
    const artifact = add();
    await using host = await blobHost((_, response) => response.end(flipped));
    redirectTo(host.url);
    expect(await downloadArtifact(github, artifact)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^artifact server-bench-results \(\d+\): the download .* is not what was uploaded/),
    });
    expect(await readResultsArtifact(github, add({ digest: `sha256:${"0".repeat(64)}` }))).toMatchObject({
      state: "refused",
    });
    expect(await downloadArtifact(github, add({ digest: "md5:abc" }))).toMatchObject({ state: "refused" });
    expect(await downloadArtifact(github, add({ digest: null }))).toMatchObject({ state: "downloaded" });
  });

  it("tells what is gone from what is wrong", async () => {
    const expired = add({ expired: true });
    expect(await downloadArtifact(github, expired)).toMatchObject({
      state: "gone",
      reason: expect.stringMatching(/has expired/),
    });
    expect(github.calls).toBe(0);
    expect(await downloadArtifact(github, { ...expired, expired: false })).toMatchObject({
      state: "gone",
      reason: expect.stringContaining("has expired"),
    });
    expect(await downloadArtifact(github, { ...expired, id: 999_999, expired: false })).toMatchObject({
      state: "gone",
      reason: "artifact server-bench-results (999999) is no longer there (404)",
    });
    double.fail({ path: /\/zip$/, status: 401, body: { message: "Bad credentials" } });
    expect(await downloadArtifact(github, add())).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/401/),
    });
  });

  it("tries a failing store again, three times in all", async () => {
    let answers = [503, 500, 200];
    await using host = await blobHost((_, response) => {
      response.statusCode = answers.shift() ?? 200;
      response.end(zip);
    });
    redirectTo(host.url);
    expect(await downloadArtifact(github, add(), quick)).toMatchObject({ state: "downloaded" });
    answers = [503, 503, 503, 200];
    redirectTo(host.url);
    expect(await downloadArtifact(github, add(), quick)).toMatchObject({
      state: "refused",
      reason: expect.stringContaining("the download answered 503: try again later"),
    });
    expect(answers).toEqual([200]);
    answers = [404];
    redirectTo(host.url);
    expect(await downloadArtifact(github, add(), quick)).toMatchObject({ state: "gone" });
    answers = [403];
    redirectTo(host.url);
    expect(await downloadArtifact(github, add(), quick)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/403/),
    });
  });

  it("says that a download broke off", async () => {
    await using host = await blobHost((_, response) => {
      response.writeHead(200, { "content-length": zip.length });
      response.write(zip.subarray(0, 50), () => response.destroy());
    });
    redirectTo(host.url);
    expect(await downloadArtifact(github, add(), quick)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/broke off/),
    });
    expect(host.headers).toHaveLength(3);
  });

  it("stops at the limit, whatever was announced", async () => {
    const artifact = add();
    expect(await downloadArtifact(github, { ...artifact, sizeInBytes: MAX_ZIP_BYTES + 1 })).toMatchObject({
      state: "refused",
      reason: expect.stringContaining("is larger than 64 MiB"),
    });
    expect(github.calls).toBe(0);
    let sent = 0;
    await using host = await blobHost((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const more = () => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    });
    redirectTo(host.url);
    expect(await downloadArtifact(github, artifact)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/larger than 64 MiB/),
    });
    expect(sent).toBeLessThan(2 * MAX_ZIP_BYTES);
  });

  it.each(["file:///etc/passwd", "ftp://127.0.0.1/x", "nonsense"])("refuses the address %s", async (location) => {
    redirectTo(location);
    expect(await downloadArtifact(github, add())).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/no https address/),
    });
  });
});

describe("readResultsArtifact", () => {
  const read = (data: string | Buffer) =>
    readResultsArtifact(github, add({ zip: makeZip([{ name: "results.json", data, method: 0 }]) }));

  it("gives the results", async () => {
    expect(await readResultsArtifact(github, add())).toMatchObject({ state: "read", results: sampleResults() });
  });

  it("refuses an archive that is hostile, and one without results", async () => {
    const hostile = makeZip([
      { name: "results.json", data: resultsText },
      { name: "../x", data: "" },
    ]);
    expect(await readResultsArtifact(github, add({ zip: hostile }))).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^artifact server-bench-results \(\d+\): refused: invalid relative path: \.\.\/x$/),
    });
    expect(await readResultsArtifact(github, add({ zip: makeZip([]) }))).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^artifact server-bench-results \(\d+\): holds no results\.json$/),
    });
  });

  it.each([
    [
      "__proto__",
      resultsText.replace('"tool": {', '"tool": {"__proto__": {"polluted": 1}, '),
      /__proto__: unknown field/,
    ],
    ["1e999", resultsText.replace('"measuredSec": 291', '"measuredSec": 1e999'), /expected a finite number/],
    ["deep nesting", "[".repeat(100_000) + "]".repeat(100_000), /nested deeper/],
    ["deep objects", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, /nested deeper/],
    ["a wrong type", resultsText.replace('"connections": 256', '"connections": "256"'), /connections: expected number/],
    [
      "a name that every object inherits",
      resultsText.replace('"measuredSec"', '"toString": 1, "measuredSec"'),
      /toString: unknown field/,
    ],
    ["half a file", resultsText.slice(0, 1000), /ends in the middle/],
    ["another version", resultsText.replace('"version": 1', '"version": 2'), /written by a newer server-bench/],
  ])("refuses %s, naming artifact and file", async (_, text, message) => {
    expect(text).not.toBe(resultsText);
    expect(await read(text)).toMatchObject({ state: "refused", reason: expect.stringMatching(message) });
    expect(await read(text)).toMatchObject({
      reason: expect.stringMatching(/^artifact server-bench-results \(\d+\): results\.json: /),
    });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("reads the plan the same way", async () => {
    const plan = planFileOf([{ index: 1, of: 1, rows: ["interfaces/rsgi-bytes"], expectedSec: 60 }]);
    const planZip = makeZip([{ name: "plan.json", data: JSON.stringify(plan) }]);
    const artifact = add({ name: "server-bench-plan", zip: planZip });
    expect(await readPlanArtifact(github, artifact)).toEqual({ state: "read", plan });
    expect(await readResultsArtifact(github, artifact)).toMatchObject({ state: "refused" });
    const wrong = add({ zip: makeZip([{ name: "plan.json", data: JSON.stringify({ ...plan, version: 9 }) }]) });
    expect(await readPlanArtifact(github, wrong)).toMatchObject({ state: "refused" });
    expect(await readPlanArtifact(github, add({ expired: true }))).toMatchObject({ state: "gone" });
  });
});
