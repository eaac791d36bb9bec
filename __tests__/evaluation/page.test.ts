/** The whole page of a small recording, as a golden file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { barsOf, barText } from "../../evaluation/page/bars.js";
import { parseEarlier } from "../../evaluation/page/earlier.js";
import type { Facts } from "../../evaluation/page/facts.js";
import { evaluationMarkdown } from "../../evaluation/page/page.js";
import { weaknesses } from "../../evaluation/page/weak.js";
import { evaluate } from "../../evaluation/resample/evaluate.js";
import { buildNoise, measuredRows } from "../../evaluation/resample/measured.js";
import { reportCommand } from "../../evaluation/write-report.js";
import { ROOT } from "../support/workflows.js";
import { syntheticRecording } from "./synthetic-recording.js";

const row = { id: "live/uvicorn", verdict: "unchanged", pairs: 4, seconds: 18 };
const recording = syntheticRecording({ pairs: 8, bias: 0.01 });
const FIRST_FORM = join(ROOT, "__tests__/evaluation/fixtures/first-form.json");
const facts: Facts = {
  command: "npm run evaluate -- report recording.json.gz --reports 10 --seed 1 --out docs/evaluation",
  recording,
  reports: 10,
  seed: 1,
  cells: evaluate(recording, 10, 1),
  measured: measuredRows(recording),
  builds: buildNoise(recording),
  live: [
    { startedAt: "2025-01-30T02:28:11Z", measuredSec: 18, loadShare: 0.8, sides: "two builds", rows: [row] },
    {
      startedAt: "2025-01-30T03:28:11Z",
      measuredSec: 36,
      loadShare: 0.8,
      rows: [row, { ...row, verdict: "worse" }],
    },
  ],
  commits: [
    {
      ...{ commit: "1a2b3c4", subject: "Copy | the headers", pairs: 6, seconds: 18 },
      metrics: {
        cpuPerRequest: { verdict: "worse", change: 0.031, interval: [0.02, 0.042] },
        throughput: { verdict: "inconclusive", change: -0.028, interval: [-0.05, -0.006] },
        instructions: { verdict: "worse", change: 0.025, interval: [0.023, 0.027] },
      },
    },
    { commit: "5d6e7f8", subject: "Break it", pairs: 0, seconds: 0, metrics: {}, reason: "its row was not compared" },
  ],
  benchstat: undefined,
  earlier: [parseEarlier(JSON.parse(readFileSync(FIRST_FORM, "utf8")), "first-form.json")],
};

describe("evaluationMarkdown", () => {
  const page = evaluationMarkdown(facts);

  it("is the golden page", async () => {
    await expect(page).toMatchFileSnapshot("page.golden.md");
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("says first what is weak", () => {
    const headings = page.split("\n").filter((line) => line.startsWith("## "));
    expect(headings[0]).toBe("## What is weak");
    const weak = page.slice(page.indexOf("## What is weak"), page.indexOf("## How it was made"));
    for (const text of [
      "Missed in ",
      "Not measured: ",
      "Only 2 of at least 4 servers",
      "independent rows",
      "1 of at least 60 live",
    ])
      expect(weak).toContain(text);
  });

  it("names the command that writes it", () => {
    expect(page).toContain(`Written by \`${facts.command}\`.`);
    const options = {
      root: "/project",
      live: ["evaluation/live.json"],
      commits: [],
      earlier: undefined,
      reports: 60,
      seed: 1,
    };
    expect(
      reportCommand({
        ...options,
        files: ["/project/evaluation/a.json.gz", "/tmp/b.json.gz"],
        out: "/project/docs/page",
      }),
    ).toMatch(
      /^npm run evaluate -- report evaluation\/a\.json\.gz b\.json\.gz --live \S+ --reports 60 --seed 1 --out docs\/page$/,
    );
  });

  it("calls raw false verdicts of reports with latency weak too", () => {
    const [cell] = facts.cells.filter(({ rows, pool }) => rows === 1 && pool === "raw");
    if (!cell) throw new Error("no raw cell");
    const falsePerRow = { hits: 5, of: 60, share: 5 / 60, interval: [0.03, 0.18] } as const;
    const weak = weaknesses({ ...facts, cells: [{ ...cell, latency: true, falsePerRow }] });
    expect(weak.join("\n")).toContain(
      "Missed: False verdicts per row (the bar: at most 1 %). It was: one-row reports with latency, raw, quiet: 8.33 % (3.00 to 18.00).",
    );
  });

  it("says beside a bar that rows were counted", () => {
    const [cell] = facts.cells.filter(
      ({ rows, pool, earlierRuns }) => rows === 1 && pool === "recentred" && earlierRuns > 0,
    );
    if (!cell) throw new Error("no recentred cell");
    const counted = { ...facts, cells: [cell, { ...cell, counts: true }] };
    const bars = barsOf(counted).map(barText);
    for (const bar of [
      "False verdicts per row: one-row reports, recentred, quiet, ",
      "cpu:3 found within 20 s, quiet: ",
    ]) {
      expect(bars).toContain(`${bar}after 8 earlier runs`);
      expect(bars).toContain(`${bar}with counts, after 8 earlier runs`);
    }
    const page = evaluationMarkdown(counted);
    expect(page).toContain("With counts: as on a runner with Valgrind.");
    expect(page.match(/\| with counts \|/g)).toHaveLength(5);
    expect(evaluationMarkdown(facts)).not.toContain("With counts");
  });

  it("names a bar that is missed in several settings once, with the worst of them", () => {
    const [cell] = facts.cells.filter(({ rows, pool }) => rows === 1 && pool === "raw");
    if (!cell) throw new Error("no raw cell");
    const falsePerRow = (hits: number) => ({ hits, of: 60, share: hits / 60, interval: [0, 0.5] }) as const;
    const cells = [3, 12, 0].map((hits) => ({
      ...cell,
      latency: true,
      counts: hits > 3,
      falsePerRow: falsePerRow(hits),
    }));
    const ofFalse = weaknesses({ ...facts, cells }).filter((line) => line.includes("False verdicts per row"));
    const where = "one-row reports with latency, raw, quiet, with counts";
    expect(ofFalse).toEqual([
      `Missed in 2 of 3 settings: False verdicts per row (the bar: at most 1 %). The worst: ${where}: 20.0 % (0.00 to 50.00).`,
      "Too few draws to be sure in 1 of 3 settings: False verdicts per row (the bar: at most 1 %).",
    ]);
  });

  it("measures the bar of a quiet p99 without a neighbour only", () => {
    const [cell] = facts.cells.filter(({ rows, pool }) => rows === 1 && pool === "recentred");
    if (!cell) throw new Error("no recentred cell");
    const bars = (neighbour: number) =>
      barsOf({
        ...facts,
        cells: [{ ...cell, latency: true, neighbour, found: cell.found.map((one) => ({ ...one, plant: "p99:10" })) }],
      });
    const ofP99 = (neighbour: number) => bars(neighbour).filter(({ what }) => what.startsWith("p99:10"));
    expect(ofP99(0).map(({ state }) => state)).not.toContain("not measured");
    expect(ofP99(0.25).filter(({ state }) => state !== "not measured")).toEqual([]);
  });

  it("refuses an earlier evaluation of another form with its field", () => {
    expect(() => parseEarlier({ recordedAt: 3 }, "a.json")).toThrow("a.json: recordedAt: ");
  });
});
