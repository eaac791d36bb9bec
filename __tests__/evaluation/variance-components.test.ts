/** Variance components against statsmodels and SciPy, and how often their intervals hold the truth. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import { fQuantile } from "../../evaluation/statistics/f-quantile.js";
import { balanced, buildComponents, varianceComponents } from "../../evaluation/statistics/variance-components.js";
import { standardNormal } from "../support/noise.js";

interface Fixture {
  readonly fQuantile: readonly (readonly [number, number, number, number])[];
  readonly nested: readonly {
    readonly values: readonly (readonly (readonly number[])[])[];
    readonly sd: readonly [number, number, number];
    readonly intervals: readonly (readonly [number, number])[];
  }[];
}
const fixture: Fixture = JSON.parse(
  readFileSync(new URL("fixtures/variance-components.json", import.meta.url), "utf8"),
);

it.each(fixture.fQuantile)("the %f quantile of F(%d, %d) is SciPy's %f", (p, numerator, denominator, expected) => {
  const found = fQuantile(p, numerator, denominator === 0 ? Number.POSITIVE_INFINITY : denominator);
  expect(found / expected).toBeCloseTo(1, 8);
});

describe("varianceComponents", () => {
  it.each(fixture.nested.map((one, i) => [i, one] as const))("design %d is as statsmodels has it", (_, design) => {
    const found = varianceComponents(design.values);
    const components = [found.betweenBuilds, found.betweenProcesses, found.within];
    for (const [i, component] of components.entries()) {
      // The maximum of the likelihood is found by search, to some four digits.
      expect(component.sd / (design.sd[i] ?? Number.NaN)).toBeCloseTo(1, 3);
      expect(component.interval[0]).toBeCloseTo(design.intervals[i]?.[0] ?? Number.NaN, 6);
      expect(component.interval[1]).toBeCloseTo(design.intervals[i]?.[1] ?? Number.NaN, 6);
    }
  });

  it("holds the true sd between builds in 95 % of simulated recordings", () => {
    const random = seeded(3);
    const normal = () => standardNormal(random);
    let [held, zero] = [0, 0];
    for (let i = 0; i < 1000; i += 1) {
      const values = Array.from({ length: 20 }, () => {
        const build = 0.5 * normal();
        return Array.from({ length: 8 }, () => build + normal());
      });
      const [low, high] = buildComponents(values).betweenBuilds.interval;
      if (low <= 0.5 && 0.5 <= high) held += 1;
      const same = Array.from({ length: 20 }, () => Array.from({ length: 8 }, normal));
      if (buildComponents(same).betweenBuilds.interval[0] === 0) zero += 1;
    }
    expect(held).toBeGreaterThanOrEqual(930);
    expect(held).toBeLessThanOrEqual(970);
    // Without differences between builds the lower bound is above 0 in 2.5 %.
    expect(zero).toBeGreaterThanOrEqual(955);
  });

  it("says what it cannot compute", () => {
    expect(() => varianceComponents([[[1, 2]], [[1, 2]]])).toThrow("two builds, pairs and turns each");
    expect(() =>
      buildComponents([
        [1, 2],
        [1, 2, 3],
      ]),
    ).toThrow("the same number of pairs");
    expect(
      balanced([
        [1, 2, 3],
        [4, 5],
        [6, 7, 8, 9],
      ]),
    ).toEqual({
      lists: [
        [1, 2],
        [4, 5],
        [6, 7],
      ],
      leftOut: 3,
    });
  });
});
