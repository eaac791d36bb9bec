/** `release` whose work is counted: its notes. whole/release.test.ts has two releases by time. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import type { Results } from "../../src/results/schema.js";
import { app, ROOT, tinyScenarios } from "../support/own-set.js";
import { commit, git, newRepository } from "../support/repository.js";

const TIMEOUT_MS = 240_000;
const valgrind = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const counting = `a release whose work is counted${valgrind.state === "missing" ? ` (skipped: ${valgrind.reason})` : ""}`;

let temp: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

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
  expect(notes).toContain("**1 of 1 benchmark does more work per request, by ");
  expect(notes).toMatch(/\| Mine \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| \+\d+\.\d % \|/);
  const { run, cases } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
  expect(cases).toEqual([]);
  expect(run.command.slice(2).join(" ")).toBe("run mine --scenarios bench --metrics instructions --base v1.0.0");
});
