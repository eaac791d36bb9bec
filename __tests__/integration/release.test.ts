/** `release` on a small repository with two tags: real servers, real load, and the folder of all releases. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import type { Results } from "../../src/results/schema.js";
import { app, ROOT, slowerApp, tinyScenarios, waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, git, newRepository } from "../support/repository.js";

const TIMEOUT_MS = 240_000;
const valgrind = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const counting = `a release whose work is counted${valgrind.state === "missing" ? ` (skipped: ${valgrind.reason})` : ""}`;

let temp: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

it("a first release, and the next one, which is slower", { timeout: TIMEOUT_MS }, async () => {
  const repository = newRepository(join(temp, "checkout"));
  const first = commit(repository, { ...waitingScenarios("hello"), "hello/app.py": waitingApp() });
  git(repository, "tag", "v1.9.0");
  const second = commit(repository, { "hello/app.py": slowerApp() });
  git(repository, "tag", "-a", "-m", "Ten", "v1.10.0");
  const site = join(temp, "site");
  const release = async (tag: string) => {
    let [output, errors] = ["", ""];
    git(repository, "checkout", "--quiet", "--detach", tag);
    const args = ["mine", "--tag", tag, "--scenarios", "bench", "--profile", "quick"];
    const code = await main(["release", ...args, "--site", site, "--out", join(temp, tag)], {
      ...{ root: ROOT, cwd: repository, env: { ...process.env, CI: "1", RUNNER_TEMP: temp } },
      stdout: { write: (text) => (output += text) },
      stderr: { write: (text) => (errors += text) },
    });
    expect(code, output + errors).toBe(0);
    return {
      notes: readFileSync(join(temp, tag, "notes.md"), "utf8"),
      results: JSON.parse(readFileSync(join(temp, tag, "results.json"), "utf8")) as Results,
    };
  };

  const alone = await release("v1.9.0");
  expect(alone.notes).toContain("## Benchmarks of v1.9.0\n");
  expect(alone.notes).toContain("**Nothing to compare with:** v1.9.0 is the first release");
  expect(alone.results.run.git).toEqual({ sha: first, ref: "v1.9.0" });

  const compared = await release("v1.10.0");
  // On a busy machine the CPU per request decides, and throughput stays open.
  expect(compared.notes).toMatch(
    /^## Benchmarks of v1\.10\.0 compared with v1\.9\.0\n\n\*\*1 of 1 row (is slower|needs more CPU per request), by /,
  );
  expect(compared.notes).toMatch(/\| Mine \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| [-+]\d+\.\d% \|/);
  expect(compared.results.run.git).toEqual({ sha: second, ref: "v1.10.0" });
  expect(compared.results.comparison).toMatchObject({ mode: "paired", base: { ref: "v1.9.0", sha: first } });
  const words = compared.results.run.command.slice(2).join(" ");
  expect(words).toBe("run mine --scenarios bench --profile quick --base v1.9.0");
  expect(readFileSync(join(site, "index.html"), "utf8")).toMatch(/v1\.10\.0<\/a>[\s\S]*v1\.9\.0<\/a>/);
  expect(readFileSync(join(site, "v1.10.0/index.html"), "utf8")).toContain(
    "Benchmarks of v1.10.0 compared with v1.9.0",
  );
  expect(git(repository, "status", "--porcelain")).toBe("");
  expect(git(repository, "worktree", "list").split("\n")).toHaveLength(1);
});

it.skipIf(valgrind.state === "missing")(counting, { timeout: TIMEOUT_MS }, async () => {
  const repository = newRepository(join(temp, "checkout"));
  commit(repository, { ...tinyScenarios("hello"), "hello/app.py": app(0) });
  git(repository, "tag", "v1.0.0");
  commit(repository, { "hello/app.py": app(200) });
  git(repository, "tag", "v1.1.0");
  let output = "";
  const out = join(temp, "out");
  const args = ["release", "mine", "--tag", "v1.1.0", "--scenarios", "bench", "--metrics", "instructions"];
  const code = await main([...args, "--out", out], {
    ...{ root: ROOT, cwd: repository, env: { ...process.env, CI: "1", RUNNER_TEMP: temp } },
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (output += text) },
  });
  expect(code, output).toBe(0);
  const notes = readFileSync(join(out, "notes.md"), "utf8");
  expect(notes).toContain("**1 of 1 row does more work per request, by ");
  expect(notes).toMatch(/\| Mine \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| \+\d+\.\d% \|/);
  const { run, cases } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
  expect(cases).toEqual([]);
  expect(run.command.slice(2).join(" ")).toBe("run mine --scenarios bench --metrics instructions --base v1.0.0");
});
