/** The round trip: a release on a double of GitHub, whose body gets the benchmarks. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGitHub } from "../../src/github/client.js";
import { attachFiles, type ReleaseFile } from "../../src/release/attach.js";
import { BEGIN, END } from "../../src/release/body.js";
import { refusedWords, updateRelease } from "../../src/release/update.js";
import { RELEASE_BODY_LIMIT, renderNotes } from "../../src/report/release/notes.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";
import { notesFacts, TAG } from "../support/release.js";

const LIMIT = RELEASE_BODY_LIMIT;
const PATCH = { method: "PATCH", path: /\/releases\/\d+$/ };
const GET = { method: "GET", path: /\/releases\/\d+$/ };

interface Change {
  readonly tag?: string;
  readonly render?: (limit: number) => string;
  readonly files?: readonly ReleaseFile[];
}

function update(github: GitHubDouble, change: Change = {}) {
  const render = (limit: number, attached: readonly string[]) => renderNotes(notesFacts({ attached }), limit);
  return updateRelease(quickClient(github), { tag: TAG, render, limit: LIMIT, files: [], ...change });
}

const writes = (github: GitHubDouble) => github.requests.filter(({ method }) => method === "PATCH");

it("writes into the release, and the second time only what changed", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: "## What's new\r\n\r\n- Faster\r\n" });
  github.addRelease({ tag: "v1.2.0", body: "Old" });
  expect(await update(github)).toMatchObject({ state: "written", draft: false });
  const first = release.body ?? "";
  expect(first.startsWith(`## What's new\r\n\r\n- Faster\r\n\n${BEGIN}\n\n## Benchmarks of v1.3.0`)).toBe(true);
  expect(first.endsWith(`\n\n${END}`)).toBe(true);
  expect(writes(github).map(({ body }) => Object.keys(body as object))).toEqual([["body"]]);
  expect(await update(github)).toMatchObject({ state: "unchanged" });
  expect(writes(github)).toHaveLength(1);
  // A person writes around it, in the browser, which makes every line end CRLF.
  const edited = `Intro\r\n${first.replaceAll(/\r?\n/g, "\r\n")}\r\nThanks @someone!\r\n`;
  release.body = edited;
  expect(await update(github, { render: () => "Other benchmarks" })).toMatchObject({ state: "written" });
  const [before, after] = [edited.slice(0, edited.indexOf(BEGIN)), edited.slice(edited.indexOf(END) + END.length)];
  expect(release.body).toBe(`${before}${BEGIN}\n\nOther benchmarks\n\n${END}${after}`);
  expect(github.state.releases[1]?.body).toBe("Old");
});

it("finds a draft, which stays one", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: null, draft: true });
  for (let i = 0; i < 120; i += 1) github.addRelease({ tag: `v0.${i}.0`, body: "Old" });
  expect(await update(github)).toMatchObject({ state: "written", draft: true });
  expect(release).toMatchObject({ draft: true, body: expect.stringContaining("## Benchmarks of v1.3.0") });
});

it("writes the text of an immutable release, and nothing else of it", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: "Notes", immutable: true });
  expect(await update(github)).toMatchObject({ state: "written" });
  expect(release.body).toMatch(/^Notes\n\n<!-- server-bench release: begin -->/);
});

it("says that a release is immutable where GitHub refuses to change its text", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: "Notes", immutable: true });
  github.fail({ ...PATCH, status: 422, body: { message: "Cannot modify an immutable release" } });
  expect(await update(github)).toMatchObject({
    state: "refused",
    reason: expect.stringMatching(
      /^422: .*Cannot modify an immutable release.*write the benchmarks while it is a draft$/,
    ),
  });
  expect(release.body).toBe("Notes");
});

it.each([
  ["124,000 characters", 124_000, "x"],
  ["124,000 characters that are several bytes each", 124_000, "é"],
])("fits into what a body of %s leaves", async (_, length, letter) => {
  await using github = await GitHubDouble.start();
  const own = letter.repeat(length);
  const release = github.addRelease({ tag: TAG, body: own });
  expect(await update(github)).toMatchObject({ state: "written" });
  expect(release.body?.startsWith(own)).toBe(true);
  expect(release.body?.length).toBeLessThanOrEqual(LIMIT);
  expect(release.body).toContain("**1 of 5 benchmarks is slower, by 7.0 %");
});

it("leaves a body without room as it is, and says so", async () => {
  await using github = await GitHubDouble.start();
  const own = "x".repeat(124_950);
  const release = github.addRelease({ tag: TAG, body: own });
  expect(await update(github)).toEqual({
    state: "refused",
    reason: expect.stringMatching(/has no room: .* leaves 0;/),
  });
  expect(release.body).toBe(own);
  expect(writes(github)).toEqual([]);
});

it("keeps what somebody else writes between the read and the write", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: "One" });
  github.before(GET, () => {
    release.body = "One and two";
  });
  expect(await update(github)).toMatchObject({ state: "written" });
  expect(release.body).toMatch(/^One and two\n\n<!-- server-bench release: begin -->/);
});

it("gives up when the body changes at every read, and says so", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: "0" });
  let edits = 0;
  github.before({ ...GET, times: Number.POSITIVE_INFINITY }, () => {
    edits += 1;
    release.body = String(edits);
  });
  expect(await update(github)).toMatchObject({ state: "refused", reason: expect.stringContaining("edited twice") });
  expect(release.body).toBe("2");
  expect(writes(github)).toEqual([]);
});

it.each([
  ["there is none", [], /^there is no release for v1\.3\.0.*create the release and run the job again/],
  ["two drafts are for the tag", [true, true], /^there are 2 drafts for v1\.3\.0: delete all but one/],
])("writes nothing where %s", async (_, drafts, reason) => {
  await using github = await GitHubDouble.start();
  for (const draft of drafts) github.addRelease({ tag: TAG, draft });
  expect(await update(github)).toEqual({ state: "refused", reason: expect.stringMatching(reason) });
  expect(writes(github)).toEqual([]);
});

it("says which permission is missing", async () => {
  await using github = await GitHubDouble.start({ permissions: { contents: "read" } });
  github.addRelease({ tag: TAG });
  expect(await update(github)).toMatchObject({
    state: "refused",
    reason: expect.stringContaining('"contents: write"'),
  });
});

it("asks for a tag with a slash by its whole name", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: "pkg/v1.0.0" });
  expect(await update(github, { tag: "pkg/v1.0.0" })).toMatchObject({ state: "written" });
  expect(release.body).toContain("Benchmarks");
});

it("a lost answer is no second write", async () => {
  await using github = await GitHubDouble.start();
  const release = github.addRelease({ tag: TAG, body: "Notes" });
  github.fail({ ...PATCH, dropAfterApplying: true });
  expect(await update(github)).toMatchObject({ state: "refused" });
  expect(writes(github)).toHaveLength(1);
  expect(await update(github)).toMatchObject({ state: "unchanged" });
  expect(release.body?.match(/server-bench release: begin/g)).toHaveLength(1);
});

describe("files of a release", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const POST = { method: "POST", path: /\/releases\/\d+\/assets$/ };
  const file = (name: string, contentType: string, text: string): ReleaseFile => {
    writeFileSync(join(folder, name), text);
    return { name, contentType, read: () => readFile(join(folder, name)) };
  };
  const files = (figures = '{"rows":1}') => [
    file("server-bench.html", "text/html; charset=utf-8", "<!doctype html>é"),
    file("server-bench-results.json", "application/json", figures),
  ];
  const stored = ({ assets }: { readonly assets: readonly { name: string; contentType: string; bytes: Buffer }[] }) =>
    assets.map(({ name, contentType, bytes }) => [name, contentType, bytes.toString("utf8")]);
  const uploads = (github: GitHubDouble) => github.requests.filter(({ method }) => method === "POST");
  const ATTACHED = { state: "attached", names: ["server-bench.html", "server-bench-results.json"] };

  it.each([true, false])("are attached (draft: %s), and replaced only where they differ", async (draft) => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes", draft });
    release.assets.push({
      id: 7,
      name: "server-1.3.0.tar.gz",
      contentType: "application/gzip",
      bytes: Buffer.from("x"),
    });
    expect(await update(github, { files: files() })).toMatchObject({ state: "written", draft, files: ATTACHED });
    expect(stored(release).slice(1)).toEqual([
      ["server-bench.html", "text/html; charset=utf-8", "<!doctype html>é"],
      ["server-bench-results.json", "application/json", '{"rows":1}'],
    ]);
    expect(release.body).toContain(
      "The page and all figures are files of this release: `server-bench.html` and `server-bench-results.json`.",
    );
    expect(await update(github, { files: files() })).toMatchObject({ state: "unchanged", files: ATTACHED });
    expect(uploads(github)).toHaveLength(2);
    expect(await update(github, { files: files('{"rows":2}') })).toMatchObject({ files: ATTACHED });
    expect(uploads(github)).toHaveLength(3);
    expect(stored(release).map(([name, , text]) => [name, text])).toEqual([
      ["server-1.3.0.tar.gz", "x"],
      ["server-bench.html", "<!doctype html>é"],
      ["server-bench-results.json", '{"rows":2}'],
    ]);
  });

  it("are not attached to an immutable release, which one line says; its notes are written", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes", immutable: true });
    expect(await update(github, { files: files() })).toMatchObject({
      state: "written",
      files: {
        state: "not-attached",
        reason:
          "server-bench.html and server-bench-results.json were not attached: the release is immutable; files can be attached only while it is a draft",
      },
    });
    expect(release.assets).toEqual([]);
    expect(release.body).not.toContain("files of this release");
    expect(uploads(github)).toEqual([]);
  });

  it("that were attached while the release was a draft count when it is immutable", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes", draft: true });
    await update(github, { files: files() });
    Object.assign(release, { draft: false, immutable: true });
    expect(await update(github, { files: files() })).toMatchObject({ state: "unchanged", files: ATTACHED });
  });

  it("are sent again after a 502 that left an empty one", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes" });
    github.fail({ ...POST, status: 502 });
    github.after(POST, () => {
      release.assets.push({ id: 9, name: "server-bench.html", contentType: "text/html", bytes: Buffer.alloc(0) });
    });
    expect(await update(github, { files: files() })).toMatchObject({ files: ATTACHED });
    expect(stored(release).map(([name, , text]) => [name, text?.length])).toEqual([
      ["server-bench.html", 16],
      ["server-bench-results.json", 10],
    ]);
  });

  it("that cannot be sent leave the older one in its place, and the next time takes it", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes" });
    await update(github, { files: files() });
    const before = stored(release);
    github.fail({ ...POST, status: 502, times: 2 });
    expect(await update(github, { files: files('{"rows":2}') })).toMatchObject({ files: { state: "not-attached" } });
    expect(stored(release)).toEqual(before);
    expect(await update(github, { files: files('{"rows":2}') })).toMatchObject({ files: ATTACHED });
    expect(stored(release).map(([name, , text]) => [name, text])).toEqual([
      ["server-bench.html", "<!doctype html>é"],
      ["server-bench-results.json", '{"rows":2}'],
    ]);
  });

  it("are finished by the next time where the older one could not be deleted, or the new one not renamed", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes" });
    await update(github, { files: files() });
    for (const match of [{ method: "DELETE" }, { method: "PATCH" }]) {
      const rows = `{"rows":"${match.method}"}`;
      github.fail({ ...match, path: /\/releases\/assets\/\d+$/, status: 403, body: { message: "No" } });
      expect(await update(github, { files: files(rows) })).toMatchObject({ files: { state: "not-attached" } });
      expect(stored(release).map(([, , text]) => text)).toContain(rows);
      const sent = uploads(github).length;
      expect(await update(github, { files: files(rows) })).toMatchObject({ files: ATTACHED });
      expect(uploads(github)).toHaveLength(sent);
      expect(stored(release).map(([name, , text]) => [name, text])).toEqual([
        ["server-bench.html", "<!doctype html>é"],
        ["server-bench-results.json", rows],
      ]);
    }
  });

  it("may take longer than other requests", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes" });
    github.before(POST, () => new Promise((resolve) => setTimeout(resolve, 3000)));
    const { owner, repo, url, token } = github;
    const client = openGitHub({ owner, repo, apiUrl: url }, token, () => {}, { paced: false, timeoutMs: 1500 });
    const of = { id: release.id, url: "", body: "", draft: false, immutable: false };
    const uploadUrl = `${url}/repos/${owner}/${repo}/releases/${release.id}/assets{?name,label}`;
    expect(await attachFiles(client, { ...of, uploadUrl }, files())).toEqual(ATTACHED);
    expect(uploads(github)).toHaveLength(2);
  });

  it("are not attached where it is known before that the text has no place", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: `${BEGIN}\n${BEGIN}\n${END}` });
    const refused = await update(github, { files: files() });
    if (refused.state !== "refused") throw new Error("written");
    expect(refusedWords(refused)).toEqual({
      what: "release was not changed",
      why: expect.stringContaining("has a marker twice"),
    });
    expect(release.assets).toEqual([]);
    expect(github.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("are named where GitHub refuses the text after they were attached", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "" });
    github.fail({ ...PATCH, status: 403, body: { message: "Resource not accessible by integration" } });
    const refused = await update(github, { files: files() });
    if (refused.state !== "refused") throw new Error("written");
    const { what, why } = refusedWords(refused);
    expect(what).toBe("text of the release was not changed");
    expect(why).toMatch(/^403.*; attached to it: .+/);
    expect(release.assets).toHaveLength(2);
  });

  it("count where only the answer to an upload was lost", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes" });
    github.fail({ ...POST, reset: true, dropAfterApplying: true });
    expect(await update(github, { files: files() })).toMatchObject({ files: ATTACHED });
    expect(release.assets).toHaveLength(2);
    expect(uploads(github)).toHaveLength(2);
  });

  it("that GitHub refuses keep nothing from being written", async () => {
    await using github = await GitHubDouble.start();
    const release = github.addRelease({ tag: TAG, body: "Notes" });
    github.fail({ ...POST, status: 422 });
    expect(await update(github, { files: files() })).toMatchObject({
      state: "written",
      files: {
        state: "not-attached",
        reason: expect.stringMatching(
          /^server-bench\.html and server-bench-results\.json were not attached: 422: GitHub refuses POST /,
        ),
      },
    });
    expect(release.body).toContain("## Benchmarks of v1.3.0");
  });
});
