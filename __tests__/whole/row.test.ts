/** One row alone, to its end and interrupted: the committed bundle, a real server, real load. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResults } from "../../src/results/read.js";
import { invoke, processesWith, tempFolder } from "../support/cli.js";

test("a run measures, reports, and leaves nothing behind", async () => {
  const out = tempFolder();
  const temp = tempFolder();
  const run = await invoke(["run", "interfaces/rsgi-bytes", "--profile", "quick", "--out", out, "--json"], {
    env: { TMPDIR: temp },
  }).ended;
  expect(run.stderr).toMatch(/ok {3}interfaces\/rsgi-bytes \(c\d+\) {2}\d+ req\/s/);
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ rows: { completed: 1, failed: 0, skipped: 0 }, interrupted: false });
  const results = await readResults(join(out, "results.json"));
  const [measured] = results.cases;
  if (measured?.state !== "completed") throw new Error(JSON.stringify(measured));
  expect(measured.summary.failures.total).toBe(0);
  expect(measured.summary.requests).toBeGreaterThan(0);
  expect(measured.summary.cpuPerRequestUs).toBeGreaterThan(0);
  expect(results.run.finishedAt).not.toBeNull();
  expect(readFileSync(join(out, "report.md"), "utf8")).toContain("| RSGI bytes (c");
  expect(readdirSync(temp)).toEqual([]);
  expect(processesWith(temp)).toEqual([]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s: the rows so far are kept, and no server is left behind", async (signal, code) => {
  const out = tempFolder();
  const temp = tempFolder();
  const args = ["run", "interfaces/*-bytes", "--profile", "quick", "--out", out];
  const run = invoke(args, { env: { TMPDIR: temp } });
  await run.printed(/ok {3}interfaces\/\S+/);
  process.kill(run.pid, signal);
  const ended = await run.ended;
  expect(ended.code).toBe(code);
  expect(ended.stdout).toContain(`interrupted by ${signal}: servers are stopped`);
  const results = await readResults(join(out, "results.json"));
  expect(results.cases.length).toBeGreaterThanOrEqual(1);
  expect(results.cases.every((result) => result.state === "completed")).toBe(true);
  expect(results.run.finishedAt).toBeNull();
  expect(readFileSync(join(out, "report.md"), "utf8")).toContain(`interrupted by ${signal}`);
  expect(processesWith(temp)).toEqual([]);
  expect(readdirSync(temp)).toEqual([]);
});
