/** Pairs whose sides took turns: which blocks count, and what figure they give. */
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/compare/metrics.js";
import { judgePaired } from "../../src/compare/paired.js";
import { pairLogs, weighed } from "../../src/compare/pairs.js";
import { isValid } from "../../src/compare/slices.js";
import type { Pair, PairSlice } from "../../src/results/comparison.js";
import { pairedRow } from "../support/pairs.js";
import { turnsPair, turnsSlice } from "../support/turns.js";

const [throughput, cpu] = METRICS;
if (!throughput || !cpu) throw new Error("two primary metrics");

function changed(pair: Pair, change: (slice: PairSlice, index: number) => Partial<PairSlice>): Pair {
  return { ...pair, slices: pair.slices.map((slice, i) => ({ ...slice, ...change(slice, i) })) };
}

const plain = (side: PairSlice["side"]): PairSlice => {
  const { turns: _, ...slice } = turnsSlice(side, side === "base" ? 500 : 2000);
  return { ...slice, idleCpuSec: 0 };
};

describe("the figure of a pair in turns", () => {
  it("is the ratio of the totals, not of the best slices", () => {
    const logs = pairLogs(turnsPair([1000, 1000, 1000, 1000], [1000, 900, 1000, 900]), throughput);
    expect(logs && logs.head - logs.base).toBeCloseTo(Math.log(0.95), 12);
    const costs = pairLogs(turnsPair([1000, 1000, 1000, 1000], [1000, 900, 1000, 900]), cpu);
    expect(costs && costs.head - costs.base).toBeCloseTo(-Math.log(0.95), 12);
  });

  it("counts a block through which a side stalled", () => {
    const logs = pairLogs(turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 0]), throughput);
    expect(logs && logs.head - logs.base).toBeCloseTo(Math.log(0.75), 12);
  });

  it("keeps CPU per request of a pair with a block through which a side waited", () => {
    const [base, head] = [turnsSlice("base", 1000), turnsSlice("head", 1000)];
    const slices = [base, head, base, head, base, head, base, turnsSlice("head", 0, { serverCpuSec: 0 })];
    const logs = pairLogs({ seconds: 4, slices }, cpu);
    expect(logs && logs.head - logs.base).toBeCloseTo(0, 12);
    expect(logs?.spread).toBeGreaterThan(0.1);
  });

  it("leaves its plain slices out, in any order", () => {
    const pair = turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 1000]);
    const beside = { ...pair, slices: [plain("base"), ...pair.slices, plain("head")] };
    expect(pairLogs(beside, throughput)).toEqual(pairLogs(pair, throughput));
    expect(isValid(beside)).toBe(true);
  });

  it("has the standard error of the blocks' log ratios of CPU time as its spread", () => {
    const used = (base: readonly number[], head: readonly number[]) =>
      changed(turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 1000]), ({ side }, i) => ({
        serverCpuSec: (side === "base" ? base : head)[Math.floor(i / 2)] ?? 0,
      }));
    const noisy = pairLogs(used([1, 0.5, 1, 0.5], [1, 0.5, 1.1, 0.55]), throughput);
    // Log ratios 0, 0, ln 1.1, ln 1.1: a neighbour that slows both sides of a block adds nothing.
    expect(noisy?.spread).toBeCloseTo(Math.log(1.1) / 2 / Math.sqrt(3), 12);
    const even = pairLogs(used([1, 0.5, 0.8, 0.6], [1, 0.5, 0.8, 0.6]), throughput);
    expect(even?.spread).toBeCloseTo(0, 12);
    expect(even && weighed(even, throughput).variance).toBeCloseTo(throughput.pairSd ** 2, 12);
    expect(noisy && weighed(noisy, throughput).variance).toBeCloseTo(
      throughput.pairSd ** 2 + (0.5 * (noisy?.spread ?? 0)) ** 2,
      12,
    );
    expect(noisy && weighed(noisy, cpu).variance).toBeCloseTo(cpu.pairSd ** 2, 12);
  });

  it("is as sure where the requests of its blocks are known less well", () => {
    const shared = turnsPair([1000, 1000, 1000, 1000], [1100, 900, 1080, 920]);
    const exact = turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 1000]);
    for (const metric of METRICS) expect(pairLogs(shared, metric)).toEqual(pairLogs(exact, metric));
  });

  it("weighs less the more CPU time other processes took, mostly for throughput", () => {
    const pair = turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 1000]);
    const beside = pairLogs(
      changed(pair, () => ({ othersShare: 0.2 })),
      throughput,
    );
    expect(beside && weighed(beside, throughput).variance).toBeCloseTo(throughput.pairSd ** 2 + 0.05 ** 2, 12);
    expect(beside && weighed(beside, cpu).variance).toBeCloseTo(cpu.pairSd ** 2 + 0.006 ** 2, 12);
  });

  it("leaves a void block out on both sides", () => {
    const pair = turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 500]);
    const void4 = changed(pair, ({ side }, i) => (side === "base" && i === 6 ? { othersShare: 0.5 } : {}));
    const logs = pairLogs(void4, throughput);
    expect(logs && logs.head - logs.base).toBeCloseTo(0, 12);
  });

  it("does not exist where half of the blocks are void", () => {
    const pair = turnsPair([1000, 1000, 1000, 1000], [1000, 1000, 1000, 1000]);
    const voided = (blocks: number) =>
      changed(pair, (_, i) => (i % 2 === 0 && i < 2 * blocks ? { stealShare: 0.3 } : {}));
    expect([1, 2].map((blocks) => isValid(voided(blocks)))).toEqual([true, false]);
    expect(pairLogs(voided(2), throughput)).toBeUndefined();
  });
});

it("a server that is slow in every second slice is worse by its mean, and the note names the shape", () => {
  const pairs = Array.from({ length: 15 }, (_, i) => {
    const wobble = 1 + 0.001 * ((i % 3) - 1);
    return turnsPair(
      [1000, 1000, 1000, 1000],
      [1000, 900, 1000, 900].map((one) => Math.round(one * wobble)),
    );
  });
  const [judged] = judgePaired([pairedRow("set/row", pairs, { ended: true })]);
  expect(judged?.compared.verdict).toBe("worse");
  expect(judged?.compared.notes).toContainEqual(
    expect.stringMatching(
      /^CPU per request: slower in part of the slices \(its best slices \+0\.\d %, its mean \+5\.\d %\)$/,
    ),
  );
});
