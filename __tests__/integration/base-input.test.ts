/** What is wrong with a base ends with exit code 2 before anything is installed, started or written. */
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planPaired } from "../../src/commands/run/base-plan.js";
import { planRun } from "../../src/plan/plan.js";
import { findBase } from "../../src/provision/sides/sides.js";
import { ROOT, runIn, waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, git, newRepository, stateOf, writeFiles } from "../support/repository.js";
import { testRun } from "../support/run.js";

let temp: string;
let repository: string;
beforeAll(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  const inner = newRepository(join(temp, "inner"));
  commit(inner, { "lib.py": "one\n" });
  repository = newRepository(join(temp, "checkout"));
  const set = waitingScenarios("hello");
  commit(repository, { "hello/app.py": waitingApp() });
  git(repository, "tag", "no-scenarios");
  commit(repository, { ...set, "bench/mine.yml": (set["bench/mine.yml"] ?? "").replace("app: hello", "app: helo") });
  git(repository, "tag", "broken");
  commit(repository, { ...set, "bench/mine.yml": (set["bench/mine.yml"] ?? "").replace("title: hello", "title: old") });
  git(repository, "tag", "other-rows");
  git(repository, "submodule", "--quiet", "add", inner, "inner");
  commit(repository, {});
  git(repository, "tag", "with-submodule");
  git(repository, "rm", "--quiet", "inner");
  rmSync(join(repository, ".git/modules"), { recursive: true });
  commit(repository, set);
  git(repository, "branch", "develop");
  writeFileSync(join(repository, "hello/app.py"), waitingApp("# Changed"));
  writeFiles(join(temp, "no-checkout"), { "hello/app.py": waitingApp() });
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

function shallowClone(): string {
  const clone = join(mkdtempSync(join(temp, "shallow-")), "clone");
  git(temp, "clone", "--quiet", "--depth=1", "--single-branch", `file://${repository}`, clone);
  return clone;
}

describe("run --base", () => {
  it.each([
    ["devlop", /^--base devlop: neither a folder nor a commit of .*; did you mean "develop"\? give a branch/],
    ["broken", /^--base broken: broken:bench\/mine\.yml:5: rows\[0\]: unknown app "helo"; did you mean "hello"\?/],
    ["other-rows", /^--base other-rows has none of the rows that were selected \(mine\)/],
    ["with-submodule", /^--base with-submodule: its submodule inner is at commit [0-9a-f]{40}, which is not in/],
    ["../no-checkout", /^--base \.\.\/no-checkout has no folder bench\n$/],
    ["../nowhere", /^--base \.\.\/nowhere: there is no folder \/.*\/nowhere\n$/],
    ["hello/app.py", /^--base hello\/app\.py: is a file/],
  ])("%s: exit 2, the checkout as it was, nothing left", async (base, message) => {
    const before = stateOf(repository);
    const { code, output, errors } = await runIn(
      repository,
      join(temp, "out"),
      "mine",
      "--scenarios",
      "bench",
      "--base",
      base,
    );
    expect(errors.replace(/^server-bench: |^error: /i, "")).toMatch(message);
    expect({ code, started: /setup/.test(output) }).toEqual({ code: 2, started: false });
    expect(existsSync(join(temp, "out"))).toBe(false);
    expect(stateOf(repository)).toBe(before);
    expect(readdirSync(temp).filter((name) => name.startsWith("server-bench-"))).toEqual([]);
  });

  it("a commit that a shallow checkout does not hold, and the message names the remedy", async () => {
    const clone = shallowClone();
    const run = await runIn(clone, join(temp, "out"), "mine", "--scenarios", "bench", "--base", "develop");
    expect(run.errors).toMatch(/--base develop: not in .*, which is a shallow clone: .*"fetch-depth: 0"/);
    expect(run.code).toBe(2);
  });

  /** @param servers as `--server` gives them */
  async function planning(base: string, tempDir: string, servers: readonly string[] = []) {
    const notes: string[] = [];
    const nothing = () => {};
    const progress = {
      ...{ started: nothing, update: nothing, finished: nothing, failed: nothing },
      note: (text: string) => notes.push(text),
    };
    const stream = { write: nothing };
    const options = {
      root: ROOT,
      cwd: repository,
      selectors: ["mine"],
      profile: "quick",
      cores: 2,
      scenarios: join(repository, "bench"),
      servers,
    };
    const plan = await planRun(options);
    const source = await findBase(base, repository, "commit");
    const context = { root: ROOT, cwd: repository, env: process.env, stdout: stream, stderr: stream };
    return { notes, given: { source, plan, options, python: undefined, context, progress, tempDir } };
  }

  it("a commit from before the scenario files is planned by those that are there now", async () => {
    await using run = testRun();
    const { notes, given } = await planning("no-scenarios", run.tempDir);
    const before = stateOf(repository);
    await expect(planPaired(given)).rejects.toThrow("--base no-scenarios has no folder bench");
    const again = { ...given, tempDir: join(run.tempDir, "again"), lendsScenarios: true };
    const { measured } = await planPaired(again);
    expect(measured.map(({ base, head }) => [base.id, head.server.cwd])).toEqual([
      ["mine/hello", join(repository, "hello")],
    ]);
    expect(measured[0]?.base.server.cwd).toBe(join(run.tempDir, "again/base/hello"));
    expect(notes).toEqual([
      expect.stringContaining("--base no-scenarios has no folder bench, so that of head is used"),
    ]);
    expect(stateOf(repository)).toBe(before);
  });

  it.each(["absolute", "relative"])(
    "a server's folder outside of the checkout, %s, is that of both sides, and a note says so",
    async (kind) => {
      await using run = testRun();
      const outside = join(temp, "no-checkout");
      const spec = `gunicorn=${kind === "absolute" ? outside : "../no-checkout"}`;
      const { notes, given } = await planning("develop", run.tempDir, [spec]);
      const { measured } = await planPaired(given);
      expect(measured).toHaveLength(1);
      expect(notes).toEqual([
        `--server ${spec}: it is outside of this checkout, so both sides have it as it is now; to compare its commits, start the run in its checkout`,
      ]);
      const own = await planning("develop", join(run.tempDir, "own"), ["gunicorn=./hello"]);
      await planPaired(own.given);
      expect(own.notes).toEqual([]);
    },
  );

  it("a branch without a commit", async () => {
    const unborn = newRepository(join(temp, "unborn"));
    writeFiles(unborn, { ...waitingScenarios("hello"), "hello/app.py": waitingApp() });
    const run = await runIn(unborn, join(temp, "out"), "mine", "--scenarios", "bench", "--base", "main");
    expect(run.errors).toMatch(/--base main: there is no commit in .* yet/);
    expect(run.code).toBe(2);
  });
});

describe("run --confirm", () => {
  it.each([
    [["--confirm", "develop"], "--confirm has no meaning without stored results: give --base-results FILE"],
    [["--confirm", "devlop", "--base-results", "x.json"], "--confirm devlop: neither a folder nor a commit"],
    [["--confirm", "develop", "--base-results", "x.json"], "x.json: no such file"],
    [["--base", "develop", "--confirm", "develop", "--base-results", "x.json"], "--base and --base-results exclude"],
    [["--confirm", "develop", "--base-results", "x.json", "--budget", "0"], 'invalid --budget "0"'],
  ])("%j: exit 2", async (args, message) => {
    const run = await runIn(repository, join(temp, "out"), "mine", "--scenarios", "bench", ...args);
    expect(run.errors).toContain(message);
    expect(run.code).toBe(2);
    expect(existsSync(join(temp, "out"))).toBe(false);
  });
});
