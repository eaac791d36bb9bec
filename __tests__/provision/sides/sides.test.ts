/** Base from a real repository: its files are there, and the user's checkout is as it was. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readGit } from "../../../src/commands/run/git.js";
import { InputError } from "../../../src/errors.js";
import { ignoredNote } from "../../../src/provision/sides/ignored-files.js";
import { describeSource, findBase, makeBase } from "../../../src/provision/sides/sides.js";
import { commit, git, newRepository, stateOf, writeFiles } from "../../support/repository.js";

let temp: string;
let repository: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  repository = newRepository(join(temp, "work tree"));
  commit(repository, { "bench/app.py": "old\n" });
  git(repository, "tag", "v1");
  commit(repository, { "bench/app.py": "new\n", "later/x": "x\n" });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temp, { recursive: true, force: true });
});

/** What `--base GIVEN` makes, in a folder of this name. */
async function made(given: string, cwd = repository, name = "base") {
  return await makeBase(await findBase(given, cwd, "folder-or-commit"), cwd, join(temp, name));
}

/** As actions/checkout leaves it: nothing but the newest commit, on no branch. */
function shallowClone(): string {
  const clone = join(temp, "shallow");
  git(temp, "clone", "--quiet", "--depth=1", `file://${repository}`, clone);
  git(clone, "checkout", "--quiet", "--detach");
  git(clone, "branch", "--quiet", "-D", "main");
  return clone;
}

