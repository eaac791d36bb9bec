/** The data of the forest plot: one axis for metrics of both directions, and folded sets. */
import { describe, expect, it } from "vitest";
import { forestOf } from "../../../src/report/html/forest.js";
import { forestTicks } from "../../../src/report/html/forest-view.js";
import { rowKeys } from "../../../src/report/html/row-keys.js";
import type { MetricComparison, Verdict } from "../../../src/results/comparison.js";
import { compared, comparison } from "../../support/comment.js";
import { completed, resultsOf } from "../../support/results.js";

function metric(verdict: Verdict, change: number, reach = 0.01): MetricComparison {
  return {
    ...{ verdict, change, interval: [change - reach, change + reach] },
    ...{ p: 0.01, minimumDetectable: 0.02, pairs: 7 },
  };
}

const keys = rowKeys(resultsOf([completed("interfaces/a", "A", 256, 1000)]));

describe("forestOf", () => {
  it("draws better to the right, whichever direction of the metric is good", () => {
    const { groups } = forestOf(
      comparison([
        compared("interfaces/fast", "better", { metrics: { throughput: metric("better", 0.1) } }),
        compared("interfaces/lean", "better", { metrics: { cpuPerRequest: metric("better", -0.1) } }),
        compared("interfaces/fat", "worse", { metrics: { cpuPerRequest: metric("worse", 0.1) } }),
      ]),
      keys,
    );
    const at = groups[0]?.shown.map(({ id, effect }) => [id, Number(effect?.at.toFixed(3))]);
    expect(at).toEqual([
      ["interfaces/fat", -0.095],
      ["interfaces/fast", 0.095],
      ["interfaces/lean", 0.105],
    ]);
    for (const { effect } of groups[0]?.shown ?? []) expect(effect?.low).toBeLessThan(effect?.high ?? 0);
  });
  it("takes the metric that decided the row, with its margin", () => {
    const row = compared("interfaces/tail", "worse", {
      metrics: { throughput: metric("unchanged", 0), latencyP99: metric("worse", 0.2) },
    });
    const [shown] = forestOf(comparison([row]), keys).groups[0]?.shown ?? [];
    expect(shown?.deciding).toMatchObject({ kind: "metric", name: "latencyP99" });
    expect(shown?.effect?.margin).toBeCloseTo(Math.log1p(0.1));
  });
  it("takes the margin of time that was looked for", () => {
    const row = compared("interfaces/steady", "unchanged", { metrics: { throughput: metric("unchanged", 0) } });
    const [shown] = forestOf(comparison([row], { detect: 0.01 }), keys).groups[0]?.shown ?? [];
    expect(shown?.effect?.margin).toBeCloseTo(Math.log1p(0.01));
  });
  it("keeps tiny changes small and huge ones on the axis", () => {
    const reach = (change: number) =>
      forestOf(comparison([compared("a/b", "worse", { metrics: { throughput: metric("worse", change) } })]), keys)
        .reach;
    expect(reach(-0.01)).toBeCloseTo(1.05 * Math.log1p(0.06));
    expect(reach(-0.9)).toBeCloseTo(1.05 * Math.LN2);
  });
  it("folds the sets of many rows to their extremes and what changed", () => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      compared(`set/${i}`, i === 30 ? "worse" : "unchanged", {
        metrics: { throughput: metric(i === 30 ? "worse" : "unchanged", (i - 29) / 3000) },
      }),
    );
    const [group] = forestOf(comparison(rows), keys).groups;
    expect(group?.shown.map(({ id }) => id)).toEqual(["set/0", "set/30", "set/59"]);
    expect(group?.folded).toHaveLength(57);
    expect(forestOf(comparison(rows.slice(0, 40)), keys).groups[0]?.folded).toEqual([]);
  });
});

describe("forestTicks", () => {
  it.each([0.06, 0.08, 0.12, 0.2, 0.36, 0.5, 0.72])(
    "leaves room for labels on a phone, up to a reach of %d",
    (reach) => {
      const ticks = forestTicks(reach);
      expect(ticks).toContain(0);
      expect(ticks.length).toBeGreaterThan(2);
      const places = ticks.map((share) => ((Math.log1p(share) + reach) / (2 * reach)) * 100);
      for (const [i, place] of places.slice(1).entries()) expect(place - (places[i] ?? 0)).toBeGreaterThanOrEqual(15);
      for (const place of places) expect(Math.abs(place - 50)).toBeLessThanOrEqual(50);
    },
  );

  it.each([0.06, 0.066, 0.12, 0.165, 0.2, 0.36, 0.728])(
    "names the same sizes on both sides, as far as both go, up to a reach of %d",
    (reach) => {
      const ticks = forestTicks(reach);
      const below = ticks.filter((share) => share < 0).map((share) => -share);
      const above = ticks.filter((share) => share > 0);
      expect(below.toReversed()).toEqual(above.slice(0, below.length));
      const rest = above.slice(below.length);
      // What the left side lacks has no room there.
      for (const share of rest) expect(Math.log1p(-Math.min(share, 0.99))).toBeLessThan(-0.92 * reach);
    },
  );
});
