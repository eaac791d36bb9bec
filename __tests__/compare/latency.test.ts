/** Latency at a fixed rate as a metric of pairs: which slices it is made from, and when there is none. */

import { describe, expect, it } from "vitest";
import { latencyNotes } from "../../src/compare/latency.js";
import { LOOKS, PAIRS_MIN } from "../../src/compare/looks.js";
import { testsOf } from "../../src/compare/metric-test.js";
import { PAIRED_METRICS, USUAL_MARGINS } from "../../src/compare/metrics.js";
import { judgePaired } from "../../src/compare/paired.js";
import { pairLogs } from "../../src/compare/pairs.js";
import { isValid } from "../../src/compare/slices.js";
import { floorTest, minimumDetectable } from "../../src/compare/verdict.js";
import type { OpenSlice, Pair, PairSlice } from "../../src/results/comparison.js";
import { pairedRow } from "../support/pairs.js";

type Side = PairSlice["side"];

const [throughput, cpu, p50, p99] = PAIRED_METRICS;
if (!throughput || !cpu || !p50 || !p99) throw new Error("four metrics");

function closed(side: Side, requests = 1000): PairSlice {
  return { side, seconds: 1, requests, serverCpuSec: 1, othersShare: 0 };
}

/** At 10,000 requests/s for half a second; p99 is four times p50. */
function open(side: Side, p50Ms: number, change: Partial<OpenSlice> = {}, noise: Partial<PairSlice> = {}): PairSlice {
  const latencyMs = { p50: p50Ms, p99: 4 * p50Ms };
  const asked = { ratePerSec: 10_000, due: 5000, answered: 5000, failures: 0, windowSec: 0.11 };
  const figures = { ...asked, latencyMs, clientShare: 0.5 };
  return { ...closed(side, 6000), open: { ...figures, ...change }, ...noise };
}

const CLOSED: PairSlice[] = (["base", "head"] as const).flatMap((side) => [1, 2, 3, 4].map(() => closed(side)));

function pair(slices: readonly PairSlice[]): Pair {
  return { seconds: 7, slices: [...CLOSED, ...slices] };
}

/** @param ratio of head's latency over base's, with a little spread */
function pairs(ratio: number, count: number, change: Partial<OpenSlice> = {}): Pair[] {
  return Array.from({ length: count }, (_, i) => {
    const head = ratio * (1 + 0.004 * ((i % 3) - 1));
    return pair([open("base", 1), open("head", head, change), open("head", head, change), open("base", 1)]);
  });
}

function judge(of: readonly Pair[], change = {}) {
  const [judged] = judgePaired([pairedRow("set/row", of, change)]);
  if (!judged) throw new Error("no verdict");
  return judged.compared;
}

/** @param ratios of head's latency over base's, one of each pair */
function latencies(ratios: readonly number[], closedSlices: readonly PairSlice[] = CLOSED): Pair[] {
  return ratios.map((ratio) => {
    const slices = [open("base", 1), open("head", ratio), open("head", ratio), open("base", 1)];
    return { seconds: 7, slices: [...closedSlices, ...slices] };
  });
}

