/** The columns of streams, uploads, starts and idle connections: a figure with its unit in the heading, or N/A. */
import { describe, expect, it } from "vitest";
import { renderReport } from "../../../src/report/markdown/report.js";
import { metricCell } from "../../../src/report/tables/metric-cell.js";
import { METRIC_COLUMNS, type MetricColumn } from "../../../src/results/metric-columns.js";
import type { Summary } from "../../../src/results/schema.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { completed, interfacesSet, resultsOf } from "../../support/results.js";

const PLAIN: Summary = {
  requests: 1000,
  requestsPerSec: 100,
  failures: { total: 0, byKind: {} },
  latencyMs: { mean: 1, p50: 1, p75: 1, p90: 1, p95: 1, p99: 2, max: 3 },
  cpuPerRequestUs: 50,
  peakMemoryMiB: 41.26,
  clientBound: false,
  serverCpu: 1,
  clientCpu: 0.5,
};
const FULL: Summary = {
  ...PLAIN,
  latencyMs: { ...PLAIN.latencyMs, p999: 12.34 },
  firstByteMs: 0.512,
  bodyBytesPerSec: 123_456_789,
  idle: { open: 1000, kibPerConnection: 8.25 },
  startup: { seconds: 0.456, memoryMiB: 33.3 },
};

it.each([
  ["p99.9", "99.9%", "12.3"],
  ["first-byte", "First byte (ms)", "0.512"],
  ["mb-per-sec", "MB/s", "123.5"],
  ["idle-memory", "KiB per idle connection", "8.3"],
  ["startup", "Start (s)", "0.46"],
  ["startup-memory", "Memory after start (MiB)", "33.3"],
] as const)("%s", (column, heading, figure) => {
  expect(METRIC_COLUMNS[column]).toBe(heading);
  expect(metricCell(column, { summary: FULL, slices: [] })).toBe(figure);
  expect(metricCell(column, { summary: PLAIN, slices: [] })).toBe("N/A");
});

it("shows less than a tenth of a megabyte", () => {
  const summary = { ...FULL, bodyBytesPerSec: 29_800 };
  expect(metricCell("mb-per-sec", { summary, slices: [] })).toBe("0.03");
});

it("leaves a column out of a table whose rows are of a kind without such a figure", () => {
  const rows = [
    completed("interfaces/new", "New", 64, 1000, { group: "New" }),
    completed("interfaces/held", "Held", 64, 1000, { group: "Held", summary: { idle: { open: 10 } } }),
  ];
  const columns: MetricColumn[] = ["rps", "idle-memory"];
  const page = renderGfm(renderReport(resultsOf(rows, { sets: [{ ...interfacesSet, columns }] })));
  expect(tablesOf(page).slice(0, 2)).toEqual([
    [
      ["Request", "RPS"],
      ["New (c64)", "1000"],
    ],
    [
      ["Request", "RPS", "KiB per idle connection"],
      ["Held (c64)", "1000", "N/A"],
    ],
  ]);
});

describe("a table with MB/s", () => {
  const page = (change: Parameters<typeof completed>[4]) => {
    const upload = completed("interfaces/upload", "Upload", 64, 1000, {
      ...change,
      summary: { bodyBytesPerSec: 2e7, ...change?.summary },
    });
    return renderReport(resultsOf([upload], { sets: [{ ...interfacesSet, columns: ["mb-per-sec"] }] }));
  };
  const cell = (text: string) => tablesOf(renderGfm(text))[0]?.[1]?.at(-1);

  it("marks a lower bound, with its note", () => {
    const bound = page({ summary: { clientBound: true } });
    expect(cell(bound)).toBe("≥ 20");
    expect(bound).toContain("≥ marks a benchmark as client-bound");
  });

  it("shows by how much the throughput of one window varied, with its note", () => {
    const varied = page({ spread: 0.073 });
    expect(cell(varied)).toBe("20 ±7 %");
    expect(varied).toContain("± is the standard deviation of the throughput between tenths of the window");
    expect(cell(page({ spread: 0.073, disturbed: true }))).toBe("20 ±7 % ~");
  });

  it("shows no spread up to 3 %, nor that of pairs, which have an interval", () => {
    const [slice] = completed("interfaces/upload", "Upload", 64, 1000).slices;
    for (const change of [{ spread: 0.03 }, { spread: 0.073, slices: [slice, slice].flatMap((one) => one ?? []) }]) {
      expect(cell(page(change))).toBe("20");
      expect(page(change)).not.toContain("±");
    }
  });

  it("marks a disturbed row, with its note", () => {
    const disturbed = page({ disturbed: true, othersShare: 0.2 });
    expect(cell(disturbed)).toBe("20 ~");
    expect(disturbed).toContain("~ marks a benchmark as disturbed");
  });
});

it("memory is in every row", () => {
  const column: MetricColumn = "memory";
  expect(metricCell(column, { summary: PLAIN, slices: [] })).toBe("41.3");
});
