/** Pairs whose sides shared their time: which slices count, and what figures they give. */
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/compare/metrics.js";
import { judgePaired } from "../../src/compare/paired.js";
import { pairLogs, rowLogs, weighed } from "../../src/compare/pairs.js";
import { NO_THROUGHPUT } from "../../src/compare/row-notes.js";
import { needsAlone, needsLevel } from "../../src/compare/shared-time.js";
import { isValid } from "../../src/compare/slices.js";
import type { Pair, PairSlice } from "../../src/results/comparison.js";
import { pairedRow } from "../support/pairs.js";
import { aloneSlice, togetherPair, togetherSlice } from "../support/together.js";

const [throughput, cpu] = METRICS;
if (!throughput || !cpu) throw new Error("two primary metrics");
const EVEN = [1000, 1000, 1000, 1000];

function changed(pair: Pair, change: (slice: PairSlice, index: number) => Partial<PairSlice>): Pair {
  return { ...pair, slices: pair.slices.map((slice, i) => ({ ...slice, ...change(slice, i) })) };
}

/** Slices of base and head in turn, of each side alone. @param cpuSec of base and of head */
function withAlone(pair: Pair, requests: readonly [number, number], cpuSec: readonly [number, number], each = 2): Pair {
  const together = pair.slices.filter((slice) => slice.together);
  const alone = () => [aloneSlice("base", requests[0], cpuSec[0]), aloneSlice("head", requests[1], cpuSec[1])];
  return { ...pair, slices: [...alone(), ...together, ...Array.from({ length: each - 1 }, alone).flat()] };
}

function logRatios(pairs: readonly Pair[]): number[] {
  return rowLogs(pairs, throughput as NonNullable<typeof throughput>).map(({ base, head }) => head - base);
}

function ratioOf(pair: Pair, metric = throughput): number {
  const logs = metric && pairLogs(pair, metric);
  return logs === undefined ? Number.NaN : Math.exp(logs.head - logs.base);
}

describe("CPU per request of a pair", () => {
  it("is the mean of the slices together, not that of the best slices", () => {
    expect(ratioOf(togetherPair(EVEN, [1000, 900, 1000, 900]), cpu)).toBeCloseTo(1 / Math.sqrt(0.9), 12);
  });

  it("has little of what a server does in a single slice", () => {
    // The mean of 0, 0, 0 and a value that counts as 6 % away from it.
    for (const requests of [900, 600, 100])
      expect(ratioOf(togetherPair(EVEN, [1000, 1000, requests, 1000]), cpu)).toBeCloseTo(Math.exp(0.02), 9);
  });

  it("keeps a slice through which a side waited", () => {
    const [base, head] = [togetherSlice("base", 1000), togetherSlice("head", 1000)];
    const slices = [base, head, base, head, base, head, base, togetherSlice("head", 0, { serverCpuSec: 0 })];
    expect(ratioOf({ seconds: 4, slices }, cpu)).toBeCloseTo(1, 12);
  });

  it("does not depend on the slices alone, in any order", () => {
    const pair = togetherPair(EVEN, EVEN);
    const logs = pairLogs(pair, cpu);
    expect(pairLogs(withAlone(pair, [500, 2000], [1, 1]), cpu)).toEqual(logs);
    expect(pairLogs({ ...pair, slices: [...pair.slices].reverse() }, cpu)?.head).toBe(logs?.head);
  });

  it("counts slices while others took the CPU: they took it from both sides", () => {
    const pair = changed(togetherPair(EVEN, [1000, 1000, 1000, 500]), ({ together }, i) =>
      together && i > 8 ? { othersShare: 0.5, stealShare: 0.4 } : {},
    );
    expect(isValid(pair)).toBe(true);
    expect(ratioOf(pair, cpu)).toBeCloseTo(Math.exp(0.02), 9);
  });
});