describe("a commit as base", () => {
  it("is checked out beside the user's files, which stay as they are", async () => {
    writeFileSync(join(repository, "bench/app.py"), "edited\n");
    writeFileSync(join(repository, "untracked"), "u\n");
    const before = stateOf(repository);
    const side = await made("v1", join(repository, "bench"));
    expect(readFileSync(join(side.cwd, "app.py"), "utf8")).toBe("old\n");
    expect(side.cwd).toBe(join(temp, "base", "bench"));
    expect(side.counterpart(join(repository, "bench/app.py"))).toBe(join(temp, "base/bench/app.py"));
    expect(side.counterpart("/elsewhere")).toBe("/elsewhere");
    expect(side.withCommitNames(`${side.cwd}/mine.yml:3: wrong`)).toBe("v1:bench/mine.yml:3: wrong");
    expect(stateOf(repository)).toBe(before);
    expect(readFileSync(join(repository, "bench/app.py"), "utf8")).toBe("edited\n");
  });

  it("is a repository of its own with the user's tags, for builds that ask git for a version", async () => {
    git(repository, "tag", "-a", "-m", "Tagged", "v2");
    const { cwd } = await made("HEAD");
    expect(git(cwd, "describe", "--tags")).toBe("v2");
    expect(git(cwd, "status", "--porcelain")).toBe("");
    git(cwd, "tag", "-d", "v2");
    expect(git(repository, "describe", "--tags")).toBe("v2");
  });

  it("has its submodules from the user's", async () => {
    const inner = newRepository(join(temp, "inner"));
    commit(inner, { "lib.py": "one\n" });
    git(repository, "submodule", "--quiet", "add", inner, "vendored/inner");
    commit(repository, {});
    const before = stateOf(repository);
    const side = await made("HEAD");
    expect(readFileSync(join(side.cwd, "vendored/inner/lib.py"), "utf8")).toBe("one\n");
    expect(stateOf(repository)).toBe(before);
    git(repository, "submodule", "deinit", "--force", "--all");
    await expect(findBase("HEAD", repository, "folder-or-commit")).rejects.toThrow(
      /^--base HEAD: its submodule vendored\/inner is at commit [0-9a-f]{40}, which is not in .*; run git submodule update --init, and git fetch in it \(in a workflow give actions\/checkout "submodules: recursive"/,
    );
    await expect(findBase(repository, "/", "folder-or-commit")).rejects.toThrow(
      /its submodule vendored\/inner is not checked out/,
    );
  });

  it("wants a commit of a submodule that was never fetched", async () => {
    const inner = newRepository(join(temp, "inner"));
    commit(inner, { "lib.py": "one\n" });
    git(repository, "submodule", "--quiet", "add", inner, "inner");
    commit(repository, {});
    git(repository, "update-index", "--cacheinfo", `160000,${"1".repeat(40)},inner`);
    git(repository, "commit", "--quiet", "-m", "A submodule that only one machine has");
    await expect(findBase("HEAD", repository, "folder-or-commit")).rejects.toThrow(
      `--base HEAD: its submodule inner is at commit ${"1".repeat(40)}, which is not in ${repository}/inner`,
    );
  });

  it("may be one that no branch of a shallow clone reaches", async () => {
    const old = git(repository, "rev-parse", "HEAD");
    commit(repository, { "bench/app.py": "newest\n" });
    const clone = shallowClone();
    git(clone, "fetch", "--quiet", "--no-tags", "--depth=1", "origin", old);
    const before = stateOf(clone);
    const side = await made(old, clone);
    expect(readFileSync(join(side.cwd, "bench/app.py"), "utf8")).toBe("new\n");
    // Its parent is not there, and git does not miss it.
    expect(git(side.cwd, "log", "--format=%H")).toBe(old);
    expect(stateOf(clone)).toBe(before);
  });

  it("is origin's branch where there is none of that name, and that is said", async () => {
    const clone = join(temp, "clone");
    git(temp, "clone", "--quiet", repository, clone);
    git(clone, "checkout", "--quiet", "--detach");
    git(clone, "branch", "--quiet", "-D", "main");
    const source = await findBase("main", clone, "folder-or-commit");
    const sha = git(repository, "rev-parse", "main");
    expect(source.notes).toEqual([`--base main: there is no such branch here; base is origin/main (${sha})`]);
    expect(describeSource(source)).toEqual({ ref: "origin/main", sha });
    expect(describeSource(await findBase("main~1", clone, "folder-or-commit"))).toMatchObject({ ref: "origin/main~1" });
    expect(describeSource(await findBase(sha.slice(0, 12), clone, "folder-or-commit"))).toEqual({ sha });
  });

  it("is found through a symbolic link, and inside of a hook", async () => {
    const link = join(temp, "link");
    symlinkSync(repository, link);
    vi.stubEnv("GIT_DIR", join(temp, "elsewhere"));
    vi.stubEnv("GIT_INDEX_FILE", join(repository, ".git/index"));
    const side = await made("v1", link);
    expect(side.counterpart(join(link, "bench"))).toBe(join(temp, "base/bench"));
    vi.unstubAllEnvs();
    expect(git(repository, "status", "--porcelain")).toBe("");
  });
});

describe("files of head that git ignores", () => {
  it("are named where base lacks them, but for packages, bytecode and results", async () => {
    commit(repository, { ".gitignore": "local_settings.py\n*.so\n.venv/\n__pycache__/\n*.egg-info/\nout/\ndata/\n" });
    const results = '{\n  "schema": "server-bench/results"\n}\n';
    writeFiles(repository, {
      ...{ "bench/local_settings.py": "x\n", "fast.so": "x", "data/words.txt": "x\n", "out/results.json": results },
      ...{ ".venv/lib/x.py": "x\n", "bench/__pycache__/app.pyc": "x", "shop.egg-info/PKG-INFO": "x" },
    });
    const names = await (await made("HEAD", join(repository, "bench"))).ignoredInHead();
    expect(names.sort()).toEqual(["bench/local_settings.py", "data/", "fast.so"]);
    expect(ignoredNote(names)).toEqual([
      expect.stringMatching(
        /^Head has what git ignores and base lacks: bench\/local_settings\.py, data\/, fast\.so\. /,
      ),
    ]);
    const clone = join(temp, "clone");
    git(temp, "clone", "--quiet", repository, clone);
    writeFiles(clone, { "bench/local_settings.py": "y\n", "fast.so": "x", "data/words.txt": "x\n" });
    const source = await findBase(clone, repository, "folder-or-commit");
    expect(await (await makeBase(source, repository, join(temp, "base2"))).ignoredInHead()).toEqual([]);
    expect(ignoredNote([])).toEqual([]);
  });
});

describe("a name that several references have", () => {
  const refused = (given: string, cwd = repository) => expect(findBase(given, cwd, "folder-or-commit")).rejects;

  it("is refused where they are different commits, whatever git would take", async () => {
    git(repository, "tag", "main", "v1");
    const [tag, branch] = ["v1", "refs/heads/main"].map((ref) => git(repository, "rev-parse", ref).slice(0, 12));
    await refused("main").toThrow(
      `--base main: refs/heads/main (${branch}) and refs/tags/main (${tag}) are different commits; give the one that you mean, as refs/heads/main`,
    );
    await refused("main~0").toThrow("refs/tags/main~0");
    const { sha } = (await findBase("refs/heads/main", repository, "folder-or-commit")) as { sha: string };
    expect(sha.slice(0, 12)).toBe(branch);
    // Nor is it another name in the results.
    expect((await readGit(repository))?.ref).toBe("main");
    git(repository, "tag", "--force", "main", "refs/heads/main");
    expect(await findBase("main", repository, "folder-or-commit")).toMatchObject({ ref: "main", sha });
  });

  it("is also refused where only origin has the branch, and where a branch is called as one of origin", async () => {
    const clone = join(temp, "clone");
    git(temp, "clone", "--quiet", repository, clone);
    git(clone, "checkout", "--quiet", "--detach");
    git(clone, "branch", "--quiet", "-D", "main");
    git(clone, "tag", "main", "v1");
    await refused("main", clone).toThrow("refs/tags/main (");
    git(clone, "branch", "origin/main", "v1");
    await refused("origin/main", clone).toThrow(/refs\/heads\/origin\/main .* and refs\/remotes\/origin\/main/);
    expect(await findBase("HEAD", clone, "folder-or-commit")).toMatchObject({ ref: "HEAD" });
  });

  it("is the user's own branch where origin's is behind", async () => {
    const clone = join(temp, "clone");
    git(temp, "clone", "--quiet", repository, clone);
    const sha = commit(clone, { x: "x\n" });
    expect(await findBase("main", clone, "folder-or-commit")).toMatchObject({ ref: "main", sha, notes: [] });
  });
});

describe("a folder as base", () => {
  it("is taken as it is", async () => {
    mkdirSync(join(temp, "plain"));
    const source = await findBase("../plain", repository, "folder-or-commit");
    const side = await makeBase(source, repository, join(temp, "base"));
    expect(side.cwd).toBe(join(temp, "plain"));
    expect(side.counterpart(join(repository, "bench"))).toBe(join(temp, "plain/bench"));
    expect(describeSource(source)).toEqual({ folder: "../plain" });
  });

  it("is of its commit, and says what was not committed", async () => {
    const sha = git(repository, "rev-parse", "HEAD");
    expect(describeSource(await findBase(repository, temp, "folder-or-commit"))).toEqual({ folder: repository, sha });
    writeFileSync(join(repository, "bench/app.py"), "edited\n");
    expect(describeSource(await findBase(repository, temp, "folder-or-commit"))).toEqual({
      folder: repository,
      sha,
      uncommitted: "yes",
    });
    // Not a part of the checkout around it.
    mkdirSync(join(repository, "ignored"));
    expect(describeSource(await findBase("ignored", repository, "folder-or-commit"))).toEqual({ folder: "ignored" });
  });

  it("is one where it is written as a path, or where no commit has its name", async () => {
    const sha = git(repository, "rev-parse", "HEAD");
    expect(await findBase("bench", repository, "folder-or-commit")).toMatchObject({ kind: "folder", notes: [] });
    git(repository, "branch", "bench");
    expect(await findBase("bench", repository, "folder-or-commit")).toMatchObject({
      ...{ kind: "commit", sha },
      notes: [`--base bench: is a git reference and a folder; base is the commit ${sha}; for the folder give ./bench`],
    });
    for (const given of ["./bench", "../work tree/bench", join(repository, "bench"), "."])
      expect(await findBase(given, repository, "folder-or-commit")).toMatchObject({ kind: "folder", given, notes: [] });
  });

  it("has no submodule that nobody else has", async () => {
    const inner = newRepository(join(temp, "inner"));
    commit(inner, { "lib.py": "one\n" });
    git(repository, "submodule", "--quiet", "add", inner, "my inner");
    commit(repository, {});
    expect((await findBase(repository, temp, "folder-or-commit")).kind).toBe("folder");
    writeFileSync(join(repository, "my inner/lib.py"), "two\n");
    await expect(findBase(repository, temp, "folder-or-commit")).rejects.toThrow(
      `--base ${repository}: its submodule my inner has uncommitted changes; commit them`,
    );
    commit(join(repository, "my inner"), {});
    await expect(findBase(repository, temp, "folder-or-commit")).rejects.toThrow(
      `--base ${repository}: its submodule my inner is at another commit than the checkout records; commit that`,
    );
  });
});

describe("what is no base", () => {
  it.each([
    ["nowhere", /^--base nowhere: neither a folder nor a commit of .*; give a branch, a tag or a commit/],
    ["mian", /neither a folder nor a commit of .*; did you mean "main"\? give a branch/],
    ["--upload-pack=x", /neither a folder nor a commit/],
    ["bench/app.py", /is a file; give a folder or a git reference/],
    ["f".repeat(40), /neither a folder nor a commit/],
    ["./nowhere", /^--base \.\/nowhere: there is no folder \/.*\/nowhere$/],
    ["./bench/app.py", /is a file; give a folder or a git reference/],
  ])("%s", async (given, message) => {
    const failure = findBase(given, repository, "folder-or-commit");
    await expect(failure).rejects.toThrow(InputError);
    await expect(failure).rejects.toThrow(message);
  });

  it("a reference outside of a repository", async () => {
    await expect(findBase("main", temp, "folder-or-commit")).rejects.toThrow(
      /^--base main: neither a folder nor a commit: .* is not in a git repository/,
    );
  });

  it("a commit without the folder that the run was started in", async () => {
    await expect(made("v1", join(repository, "later"))).rejects.toThrow(
      "--base v1 has no folder later, in which this run was started",
    );
  });

  it("what a shallow clone does not hold", async () => {
    const clone = shallowClone();
    for (const given of ["v1", "HEAD~1", git(repository, "rev-parse", "v1"), "develop"])
      await expect(findBase(given, clone, "folder-or-commit")).rejects.toThrow(
        `--base ${given}: not in ${clone}, which is a shallow clone: its older commits and other branches were not fetched; give actions/checkout "fetch-depth: 0"`,
      );
  });

  it("what a partial clone does not hold, although git checks it out without a word", async () => {
    git(repository, "config", "uploadpack.allowFilter", "true");
    const partial = join(temp, "partial");
    git(temp, "clone", "--quiet", "--filter=blob:none", `file://${repository}`, partial);
    await expect(made("v1", partial)).rejects.toThrow(
      /^--base v1: cannot check out [0-9a-f]{40}: the clone is a partial one and lacks the content of bench\/app\.py; give actions\/checkout neither "filter" nor "sparse-checkout"/,
    );
  });

  it("a branch without a commit", async () => {
    const unborn = newRepository(join(temp, "unborn"));
    for (const given of ["HEAD", "main", "origin/main"])
      await expect(findBase(given, unborn, "folder-or-commit")).rejects.toThrow(
        `--base ${given}: there is no commit in ${unborn} yet: commit what is to be base, or give a folder`,
      );
    expect(describeSource(await findBase(unborn, temp, "folder-or-commit"))).toEqual({ folder: unborn });
    expect(await readGit(unborn)).toBeUndefined();
  });
});

describe("the checkout that is measured", () => {
  it("is its commit, with what was not committed", async () => {
    const sha = git(repository, "rev-parse", "HEAD");
    expect(await readGit(repository)).toEqual({ sha, ref: "main" });
    writeFiles(repository, { "server-bench-results/results.json": "{}" });
    expect(await readGit(repository)).toEqual({ sha, ref: "main" });
    writeFileSync(join(repository, "bench/app.py"), "edited\n");
    // A file that looks changed to git until it has read it: git status would note that in the index.
    utimesSync(join(repository, "later/x"), 1, 1);
    const index = readFileSync(join(repository, ".git/index"));
    expect(await readGit(repository)).toEqual({ sha, ref: "main", uncommitted: true });
    expect(readFileSync(join(repository, ".git/index")).equals(index)).toBe(true);
    git(repository, "checkout", "--quiet", "--detach", "--force");
    expect(await readGit(repository)).toEqual({ sha });
    expect(await readGit(temp)).toBeUndefined();
  });

  it("is the release that was asked for, else the version whose tag a checkout without a branch has", async () => {
    const tagged = newRepository(join(temp, "tagged"));
    const sha = commit(tagged, { VERSION: "1" });
    for (const tag of ["v1", "nightly", "v1.2", "v1.2.0", "v1.2.0-rc.1"]) git(tagged, "tag", tag);
    expect(await readGit(tagged)).toEqual({ sha, ref: "main" });
    expect(await readGit(tagged, "v1.2.0")).toEqual({ sha, ref: "v1.2.0" });
    git(tagged, "checkout", "--quiet", "--detach");
    expect(await readGit(tagged)).toEqual({ sha, ref: "v1.2.0" });
    expect(await readGit(tagged, "nightly")).toEqual({ sha, ref: "nightly" });
    // Two projects of one repository: the commit is a version of both.
    git(tagged, "tag", "server-3.0.0");
    expect(await readGit(tagged)).toEqual({ sha });
  });
});
