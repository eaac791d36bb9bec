import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderReport } from "../../../src/report/markdown/report.js";
import { metricCell } from "../../../src/report/tables/metric-cell.js";
import { METRIC_COLUMNS } from "../../../src/results/metric-columns.js";
import type { CaseResult } from "../../../src/results/schema.js";
import { proseOf, renderGfm, tablesOf, tagsOf } from "../../support/gfm.js";
import { completed, failed, granian, interfacesSet, resultsOf, sampleResults } from "../../support/results.js";

const OWN_TAGS = [
  ..."blockquote br code details h1 h2 h3 h4 li p pre strong summary".split(" "),
  ..."table tbody td th thead tr ul".split(" "),
];

/** The first table of a report of one set. */
function table(cases: CaseResult[]): string[][] {
  return tablesOf(renderGfm(renderReport(resultsOf(cases))))[0] ?? [];
}

describe("renderReport", () => {
  it("writes the sample as its golden file", async () => {
    await expect(renderReport(sampleResults())).toMatchFileSnapshot(join(import.meta.dirname, "sample.golden.md"));
  });

  it("says what several cases share in one line", () => {
    const cases = [64, 128].map((connections) =>
      completed("interfaces/a", "A", connections, 1000, {
        warnings: ["It was not steady.", `Only at ${connections}.`],
      }),
    );
    const page = renderReport(resultsOf(cases));
    expect(page).toContain("- a (c64), a (c128): It was not steady.\n");
    expect(page).toContain("- a (c64): Only at 64.\n");
    expect(page.match(/It was not steady/g)).toHaveLength(1);
  });

  it("has the published page's columns", () => {
    const [head] = table([completed("interfaces/a", "RSGI bytes", 256, 90119)]);
    expect(head).toEqual(["Request", "Total requests", "RPS", "avg latency", "max latency"]);
  });

  it("has the published page's header lines", () => {
    const lines = renderReport(resultsOf([completed("interfaces/a", "A", 64, 1000)])).split("\n");
    expect(lines.slice(0, 6)).toEqual([
      "# Granian benchmarks",
      "",
      "Run at: Thu 30 Jan 2025, 02:28    ",
      "Environment: AMD Ryzen 7 5700X @ Ubuntu 24.04 (CPUs: 2)    ",
      "Python version: 3.11    ",
      "Granian version: 2.8.0    ",
    ]);
  });

  it("leaves a server that was never installed without a version", () => {
    const { version: _, ...server } = granian;
    const page = renderReport(resultsOf([failed("interfaces/a", "A", 64, { server })]));
    expect(page).toContain("# Granian benchmarks");
    expect(page).not.toContain("Granian version");
  });

  it("shows the best concurrency of a row", () => {
    const rows = table([64, 128, 256].map((c) => completed("interfaces/a", "A", c, c === 128 ? 3000 : 2000)));
    expect(rows.slice(1).map((row) => row[0])).toEqual(["A (c128)"]);
  });

  it("shows a completed concurrency beside a failed one, and tells of the failed one", () => {
    const cases = [completed("interfaces/a", "A", 64, 900), failed("interfaces/a", "A", 512)];
    expect(table(cases)[1]?.[0]).toBe("A (c64)");
    expect(renderReport(resultsOf(cases))).toContain("- `A (c512)`: failed: the server ended");
  });

  it("tells of failures at a concurrency that is not shown", () => {
    const lost = { failures: { total: 1, byKind: { timeout: 1 } } };
    const cases = [
      completed("interfaces/a", "A", 64, 900),
      completed("interfaces/a", "A", 512, 800, { summary: lost }),
    ];
    expect(table(cases)[0]).not.toContain("Failures");
    expect(renderReport(resultsOf(cases))).toContain("- `A (c512)`: 1 failure: 1 timeout");
  });

  it("tells a shared failure once", () => {
    const page = renderReport(
      resultsOf([
        failed("interfaces/a", "A", 64, { reason: "no compiler", log: "gcc: not found" }),
        failed("interfaces/b", "B", 64, { reason: "no compiler", log: "gcc: not found" }),
      ]),
    );
    expect(page).toContain("- `A (c64)`, `B (c64)`: failed: no compiler");
    expect(page.match(/gcc: not found/g)).toHaveLength(1);
  });

  it("explains the client-bound mark once a table", () => {
    const bound = { summary: { clientBound: true } };
    const page = renderReport(
      resultsOf([completed("interfaces/a", "A", 64, 900.4, bound), completed("interfaces/b", "B", 64, 70.123, bound)]),
    );
    expect(page).toContain("≥ 900 ");
    expect(page).toContain("≥ 70.12 ");
    expect(page.match(/lower bound/g)).toHaveLength(1);
  });

  it("keeps rows of base out", () => {
    const head = completed("interfaces/a", "A", 64, 1000);
    const comparison = { mode: "paired" as const, base: { sha: "abc" }, rows: [] };
    const page = renderReport(resultsOf([{ ...head, side: "base", title: "Old" }, head], { comparison }));
    expect(page).not.toContain("Old");
  });

  it("says so when a run did not finish, or nothing was measured", () => {
    const cut = sampleResults({ cases: [] });
    const page = renderReport({ ...cut, run: { ...cut.run, finishedAt: null, warnings: [] } });
    expect(page).toContain("> **Warning:** The run did not finish");
    expect(page.match(/No benchmark of this set was measured/g)).toHaveLength(3);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("has every metric column", () => {
    const columns = Object.keys(METRIC_COLUMNS) as (keyof typeof METRIC_COLUMNS)[];
    const summary = { idle: { open: 0 }, startup: { seconds: 0.4, memoryMiB: 30 } };
    const plain = completed("interfaces/a", "A", 64, 1000, { summary });
    const results = resultsOf([plain], { sets: [{ ...interfacesSet, columns }] });
    const [head, row] = tablesOf(renderGfm(renderReport(results)))[0] ?? [];
    expect(head).toEqual(["Request", ...Object.values(METRIC_COLUMNS)]);
    expect(row?.slice(1)).toEqual(columns.map((column) => metricCell(column, plain)));
    for (const cell of row ?? []) expect(cell).not.toMatch(/NaN|undefined|Infinity|^$/);
  });

  it("survives hostile text in every place", () => {
    const bad = "x|y\n\n</details><b>@octocat</b> #1 `` ``` [a](https://evil.example) \u001b[2J\u202E";
    const server = { ...granian, title: bad, version: bad, command: [bad], packages: [bad], python: bad };
    const cases: CaseResult[] = [
      completed("interfaces/a", bad, 64, 1000, {
        server,
        warnings: [bad],
        group: bad,
        generatorCommand: [bad],
        summary: { failures: { total: 3, byKind: { [bad]: 3 } } },
      }),
      failed(`interfaces/${bad}`, bad, 64, { server, reason: bad, log: `${bad}\n${bad}`, group: bad }),
    ];
    const sets = [
      { ...interfacesSet, title: bad, description: bad, methodology: [bad], label: bad, knobColumns: { [bad]: "k" } },
    ];
    const sample = sampleResults();
    const run = { ...sample.run, warnings: [bad], command: [bad], git: { sha: bad, ref: bad }, id: bad };
    const environment = { ...sample.environment, cpuModel: bad, os: bad, kernel: bad, fingerprint: bad };
    const html = renderGfm(renderReport({ ...sample, run, environment, sets, cases }));
    expect(tagsOf(html).filter((tag) => !OWN_TAGS.includes(tag))).toEqual([]);
    expect(proseOf(html)).not.toMatch(/@\w|#\d|:\/\//);
    expect(html.match(/<details>/g)?.length).toBe(html.match(/<\/details>/g)?.length);
    for (const rows of tablesOf(html)) expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(tablesOf(html)[0]?.map((row) => row.length)).toEqual([7, 7, 7]);
  });
});
