/** Git runs no program that a pull request brought, and sees no token: real repositories, real programs that leave a mark. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readGit } from "../../src/commands/run/git.js";
import { folderDigest } from "../../src/provision/environments/source-digest.js";
import { pullRequestBase } from "../../src/provision/sides/pull-request-base.js";
import { findBase, makeBase } from "../../src/provision/sides/sides.js";
import { commit, git, newRepository, writeFiles } from "../support/repository.js";

let temp: string;
let repository: string;
/** Written by every planted program, with the environment that it got. */
let mark: string;
let program: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  repository = newRepository(join(temp, "checkout"));
  commit(repository, { "app/app.py": "old\n", ".gitattributes": "*.py filter=planted diff=planted\n" });
  commit(repository, { "app/app.py": "new\n" });
  mark = join(temp, "mark");
  program = join(temp, "planted");
  writeFileSync(program, `#!/bin/sh\nenv >> ${mark}\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  vi.stubEnv("GITHUB_TOKEN", "a-token");
  vi.stubEnv("INPUT_TOKEN", "a-token");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temp, { recursive: true, force: true });
});

/** Every way in which a run asks git about a checkout. */
async function askAll(): Promise<void> {
  // A file that git has to read: only its time differs from the index.
  utimesSync(join(repository, "app/app.py"), 1, 1);
  await readGit(repository);
  await folderDigest(join(repository, "app"));
  await findBase(repository, temp, "folder-or-commit");
  const sha = git(repository, "rev-parse", "HEAD~1");
  await makeBase(await findBase(sha, repository, "commit"), repository, join(temp, "base"));
  await pullRequestBase(repository, { sha: "0".repeat(40), baseSha: "1".repeat(40) });
}

describe("a history written into .git by an earlier run", () => {
  /** @returns the commit where the branch left main, the one before it, and main's */
  function branched() {
    const [older, left] = [git(repository, "rev-parse", "HEAD~1"), git(repository, "rev-parse", "HEAD")];
    const main = commit(repository, { "app/app.py": "main\n" });
    git(repository, "checkout", "--quiet", "-b", "feature", left);
    commit(repository, { "app/app.py": "feature\n" });
    return { older, left, main };
  }

  it.each([
    ["a replaced commit", (main: string, older: string) => git(repository, "replace", "--graft", main, older)],
    ["a graft", (main: string, older: string) => writeFiles(repository, { ".git/info/grafts": `${main} ${older}\n` })],
  ])("chooses no other base: %s", async (_, plant) => {
    const { older, left, main } = branched();
    plant(main, older);
    const found = await pullRequestBase(repository, { sha: "0".repeat(40), baseSha: main });
    expect(found).toEqual({ state: "found", ref: left, sha: left });
  });
});

describe("a configuration left in .git by an earlier run starts nothing", () => {
  it.each(["core.fsmonitor", "core.sshCommand", "filter.planted.clean", "filter.planted.process", "filter.a=b.clean"])(
    "%s",
    async (key) => {
      if (key.startsWith("filter.a")) commit(repository, { ".gitattributes": "*.py filter=a=b\n" });
      git(repository, "config", "remote.origin.url", "ssh://127.0.0.1/nowhere");
      git(repository, "config", key, program);
      rmSync(mark, { force: true });
      const refusal = /filter\.a=b\.clean: remove it|has the filter planted, which makes app\/app\.py in head/;
      await askAll().catch((error: Error) => expect(error.message).toMatch(refusal));
      expect(existsSync(mark)).toBe(false);
    },
  );

  it("remote.origin.uploadpack, for a fetch or for objects that a partial clone lacks", async () => {
    git(repository, "config", "remote.origin.url", temp);
    git(repository, "config", "remote.origin.uploadpack", program);
    git(repository, "config", "remote.origin.promisor", "true");
    git(repository, "config", "core.repositoryFormatVersion", "1");
    git(repository, "config", "extensions.partialClone", "origin");
    await expect(askAll()).rejects.toThrow("remote.origin.uploadpack: remove it");
    expect(await pullRequestBase(repository, { sha: "0".repeat(40), baseSha: "1".repeat(40) })).toEqual({
      state: "missing",
      reason: expect.stringContaining("remote.origin.uploadpack: remove it"),
    });
    expect(existsSync(mark)).toBe(false);
  });

  it("an origin whose address is a program", async () => {
    git(repository, "config", "remote.origin.url", `ext::${program}`);
    git(repository, "config", "protocol.ext.allow", "always");
    await askAll();
    expect(existsSync(mark)).toBe(false);
  });

  it("a file that it includes", async () => {
    writeFiles(repository, {
      ".git/more": `[core]\n\tfsmonitor = ${program}\n[filter "planted"]\n\tclean = ${program}\n`,
    });
    git(repository, "config", "include.path", "more");
    await askAll();
    expect(existsSync(mark)).toBe(false);
  });

  it("hooks, wherever they are", async () => {
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      for (const folder of [".git/hooks", "planted-hooks"]) {
        writeFiles(repository, { [`${folder}/${hook}`]: readFileSync(program, "utf8") });
        chmodSync(join(repository, folder, hook), 0o755);
      }
    }
    git(repository, "config", "core.hooksPath", join(repository, "planted-hooks"));
    rmSync(mark, { force: true });
    await askAll();
    expect(existsSync(mark)).toBe(false);
  });
});

it("runs no program of a bare repository that is committed as an app folder, and sees its files", async () => {
  git(temp, "init", "--quiet", "--bare", join(repository, "bare"));
  git(join(repository, "bare"), "config", "core.fsmonitor", program);
  git(join(repository, "bare"), "config", "core.bare", "false");
  git(join(repository, "bare"), "config", "core.worktree", ".");
  writeFiles(repository, { "bare/app.py": "one\n", "bare/refs/keep": "", "bare/objects/keep": "" });
  commit(repository, {});
  rmSync(mark, { force: true });
  const app = join(repository, "bare");
  const before = await folderDigest(app);
  writeFileSync(join(app, "app.py"), "two\n");
  expect(await folderDigest(app)).not.toBe(before);
  expect(await readGit(app)).toBeUndefined();
  await expect(findBase("HEAD", app, "commit")).rejects.toThrow();
  await findBase("./bare", repository, "folder-or-commit").catch(() => undefined);
  expect(existsSync(mark)).toBe(false);
});

it("hands git's own programs no token: a filter of the machine's configuration sees the allow-listed variables", async () => {
  const home = join(temp, "home");
  writeFiles(home, { ".gitconfig": `[filter "planted"]\n\tsmudge = ${program}\n` });
  vi.stubEnv("HOME", home);
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(home, ".gitconfig"));
  vi.stubEnv("GIT_SSH_COMMAND", program);
  const { cwd } = await makeBase(await findBase("HEAD", repository, "commit"), repository, join(temp, "base"));
  // The machine's own filters (LFS) still make base's files.
  expect(readFileSync(join(cwd, "app/app.py"), "utf8")).toBe("new\n");
  const seen = readFileSync(mark, "utf8");
  expect(seen).toContain(`HOME=${home}`);
  expect(seen).not.toMatch(/a-token|INPUT_|GITHUB_|GIT_SSH_COMMAND/);
});
