/** Charts of a job summary: only where they stay readable, and nothing foreign in them but names. */
import { describe, expect, it } from "vitest";
import { mermaidChart } from "../../../src/report/charts/mermaid.js";
import { renderReport, renderSummary } from "../../../src/report/markdown/report.js";
import { rowsOf } from "../../../src/report/tables/rows.js";
import type { CaseResult } from "../../../src/results/schema.js";
import { HOSTILE } from "../../support/hostile.js";
import { completed, failed, interfacesSet, resultsOf } from "../../support/results.js";

const rows = (count: number, change: (result: CaseResult, i: number) => CaseResult = (same) => same): CaseResult[] =>
  Array.from({ length: count }, (_, i) =>
    change(completed(`interfaces/row-${i}`, `Row ${i}`, 256, 1234.5 * (i + 1)), i),
  );
const chart = (cases: readonly CaseResult[]) => mermaidChart(rowsOf(interfacesSet, cases));

describe("mermaidChart", () => {
  it("draws one bar for each row", () => {
    expect(chart(rows(3))).toBe(
      [
        "```mermaid",
        "xychart-beta horizontal",
        '  x-axis ["Row 0 (c256)", "Row 1 (c256)", "Row 2 (c256)"]',
        '  y-axis "requests per second, more is better" 0 --> 3800',
        "  bar [1235, 2469, 3704]",
        "```",
      ].join("\n"),
    );
  });

  const only = (i: number, of: CaseResult) => (result: CaseResult, at: number) => (at === i ? of : result);
  const slow = completed("interfaces/row-1", "Row 1", 256, 900);
  it.each([
    ["one row", rows(1)],
    ["eleven rows", rows(11)],
    ["a row that failed", rows(3, only(1, failed("interfaces/row-1", "Row 1", 256)))],
    ["a disturbed row", rows(3, only(1, { ...slow, disturbed: true }))],
    ["a lower bound", rows(3, only(1, { ...slow, summary: { ...slow.summary, clientBound: true } }))],
    ["a long name", rows(3, only(1, { ...slow, title: "A row with a name that is long" }))],
    ["two rows of one name", rows(3, (result) => ({ ...result, title: "Row" }))],
  ])("draws nothing for %s", (_, cases) => {
    expect(chart(cases)).toBe("");
  });

  it("keeps hostile names inside of their text", () => {
    for (const name of [...HOSTILE, '"] bar [1]', "a`\n```\nb", "%% x", "x; click y", "#quot;", "<b>"]) {
      const cases = [completed("interfaces/a", name, 1, 5), completed("interfaces/b", "B", 1, 6)];
      const text = chart(cases);
      if (text === "") continue;
      const lines = text.split("\n");
      expect(lines).toHaveLength(6);
      expect(lines[2]).toMatch(/^ {2}x-axis \["[\p{L}\p{N} ().,:+/_-]+", "B \(c1\)"\]$/u);
    }
  });
});

it("is in a job summary, and not in the report, whose charts are files", () => {
  const results = resultsOf(rows(3), { sets: [interfacesSet] });
  expect(renderSummary(results)).toContain("xychart-beta");
  expect(renderReport(results)).not.toContain("mermaid");
});