describe("latency whose pairs differ much", () => {
  const FIRST = [1.26, 1.44, 1.3, 1.49, 1.26, 1.45];
  const NOTE = /^latency p50 changed by \+3\d\.\d %, and its pairs differ much: noise of the machine does that too/;

  it("stays open until pairs that did not find it confirm it", () => {
    const [found] = judgePaired([pairedRow("set/row", latencies(FIRST))]);
    expect(found).toMatchObject({ open: true, compared: { verdict: "inconclusive" } });
    expect(found?.compared.notes).toContainEqual(expect.stringMatching(NOTE));
    const again = judge(latencies([...FIRST, ...FIRST]));
    expect(again.metrics.latencyP50?.verdict).toBe("worse");
    expect(again.notes).not.toContainEqual(expect.stringMatching(NOTE));
  });

  it("is inconclusive where they do not", () => {
    const { verdict, notes } = judge(latencies([...FIRST, 1, 1.2, 0.9, 1.1, 1, 1.3]), {
      ended: true,
    });
    expect(verdict).toBe("inconclusive");
    expect(notes).toContainEqual(expect.stringMatching(/^latency p50 changed by .* no later pairs confirm it$/));
  });

  it("is called at once where it is large, where CPU per request changed alike, and where its pairs agree as in quiet", () => {
    expect(judge(latencies(FIRST.map((one) => 1.5 * one))).metrics.latencyP50?.verdict).toBe("worse");
    const costly = CLOSED.map((slice) => (slice.side === "head" ? { ...slice, serverCpuSec: 1.2 } : slice));
    expect(judge(latencies(FIRST, costly)).metrics.latencyP50?.verdict).toBe("worse");
    expect(judge(pairs(1.3, 6)).metrics.latencyP50?.verdict).toBe("worse");
  });
});

const LAZY: Partial<OpenSlice> = { answered: 3550 };

describe("a pair with slices at a fixed rate", () => {
  const one = pair([open("base", 1), open("head", 2.4), open("head", 1.2), open("base", 9)]);

  it("has the better half of each side's slices", () => {
    const four = [open("base", 1), open("base", 9), open("base", 4), open("base", 5)];
    const logs = pairLogs(pair([...four, ...[2.4, 1.2, 30, 40].map((ms) => open("head", ms))]), p50);
    expect(logs?.base).toBeCloseTo((Math.log(1) + Math.log(4)) / 2);
    expect(logs?.head).toBeCloseTo((Math.log(1.2) + Math.log(2.4)) / 2);
  });

  it("has the lower one of each side's two slices, as in files of an earlier form", () => {
    expect(pairLogs(one, p50)?.head).toBeCloseTo(Math.log(1.2));
    expect(pairLogs(one, p99)).toMatchObject({ base: Math.log(4), head: Math.log(4.8) });
  });

  it("has the throughput and CPU of its closed-loop slices alone", () => {
    const without = { ...one, slices: CLOSED };
    for (const metric of [throughput, cpu]) expect(pairLogs(one, metric)).toEqual(pairLogs(without, metric));
    expect(pairLogs(without, p50)).toBeUndefined();
  });

  it("is not void for what others did in its slices at a fixed rate, which leaves those out", () => {
    const busy = { othersShare: 0.6 };
    const touched = pair([open("base", 1), open("head", 1.1, {}, busy), open("head", 1.2), open("base", 0.5)]);
    expect(isValid(touched)).toBe(true);
    expect(pairLogs(touched, p50)).toMatchObject({ base: 0, head: Math.log(1.2) });
  });

  it("has no latency where one side did not keep up, or failed", () => {
    for (const change of [LAZY, { failures: 1 }, { answered: 0 }]) {
      const lapse = pair([open("base", 1), open("head", 1, change), open("head", 1), open("base", 1)]);
      expect(pairLogs(lapse, p50)).toBeUndefined();
      expect(pairLogs(lapse, throughput)).toBeDefined();
    }
  });

  it("has no p99 where requests were too few for one", () => {
    const few = { latencyMs: { p50: 1 } };
    const short = pair([open("base", 1, few), open("head", 1, few), open("head", 1, few), open("base", 1, few)]);
    expect(pairLogs(short, p50)).toBeDefined();
    expect(pairLogs(short, p99)).toBeUndefined();
    expect(latencyNotes([short], false)).toEqual([
      "latency at 10000 requests/s on both sides; too few requests for a p99",
    ]);
  });
});

