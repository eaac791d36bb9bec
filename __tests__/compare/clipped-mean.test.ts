/** Between the median and the mean. */
import { expect, it } from "vitest";
import { clippedMean } from "../../src/compare/clipped-mean.js";
import { mean } from "../../src/compare/moderated.js";

it("is the mean of values that are near each other, with its usual standard error", () => {
  const { mean: centre, standardError } = clippedMean([1, 2, 3, 4], 10);
  expect([centre, standardError]).toEqual([2.5, expect.closeTo(Math.sqrt(5 / 3) / 2, 12)]);
});

it("counts what is far away as that far away, on both sides", () => {
  // c = (0 + 0 + 0 + (c + 1)) / 4
  expect(clippedMean([0, 0, 0, 100], 1).mean).toBeCloseTo(1 / 3, 9);
  expect(clippedMean([0, 0, 0, -1e9], 1).mean).toBeCloseTo(-1 / 3, 9);
  expect(clippedMean([-50, 0, 1, 60], 1).mean).toBeCloseTo(0.5, 9);
});

it("moves and scales with its values", () => {
  const values = [0.3, -1.2, 0.4, 7, 0.1, -0.2];
  const { mean: centre } = clippedMean(values, 1);
  expect(
    clippedMean(
      values.map((one) => 3 * one + 5),
      3,
    ).mean,
  ).toBeCloseTo(3 * centre + 5, 9);
  expect(centre).toBeLessThan(mean(values));
});

it("is one value, or two values' mean, however far they are apart", () => {
  expect(clippedMean([4], 1).mean).toBe(4);
  expect(clippedMean([-90, 100], 1).mean).toBeCloseTo(5, 9);
});
