/** Suspicions of stored results, with what pairs say of them. */
import { describe, expect, it } from "vitest";
import { type Confirmed, confirmRows, suspectRows } from "../../src/compare/confirmed.js";
import { judgePaired } from "../../src/compare/paired.js";
import { pairKey } from "../../src/compare/sides.js";
import { renderReport } from "../../src/report/markdown/report.js";
import { renderTerminal } from "../../src/report/terminal/terminal.js";
import { checkResults } from "../../src/results/check.js";
import type { ComparedRow, Comparison } from "../../src/results/comparison.js";
import { sampleComparison } from "../support/comparison.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../support/pairs.js";

const results = sampleComparison();
const stored = results.comparison as Comparison;
const [slower, faster] = ["interfaces/slower", "interfaces/faster"].map((id) =>
  stored.rows.find((row) => row.id === id),
) as [ComparedRow, ComparedRow];
const base = { ref: "main", sha: "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3" };

/** Eight pairs of a row of the sample. @param cost logarithm of head's CPU time over base's */
function measured({ id, connections = 0, title = "" }: ComparedRow, cost: number): Confirmed {
  const random = seeded(7);
  const pairs = Array.from({ length: 8 }, (_, i) => noisyPair(random, MEASURED_NOISE, cost, i));
  const [judged] = judgePaired([pairedRow(id, pairs, { connections, title, ended: true })]);
  if (!judged) throw new Error("no row was judged");
  return { state: "paired", row: judged.compared };
}

function confirmed(outcomes: readonly [ComparedRow, Confirmed][], trouble?: string): Comparison {
  const rows = new Map(outcomes.map(([row, outcome]) => [pairKey(row), outcome]));
  return confirmRows(stored, { rows, base, ...(trouble !== undefined && { trouble }) });
}

function rowOf(comparison: Comparison, { id }: ComparedRow): ComparedRow | undefined {
  return comparison.rows.find((row) => row.id === id);
}

describe("suspectRows", () => {
  it("gives the suspect rows, the most striking first", () => {
    const suspects = suspectRows(stored);
    expect(new Set(suspects.map(({ id }) => id))).toEqual(new Set([slower.id, faster.id]));
    const p = suspects.map(({ metrics }) => Math.min(...Object.values(metrics).map((metric) => metric.p)));
    expect(p).toEqual([...p].sort((a, b) => a - b));
  });
});

describe("confirmRows", () => {
  it("puts the pairs' verdict in the place of the suspicion, and keeps what that was", () => {
    const comparison = confirmed([
      [slower, measured(slower, 0.2)],
      [faster, measured(faster, 0)],
    ]);
    const worse = rowOf(comparison, slower);
    expect(worse?.verdict).toBe("worse");
    expect(worse?.recorded).toHaveLength(8);
    expect(worse?.metrics.cpuPerRequest?.pairs).toBe(8);
    expect(worse?.confirmation).toEqual({ state: "paired", suspected: slower.metrics });
    expect(worse?.notes?.[0]).toMatch(
      /^suspected against the stored runs \(throughput -\d+\.\d %, CPU per request \+\d+\.\d %\), then measured in pairs$/,
    );
    expect(["unchanged", "inconclusive"]).toContain(rowOf(comparison, faster)?.verdict);
    expect(comparison).toMatchObject({ mode: "artifact", confirmedWith: base });
    expect(comparison.rows.map(({ id }) => id)).toEqual(stored.rows.map(({ id }) => id));
    expect(checkResults({ ...results, comparison })).toMatchObject({ state: "valid" });
  });

  it("keeps the margin of the pairs, so that a merge judges them by it", () => {
    const rows = new Map([[pairKey(slower), measured(slower, 0.2)]]);
    expect(confirmRows(stored, { rows, base, detect: 0.01 }).detect).toBe(0.01);
    expect(confirmRows(stored, { rows: new Map(), base, detect: 0.01 })).not.toHaveProperty("detect");
    expect(confirmRows(stored, { rows, base })).not.toHaveProperty("detect");
  });

  it("takes the suspicion from a row that is the same on both sides", () => {
    const reason = "the same packages, app and command on both sides";
    const row = rowOf(confirmed([[slower, { state: "cannot-have-changed", reason }]]), slower);
    expect(row?.verdict).toBe("inconclusive");
    expect(Object.values(row?.metrics ?? {}).map(({ verdict }) => verdict)).not.toContain("suspect-worse");
    expect(row?.notes?.at(-1)).toMatch(/^suspected against .*, but it cannot have changed: the same packages/);
  });

  it("leaves a row suspect that was not confirmed, with the reason", () => {
    const comparison = confirmed([[slower, { state: "not-confirmed", reason: "base has no such row" }]]);
    expect(rowOf(comparison, slower)).toMatchObject({
      verdict: "suspect-worse",
      metrics: slower.metrics,
      notes: ["not confirmed in pairs: base has no such row"],
      confirmation: { state: "not-confirmed", reason: "base has no such row" },
    });
    expect(rowOf(comparison, faster)).toEqual(faster);
    expect(comparison.confirmedWith).toBeUndefined();
  });

  it("says once why none was confirmed", () => {
    const reason = "cannot check out 0f3c2a9";
    const comparison = confirmed(
      [slower, faster].map((row) => [row, { state: "not-confirmed", reason }]),
      reason,
    );
    expect(comparison.notes?.at(-1)).toBe(
      "Suspected benchmarks could not be measured in pairs: cannot check out 0f3c2a9",
    );
    expect(comparison.rows.flatMap(({ notes = [] }) => notes).join()).not.toContain("cannot check out");
    expect(checkResults({ ...results, comparison })).toMatchObject({ state: "valid" });
  });
});

describe("the report", () => {
  const comparison = confirmed([
    [slower, measured(slower, 0.2)],
    [faster, { state: "not-confirmed", reason: "base has no such row" }],
  ]);

  it("shows confirmed rows as proven, with their pairs, beside those that stay suspect", () => {
    const report = renderReport({ ...results, comparison });
    expect(report).toContain("1 of 4 benchmarks is slower");
    expect(report).toMatch(/\| RSGI echo \(c64\) +\| worse .*8 pairs, 36 s/);
    expect(report).toContain("then measured in pairs");
    expect(report).toMatch(
      /measured again in pairs with base \(measured in this run, commit `?0f3c2a9d5b7e`? on main\)/,
    );
    expect(report).toContain("Base and head run side by side in pairs");
  });

  it("says so on a terminal", () => {
    const paths = { page: "index.html", report: "report.md", results: "results.json" };
    const text = renderTerminal({ ...results, comparison }, { columns: 200, colour: false, paths });
    expect(text).toMatch(/RSGI echo \(c64\): worse, .*/);
    expect(text).toContain("not confirmed in pairs: base has no such row");
    expect(text).toContain("in pairs with base (measured in this run, commit 0f3c2a9d5b7e on main)");
  });
});
