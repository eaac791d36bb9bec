import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SetupError } from "../../src/errors.js";
import { formatResults } from "../../src/results/layout.js";
import { parseResults } from "../../src/results/read.js";
import { removeUnfinished, writeResults } from "../../src/results/write.js";
import { completed, resultsOf, sampleResults } from "../support/results.js";
import { pairedShard } from "../support/shards.js";

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-write-"));
  file = join(folder, "results.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("writes a file that reads back, and nothing beside it", async () => {
  await writeResults(file, sampleResults());
  expect(parseResults(await readFile(file, "utf8"), file)).toEqual(sampleResults());
  expect(await readdir(folder)).toEqual(["results.json"]);
});

it("cuts texts of others that are too long, and lists of them", async () => {
  const whole = sampleResults();
  const [first] = whole.cases;
  if (first?.state !== "completed") throw new Error("a completed case");
  const failed = { ...first, id: "interfaces/failed", state: "failed" as const };
  const { summary: _, slices: __, wallSec: ___, ...fields } = failed;
  const reason = "x".repeat(30_000);
  const warnings = Array.from({ length: 120 }, (_, i) => (i === 0 ? reason : `note ${i}`));
  await writeResults(file, {
    ...whole,
    cases: [
      { ...first, warnings },
      { ...fields, reason, log: reason },
    ],
  });
  const [noted, short] = parseResults(await readFile(file, "utf8"), file).cases;
  const cut = `${"x".repeat(19_997)}...`;
  expect(short).toMatchObject({ reason: cut, log: cut });
  expect(noted).toMatchObject({ warnings: [cut, ...warnings.slice(1, 99), "and 21 more"] });
});

it("cuts no name: two could become the same", async () => {
  const [first, ...others] = sampleResults().cases;
  if (!first) throw new Error("a case");
  const results = { ...sampleResults(), cases: [{ ...first, id: "x".repeat(501) }, ...others] };
  await expect(writeResults(file, results)).rejects.toThrow(/^refused to write .*cases\[0\]\.id: expected at most 500/);
});

it("keeps what fits on a line on one line", () => {
  const lines = formatResults(sampleResults()).split("\n");
  expect(lines).toContain('    "tool": {"version":"0.1.0"},');
  expect(formatResults(sampleResults()).length).toBeLessThan(JSON.stringify(sampleResults(), null, 2).length);
});

it("gives every slice and every pair a line of its own", async () => {
  const results = pairedShard(1, 2, ["interfaces/a", "interfaces/b"]);
  await writeResults(file, results);
  const text = await readFile(file, "utf8");
  expect(text).toBe(formatResults(results));
  const lines = text.split("\n").map((line) => line.trim().replace(/,$/, ""));
  const pairs = results.comparison?.rows.flatMap((row) => row.recorded ?? []) ?? [];
  expect(pairs).toHaveLength(10);
  for (const pair of pairs) expect(lines).toContain(JSON.stringify(pair));
  const [first] = results.cases;
  if (first?.state !== "completed") throw new Error("a completed case");
  expect(lines).toContain(JSON.stringify(first.slices[0]));
});

it("shows every reader a whole file while it is rewritten", async () => {
  await writeResults(file, sampleResults());
  let writing = true;
  const writer = (async () => {
    const cases = Array.from({ length: 40 }, (_, i) => completed(`interfaces/row-${i}`, `Row ${i}`, 64, 1000 + i));
    for (let i = 1; i <= cases.length; i += 1) await writeResults(file, resultsOf(cases.slice(0, i)));
    writing = false;
  })();
  let reads = 0;
  while (writing) {
    parseResults(await readFile(file, "utf8"), file);
    reads += 1;
  }
  await writer;
  expect(reads).toBeGreaterThan(0);
  expect(await readdir(folder)).toEqual(["results.json"]);
});

it("ends with one whole file when writers race", async () => {
  const cases = [1, 2, 3, 4].map((i) => [completed("interfaces/a", "A", 64, 1000 * i)]);
  await Promise.all(cases.map((of) => writeResults(file, resultsOf(of))));
  expect(parseResults(await readFile(file, "utf8"), file).cases).toHaveLength(1);
  expect(await readdir(folder)).toEqual(["results.json"]);
});

it("never writes a NaN, and leaves the earlier file", async () => {
  await writeResults(file, sampleResults());
  const broken = resultsOf([completed("interfaces/a", "A", 64, 1000, { summary: { cpuPerRequestUs: Number.NaN } })]);
  await expect(writeResults(file, broken)).rejects.toThrow(
    /cases\[0\]\.summary\.cpuPerRequestUs: expected a finite number, got NaN$/,
  );
  expect(parseResults(await readFile(file, "utf8"), file)).toEqual(sampleResults());
});

it("says where it could not write, and cleans up", async () => {
  await expect(writeResults(join(folder, "none", "results.json"), sampleResults())).rejects.toThrow(SetupError);
  await mkdir(file);
  await expect(writeResults(file, sampleResults())).rejects.toThrow(/^cannot write .*results\.json: /);
  expect(await readdir(folder)).toEqual(["results.json"]);
});

it("removes what a killed run had begun to write, and not what another one is writing", async () => {
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(child, "exit");
  const [dead, live, other] = [`.results.json.${child.pid}-a.tmp`, `.results.json.${process.pid}-b.tmp`, "mine.tmp"];
  for (const name of [dead, live, other]) await writeFile(join(folder, name), "{");
  await removeUnfinished(file);
  expect((await readdir(folder)).sort()).toEqual([live, other].sort());
});
