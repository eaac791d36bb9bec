import { join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { compareStored } from "../../../src/compare/stored.js";
import { headline, headlineText } from "../../../src/report/comparison/headline.js";
import { comparisonMarkdown, comparisonText } from "../../../src/report/comparison/section.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import { renderTerminal } from "../../../src/report/terminal/terminal.js";
import type { Comparison } from "../../../src/results/comparison.js";
import { baseRuns, headRun, runOn, sampleComparison } from "../../support/comparison.js";
import { proseOf, renderGfm, tablesOf, tagsOf } from "../../support/gfm.js";
import { completed } from "../../support/results.js";

const OWN_TAGS = "code details h2 li p pre strong summary table tbody td th thead tr ul".split(" ");

function sample(): Comparison {
  const { comparison } = sampleComparison();
  if (!comparison) throw new Error("no comparison");
  return comparison;
}

describe("the comparison's section", () => {
  it("is written as its golden file", async () => {
    await expect(`${comparisonMarkdown(sample())}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, "comparison.golden.md"),
    );
  });

  it("is written for a terminal as its golden file", async () => {
    await expect(`${comparisonText(sample(), 80)}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, "comparison.golden.txt"),
    );
  });

  it("stands before the tables", () => {
    const results = sampleComparison();
    const page = renderReport(results);
    expect(page.indexOf("## Compared with base")).toBeLessThan(page.indexOf("## Interfaces"));
    expect(page.indexOf("## Compared with base")).toBeGreaterThan(0);
    const text = renderTerminal(results, { columns: 80, colour: false });
    expect(text.indexOf("Compared with base")).toBeLessThan(text.indexOf("Interfaces"));
  });

  it("has every row once, in a table or apart", () => {
    const html = renderGfm(comparisonMarkdown(sample()));
    for (const row of headRun().cases) {
      if (row.title === "Uvicorn bytes") continue;
      expect(html, row.title).toContain(row.title);
    }
    expect(tablesOf(html).map((rows) => rows[0]?.[0])).toEqual(["Benchmark", "Benchmark"]);
  });

  it("shows what is to be said of a changed row beside it, of the others with them", () => {
    const rows = sample().rows.map((row) => ({ ...row, notes: [`note of ${row.id}`] }));
    const [open = "", folded = ""] = comparisonMarkdown({ ...sample(), rows }).split("<details>");
    expect(open).toContain("note of interfaces/slower");
    expect(open).not.toContain("note of interfaces/steady");
    expect(folded).toContain("note of interfaces/steady");
    expect(folded).not.toContain("note of interfaces/slower");
    expect(comparisonText({ ...sample(), rows }, 200)).toContain("RSGI echo (c64): note of interfaces/slower");
  });

  it("calls rows the other ones only beside rows that changed", () => {
    expect(comparisonMarkdown(sample())).toContain("The other benchmarks (2)");
    const rows = sample().rows.map((row) => ({ ...row, verdict: "unchanged" as const }));
    expect(comparisonMarkdown({ ...sample(), rows })).toContain(`<summary>The benchmarks (${rows.length})`);
  });

  it("names inconclusive rows in the terminal, with the metric that is the least sure", () => {
    const text = comparisonText(sample(), 500);
    const [line = ""] = /^- Inconclusive, .*$/m.exec(text) ?? [];
    for (const { title = "", verdict } of sample().rows) expect(line.includes(title)).toBe(verdict === "inconclusive");
    expect(line).toMatch(/: (?:throughput|CPU per request) \d+\.\d %$/);
    const rows = sample().rows.map((row) => ({ ...row, verdict: "inconclusive" as const, metrics: {} }));
    expect(comparisonText({ ...sample(), rows }, 500)).toMatch(
      /^- Inconclusive, measured too few times for a figure: [^:]*$/m,
    );
  });

  it("names stored results that were left out, in the terminal too", () => {
    const runs = [
      { source: "old.json", id: "1", startedAt: "2026-01-01T00:00:00.000Z", leftOut: "another kernel" },
      { source: "used.json", id: "2", startedAt: "2026-01-02T00:00:00.000Z" },
    ];
    const text = comparisonText({ ...sample(), runs }, 200);
    expect(text).toContain("- old.json was left out: another kernel");
    expect(text).not.toContain("used.json was left out");
  });

  it("keeps each line within a terminal", () => {
    for (const columns of [40, 60, 100])
      for (const line of comparisonText(sample(), columns).split("\n"))
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it("lets foreign text do nothing but be read", () => {
    const bad = "x|y\n</details><b>@octocat</b> #1 `` [a](https://evil.example) \u001b[2J";
    const comparison = sample();
    const rows = comparison.rows.map((row) => ({ ...row, title: bad, notes: [bad] }));
    const notCompared = comparison.notCompared?.map((row) => ({ ...row, title: bad, reason: bad }));
    const runs = comparison.runs?.map((run) => ({ ...run, source: bad, sha: bad, leftOut: bad }));
    const anchor = { servers: [bad], rows: [bad], day: { [bad]: 0.1 } };
    const base = { runs: "3", sha: bad, ref: bad, machine: bad, fingerprint: bad };
    const hostile = { ...comparison, rows, notCompared, runs, anchor, base, notes: [bad], command: [bad] };
    const html = renderGfm(comparisonMarkdown(hostile as Comparison));
    expect(tagsOf(html).filter((tag) => !OWN_TAGS.includes(tag))).toEqual([]);
    expect(proseOf(html)).not.toMatch(/@\w|#\d|:\/\//);
    for (const table of tablesOf(html)) expect(new Set(table.map((row) => row.length)).size).toBe(1);
  });
});

describe("headline", () => {
  const base = [{ source: "base.json", results: runOn(1, [completed("interfaces/a", "A", 64, 1000)]) }];

  it("says when files cannot be compared", () => {
    const head = runOn(2, []);
    const other = { ...head, environment: { ...head.environment, kernel: "7.0" } };
    const line = headlineText(headline(compareStored(base, other)));
    expect(line).toBe("Not comparable with base. Reason: kernel: 6.8.0-51-generic in base, 7.0 in head.");
    expect(comparisonMarkdown(compareStored(base, other))).toContain("**Not comparable with base.**\n\nReason: kernel");
  });

  it("says that nothing was found, which is not that nothing changed", () => {
    expect(headlineText(headline(compareStored(base, runOn(2, [completed("interfaces/a", "A", 64, 1001)]))))).toBe(
      "No benchmark could be decided.",
    );
    expect(headline(compareStored(baseRuns(), runOn(9, []))).verdict).toBe(
      "No benchmark was measured in base and head.",
    );
  });
});
