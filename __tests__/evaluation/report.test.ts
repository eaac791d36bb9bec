/** The report: what is committed follows from its numbers, and shows the weak figures too. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Facts } from "../../evaluation/report/facts.js";
import { headlines } from "../../evaluation/report/headlines.js";
import { reportMarkdown } from "../../evaluation/report/markdown.js";
import { reportCommand, wholeRunsOf } from "../../evaluation/report/write-report.js";
import { evaluator } from "../../evaluation/resample/evaluate.js";
import { ROOT } from "../support/workflows.js";
import { syntheticRecording } from "./synthetic-recording.js";

const text = (file: string) => readFileSync(join(ROOT, "evaluation", file), "utf8");
const facts: Facts = JSON.parse(text("report.json"));

describe("the committed report", () => {
  it("is made from its numbers", () => {
    expect(reportMarkdown(facts)).toBe(text("report.md"));
    expect(headlines(facts.cells)).toEqual(facts.headlines);
  });

  it("names recordings that are there, and the whole runs", () => {
    const [, words = ""] = facts.command.split(" report ");
    const files = words.match(/evaluation\/recordings\/\S+/g) ?? [];
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(() => readFileSync(join(ROOT, file)), file).not.toThrow();
    expect(facts.wholeRuns).toEqual(wholeRunsOf(text("recordings/2026-11-27-whole-runs.jsonl")));
  });

  it("has every headline", () => {
    for (const [what, quiet] of facts.headlines) expect(quiet, what).not.toBe("");
  });
});

it("leaves the headline of what was not recorded empty", () => {
  const setting = { rows: 1, pool: "recentred", neighbour: 0, earlierRuns: 0 } as const;
  const cell = evaluator(syntheticRecording(), 2, 1)({ ...setting, detect: undefined, latency: false, counts: false });
  const lines = new Map(headlines([cell]).map(([what, quiet, noisy]) => [what, [quiet, noisy]]));
  expect(lines.get("A slowdown of 3 % found within 60 s")).toEqual([expect.stringMatching(/^[\d.]+ %$/), ""]);
  expect(lines.get("Reports of 20 identical benchmarks with any false verdict")).toEqual(["", ""]);
});

it("counts the verdicts of whole runs, and refuses a line without one", () => {
  const line = (verdict: string, seconds: number) => JSON.stringify({ verdict, seconds });
  expect(wholeRunsOf(`${line("unchanged", 10)}\n${line("worse", 30)}\n${line("unchanged", 11)}\n`)).toEqual({
    ...{ rows: 3, verdicts: { unchanged: 2, worse: 1 }, seconds: 17, longestSec: 30 },
  });
  expect(() => wholeRunsOf('{"seconds":3}\n')).toThrow("verdict");
});

it("names files from the project's folder on, and others by their name", () => {
  const options = { root: "/project", whole: "/project/evaluation/w.jsonl", reports: 10, seed: 1, out: "/tmp/out" };
  expect(reportCommand({ ...options, files: ["/project/evaluation/a.json.gz", "/tmp/b.json.gz"] })).toBe(
    "npm run evaluate -- report evaluation/a.json.gz b.json.gz --whole evaluation/w.jsonl --reports 10 --seed 1 --out out",
  );
});
