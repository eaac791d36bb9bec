/** The rules of other tools, on the statistic of our own decision. */
import { describe, expect, it } from "vitest";
import { benchstat, mannWhitney, PEERS, perfgate, ratio, rowFigures } from "../../evaluation/peers.js";
import { seeded } from "../../evaluation/random.js";
import { METRICS } from "../../src/compare/metrics.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";

describe("mannWhitney", () => {
  it.each([
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252],
    [[1, 2, 3], [4, 5, 6], 2 / 20],
    [[1, 4], [2, 3], 1],
  ])("is exact: %j and %j", (a, b, p) => {
    expect(mannWhitney(a, b)).toBeCloseTo(p, 12);
    expect(mannWhitney(b, a)).toBeCloseTo(p, 12);
  });
});

it("lets every peer see a change of a third", () => {
  const random = seeded(6);
  const slower = [Array.from({ length: 13 }, (_, i) => noisyPair(random, MEASURED_NOISE, 0.3, i))];
  for (const rule of [benchstat, perfgate]) expect(rule(slower)).toEqual(["worse"]);
  expect(ratio(2)(slower)).toEqual(["none"]);
});

it("gives the peers the best slice of each side", () => {
  const slice = { seconds: 1, serverCpuSec: 1, othersShare: 0 };
  const sides = [100, 50, 100, 100].flatMap((requests) => [
    { ...slice, side: "base" as const, requests: 100 },
    { ...slice, side: "head" as const, requests },
  ]);
  for (const metric of METRICS) {
    const [figures] = rowFigures([{ seconds: 4, slices: sides }], metric);
    expect(figures?.base).toBeCloseTo(figures?.head ?? Number.NaN, 12);
  }
});

it("calls no row of void pairs", () => {
  for (const [, rule] of PEERS) expect(rule([[{ seconds: 1, slices: [] }]])).toEqual(["none"]);
});

it("gives no test to a pair that was drawn again and again", () => {
  const pair = noisyPair(seeded(6), MEASURED_NOISE, 0.3);
  const rules = new Map(PEERS);
  for (const name of ["perfgate t = 2.0", "t-test with BH"])
    expect(rules.get(name)?.([[pair, pair, pair, pair]])).toEqual(["none"]);
});
