/** The usual noise of rows: when it counts, and what it may do. */
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/compare/metrics.js";
import { judgePaired } from "../../src/compare/paired.js";
import { moderatedScale, withUsualNoise } from "../../src/compare/prior.js";
import type { Pair } from "../../src/results/comparison.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../support/pairs.js";
import { noisyTogether, SAME, togetherNoise } from "../support/together.js";

const usual = { scale: 1.5, df: 4 };

describe("withUsualNoise", () => {
  it("gives a row of which nothing else is known more degrees of freedom", () => {
    expect(withUsualNoise({ scale: 1, df: 5 }, undefined, usual)).toEqual(usual);
  });

  it("makes no row quieter than its own pairs", () => {
    const own = { scale: 2, df: 5 };
    expect(moderatedScale(own, withUsualNoise(own, undefined, usual))).toEqual({ scale: 2, df: 9 });
  });

  it("does not count with fewer than six pairs: they often look quiet by chance", () => {
    expect(withUsualNoise({ scale: 1, df: 4 }, undefined, usual)).toBeUndefined();
    expect(withUsualNoise({ scale: 1, df: 4 }, { scale: 2, df: 8 }, usual)).toEqual({ scale: 2, df: 8 });
  });

  it("does not count where a row is noisier than four of five rows with the usual noise", () => {
    // F(5, 4) at 80 %: 2.48
    expect(withUsualNoise({ scale: 3.7, df: 5 }, undefined, usual)).toBeDefined();
    expect(withUsualNoise({ scale: 3.8, df: 5 }, undefined, usual)).toBeUndefined();
    expect(withUsualNoise({ scale: 3.8, df: 5 }, { scale: 3, df: 8 }, usual)).toEqual({ scale: 3, df: 8 });
  });

  it("adds to what other rows or earlier runs say, and makes nothing of that quieter", () => {
    const own = { scale: 1, df: 5 };
    expect(withUsualNoise(own, { scale: 2, df: 8 }, usual)).toEqual({ scale: 2, df: 12 });
    expect(withUsualNoise(own, { scale: 0.9, df: 8 }, usual)).toEqual({ scale: (8 * 0.9 + 4 * 1.5) / 12, df: 12 });
  });

  it("changes nothing for a metric that has none", () => {
    expect(withUsualNoise({ scale: 1, df: 5 }, undefined, undefined)).toBeUndefined();
    expect(withUsualNoise({ scale: 1, df: 3 }, { scale: 2, df: 8 }, undefined)).toEqual({ scale: 2, df: 8 });
  });
});

describe("the interval of a row in its first run", () => {
  const random = seeded(5);
  const width = (pairs: readonly Pair[], name: "throughput" | "cpuPerRequest") => {
    const { interval, sd } = judgePaired([pairedRow("set/row", pairs)])[0]?.compared.metrics[name] ?? {};
    const [low = 0, high = 0] = interval ?? [];
    return (Math.log1p(high) - Math.log1p(low)) / ((2 * (sd ?? Number.NaN)) / Math.sqrt(pairs.length));
  };

  it("rests on the usual noise too where the sides share their time: t has 5 + 8 degrees of freedom", () => {
    const pairs = Array.from({ length: 6 }, () => noisyTogether(random, togetherNoise(0.01), SAME));
    for (const { name } of METRICS) expect(width(pairs, name)).toBeCloseTo(2.1604, 3);
  });

  it("does not where each side has its slices alone, because it was fitted on shared time: 5 degrees of freedom", () => {
    const pairs = Array.from({ length: 6 }, (_, number) => noisyPair(random, MEASURED_NOISE, 0, number));
    for (const { name } of METRICS) expect(width(pairs, name)).toBeCloseTo(2.5706, 3);
  });
});
