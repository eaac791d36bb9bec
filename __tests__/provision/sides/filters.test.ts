/** Base's files of Git LFS and of other filters. The programs themselves are not needed: a clone holds what they left. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { borrowIndex } from "../../../src/provision/sides/checkout.js";
import { findBase, makeBase } from "../../../src/provision/sides/sides.js";
import { commit, git, newRepository, stateOf, writeFiles } from "../../support/repository.js";

let temp: string;
let repository: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  repository = newRepository(join(temp, "checkout"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** What git holds of a file in Git LFS. */
function pointer(content: string): string {
  const oid = createHash("sha256").update(content).digest("hex");
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
}

/** Where `git lfs` keeps a content. */
function stored(content: string, text = content): Record<string, string> {
  const oid = createHash("sha256").update(content).digest("hex");
  return { [`.git/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`]: text };
}

/** Two commits, as a clone after `git lfs install --local` has them: pointers in git, content in head's files. */
function twoCommits(): string {
  for (const [key, value] of [
    ["clean", "git-lfs clean -- %f"],
    ["process", "git-lfs filter-process"],
    ["required", "true"],
  ])
    git(repository, "config", `filter.lfs.${key}`, String(value));
  const plain = ["-c", "filter.lfs.process=", "-c", "filter.lfs.clean=cat", "-c", "filter.lfs.required=false"];
  let base = "";
  for (const content of ["old words\n", "new words\n"]) {
    writeFiles(repository, { ".gitattributes": "*.bin filter=lfs\n", "modèles/a.bin": pointer(content) });
    git(repository, ...plain, "add", "--all");
    git(repository, ...plain, "commit", "--quiet", "-m", "Change");
    base ||= git(repository, "rev-parse", "HEAD");
  }
  writeFiles(repository, { "modèles/a.bin": "new words\n", ...stored("new words\n") });
  return base;
}

async function made(sha: string): Promise<string> {
  return (await makeBase(await findBase(sha, repository, "commit"), repository, join(temp, "base"))).cwd;
}

describe("a file in Git LFS", () => {
  it("has its content in base too, where only the clone is set up for it", async () => {
    const base = twoCommits();
    writeFiles(repository, stored("old words\n"));
    const before = stateOf(repository);
    const cwd = await made(base);
    expect(readFileSync(join(cwd, "modèles/a.bin"), "utf8")).toBe("old words\n");
    expect(git(cwd, "status", "--porcelain")).toBe("");
    expect(stateOf(repository)).toBe(before);
    // Nor is the copy that is built a changed one.
    const copy = join(temp, "copy");
    await borrowIndex(cwd, copy);
    writeFiles(copy, { ".gitattributes": "*.bin filter=lfs\n", "modèles/a.bin": "old words\n" });
    expect(git(copy, "status", "--porcelain")).toBe("");
  });

  it.each([
    ["was never fetched", {}],
    ["is another one than its digest says", stored("old words\n", "odd words\n")],
  ])("has a message that says what to fetch where it %s", async (_, files) => {
    const base = twoCommits();
    writeFiles(repository, files);
    await expect(made(base)).rejects.toThrow(
      `cannot check out ${base}: the clone lacks the content of modèles/a.bin, which is in Git LFS; run git lfs fetch origin ${base}`,
    );
  });

  it("is a pointer in base where it is one in head", async () => {
    const base = twoCommits();
    writeFiles(repository, { "modèles/a.bin": pointer("new words\n"), ...stored("old words\n") });
    expect(readFileSync(join(await made(base), "modèles/a.bin"), "utf8")).toBe(pointer("old words\n"));
  });

  it("is also looked for in a submodule, in a store of another place", async () => {
    const base = twoCommits();
    writeFiles(repository, stored("old words\n"));
    for (const key of ["process", "required", "clean"]) git(repository, "config", "--unset", `filter.lfs.${key}`);
    const outer = newRepository(join(temp, "outer"));
    git(repository, "checkout", "--quiet", "--force", "--detach", base);
    git(outer, "submodule", "--quiet", "add", repository, "inner");
    commit(outer, {});
    const store = join(outer, ".git/modules/inner");
    git(join(outer, "inner"), "config", "lfs.storage", "elsewhere");
    for (const [name, text] of Object.entries(stored("old words\n")))
      writeFiles(store, { [name.replace(".git/lfs", "elsewhere")]: text });
    writeFiles(outer, { "inner/modèles/a.bin": "old words\n" });
    const side = await makeBase(await findBase("HEAD", outer, "commit"), outer, join(temp, "base"));
    expect(readFileSync(join(side.cwd, "inner/modèles/a.bin"), "utf8")).toBe("old words\n");
  });
});

describe("another filter of the clone's configuration", () => {
  const sha = () =>
    commit(repository, { ".gitattributes": "*.key filter=git-crypt\n", "a.key": "x\n", "b.txt": "x\n" });

  it("is refused and named where it makes files of base", async () => {
    const base = sha();
    git(repository, "config", "filter.git-crypt.smudge", '"git-crypt" smudge');
    await expect(made(base)).rejects.toThrow(
      "the clone's own configuration has the filter git-crypt, which makes a.key in head and would not in base; a clone's own programs are not run: set it up with git config --global filter.git-crypt.smudge",
    );
  });

  it.each([
    ["filter.git-crypt.clean", "git-crypt clean"],
    ["filter.git-crypt.smudge", "cat"],
    ["filter.other.smudge", "other"],
  ])("does not matter where it changes no file: %s", async (key, value) => {
    const base = sha();
    git(repository, "config", key, value);
    expect(readFileSync(join(await made(base), "a.key"), "utf8")).toBe("x\n");
  });
});

describe("settings of the clone", () => {
  it.each([
    ["line ends", ["config", "core.autocrlf", "true"], "one\r\n", true],
    ["a part of the files", ["sparse-checkout", "set", "--no-cone", "/*", "!/data"], "one\n", false],
  ])("make the same files in base: %s", async (_, setting, content, hasData) => {
    commit(repository, { "a.txt": "one\n", "data/b.txt": "two\n" });
    git(repository, ...setting);
    const cwd = await made("HEAD");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe(content);
    expect(existsSync(join(cwd, "data/b.txt"))).toBe(hasData);
    expect(git(cwd, "status", "--porcelain")).toBe("");
  });
});
