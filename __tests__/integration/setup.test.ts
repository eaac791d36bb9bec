/** `setup` as a user runs it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { invoke } from "../support/cli.js";
import { app, scenarios } from "../support/own-set.js";
import { writeFiles } from "../support/repository.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  writeFiles(folder, { ...scenarios("mine"), "mine/app.py": app(0) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setup = (...args: readonly string[]) =>
  invoke(["setup", "mine", "--scenarios", "bench", ...args], { cwd: folder, env: { CI: "1" } }).ended;

it("counts what is ready", async () => {
  const { code, stdout, stderr } = await setup();
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("ready: 1 environment and 1 load generator");
  expect(stderr).toBe("");
  expect(code).toBe(0);
});

it("names a Python that is not there, and what installs it", async () => {
  const { code, stdout } = await setup("--python", "3.99");
  const [skipped, counted] = stdout.trimEnd().split("\n").slice(-2);
  expect(skipped).toMatch(
    /^skipped {2}1 environment: Python 3\.99 is not there \(.*\); `uv python install 3\.99` installs it$/,
  );
  expect(counted).toBe("ready: 0 of 1 environment and 1 load generator (1 skipped)");
  expect(code).toBe(3);
});

it("names what failed", async () => {
  const { code, stdout } = await setup("--server", "granian=99.99");
  expect(stdout).toMatch(/^setup {2}granian, uvloop \(Python [\d.]+\) FAILED: .*99\.99/m);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("ready: 0 of 1 environment and 1 load generator (1 failed)");
  expect(code).toBe(3);
});
