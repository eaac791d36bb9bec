/** Many series together: noise alone, real changes among them, and one series. */
import { describe, expect, it } from "vitest";
import { levelChanges } from "../../src/history/change-points.js";
import { changesAmong, type Series } from "../../src/history/correction.js";
import { historyOfDays } from "../support/history.js";
import { heavyTailed, type Noise, neighbours, seeded, standardNormal } from "../support/noise.js";

const RULES = { maxP: 0.001, minDifference: Math.log1p(0.005), minItems: 3 };

function seriesOf(values: readonly number[]): Series {
  return { values, found: levelChanges(values, RULES), rules: RULES };
}

interface Page {
  readonly series: number;
  readonly runs: number;
  readonly noise: Noise;
  readonly random: () => number;
  /** Logarithm of the level. */
  readonly level?: (series: number, run: number) => number;
}

function page({ series, runs, noise, random, level = () => 0 }: Page): Series[] {
  return Array.from({ length: series }, (_, one) =>
    seriesOf(Array.from({ length: runs }, (_, run) => level(one, run) + 0.01 * noise(random))),
  );
}

const isChanged = (changes: readonly unknown[]) => changes.length > 0;

// docs/history-and-releases.md quotes two of these figures.
describe("noise alone", () => {
  it.each([
    ["normal", standardNormal, 10, 0.02],
    ["normal", standardNormal, 30, 0.05],
    ["normal", standardNormal, 90, 0.05],
    ["heavy-tailed", heavyTailed, 90, 0.05],
    ["a neighbour in one run of twenty", neighbours, 90, 0.1],
  ])("%s: few pages of 40 series show a change", (_, noise, runs, most) => {
    const random = seeded(42);
    const pages = Array.from({ length: 100 }, () => page({ series: 40, runs, noise, random }));
    const alone = pages.filter((series) => series.some(({ found }) => isChanged(found))).length;
    const together = pages.filter((series) => changesAmong(series).some(isChanged)).length;
    expect(alone / pages.length).toBeGreaterThan(0.15);
    expect(together / pages.length).toBeLessThanOrEqual(most);
  });
});

describe("real changes", () => {
  it.each([
    [1, 5],
    [3, 5],
    [10, 45],
  ])("of %d of 20 benchmarks are found after %d runs, nearly all others are not", (changed, fresh) => {
    const random = seeded(7);
    const level = (series: number, run: number) => (series < 2 * changed && run >= 90 - fresh ? -0.03 : 0);
    let [found, wrong] = [0, 0];
    const PAGES = 40;
    for (let i = 0; i < PAGES; i += 1) {
      const kept = changesAmong(page({ series: 40, runs: 90, noise: standardNormal, random, level }));
      found += kept.slice(0, 2 * changed).filter(isChanged).length;
      wrong += kept.slice(2 * changed).filter(isChanged).length;
    }
    expect(found / (PAGES * 2 * changed)).toBeGreaterThan(0.85);
    expect(wrong / (found + wrong)).toBeLessThanOrEqual(0.05);
  });
});

describe("changesAmong", () => {
  it("keeps of one series alone all that Otava finds", () => {
    const random = seeded(3);
    for (let i = 0; i < 300; i += 1) {
      const one = seriesOf(Array.from({ length: 60 }, () => 0.02 * standardNormal(random)));
      expect(changesAmong([one])).toEqual([one.found]);
    }
  });

  it("joins the levels beside a change that does not stay", () => {
    const random = seeded(11);
    // A change that lasts, and three runs at the end that look like a level.
    const level = (run: number) => (run >= 57 ? 0.1 : run >= 30 ? 0.05 : 0);
    const values = Array.from({ length: 60 }, (_, run) => level(run) + 0.01 * standardNormal(random));
    const one = seriesOf(values);
    expect(one.found.map(({ index }) => index)).toEqual([30, 57]);
    const quiet = page({ series: 39, runs: 60, noise: standardNormal, random });
    const [kept] = changesAmong([one, ...quiet]);
    expect(kept?.map(({ index, after }) => [index, after.end])).toEqual([[30, 60]]);
  });

  it("reports no change up to the smallest one, also where a change beside it was dropped", () => {
    const random = seeded(2);
    const level = (run: number) => (run < 100 ? -0.05 : run < 350 ? 0 : run < 353 ? 0.03 : 0.0044);
    const one = seriesOf(Array.from({ length: 603 }, (_, run) => level(run) + 0.003 * standardNormal(random)));
    expect(one.found.map(({ index }) => index)).toEqual([100, 350, 353]);
    const [kept] = changesAmong([one, seriesOf(Array(603).fill(1))]);
    expect(kept?.map(({ index }) => index)).toEqual([100]);
  });

  it("takes equal figures with a step for a change, and equal ones for none", () => {
    const step = seriesOf([...Array(15).fill(1), ...Array(15).fill(2)]);
    const flat = seriesOf(Array(30).fill(1));
    expect(changesAmong([step, flat]).map((changes) => changes.map(({ index }) => index))).toEqual([[15], []]);
    expect(changesAmong([])).toEqual([]);
  });
});

it("a history says how many series were tested, and how many of them look changed alone", () => {
  const { rows, tested } = historyOfDays({ runs: 90, rows: 40 });
  expect(tested.series).toBe(80);
  expect(tested.heldBack).toBeGreaterThan(0);
  expect(rows.flatMap(({ changes }) => changes)).toEqual([]);
});
