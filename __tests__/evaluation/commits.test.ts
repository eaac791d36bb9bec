/** The file of measured commits. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readMeasuredCommits } from "../../evaluation/commits/measured-commit.js";
import { ROOT } from "../support/workflows.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "commits-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("is read with all figures of each commit", async () => {
  const commits = await readMeasuredCommits(join(ROOT, "evaluation/recordings/2026-11-24-commits.json"));
  expect(commits).toHaveLength(10);
  for (const { metrics } of commits)
    expect(Object.keys(metrics)).toEqual(["cpuPerRequest", "throughput", "instructions"]);
});

it("names the file and the field that is wrong", async () => {
  const file = join(folder, "commits.json");
  const commit = {
    commit: "abc",
    subject: "Change",
    pairs: 4,
    seconds: 12,
    metrics: { instructions: { change: "1" } },
  };
  await writeFile(file, JSON.stringify([commit]));
  await expect(readMeasuredCommits(file)).rejects.toThrow("commits.json: [0].metrics.instructions.");
});
