/** What release.yml runs: the check of the tag, the text of a release, and the tag of its major version. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
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

const run = promisify(execFile);
const IDENTITY = ["user.name=t", "user.email=t@example.org", "commit.gpgSign=false", "tag.gpgSign=false"];

async function git(...args: string[]): Promise<string> {
  const options = IDENTITY.flatMap((option) => ["-c", option]);
  return (await run("git", [...options, ...args], { cwd: folder })).stdout.trim();
}

/** Puts a gh into the folder that does what these lines say. */
async function fakeGh(lines: readonly string[]): Promise<void> {
  await mkdir(join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "bin/gh"), `${["#!/bin/sh", ...lines].join("\n")}\n`);
  await chmod(join(folder, "bin/gh"), 0o755);
}

/** What the workflow's steps get, with that gh first. */
function ghOnPath(): Record<string, string> {
  return {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    GITHUB_REF_NAME: "v1.0.0",
    GITHUB_REPOSITORY: "org/server-bench",
  };
}

const releaseJobs = v.object({
  jobs: v.object({ publish: v.object({ steps: v.array(v.object({ run: v.optional(v.string()) })) }) }),
});

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
    ["v1.1.0", "1.1.0", 'no section "## 1.1.0", or it is empty'],
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

describe("check-tag.sh", () => {
  /** @param tagged what GitHub answers for the tag; gh writes down what it is asked */
  async function check(tagged: string, sha: string) {
    await fakeGh([`printf '%s\\n' "$*" >> '${join(folder, "asked")}'`, `echo ${tagged}`]);
    const ended = await start(join(ROOT, "scripts/check-tag.sh"), [], { ...ghOnPath(), GITHUB_SHA: sha });
    return { ...ended, asked: await readFile(join(folder, "asked"), "utf8").catch(() => "") };
  }

  async function twoCommits() {
    await git("init", "--quiet");
    await git("commit", "--quiet", "--allow-empty", "--message", "first");
    const first = await git("rev-parse", "HEAD");
    await git("commit", "--quiet", "--allow-empty", "--message", "tested");
    return { first, tested: await git("rev-parse", "HEAD") };
  }

  it("passes where the tag names the commit that was tested", async () => {
    const { tested } = await twoCommits();
    const { code, stdout, asked } = await check(tested, tested);
    expect(asked).toBe("api repos/org/server-bench/commits/tags/v1.0.0 --jq .sha\n");
    expect([code, stdout]).toEqual([0, `v1.0.0 is ${tested}\n`]);
  });

  it("passes where the workflow was started with the tag's own object", async () => {
    const { tested } = await twoCommits();
    await git("tag", "--annotate", "--message", "v1.0.0", "v1.0.0");
    expect(await check(tested, await git("rev-parse", "v1.0.0"))).toMatchObject({ code: 0 });
  });

  it("fails where the tag was moved since", async () => {
    const { first, tested } = await twoCommits();
    const { code, stdout } = await check(first, tested);
    expect(stdout).toContain(`the tag v1.0.0 now names ${first}, but this workflow was started for ${tested}`);
    expect(code).toBe(1);
  });

  it("fails where another commit is checked out", async () => {
    const { first, tested } = await twoCommits();
    const { code, stdout } = await check(first, first);
    expect(stdout).toContain(`the checkout is ${tested}`);
    expect(code).toBe(1);
  });

  it("fails where GitHub does not answer", async () => {
    const { tested } = await twoCommits();
    await fakeGh(["exit 1"]);
    const ended = await start(join(ROOT, "scripts/check-tag.sh"), [], { ...ghOnPath(), GITHUB_SHA: tested });
    expect(ended.code).toBe(1);
  });

  it("runs before anything is published", async () => {
    const { jobs } = v.parse(releaseJobs, parse(await readFile(join(ROOT, ".github/workflows/release.yml"), "utf8")));
    const commands = jobs.publish.steps.flatMap(({ run }) => run ?? []);
    expect(commands[0]).toBe("scripts/check-tag.sh");
    expect(commands.slice(1).join()).toContain("scripts/publish-release.sh");
  });
});

