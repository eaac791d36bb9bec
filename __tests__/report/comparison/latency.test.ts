/** Latency in the words of a comparison. */
import { describe, expect, it } from "vitest";
import { changedLines } from "../../../src/report/comparison/changed-rows.js";
import { latencyMethod } from "../../../src/report/comparison/method.js";
import { metricTitle } from "../../../src/report/comparison/metric-text.js";
import type { ComparedRow, Comparison, MetricComparison } from "../../../src/results/comparison.js";

function metric(base: number, head: number): MetricComparison {
  const change = head / base - 1;
  return { verdict: "worse", change, interval: [change, change], p: 0, minimumDetectable: 0.02, pairs: 5, base, head };
}

function comparison(metrics: ComparedRow["metrics"]): Comparison {
  return { mode: "paired", base: {}, rows: [{ id: "a/b", title: "b", verdict: "worse", metrics, seconds: 36 }] };
}

describe("latency in a comparison", () => {
  it("is given in milliseconds, in which fast servers still differ", () => {
    const lines = changedLines(
      comparison({ latencyP99: metric(0.2124, 0.3351), throughput: metric(120_000.4, 110_000) }),
    );
    expect(lines.map(({ change, base, head }) => [change, base, head])).toEqual([
      ["latency p99 +57.8 % ±0.0 %", "0.212 ms", "0.335 ms"],
      ["throughput -8.3 % ±0.0 %", "120000 req/s", "110000 req/s"],
    ]);
    expect(metricTitle("latencyP50")).toBe("latency p50");
  });

  it("says how it was measured and what is called, where it was", () => {
    const [method = "", ...more] = latencyMethod(comparison({ latencyP50: metric(1, 2) }));
    expect(more).toEqual([]);
    expect(method).toContain("coordinated omission");
    expect(method).toMatch(/p50 beyond \d+\.\d %, with ±\d+\.\d % for "unchanged"\.$/);
    expect(latencyMethod(comparison({ throughput: metric(1, 2) }))).toEqual([]);
  });
});
