import { expect, it } from "vitest";
import { lowestMean } from "../../src/compare/lowest-mean.js";

it("is the mean of the lowest values: the share rounded up, and at least one", () => {
  const values = [5, 100, 1, 3];
  expect(lowestMean(values, 0)).toBe(1);
  expect(lowestMean(values, 1 / 2)).toBe(2);
  expect(lowestMean(values, 3 / 8)).toBe(2);
  expect(lowestMean(values, 5 / 8)).toBe(3);
  expect(lowestMean(values, 1)).toBe(109 / 4);
  expect(lowestMean([7], 1 / 2)).toBe(7);
});
