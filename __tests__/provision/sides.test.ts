/** Base from a real repository: its files are there, and the user's checkout is as it was. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { findBase, makeBase } from "../../src/provision/sides.js";

let temp: string;
let repository: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  repository = newRepository("work tree");
  commit(repository, { "bench/app.py": "old\n" });
  git(repository, "tag", "v1");
  commit(repository, { "bench/app.py": "new\n", "later/x": "x\n" });
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function newRepository(name: string): string {
  const folder = join(temp, name);
  mkdirSync(folder);
  git(folder, "init", "--quiet", "-b", "main");
  return folder;
}

function commit(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "-m", "Change");
}

/** All that a checkout could disturb: files, index, branches, worktrees, configuration. */
function stateOf(folder: string): string {
  const listed = [
    ["status", "--porcelain"],
    ["for-each-ref"],
    ["worktree", "list"],
    ["config", "--list", "--local"],
    ["stash", "list"],
    ["rev-parse", "HEAD"],
  ];
  return listed.map((args) => git(folder, ...args)).join("\n");
}

describe("a commit as base", () => {
  it("is checked out beside the user's files, which stay as they are", async () => {
    writeFileSync(join(repository, "bench/app.py"), "edited\n");
    writeFileSync(join(repository, "untracked"), "u\n");
    const before = stateOf(repository);
    const source = await findBase("v1", join(repository, "bench"));
    const side = await makeBase(source, join(repository, "bench"), join(temp, "base"));
    expect(readFileSync(join(side.cwd, "app.py"), "utf8")).toBe("old\n");
    expect(side.cwd).toBe(join(temp, "base", "bench"));
    expect(side.counterpart(join(repository, "bench/app.py"))).toBe(join(temp, "base/bench/app.py"));
    expect(side.counterpart("/elsewhere")).toBe("/elsewhere");
    expect(stateOf(repository)).toBe(before);
    expect(readFileSync(join(repository, "bench/app.py"), "utf8")).toBe("edited\n");
  });

  it("has its submodules from the user's", async () => {
    const inner = newRepository("inner");
    commit(inner, { "lib.py": "one\n" });
    git(repository, "submodule", "--quiet", "add", inner, "vendored/inner");
    commit(repository, {});
    const side = await makeBase(await findBase("HEAD", repository), repository, join(temp, "base"));
    expect(readFileSync(join(side.cwd, "vendored/inner/lib.py"), "utf8")).toBe("one\n");
    git(repository, "submodule", "deinit", "--force", "--all");
    await expect(findBase("HEAD", repository)).rejects.toThrow(
      /^--base HEAD: its submodule vendored\/inner is at commit [0-9a-f]{40}, which is not in .*; run git submodule update --init/,
    );
    await expect(findBase(repository, "/")).rejects.toThrow(/the submodule vendored\/inner is not checked out/);
  });
});

describe("a folder as base", () => {
  it("is taken as it is", async () => {
    mkdirSync(join(temp, "plain"));
    const side = await makeBase(await findBase("../plain", repository), repository, join(temp, "base"));
    expect(side.cwd).toBe(join(temp, "plain"));
    expect(side.counterpart(join(repository, "bench"))).toBe(join(temp, "plain/bench"));
  });
});

describe("what is no base", () => {
  it.each([
    ["nowhere", /^--base nowhere: neither a folder nor a commit of .*; give a branch, a tag or a commit/],
    ["--upload-pack=x", /neither a folder nor a commit/],
    ["bench/app.py", /is a file; give a folder or a git reference/],
  ])("%s", async (given, message) => {
    const failure = findBase(given, repository);
    await expect(failure).rejects.toThrow(InputError);
    await expect(failure).rejects.toThrow(message);
  });

  it("a reference outside of a repository", async () => {
    await expect(findBase("main", temp)).rejects.toThrow(
      /there is no folder .*\/main, and .* is not in a git repository/,
    );
  });

  it("a commit without the folder that the run was started in", async () => {
    const cwd = join(repository, "later");
    await expect(makeBase(await findBase("v1", cwd), cwd, join(temp, "base"))).rejects.toThrow(
      "--base v1: has no folder later, in which this run was started",
    );
  });
});
