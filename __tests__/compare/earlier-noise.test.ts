/** What earlier runs say about a row's noise, and when it counts. */
import { describe, expect, it } from "vitest";
import { type EarlierRow, expectedNoise } from "../../src/compare/earlier-noise.js";
import { judgePaired } from "../../src/compare/paired.js";
import { agreeingPrior, priorsOfOthers } from "../../src/compare/prior.js";
import { rejudgeMerged } from "../../src/compare/rejudge-merged.js";
import { seeded } from "../support/noise.js";
import { pairedRow } from "../support/pairs.js";
import { costs, noisyTogether, togetherNoise } from "../support/together.js";

function runs(key: string, ...scales: number[]): EarlierRow[] {
  return scales.map((scale) => ({
    key,
    noise: { throughput: { scale, df: 4 }, cpuPerRequest: { scale: 2 * scale, df: 4 } },
  }));
}

describe("expectedNoise", () => {
  it("is what these runs would give as other rows of a report", () => {
    const scales = [0.8, 1.1, 1.4, 0.9, 2];
    const [prior] = priorsOfOthers([{ scale: 1, df: 3 }, ...scales.map((scale) => ({ scale, df: 4 }))]);
    const { throughput } = expectedNoise(runs("a", ...scales), "a");
    expect(throughput?.scale).toBeCloseTo(prior?.scale ?? 0, 9);
    expect(throughput?.df).toBeCloseTo(prior?.df ?? 0, 9);
  });

  it("comes from the row itself as soon as it has four runs, and from all rows before that", () => {
    const others = runs("b", 9, 9, 9, 9);
    expect(expectedNoise([...others, ...runs("a", 1, 1, 1, 1)], "a").throughput?.scale).toBeCloseTo(1, 9);
    expect(expectedNoise([...others, ...runs("a", 1, 1, 1)], "a").throughput?.scale).toBeGreaterThan(2);
  });

  it("does not exist with fewer than four rows", () => {
    expect(expectedNoise(runs("a", 1, 1, 1), "a")).toEqual({});
  });

  it("does not exist where the rows differ so much that they say less than one pair", () => {
    expect(expectedNoise(runs("a", 0.01, 1, 100, 10_000), "a")).toEqual({});
    expect(expectedNoise(runs("a", 0.1, 1, 4, 10), "a").throughput?.df).toBeGreaterThanOrEqual(1);
  });
});

describe("agreeingPrior", () => {
  const prior = { scale: 1, df: 20 };

  it("is dropped where the row is clearly noisier now: what was quiet is not quiet any more", () => {
    expect(agreeingPrior({ scale: 3, df: 3 }, prior)).toEqual(prior);
    expect(agreeingPrior({ scale: 3.2, df: 3 }, prior)).toBeUndefined();
    expect(agreeingPrior({ scale: 2.3, df: 14 }, prior)).toBeUndefined();
  });

  it("stays where the row is quieter", () => {
    expect(agreeingPrior({ scale: 0.01, df: 3 }, prior)).toEqual(prior);
    expect(agreeingPrior({ scale: 1, df: 3 }, { scale: 25, df: 20 })).toEqual({ scale: 25, df: 20 });
  });

  it("is no noisier than the row's own pairs allow", () => {
    const most = (df: number) => agreeingPrior({ scale: 1, df }, { scale: 1e6, df: 30 })?.scale;
    // The 0.1 % quantile of F(3, 30) is 0.0079, that of F(23, 30) is 0.27.
    expect(most(3)).toBeCloseTo(126, -1);
    expect(most(23)).toBeCloseTo(3.7, 0);
  });
});

describe("a report of one row", () => {
  const random = seeded(3);
  const pairs = Array.from({ length: 4 }, () => noisyTogether(random, togetherNoise(0.012), costs(0.035)));
  const quiet = { throughput: { scale: 1, df: 20 }, cpuPerRequest: { scale: 1, df: 20 } };
  const judged = (expectedNoise?: typeof quiet) => judgePaired([pairedRow("set/row", pairs, { expectedNoise })])[0];

  it("finds with four pairs what it could not find on the first run", () => {
    expect(judged()?.compared.verdict).not.toBe("worse");
    expect(judged(quiet)?.compared.verdict).toBe("worse");
  });

  it("says what it was judged with, so that a merge judges the same way", () => {
    const compared = judged(quiet)?.compared;
    expect(compared?.expectedNoise).toEqual(quiet);
    expect(judged()?.compared.expectedNoise).toBeUndefined();
    const [merged] = rejudgeMerged(compared ? [{ row: compared, clientBound: false }] : []);
    expect(merged?.metrics.cpuPerRequest?.p).toBe(compared?.metrics.cpuPerRequest?.p);
  });

  it("is never surer than on an undisturbed machine, whatever was remembered", () => {
    const forged = { scale: 1e-9, df: 30 };
    const width = (prior: typeof forged) => {
      const [low = 0, high = 0] =
        judged({ throughput: prior, cpuPerRequest: prior })?.compared.metrics.cpuPerRequest?.interval ?? [];
      return high - low;
    };
    expect(width(forged)).toBeGreaterThanOrEqual(width({ scale: 1, df: 30 }));
  });

  it("finds a large change in the end, whatever was remembered", () => {
    const many = Array.from({ length: 24 }, () => noisyTogether(random, togetherNoise(0.012), costs(0.2)));
    const forged = { scale: 1e6, df: 30 };
    const expected = { throughput: forged, cpuPerRequest: forged };
    const [row] = judgePaired([pairedRow("set/row", many, { expectedNoise: expected })]);
    expect(row?.compared.verdict).toBe("worse");
  });

  it("gives its own noise to later runs, without what it was judged with", () => {
    expect(judged(quiet)?.noise).toEqual(judged()?.noise);
    expect(judged()?.noise.cpuPerRequest?.df).toBe(3);
  });
});