describe("a row's latency", () => {
  it("needs a p-value of half the size, because it comes in addition to two other metrics", () => {
    const row = pairedRow("set/row", pairs(1.2, 6));
    const pOf = (pFactor: number) => testsOf([row], { ...p99, pFactor }, LOOKS)[0]?.p ?? Number.NaN;
    expect(testsOf([row], p99, LOOKS)[0]?.p).toBeCloseTo(2 * pOf(1), 12);
    expect(pOf(1)).toBeGreaterThan(0);
  });

  it("is worse where it takes longer, better where it does not, and unchanged within its own margins", () => {
    const verdicts = (ratio: number) => {
      const { metrics } = judge(pairs(ratio, 6));
      return [metrics.latencyP50?.verdict, metrics.latencyP99?.verdict, metrics.throughput?.verdict];
    };
    expect(verdicts(1.5)).toEqual(["worse", "worse", "unchanged"]);
    expect(verdicts(0.6)).toEqual(["better", "better", "unchanged"]);
    expect(judge(pairs(1.5, 6))).toMatchObject({
      verdict: "worse",
      metrics: { latencyP99: { base: 4, head: expect.closeTo(6, 1) } },
    });
  });

  it("is unchanged when it is the same in all pairs", () => {
    const { metrics } = judge(pairs(1, 13), { ended: true });
    expect(metrics.latencyP50?.verdict).toBe("unchanged");
    expect(metrics.latencyP99?.verdict).toBe("unchanged");
  });

  it("is no metric of a row that did not ask for it", () => {
    const { metrics, notes } = judge(pairs(1, PAIRS_MIN).map((each) => ({ ...each, slices: CLOSED })));
    expect(Object.keys(metrics)).toEqual(["throughput", "cpuPerRequest"]);
    expect(notes).toBeUndefined();
  });

  it("notes at which rate it was measured", () => {
    expect(judge(pairs(1, PAIRS_MIN)).notes).toEqual(["latency at 10000 requests/s on both sides"]);
  });

  it("does not exist where head mostly did not hold the rate: a note says so", () => {
    const { metrics, notes } = judge([...pairs(1, 3), ...pairs(1, 2, LAZY)]);
    expect(Object.keys(metrics)).toEqual(["throughput", "cpuPerRequest"]);
    expect(notes).toEqual([
      "no latency at 10000 requests/s: head did not hold it in 2 of 5 pairs (71 % of the requests were answered, at the least)",
    ]);
  });

  it("leaves single lapses out, and says so", () => {
    const { metrics, notes } = judge([...pairs(1.5, PAIRS_MIN), ...pairs(1.5, 1, { failures: 3 })]);
    expect(metrics.latencyP50).toMatchObject({ verdict: "worse", pairs: PAIRS_MIN });
    expect(notes).toEqual([
      `latency at 10000 requests/s on both sides; not counted: head did not hold it in 1 of ${PAIRS_MIN + 1} pairs (6 requests failed)`,
    ]);
  });

  it("notes when it was the load generator that could not keep up", () => {
    const [note] = latencyNotes(pairs(1, 2, { ...LAZY, clientShare: 0.99 }), false);
    expect(note).toMatch(/at the least, the load generator was busy itself\)$/);
  });

  it("is not called unchanged where the load generator was the limit", () => {
    const { metrics, notes } = judge(pairs(1, 13), { ended: true, clientBound: true });
    expect(metrics.latencyP50?.verdict).toBe("inconclusive");
    expect(notes?.[0]).toContain("some of it the load generator's own");
  });
});

describe("margins", () => {
  const effect = { logRatio: 0.03, standardError: 0.01, df: 6 };
  it("move the floor and nothing else", () => {
    const wide = { floor: 0.02, equivalence: 0.1 };
    // P(T > 1) + P(T > 5) with 6 degrees of freedom, integrated numerically.
    expect(floorTest(effect, wide)).toBeCloseTo(0.17795884 + 0.00122617, 7);
    const lower = { better: "lower", margins: wide } as const;
    const usual = Math.log1p(minimumDetectable(effect, 0.01, { better: "lower", margins: USUAL_MARGINS }));
    expect(Math.log1p(minimumDetectable(effect, 0.01, lower))).toBeCloseTo(usual - USUAL_MARGINS.floor + 0.02, 12);
  });
});
