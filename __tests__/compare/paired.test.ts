import { describe, expect, it } from "vitest";
import { PAIRS_MAX, PAIRS_MIN } from "../../src/compare/looks.js";
import { METRICS } from "../../src/compare/metrics.js";
import { judgePaired } from "../../src/compare/paired.js";
import { comparePaired } from "../../src/compare/paired-report.js";
import { pairLogs } from "../../src/compare/pairs.js";
import { isValid, otherLoad } from "../../src/compare/slices.js";
import { weightedCentre } from "../../src/compare/weighted.js";
import { controlLines } from "../../src/report/comparison/changed-rows.js";
import { headline } from "../../src/report/comparison/headline.js";
import type { Pair, PairSlice } from "../../src/results/comparison.js";
import { pairedRow } from "../support/pairs.js";

function slice(side: PairSlice["side"], requests: number, change: Partial<PairSlice> = {}): PairSlice {
  return { side, seconds: 1, requests, serverCpuSec: 1, othersShare: 0, ...change };
}

/** Four slices a side, each with these requests in a second, and one CPU second. */
function pair(base: readonly number[], head: readonly number[]): Pair {
  return {
    seconds: 4.5,
    slices: [...base.map((n) => slice("base", n)), ...head.map((n) => slice("head", n))],
  };
}

const FOUR = [1000, 1000, 1000, 1000];
/** Throughput of head over base, with a little spread from pair to pair. */
function pairs(ratio: number, count: number, spread = 0.002): Pair[] {
  return Array.from({ length: count }, (_, i) => {
    const head = Math.round(1000 * ratio * (1 + spread * ((i % 3) - 1)));
    return pair(FOUR, [head, head, head, head]);
  });
}

const [throughput, cpu] = METRICS;
if (!throughput || !cpu) throw new Error("two primary metrics");

describe("a pair's figure", () => {
  it("is the ratio of the best slices: what neighbours take does not count", () => {
    const logs = pairLogs(pair([1000, 400, 900, 980], [970, 1030, 300, 1000]), throughput);
    expect(logs && logs.head - logs.base).toBeCloseTo(Math.log(1.03));
    const cost = pairLogs(pair([1000, 400, 900, 980], [970, 1030, 300, 1000]), cpu);
    expect(cost && cost.head - cost.base).toBeCloseTo(-Math.log(1.03));
  });

  it("leaves void slices out, and as many of the other side, by their order alone", () => {
    const touched = pair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 1100]);
    const slices = touched.slices.map((one, i) => (i === 0 ? { ...one, stealShare: 0.3 } : one));
    expect(pairLogs({ ...touched, slices }, throughput)).toMatchObject({ head: Math.log(1000) });
  });

  it("does not exist where too few slices of a side are left", () => {
    const one = pair(FOUR, FOUR);
    const busy = one.slices.map((each, i) => (i < 2 ? { ...each, othersShare: 0.5 } : each));
    expect(isValid({ ...one, slices: busy })).toBe(false);
    expect(pairLogs({ ...one, slices: busy }, throughput)).toBeUndefined();
  });

  it("exists under a load that is always there: it touches both sides alike", () => {
    const one = pair(FOUR, FOUR);
    const loaded = { ...one, slices: one.slices.map((each) => ({ ...each, othersShare: 0.4, stealShare: 0.1 })) };
    expect(isValid(loaded)).toBe(true);
    expect([otherLoad([loaded]), otherLoad([one])]).toEqual([0.4, undefined]);
  });
});

describe("weightedCentre", () => {
  const weighed = (...pairs: readonly (readonly [number, number])[]) =>
    pairs.map(([logRatio, variance]) => ({ logRatio, variance }));

  it("weighs by the inverse of the variance: checked by hand", () => {
    // Weights 1, 1/4, 1/2: (0.01 + 0.03 / 4 - 0.01 / 2) / 1.75; squares 0.0000918... over their variances.
    const { mean, variance, scale, df } = weightedCentre(weighed([0.01, 1e-3], [0.03, 4e-3], [-0.01, 2e-3]));
    expect(mean).toBeCloseTo(0.0125 / 1.75, 12);
    expect(variance).toBeCloseTo(1e-3 / 1.75, 12);
    expect(scale).toBeCloseTo((0.01 ** 2 + 0.03 ** 2 / 4 + 0.01 ** 2 / 2 - 0.0125 ** 2 / 1.75) / 1e-3 / 2, 9);
    expect(df).toBe(2);
  });

  it("draws in a pair that lies far off, and takes the sides alike", () => {
    const near = [0.01, 0, 0.02, 0.01, 0.005, 0.015, 0.01, 0, 0.02].map((one) => [one, 1e-4] as const);
    const pairs = weighed(...near, [0.9, 1e-4]);
    const { mean, scale } = weightedCentre(pairs);
    expect(mean).toBeGreaterThan(0.01);
    expect(mean).toBeLessThan(0.014);
    // Without the far pair it is 0.56; a pair that does not count widens the interval.
    expect(scale).toBeLessThan(2);
    const exchanged = weightedCentre(pairs.map((pair) => ({ ...pair, logRatio: -pair.logRatio })));
    expect(exchanged.mean).toBeCloseTo(-mean, 12);
    expect(exchanged.scale).toBeCloseTo(scale, 12);
    expect(exchanged.variance).toBe(weightedCentre(pairs).variance);
  });

  it("takes the noise from the pairs, however small it was assumed to be", () => {
    const wide = [-4, -3, -2, -1, 0, 0, 1, 2, 3, 4].map((one) => [one / 100, 1e-6] as const);
    // The variance of these pairs, 0.000667, over the assumed one.
    expect(weightedCentre(weighed(...wide)).scale).toBeCloseTo(60 / 1e4 / 9 / 1e-6, 6);
  });
});

