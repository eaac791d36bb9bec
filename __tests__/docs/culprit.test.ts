/** The script for git bisect on docs/reading-results.md, run as git runs it, with what `run --json` prints. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { summaryOf } from "../../src/commands/summary.js";
import { judgePaired } from "../../src/compare/paired.js";
import { comparePaired } from "../../src/compare/paired-report.js";
import type { Verdict } from "../../src/results/comparison.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../support/pairs.js";
import { sampleResults } from "../support/results.js";
import { ROOT } from "../support/workflows.js";

const [, script = ""] =
  /```sh\n(# git bisect run[\s\S]*?)```/.exec(readFileSync(join(ROOT, "docs/reading-results.md"), "utf8")) ?? [];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "culprit-"));
  writeFileSync(join(folder, "culprit.sh"), script);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function summaryWith(verdict: Verdict | undefined): string {
  const random = seeded(3);
  const pairs = Array.from({ length: 8 }, (_, i) => noisyPair(random, MEASURED_NOISE, 0, i));
  const judged = judgePaired([pairedRow("vs-asgi/uvicorn", pairs, { ended: true })]).map(({ compared }) => compared);
  const rows = verdict === undefined ? [] : judged.map((row) => ({ ...row, verdict }));
  const base = { ref: "v1", sha: "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3" };
  const comparison = comparePaired({ base, rows, controls: [], uncompared: [], command: [] });
  return JSON.stringify(summaryOf({ ...sampleResults(), comparison }, "results.json", "report.md"), null, 2);
}

/** @param exit of the run */
function answer(summary: string, exit = 0): number | null {
  writeFileSync(join(folder, "summary.json"), summary);
  writeFileSync(join(folder, "node"), `#!/bin/sh\ncat "${folder}/summary.json"\nexit ${exit}\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  return spawnSync("sh", ["culprit.sh", "vs-asgi/uvicorn", "v1"], { cwd: folder, env }).status;
}

it.each([
  ["worse", 1],
  ["better", 0],
  ["unchanged", 0],
  ["inconclusive", 125],
] as const)("answers for a row that is %s: %i", (verdict, status) => {
  expect(answer(summaryWith(verdict))).toBe(status);
});

it("skips a commit without a verdict, and one that cannot be measured", () => {
  expect(answer(summaryWith(undefined))).toBe(125);
  expect(answer("", 3)).toBe(125);
});
