/** The base of a pull request in checkouts as CI makes them: a whole clone, GitHub's merge commit at depth 1, and without a remote. */
import { chownSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PullRequestBase, pullRequestBase } from "../../../src/provision/sides/pull-request-base.js";
import { findBase, makeBase } from "../../../src/provision/sides/sides.js";
import { commit, git, newRepository, stateOf } from "../../support/repository.js";

let temp: string;
/** main: fork, later; topic: topic; merge of topic into main, as GitHub makes it. */
let origin: string;
let shas: { fork: string; later: string; topic: string; merge: string };
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  origin = newRepository(join(temp, "origin"));
  git(origin, "config", "uploadpack.allowAnySHA1InWant", "true");
  const fork = commit(origin, { "app.py": "one\n" });
  git(origin, "checkout", "--quiet", "-b", "topic");
  const topic = commit(origin, { "topic.py": "x\n" });
  git(origin, "checkout", "--quiet", "main");
  const later = commit(origin, { "app.py": "two\n" });
  git(origin, "checkout", "--quiet", "--detach");
  git(origin, "merge", "--quiet", "--no-ff", "-m", "Merge topic into main", "topic");
  const merge = git(origin, "rev-parse", "HEAD");
  git(origin, "update-ref", "refs/pull/7/merge", merge);
  git(origin, "checkout", "--quiet", "main");
  shas = { fork, later, topic, merge };
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** What actions/checkout does: one reference, with all history or none, on no branch. */
function checkedOut(ref: string, depth?: number): string {
  const folder = newRepository(join(temp, "checkout"));
  git(folder, "remote", "add", "origin", `file://${origin}`);
  const history = depth === undefined ? [] : [`--depth=${depth}`];
  git(folder, "fetch", "--quiet", "--no-tags", ...history, "origin", `+${ref}:refs/remotes/pull/7/merge`);
  git(folder, "checkout", "--quiet", "--detach", "refs/remotes/pull/7/merge");
  return folder;
}

function found(sha: string): PullRequestBase {
  return { state: "found", ref: sha, sha };
}

describe("GitHub's merge commit", () => {
  it("is compared with the base branch as GitHub merged it, which the event's base may be behind", async () => {
    const folder = checkedOut("refs/pull/7/merge");
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.fork })).toEqual(found(shas.later));
  });

  it("gets its parent fetched into a clone of depth 1, and no reference moves", async () => {
    const folder = checkedOut("refs/pull/7/merge", 1);
    const before = stateOf(folder);
    const base = await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.fork });
    expect(base).toEqual(found(shas.later));
    expect(stateOf(folder)).toBe(before);
    expect(git(folder, "rev-parse", "--is-shallow-repository")).toBe("true");
    const side = await makeBase(await findBase(shas.later, folder, "commit"), folder, join(temp, "base"));
    expect(git(side.cwd, "ls-files")).toBe("app.py");
    // It is there now: no remote is asked again.
    renameSync(origin, join(temp, "gone"));
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.fork })).toEqual(base);
  });

  it("has no base where the remote is gone, and the reason says what to do", async () => {
    const folder = checkedOut("refs/pull/7/merge", 1);
    git(folder, "remote", "set-url", "origin", `file://user:secret@localhost${temp}/nowhere`);
    const base = await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.fork });
    expect(base).toMatchObject({
      state: "missing",
      reason: expect.stringMatching(
        new RegExp(
          `^the commit ${shas.later.slice(0, 12)} is not in the checkout: give actions/checkout "fetch-depth: 0" \\(fetching it failed: fatal: .*\\)$`,
        ),
      ),
    });
    expect(base).not.toMatchObject({ reason: expect.stringContaining("secret") });
  });
});

describe("the pull request's own commit", () => {
  it("is compared with where it left the base branch", async () => {
    const folder = checkedOut("topic");
    git(folder, "fetch", "--quiet", "origin", "main:refs/remotes/origin/main");
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.later })).toEqual(found(shas.fork));
  });

  it("gets the base branch fetched into a whole clone, which stays whole", async () => {
    const folder = checkedOut("topic");
    const before = stateOf(folder);
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.later })).toEqual(found(shas.fork));
    expect(stateOf(folder)).toBe(before);
    expect(git(folder, "rev-parse", "--is-shallow-repository")).toBe("false");
  });

  it("has no base in a shallow clone, which does not show where it left", async () => {
    const folder = checkedOut("topic", 1);
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.later })).toEqual({
      state: "missing",
      reason: `the checkout is shallow, so that it does not show where ${shas.topic.slice(0, 12)} left the base branch (${shas.later.slice(0, 12)}); give actions/checkout "fetch-depth: 0"`,
    });
  });

  it("may be a merge itself: only GitHub's own is compared with its parent", async () => {
    const folder = checkedOut("refs/pull/7/merge");
    expect(await pullRequestBase(folder, { sha: "0".repeat(40), baseSha: shas.fork })).toEqual(found(shas.fork));
  });

  it("is unrelated to a branch without a commit in common", async () => {
    git(origin, "checkout", "--quiet", "--orphan", "other");
    const other = commit(origin, {});
    const folder = checkedOut("topic");
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: other })).toMatchObject({
      reason: expect.stringMatching(/have no commit in common$/),
    });
  });
});

describe("no checkout", () => {
  it.each([
    ["no repository", () => temp],
    ["no commit", () => newRepository(join(temp, "unborn"))],
  ])("%s", async (_, folder) => {
    expect(await pullRequestBase(folder(), { sha: shas.merge, baseSha: shas.later })).toMatchObject({
      state: "missing",
      reason: expect.stringMatching(/^no commit is checked out in .*/),
    });
  });

  it.skipIf(process.getuid?.() !== 0)("that git trusts, and what to do", async () => {
    const folder = checkedOut("topic");
    for (const path of [folder, join(folder, ".git")]) chownSync(path, 1234, 1234);
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: shas.later })).toEqual({
      state: "missing",
      reason: `no commit is checked out in ${folder}: fatal: detected dubious ownership in repository at '${folder}'; in a step before this one, run: git config --global --add safe.directory ${folder}`,
    });
  });

  it("takes nothing but a commit for the event's base", async () => {
    const folder = checkedOut("topic");
    expect(await pullRequestBase(folder, { sha: shas.merge, baseSha: "--upload-pack=touch x" })).toEqual({
      state: "missing",
      reason: "the base of the pull request is no commit: --upload-pack=touch x",
    });
  });
});