describe("throughput of a pair", () => {
  it("has the ratio of what both answered at the same time, whatever the machine did while one was alone", () => {
    expect(ratioOf(withAlone(togetherPair(EVEN, [950, 950, 950, 950]), [1000, 1140], [1, 1]))).toBeCloseTo(0.95, 12);
  });

  it("is that of the sides alone where one of them got more of the CPU", () => {
    const [even, uneven] = [0.98, 0.94].map((cpuSec) =>
      changed(withAlone(togetherPair(EVEN, [900, 900, 900, 900]), [1000, 1000], [2, 2], 3), ({ together, side }) =>
        together && side === "head" ? { serverCpuSec: cpuSec } : {},
      ),
    ) as [Pair, Pair];
    expect([logRatios([even, even]), logRatios([uneven, uneven])]).toEqual([
      [expect.closeTo(Math.log(0.9), 12), expect.closeTo(Math.log(0.9), 12)],
      [0, 0],
    ]);
    expect([even, uneven].map(({ slices }) => needsAlone(slices))).toEqual([false, true]);
  });

  it("is that of the sides alone where both wait, and are in each other's way", () => {
    // A server that uses this much of a CPU alone, and half of it beside the other one.
    const using = (alone: number) =>
      changed(withAlone(togetherPair(EVEN, EVEN), [1000, 900], [alone, alone], 3), ({ together }) =>
        together ? { serverCpuSec: 0.5 } : {},
      );
    const pairs = [0.95, 0.7, 0.5].map(using) as [Pair, Pair, Pair];
    expect(pairs.map((pair) => logRatios([pair, pair])[0])).toEqual([0, expect.closeTo(Math.log(0.9), 12), 0]);
    expect(pairs.map(({ slices }) => needsAlone(slices))).toEqual([false, true, false]);
    const [, crowded] = pairs;
    const [judged] = judgePaired([pairedRow("set/row", [crowded, crowded, crowded, crowded], { ended: true })]);
    expect(judged?.compared.notes).toContain(
      "throughput is that of each side alone: while both are loaded, the servers slow each other down",
    );
  });

  it("is that of the time together where neither is in the other's way, although one of them used more CPU time", () => {
    const waiting = changed(
      withAlone(togetherPair(EVEN, [900, 900, 900, 900]), [1000, 1000], [0.1, 0.1], 1),
      ({ together, side }) => (together ? { serverCpuSec: side === "head" ? 0.09 : 0.1 } : {}),
    );
    const bare = { ...waiting, slices: waiting.slices.filter(({ together }) => together) };
    expect(logRatios([waiting, bare])).toEqual([expect.closeTo(Math.log(0.9), 12), expect.closeTo(Math.log(0.9), 12)]);
    expect(needsAlone(waiting.slices)).toBe(false);
    const full = changed(waiting, ({ together, side }) => (together && side === "head" ? { serverCpuSec: 0.98 } : {}));
    const beside = changed(full, ({ together, side }) => (!together && side === "head" ? { serverCpuSec: 0.98 } : {}));
    expect([[], [beside]].map((earlier) => needsAlone(beside.slices, earlier))).toEqual([true, true]);
    expect([[], [waiting], [waiting, bare]].map((earlier) => needsAlone(bare.slices, earlier))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is that of the sides alone where a slice lasts until its last round of messages is complete", () => {
    // Of equal shares of the CPU: head needs 5 % more of it for the same rounds, and has all of it once base has ended.
    const pair = changed(withAlone(togetherPair(EVEN, EVEN), [1050, 1000], [1, 1], 4), ({ together, side }) =>
      together ? { rounds: true, seconds: side === "base" ? 2 : 2.05, serverCpuSec: side === "base" ? 1 : 1.05 } : {},
    );
    expect(logRatios([pair, pair])[0]).toBeCloseTo(Math.log(1000 / 1050), 12);
    expect(needsAlone(pair.slices)).toBe(true);
    const [judged] = judgePaired([pairedRow("set/row", [pair, pair, pair, pair], { ended: true })]);
    expect(judged?.compared.notes).toContain(
      "throughput is that of each side alone: a load ends with a whole round of messages, so the slower side has the CPUs alone at the end",
    );
  });

  it("does not exist in such a row for pairs with fewer than three slices of each side alone", () => {
    const few = changed(withAlone(togetherPair(EVEN, EVEN), [1000, 900], [0.7, 0.7], 2), ({ together }) =>
      together ? { serverCpuSec: 0.5 } : {},
    );
    expect(logRatios([few, few])).toEqual([]);
  });

  it("is missing where too few pairs of such a row have it: the row stays open, and is not unchanged", () => {
    const crowded = (each: number) =>
      changed(withAlone(togetherPair(EVEN, EVEN), [1000, 900], [0.7, 0.7], each), ({ together }) =>
        together ? { serverCpuSec: 0.5 } : {},
      );
    const pairs = [5, 1, 5, 1, 1, 1].map(crowded);
    const judge = (ended: boolean) => judgePaired([pairedRow("set/row", pairs, { ended })])[0];
    expect(judge(false)).toMatchObject({ open: true, compared: { verdict: "inconclusive" } });
    const { compared } = judge(true) ?? {};
    expect(compared).toMatchObject({ verdict: "inconclusive", metrics: { cpuPerRequest: { verdict: "unchanged" } } });
    expect(compared?.metrics.throughput).toBeUndefined();
    expect(compared?.notes).toContain(NO_THROUGHPUT);
    const cpuOnly = judgePaired([pairedRow("set/row", pairs, { ended: true })], undefined, ["cpu"])[0];
    expect(cpuOnly?.compared.verdict).toBe("unchanged");
  });

  it("is measured alone in every pair of a row that may come to need it, whatever the single pair shows", () => {
    const using = (alone: number, together: number) =>
      changed(withAlone(togetherPair(EVEN, EVEN), [1000, 1000], [alone, alone], 1), (slice) =>
        slice.together ? { serverCpuSec: together } : {},
      );
    const [busy, near] = [using(1, 0.5), using(0.82, 0.5)];
    const uneven = changed(busy, ({ together, side }) => (together && side === "head" ? { serverCpuSec: 0.48 } : {}));
    const asks = (earlier: readonly Pair[]) => needsAlone(busy.slices, earlier);
    expect([[], [busy, busy], [near], [uneven], [busy, near, busy]].map(asks)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect([near, uneven].map(({ slices }) => needsAlone(slices))).toEqual([false, false]);
  });

  it("has slices alone in its first three pairs, and while one side seems busier at rest", () => {
    const resting = (base: number, head: number) => {
      const pair = withAlone(togetherPair(EVEN, EVEN), [1000, 1000], [1, 1], 1);
      return changed(pair, ({ together, side, seconds }) =>
        together ? {} : { idleCpuSec: (side === "head" ? base : head) * seconds },
      );
    };
    const [even, uneven] = [resting(0.01, 0.012), resting(0.01, 0.025)];
    const pair = togetherPair(EVEN, EVEN);
    const bare = { ...pair, slices: pair.slices.filter((slice) => slice.together) };
    const rows = [[], [even, even], [even, bare, even], [even, even, even, bare], [uneven, uneven, uneven, bare]];
    expect(rows.map((earlier) => needsLevel(earlier))).toEqual([true, true, true, false, true]);
  });

  it("shows figures of servers alone", () => {
    const logs = pairLogs(withAlone(togetherPair(EVEN, [810, 810, 810, 810]), [2000, 2000], [1, 1]), throughput);
    expect(Math.exp(logs?.base ?? 0)).toBeCloseTo(2000 / 0.9, 6);
    expect(Math.exp(logs?.head ?? 0)).toBeCloseTo(2000 * 0.9, 6);
  });

  it("shows no stall through a slice alone", () => {
    const pair = togetherPair(EVEN, EVEN);
    const levelOf = (of: Pair) => pairLogs(of, throughput)?.base;
    const stalled = withAlone(pair, [0, 2000], [0, 1], 1);
    expect(levelOf(stalled)).toBe(levelOf(withAlone(pair, [2000, 2000], [1, 1], 1)));
    expect(levelOf(withAlone(pair, [0, 0], [0, 0], 1))).toBeCloseTo(Math.log(1000), 12);
  });

  it("has the level that the row's other pairs show, where a pair has no slice alone", () => {
    const pair = togetherPair(EVEN, EVEN);
    const bare = { ...pair, slices: pair.slices.filter((slice) => slice.together) };
    const [first, second, third] = rowLogs([withAlone(pair, [2000, 2000], [1, 1], 1), bare, bare], throughput);
    expect(Math.exp(first?.base ?? 0)).toBeCloseTo(2000, 6);
    expect([second?.base, third?.head]).toEqual([first?.base, first?.head]);
    expect(rowLogs([bare, pair], cpu).map(({ base }) => base)).toEqual(
      [bare, pair].map((one) => pairLogs(one, cpu)?.base),
    );
  });

  it("exists without slices alone", () => {
    const pair = togetherPair(EVEN, EVEN);
    const together = { ...pair, slices: pair.slices.filter((slice) => slice.together) };
    expect(Math.exp(pairLogs(together, throughput)?.base ?? 0)).toBeCloseTo(1000, 6);
  });
});

describe("the weight of a pair", () => {
  it("follows the standard error of its slices' log ratios", () => {
    const noisy = pairLogs(togetherPair(EVEN, [1000, 1000, 1100, 1100]), cpu);
    // Log ratios 0, 0, -ln 1.1, -ln 1.1.
    expect(noisy?.spread).toBeCloseTo(Math.log(1.1) / 2 / Math.sqrt(3), 12);
    const even = pairLogs(togetherPair([1000, 500, 800, 600], [1000, 500, 800, 600]), cpu);
    expect(even?.spread).toBeCloseTo(0, 12);
    expect(even && weighed(even, cpu).variance).toBeCloseTo(cpu.pairSd ** 2, 12);
    const added = (cpu.ofSpread ?? 0) * (noisy?.spread ?? 0);
    expect(noisy && weighed(noisy, cpu).variance).toBeCloseTo(cpu.pairSd ** 2 + added ** 2, 12);
  });
});

describe("a pair of an earlier form, in turns", () => {
  const turns = (pair: Pair) => ({
    ...pair,
    slices: pair.slices.map(({ together, ...slice }) => (together ? { ...slice, turns: 4 } : slice)),
  });

  it("has the totals of its turns", () => {
    const pair = turns(togetherPair(EVEN, [1000, 900, 1000, 900]));
    expect(ratioOf(pair)).toBeCloseTo(0.95, 12);
    expect(ratioOf(pair, cpu)).toBeCloseTo(1 / 0.95, 12);
  });

  it("leaves a void block out on both sides, and does not exist where half of them are void", () => {
    const voided = (...blocks: number[]) =>
      changed(turns(togetherPair(EVEN, [1000, 1000, 1000, 500])), ({ turns: in_, side }, i) =>
        in_ && side === "base" && blocks.includes((i - 2) / 2) ? { othersShare: 0.5 } : {},
      );
    expect(ratioOf(voided(3))).toBeCloseTo(1, 12);
    expect([voided(3), voided(2, 3)].map(isValid)).toEqual([true, false]);
    expect(pairLogs(voided(2, 3), throughput)).toBeUndefined();
  });
});

it("a note says whose share of the CPU was larger, where throughput is that of the sides alone", () => {
  const pairs = Array.from({ length: 4 }, () =>
    changed(togetherPair(EVEN, EVEN), ({ together, side }) =>
      together && side === "base" ? { serverCpuSec: 1.5 } : {},
    ),
  );
  const [judged] = judgePaired([pairedRow("set/row", pairs, { ended: true })]);
  expect(judged?.compared.notes).toContain(
    "throughput is that of each side alone: base used 50 % more CPU time than head while both were loaded",
  );
});

it("a server that is slow in every second slice is worse by its mean, and the note names the shape", () => {
  const pairs = Array.from({ length: 15 }, (_, i) => {
    const wobble = 1 + 0.001 * ((i % 3) - 1);
    return togetherPair(
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
