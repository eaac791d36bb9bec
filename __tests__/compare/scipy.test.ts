/** Centre, scale and prior against other implementations (scripts/fixtures/make-statistics.py). */
import { describe, expect, it } from "vitest";
import { digamma, trigamma, trigammaInverse } from "../../src/compare/gamma-functions.js";
import { moderatedScale, priorsOfOthers } from "../../src/compare/prior.js";
import { weightedCentre } from "../../src/compare/weighted.js";
import gamma from "./fixtures/gamma.json" with { type: "json" };
import huber from "./fixtures/huber.json" with { type: "json" };
import priors from "./fixtures/priors.json" with { type: "json" };

function expectClose(actual: number, expected: number, relative: number): void {
  expect(Math.abs(actual - expected) / Math.abs(expected), `${actual}, SciPy has ${expected}`).toBeLessThan(relative);
}

it("the derivatives of ln gamma are SciPy's", () => {
  for (const [x = 0, y = 0] of gamma.values.digamma) expectClose(digamma(x), y, 1e-9);
  for (const [x = 0, y = 0] of gamma.values.trigamma) expectClose(trigamma(x), y, 1e-9);
  for (const [x = 0, y = 0] of gamma.values.trigammaInverse) expectClose(trigammaInverse(x), y, 1e-9);
});

describe("priorsOfOthers", () => {
  it("is limma's fitFDist without the row itself, worth at most one pair of each other row", () => {
    for (const { scale, df, priors: expected } of priors.values) {
      const rows = scale.map((one, i) => ({ scale: one, df: df[i] ?? 0 }));
      for (const [i, prior] of priorsOfOthers(rows).entries()) {
        const [fitted, freedom] = expected[i] ?? [];
        expectClose(prior?.scale ?? 0, fitted ?? 0, 1e-8);
        expectClose(prior?.df ?? 0, Math.min(30, freedom ?? 30, rows.length - 1), 1e-8);
      }
    }
  });

  it("does not exist with fewer than four other rows: a row is no prior for itself", () => {
    const rows = Array.from({ length: 4 }, () => ({ scale: 1, df: 3 }));
    expect(priorsOfOthers(rows)).toEqual([undefined, undefined, undefined, undefined]);
    expect(moderatedScale({ scale: 7, df: 3 }, undefined)).toEqual({ scale: 7, df: 3 });
  });

  it("does not depend on the row that it is for", () => {
    const rows = Array.from({ length: 6 }, (_, i) => ({ scale: 1 + i / 10, df: 3 }));
    const [prior] = priorsOfOthers(rows);
    const [same] = priorsOfOthers([{ scale: 1000, df: 14 }, ...rows.slice(1)]);
    expect(same?.scale).toBeCloseTo(prior?.scale ?? 0, 9);
    expect(same?.df).toBeCloseTo(prior?.df ?? 0, 9);
  });
});

it("weightedCentre is Huber's Proposal 2, as SciPy solves its equations", () => {
  for (const { logRatios, variances, mean, scale } of huber.values.samples) {
    const centre = weightedCentre(logRatios.map((logRatio, i) => ({ logRatio, variance: variances[i] ?? 0 })));
    expectClose(centre.mean, mean, 1e-6);
    expectClose(centre.scale, scale, 1e-6);
    const weighted = centre.weights.reduce((sum, share, i) => sum + share * (logRatios[i] ?? 0), 0);
    expect(weighted).toBeCloseTo(centre.mean, 12);
  }
});
