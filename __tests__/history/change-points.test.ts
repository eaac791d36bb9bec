/** Change points: the same as Apache Otava finds, and the rules that server-bench adds. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { levelChanges, pointsOfOtava } from "../../src/history/change-points.js";
import { heavyTailed, neighbours, seeded, standardNormal } from "../support/noise.js";

interface Fixture {
  readonly otava: string;
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly number[];
    readonly otava: readonly number[];
    /** Those of them that Otava's own test still accepts with all figures up to date. */
    readonly confirmed: readonly { index: number; p: number; before: number; after: number }[];
  }[];
}

const FIXTURE: Fixture = JSON.parse(readFileSync(new URL("./fixtures/change-points.json", import.meta.url), "utf8"));
const OTAVA = { maxP: 0.001, minDifference: 0, minItems: 1 };

function noise(count: number, level: number, random: () => number): number[] {
  return Array.from({ length: count }, () => level + 0.01 * (random() + random() + random() - 1.5));
}

describe("levelChanges", () => {
  const named = FIXTURE.series.map((one) => [one.name, one] as const);

  it.each(named)("finds in %s what Otava finds", (_, { values, otava }) => {
    expect(pointsOfOtava(values.map(Math.log), OTAVA)).toEqual(otava);
  });

  it.each(named)("reports of %s what Otava's test confirms, with its figures", (_, { values, confirmed }) => {
    const found = levelChanges(values.map(Math.log), OTAVA);
    expect(found.map(({ index }) => index)).toEqual(confirmed.map(({ index }) => index));
    found.forEach(({ p, before, after }, i) => {
      const expected = confirmed[i];
      expect(Math.abs(Math.log(p / (expected?.p ?? 1)))).toBeLessThan(1e-6);
      expect(before.mean).toBeCloseTo(expected?.before ?? 0, 10);
      expect(after.mean).toBeCloseTo(expected?.after ?? 0, 10);
    });
  });

  it("has ten series to compare with, most of them with a change", () => {
    expect(FIXTURE.series).toHaveLength(10);
    expect(FIXTURE.series.filter(({ confirmed }) => confirmed.length > 0).length).toBeGreaterThan(7);
  });

  it("takes no level of one or two runs for one", () => {
    const random = seeded(3);
    const values = [...noise(20, 0, random), ...noise(2, 0.5, random)];
    expect(levelChanges(values, OTAVA).map(({ index }) => index)).toEqual([20]);
    expect(levelChanges(values, { ...OTAVA, minItems: 3 })).toEqual([]);
  });

  it("leaves out a change that is too small to matter", () => {
    const random = seeded(4);
    const values = [...noise(60, 0, random), ...noise(60, 0.01, random)];
    expect(levelChanges(values, OTAVA)).toHaveLength(1);
    expect(levelChanges(values, { ...OTAVA, minDifference: 0.05 })).toEqual([]);
  });

  it("finds nothing in equal values, and a step between them", () => {
    expect(levelChanges(Array(30).fill(1), OTAVA)).toEqual([]);
    const step = [...Array(15).fill(1), ...Array(15).fill(2)];
    expect(levelChanges(step, OTAVA).map(({ index }) => index)).toEqual([15]);
    expect(levelChanges([], OTAVA)).toEqual([]);
    expect(levelChanges([1], OTAVA)).toEqual([]);
  });
});

describe("noise alone", () => {
  it.each([
    [10, 0.01],
    [30, 0.03],
    [90, 0.05],
  ])("shows a change in few series of %d runs", (runs, most) => {
    const random = seeded(42);
    const rules = { maxP: 0.001, minDifference: Math.log1p(0.005), minItems: 3 };
    for (const noise of [standardNormal, heavyTailed, neighbours]) {
      const series = Array.from({ length: 400 }, () => Array.from({ length: runs }, () => 0.02 * noise(random)));
      const changed = series.filter((values) => levelChanges(values, rules).length > 0).length;
      expect(changed / series.length).toBeLessThanOrEqual(most);
    }
  });
});
