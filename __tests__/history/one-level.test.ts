/** What the search leaves out has no split that the test accepts: the same changes are found as without leaving out. */
import { describe, expect, it } from "vitest";
import { changesAt } from "../../src/history/change-points.js";
import { isOneLevel, momentsOf } from "../../src/history/one-level.js";
import { heavyTailed, type Noise, neighbours, seeded } from "../support/noise.js";

const LEVELS = [0.01, 0.001, 1e-6];
const SHAPES: readonly Noise[] = [heavyTailed, neighbours];

/** Of all splits of the stretch, the smallest p-value of the test. */
function smallestP(values: readonly number[]): number {
  const splits = Array.from({ length: Math.max(0, values.length - 1) }, (_, i) => i + 1);
  return Math.min(1, ...splits.map((split) => changesAt(values, [split])[0]?.p ?? 1));
}

/** Windows with a step of up to six standard deviations, and without one. */
function windows(count: number): number[][] {
  const random = seeded(17);
  return Array.from({ length: count }, (_, i) => {
    const size = 1 + Math.floor(50 * random());
    const step = i % 2 === 0 ? 0 : 0.06 * random();
    const at = Math.floor(size * random());
    const noise = SHAPES[i % SHAPES.length] ?? heavyTailed;
    return Array.from({ length: size }, (_, item) => 9.9 + 0.01 * noise(random) + (item >= at ? step : 0));
  });
}

describe("isOneLevel", () => {
  it.each(LEVELS)("is true at %d exactly where no split passes", (maxP) => {
    for (const values of windows(600))
      expect(isOneLevel(momentsOf(values), 0, values.length, maxP)).toBe(!(smallestP(values) <= maxP));
  });

  it("judges a stretch by its own items", () => {
    const values = [...Array(20).fill(1), 1.01, 1, 1.01, 1, 1.01, 1, 1.01];
    const moments = momentsOf([...values, ...Array(10).fill(5)]);
    expect(isOneLevel(moments, 20, values.length, 0.001)).toBe(true);
    expect(isOneLevel(moments, 0, values.length + 10, 0.001)).toBe(false);
  });

  it("saves the search in most windows without a change", () => {
    const quiet = windows(600).filter((_, i) => i % 2 === 0);
    const saved = quiet.filter((values) => isOneLevel(momentsOf(values), 0, values.length, 0.01));
    expect(saved.length / quiet.length).toBeGreaterThan(0.6);
  });

  it("leaves equal values to the test", () => {
    expect(isOneLevel(momentsOf([]), 0, 0, 0.01)).toBe(true);
    expect(isOneLevel(momentsOf([2, 3]), 0, 2, 0.01)).toBe(true);
    expect(isOneLevel(momentsOf([1, 1, 1, 2, 2, 2]), 0, 6, 0.01)).toBe(false);
  });
});
