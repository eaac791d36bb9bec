/** Cases that other processes disturbed: marked, and neither the best concurrency nor the bold row beside a clean one. */
import { describe, expect, it } from "vitest";
import { chartsOf } from "../../../src/report/charts/charts.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import { renderTerminal } from "../../../src/report/terminal/terminal.js";
import type { CaseResult } from "../../../src/results/schema.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { completed, interfacesSet, resultsOf } from "../../support/results.js";

const disturbed = (othersShare: number) => ({ disturbed: true, othersShare }) as const;

function table(cases: CaseResult[], set = interfacesSet): string[][] {
  return tablesOf(renderGfm(renderReport(resultsOf(cases, { sets: [set] }))))[0] ?? [];
}

describe("a disturbed case", () => {
  const cases = [
    completed("interfaces/a", "A", 64, 46285, disturbed(0.43)),
    completed("interfaces/b", "B", 64, 78795, { othersShare: 0.02 }),
    completed("interfaces/c", "C", 64, 50000, disturbed(0.12)),
  ];

  it("is marked in the table, with one note", () => {
    const page = renderReport(resultsOf(cases, { sets: [interfacesSet] }));
    expect(table(cases).map((row) => row[2])).toEqual(["RPS", "46285 ~", "78795", "50000 ~"]);
    expect(page.match(/marks a benchmark as disturbed/g)).toHaveLength(1);
    expect(page).toContain("other processes took 12 to 43 % of the CPU time of server and load generator");
  });

  it("is marked in a chart", () => {
    const [chart] = chartsOf(resultsOf(cases, { sets: [{ ...interfacesSet, charts: ["rps"] }] }));
    expect(chart?.svg).toContain("46285 ~");
    expect(chart?.svg).toContain("~ disturbed by other processes");
  });

  it("is marked in the terminal", () => {
    const text = renderTerminal(resultsOf(cases, { sets: [interfacesSet] }), { columns: 120, colour: false });
    expect(text).toContain("46285 ~");
    expect(text).toContain("~ marks a benchmark as disturbed: other processes took 12 to 43 % of the CPU time");
  });

  it("is not the row's best concurrency beside a clean one, and is shown where there is no other", () => {
    const loud = completed("interfaces/a", "A", 64, 9000, disturbed(0.2));
    expect(table([loud, completed("interfaces/a", "A", 128, 3000)])[1]?.[0]).toBe("A (c128)");
    expect(table([loud, completed("interfaces/a", "A", 128, 3000, disturbed(0.2))])[1]?.[0]).toBe("A (c64)");
  });

  it("is not the bold row beside a clean one", () => {
    const set = { ...interfacesSet, boldBestPer: "mode" };
    const mode = { knobs: { mode: "st" } };
    const page = renderReport(
      resultsOf(
        [
          completed("interfaces/a", "A", 64, 9000, { ...mode, ...disturbed(0.2) }),
          completed("interfaces/b", "B", 64, 3000, mode),
        ],
        { sets: [set] },
      ),
    );
    expect(page).toMatch(/\*\*B \(c64\)\*\*/);
    expect(page).not.toMatch(/\*\*A \(c64\)\*\*/);
  });
});