describe("publish-release.sh", () => {
  /** @param draft what gh answers for the release: true, false, or nothing where there is none */
  async function publish(draft: string) {
    await fakeGh([
      `case "$2" in view) [ -n '${draft}' ] && echo '${draft}'; exit;; esac`,
      `printf '%s\\n' "$*" >> '${join(folder, "asked")}'`,
    ]);
    const args = ["notes.md", "dist/sbom.cdx.json", "dist/licenses.txt"];
    const { code } = await start(join(ROOT, "scripts/publish-release.sh"), args, ghOnPath());
    return { code, asked: (await readFile(join(folder, "asked"), "utf8")).trimEnd().split("\n") };
  }
  const NOTES = "--verify-tag --title v1.0.0 --notes-file notes.md";

  it("creates the release together with its files: an immutable one takes none later", async () => {
    const { code, asked } = await publish("");
    expect(asked).toEqual([`release create v1.0.0 dist/sbom.cdx.json dist/licenses.txt ${NOTES}`]);
    expect(code).toBe(0);
  });

  it("completes a draft before it publishes it", async () => {
    const { code, asked } = await publish("true");
    expect(asked).toEqual([
      "release upload v1.0.0 dist/sbom.cdx.json dist/licenses.txt --clobber",
      `release edit v1.0.0 ${NOTES} --draft=false`,
    ]);
    expect(code).toBe(0);
  });

  it("changes only the notes of a published release", async () => {
    expect((await publish("false")).asked).toEqual([`release edit v1.0.0 ${NOTES}`]);
  });
});

const gateJob = v.object({
  jobs: v.record(v.string(), v.looseObject({ steps: v.array(v.looseObject({ run: v.optional(v.string()) })) })),
});

describe("the gate of CI", () => {
  async function gate() {
    const { jobs } = v.parse(gateJob, parse(await readFile(join(ROOT, ".github/workflows/ci.yml"), "utf8")));
    const { "all-tests-passed": one, ...others } = jobs;
    if (one === undefined) throw new Error("ci.yml has no job all-tests-passed");
    return { gate: one, others: Object.keys(others) };
  }

  it("needs every other job, and runs also when one failed", async () => {
    const { gate: one, others } = await gate();
    expect(others).toEqual(["tests", "full", "arm64", "reliability"]);
    expect(one).toMatchObject({ needs: others, if: expect.stringContaining("always()") });
  });

  it.each([
    ["success success", 0],
    ["success failure", 1],
    ["cancelled success", 1],
    ["success skipped", 1],
  ])("ends after %s with code %i", async (results, code) => {
    const { gate: one } = await gate();
    const script = one.steps.at(-1)?.run ?? "";
    expect((await start("bash", ["-e", "-c", script], { RESULTS: results })).code).toBe(code);
  });
});

const attestJob = v.object({
  jobs: v.object({
    attest: v.object({
      needs: v.unknown(),
      permissions: v.unknown(),
      steps: v.array(v.strictObject({ name: v.optional(v.string()), uses: v.string(), with: v.unknown() })),
    }),
    publish: v.object({ needs: v.unknown() }),
  }),
});

describe("the attestations", () => {
  it("are signed by a job that runs nothing of the repository, after the tests and before the release", async () => {
    const { attest, publish } = v.parse(
      attestJob,
      parse(await readFile(join(ROOT, ".github/workflows/release.yml"), "utf8")),
    ).jobs;
    expect(attest.needs).toBe("test");
    expect(publish.needs).toEqual(["test", "attest"]);
    expect(attest.permissions).toEqual({ contents: "read", "id-token": "write", attestations: "write" });
    for (const { uses } of attest.steps) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(attest.steps.slice(1).map(({ with: inputs }) => inputs)).toEqual([
      { "subject-path": "dist/*" },
      { "subject-path": "dist/*", "sbom-path": "dist/sbom.cdx.json" },
    ]);
  });
});

describe("move-major-tag.sh", () => {
  /** A repository with a commit for each tag, the last of them checked out; gh writes down what it is asked. */
  async function release(tags: readonly string[], tag: string, gh: { known: boolean; refuses?: boolean }) {
    await git("init", "--quiet");
    for (const one of tags) {
      await git("commit", "--quiet", "--allow-empty", "--message", one);
      await git("tag", "--annotate", "--message", one, one);
    }
    await git("checkout", "--quiet", tag);
    await fakeGh([
      `case "$2" in */ref/tags/*) exit ${gh.known ? 0 : 1};; esac`,
      `printf '%s\\n' "$*" >> '${join(folder, "asked")}'`,
      `exit ${gh.refuses ? 1 : 0}`,
    ]);
    const ended = await start(join(ROOT, "scripts/move-major-tag.sh"), [], { ...ghOnPath(), GITHUB_REF_NAME: tag });
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
    const candidate = await release(["v1.11.0", "v1.12.0-rc.1", "v11.0.0"], "v1.11.0", { known: true });
    expect(candidate.asked).toContain("PATCH");
  });

  it("says what to do when GitHub refuses", async () => {
    const { code, stdout, sha } = await release(["v1.0.0"], "v1.0.0", { known: true, refuses: true });
    expect(stdout).toContain(`git push --force origin ${sha}:refs/tags/v1`);
    expect(code).toBe(1);
  });
});
