/** The command line as a user meets it: the committed bundle, real servers, real load. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { main } from "../../src/commands/main.js";
import { formatResults } from "../../src/results/layout.js";
import { readResults } from "../../src/results/read.js";
import { invoke, processesWith, tempFolder } from "../support/cli.js";
import { ROOT } from "../support/own-set.js";
import { completed, resultsOf } from "../support/results.js";

describe("wrong input: exit 2, one message, nothing started or written", () => {
  const file = join(tempFolder(), "a-file");
  writeFileSync(file, "");
  const typo = tempFolder();
  writeFileSync(join(typo, "mine.yml"), "title: Mine\nrows:\n  - { titel: A, server: granian }\n");
  test.each([
    [["run", "interfcaes"], 'unknown scenario set "interfcaes"; did you mean "interfaces"?'],
    [["run", "interfaces/rsgi-byte"], 'did you mean "interfaces/rsgi-bytes"?'],
    [["run", "--profile", "fast"], 'invalid --profile "fast": use quick, standard or thorough'],
    [["run", "--server", "granain=2.7.0"], 'unknown server "granain"; did you mean "granian"?'],
    [["run", "--server", "granian"], 'invalid --server "granian": write NAME=SPEC'],
    [["run", "--server", "granian=./no-such"], 'invalid --server "granian=./no-such": there is no '],
    [["run", "--fail-on", "wrose"], 'invalid --fail-on "wrose"'],
    [["run", "--scenarios", typo], 'mine.yml:3: rows[0].titel: unknown field "titel"; did you mean "title"?'],
    [["run", "--scenarios", "/no/such"], "--scenarios /no/such: no such folder"],
    [["run", "--out", file], `${file} is a file; give a folder`],
    [["run", "--out", join(file, "deeper")], `${file} is a file; give a folder`],
    [["rnu"], 'unknown command "rnu"; did you mean "run"?'],
    [["report"], "report needs at least one results file"],
    [["report", "/no/such.json"], "/no/such.json"],
  ])("%j", async (args, message) => {
    const cwd = tempFolder();
    const temp = tempFolder();
    const { code, stdout, stderr } = await ended(args, cwd, temp);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(readdirSync(cwd)).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
  });

  test("through the bundle", async () => {
    const { code, stdout, stderr } = await invoke(["run", "interfcaes"]).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^server-bench: unknown scenario set "interfcaes"; did you mean "interfaces"\?.*\n$/);
  });
});

/** In this process. */
async function ended(args: readonly string[], cwd: string, temp: string) {
  let [stdout, stderr] = ["", ""];
  const code = await main(args, {
    ...{ root: ROOT, cwd, env: { ...process.env, RUNNER_TEMP: temp } },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

test("SIGKILL of the tool itself: the watchdog ends the server and removes the folder", async () => {
  const out = tempFolder();
  const temp = tempFolder();
  const run = invoke(["run", "interfaces/*-bytes", "--profile", "quick", "--out", out], { env: { TMPDIR: temp } });
  await run.printed(/ok {3}interfaces\/\S+/);
  process.kill(run.pid, "SIGKILL");
  await run.ended;
  for (let tries = 0; tries < 100 && (processesWith(temp).length > 0 || readdirSync(temp).length > 0); tries += 1)
    await sleep(100);
  expect(processesWith(temp)).toEqual([]);
  expect(readdirSync(temp)).toEqual([]);
  expect((await readResults(join(out, "results.json"))).cases.length).toBeGreaterThanOrEqual(1);
});

test("a server that fails is a failed row; the run goes on; --fail-on decides", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "app"));
  writeFileSync(join(folder, "app", "app.py"), "raise RuntimeError('no such table: <users>')\n");
  writeFileSync(join(folder, "servers.yml"), "apps:\n  broken: { interface: rsgi, path: app }\n");
  writeFileSync(
    join(folder, "mine.yml"),
    "title: Mine\ndefaults: { server: granian, request: bytes }\nrows:\n  - { title: Broken, app: broken }\n  - { title: Good, app: rsgi }\n",
  );
  const out = tempFolder();
  const args = ["run", "mine", "--scenarios", folder, "--profile", "quick", "--out", out];
  const run = await invoke([...args, "--fail-on", "failed"]).ended;
  expect(run.stdout).toMatch(/FAIL mine\/broken/);
  expect(run.stdout).toMatch(/ok {3}mine\/good/);
  expect(run.code).toBe(1);
  expect(readFileSync(join(out, "report.md"), "utf8")).toContain("no such table");
});

test("report merges results files", async () => {
  const [folder, merged] = [tempFolder(), tempFolder()];
  const files = ["rsgi", "asgi"].map((name) => {
    const results = resultsOf([completed(`interfaces/${name}-bytes`, `${name.toUpperCase()} bytes`, 64, 1000)]);
    const file = join(folder, `${name}.json`);
    writeFileSync(file, formatResults({ ...results, run: { ...results.run, id: name } }));
    return file;
  });
  const { code, stderr } = await invoke(["report", ...files, "--out", merged]).ended;
  expect(code, stderr).toBe(0);
  const page = readFileSync(join(merged, "report.md"), "utf8");
  expect(page).toContain("| RSGI bytes (c");
  expect(page).toContain("| ASGI bytes (c");
  expect(existsSync(join(merged, "results.json"))).toBe(true);
});

test("list names every set and finishes with code 0", async () => {
  const { code, stdout } = await invoke(["list"]).ended;
  expect(code).toBe(0);
  for (const set of ["interfaces", "rsgi-response-types", "http2", "files", "cpu-bound"])
    expect(stdout).toMatch(new RegExp(`^${set} `, "m"));
});

test("a reader that has seen enough ends no run", async () => {
  const out = tempFolder();
  const cli = join(import.meta.dirname, "../../dist/cli.js");
  const args = [cli, "run", "interfaces/rsgi-bytes", "--profile", "quick", "--out", out];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect((await readResults(join(out, "results.json"))).run.finishedAt).not.toBeNull();
});