describe("a pair's spread", () => {
  it("is how far the median slice lies from the best one, on the worse side", () => {
    const logs = pairLogs(pair([1000, 900, 800, 1000], [1000, 1000, 1000, 1000]), throughput);
    expect(logs?.spread).toBeCloseTo((-Math.log(0.9) - Math.log(1)) / 2, 12);
    const noisy = Array.from({ length: PAIRS_MIN - 1 }, () => pair([1000, 700, 600, 650], [1100, 700, 750, 600]));
    const clean = pairs(1, 1);
    const [judged] = judgePaired([pairedRow("set/row", [...noisy, ...clean])]);
    // Three pairs that say +10 %, touched by neighbours, against a clean one that says nothing changed.
    expect(Math.abs(judged?.compared.metrics.throughput?.change ?? 1)).toBeLessThan(0.02);
  });
});

describe("judgePaired", () => {
  const judge = (of: readonly Pair[], change = {}) => {
    const [judged] = judgePaired([pairedRow("set/row", of, change)]);
    if (!judged) throw new Error("no verdict");
    return judged;
  };

  it("calls what is clear at the first look, and ends there", () => {
    expect(judge(pairs(0.8, PAIRS_MIN))).toMatchObject({
      open: false,
      compared: { verdict: "worse", metrics: { throughput: { verdict: "worse", pairs: PAIRS_MIN } } },
    });
    expect(judge(pairs(1.25, PAIRS_MIN)).compared.verdict).toBe("better");
  });

  it("calls the same unchanged, and ends there", () => {
    expect(judge(pairs(1, PAIRS_MIN))).toMatchObject({ open: false, compared: { verdict: "unchanged" } });
  });

  it("goes on where pairs are missing or disagree", () => {
    expect(judge(pairs(1, PAIRS_MIN - 1)).open).toBe(true);
    const torn = [...pairs(0.97, 2, 0), ...pairs(1.01, 2, 0), ...pairs(0.96, 1, 0)];
    expect(judge(torn)).toMatchObject({ open: true, compared: { verdict: "inconclusive" } });
    expect(judge([...pairs(0.985, PAIRS_MIN)])).toMatchObject({ open: true, suspicious: true });
  });

  it("gives no metric to a row with too few pairs", () => {
    const { compared, open } = judge(pairs(0.5, 2), { ended: true });
    expect(open).toBe(false);
    expect(compared).toMatchObject({ verdict: "inconclusive", metrics: {}, notes: ["too few pairs for a verdict"] });
  });

  it("gives no `unchanged` to the throughput of a client-bound row", () => {
    const { compared } = judge(pairs(1, PAIRS_MAX), { clientBound: true });
    expect(compared.metrics.throughput?.verdict).toBe("inconclusive");
    expect(compared.metrics.cpuPerRequest?.verdict).toBe("unchanged");
    expect(compared.notes).toEqual(["client-bound: its throughput is a lower bound"]);
  });

  it("records every pair, so that the same verdict can be made again", () => {
    const { compared } = judge(pairs(0.9, PAIRS_MIN));
    const again = judge(JSON.parse(JSON.stringify(compared.recorded ?? [])) as Pair[]);
    expect(again.compared).toEqual(compared);
  });

  it("does not let one far pair decide", () => {
    const { compared } = judge([...pairs(1, PAIRS_MAX - 1), ...pairs(0.6, 1)]);
    expect(compared.verdict).toBe("unchanged");
  });
});

describe("comparePaired", () => {
  it("shows a control without a verdict, and says when it changed", () => {
    const [worse] = judgePaired([pairedRow("set/same", pairs(0.8, PAIRS_MIN))]);
    const report = comparePaired({
      ...{ base: { ref: "main" }, rows: [], uncompared: [], command: ["server-bench"] },
      controls: worse ? [worse.compared] : [],
    });
    expect(report.controls?.[0]).toMatchObject({
      verdict: "inconclusive",
      metrics: { throughput: { verdict: "inconclusive" } },
      beyondNoise: true,
    });
    expect(report.notes?.[0]).toMatch(
      /^The control \(same\) seems to have changed, although it is identical on both sides/,
    );
    const [line] = controlLines(report);
    expect(line).toMatch(/^Control, identical on both sides: same.*It changed by more than noise: something/);
    expect(line).not.toContain("the noise of this run");
    expect(headline(report).verdict).toBe("A benchmark changed that is identical on both sides.");
  });
});
