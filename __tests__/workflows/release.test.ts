/** What release.yml runs: the words of a release, and the tag of its major version. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const CHANGELOG = `# Changelog

## Unreleased

## 1.2.0 - 2026-12-01

- Two things.

### And more

- A third.

## 1.1.0

## 1.10.0

- Ten.
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    const child = execFile(program, [...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe("release-notes.mjs", () => {
  async function notes(tag: string, version = "1.2.0") {
    await writeFile(join(folder, "package.json"), JSON.stringify({ version }));
    await writeFile(join(folder, "CHANGELOG.md"), CHANGELOG);
    return start(process.execPath, [join(ROOT, "scripts/release-notes.mjs"), tag]);
  }

  it("prints the section of the version, whole and without the next one", async () => {
    expect(await notes("v1.2.0")).toMatchObject({ code: 0, stdout: "- Two things.\n\n### And more\n\n- A third.\n" });
  });

  it.each([
    ["v1.2.0", "1.1.0", "the tag is v1.2.0, but package.json says 1.1.0"],
    ["v1.1.0", "1.1.0", 'no section "## 1.1.0" with a word in it'],
    ["v1.3.0", "1.3.0", 'no section "## 1.3.0"'],
    ["v1.1", "1.1", '"v1.1" is no release tag'],
    ["1.2.0", "1.2.0", '"1.2.0" is no release tag'],
    ["", "1.2.0", '"" is no release tag'],
  ])("refuses %s where package.json says %s", async (tag, version, message) => {
    const { code, stdout, stderr } = await notes(tag, version);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([1, ""]);
  });
});

describe("move-major-tag.sh", () => {
  const run = promisify(execFile);
  const git = async (...args: string[]) => {
    const identity = [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.org",
      "-c",
      "commit.gpgSign=false",
      "-c",
      "tag.gpgSign=false",
    ];
    return (await run("git", [...identity, ...args], { cwd: folder })).stdout.trim();
  };

  /** A repository with a commit for each tag, the last of them checked out; gh writes down what it is asked. */
  async function release(tags: readonly string[], tag: string, gh: { known: boolean; refuses?: boolean }) {
    await git("init", "--quiet");
    for (const one of tags) {
      await git("commit", "--quiet", "--allow-empty", "--message", one);
      await git("tag", "--annotate", "--message", one, one);
    }
    await git("checkout", "--quiet", tag);
    await mkdir(join(folder, "bin"));
    const script = [
      "#!/bin/sh",
      `case "$2" in */ref/tags/*) exit ${gh.known ? 0 : 1};; esac`,
      `printf '%s\\n' "$*" >> '${join(folder, "asked")}'`,
      `exit ${gh.refuses ? 1 : 0}`,
    ];
    await writeFile(join(folder, "bin/gh"), `${script.join("\n")}\n`);
    await chmod(join(folder, "bin/gh"), 0o755);
    const ended = await start(join(ROOT, "scripts/move-major-tag.sh"), [], {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      GITHUB_REF_NAME: tag,
      GITHUB_REPOSITORY: "org/server-bench",
    });
    const asked = await readFile(join(folder, "asked"), "utf8").catch(() => "");
    return { ...ended, asked, sha: await git("rev-parse", "HEAD") };
  }

  it("moves the tag that is there to the commit, not to the tag's own object", async () => {
    const { code, asked, sha } = await release(["v1.0.0", "v1.10.0"], "v1.10.0", { known: true });
    expect(asked).toBe(`api --method PATCH repos/org/server-bench/git/refs/tags/v1 -f sha=${sha} -F force=true\n`);
    expect(code).toBe(0);
  });

  it("makes the tag of a new major version", async () => {
    const { code, asked, sha } = await release(["v1.9.0", "v2.0.0"], "v2.0.0", { known: false });
    expect(asked).toBe(`api --method POST repos/org/server-bench/git/refs -f ref=refs/tags/v2 -f sha=${sha}\n`);
    expect(code).toBe(0);
  });

  it("leaves it where a newer release of the line is, and counts no release candidate as one", async () => {
    const older = await release(["v1.9.0", "v1.10.0", "v10.0.0"], "v1.9.0", { known: true });
    expect(older).toMatchObject({ code: 0, asked: "", stdout: "v1 stays: v1.10.0 is newer than v1.9.0\n" });
    await rm(join(folder, "bin"), { recursive: true });
    const candidate = await release(["v1.11.0", "v1.12.0-rc.1", "v11.0.0"], "v1.11.0", { known: true });
    expect(candidate.asked).toContain("PATCH");
  });

  it("says what to do when GitHub refuses", async () => {
    const { code, stdout, sha } = await release(["v1.0.0"], "v1.0.0", { known: true, refuses: true });
    expect(stdout).toContain(`git push --force origin ${sha}:refs/tags/v1`);
    expect(code).toBe(1);
  });
});
