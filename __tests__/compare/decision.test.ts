/** From the tests of a row's metrics to its verdict: what has to agree before a row is called changed. */
import { describe, expect, it } from "vitest";
import { measuredMax } from "../../src/compare/budget.js";
import { PAIRS_MAX, PAIRS_MIN } from "../../src/compare/looks.js";
import { USUAL_MARGINS } from "../../src/compare/metrics.js";
import { judgePaired } from "../../src/compare/paired.js";
import { FINE_PRECISION } from "../../src/compare/precision.js";
import { rejudgeMerged } from "../../src/compare/rejudge-merged.js";
import { minimumDetectable, relativeInterval } from "../../src/compare/verdict.js";
import type { Pair } from "../../src/results/comparison.js";
import { PAIRS_PER_ROW_MAX } from "../../src/results/limits.js";
import { pairedRow } from "../support/pairs.js";
import { aloneSlice, togetherPair, togetherSlice } from "../support/together.js";

const BLOCKS = 4;

/** Logarithms of head's throughput over base's; CPU per request agrees unless it is given. */
function pair(throughput: number, cpu = -throughput): Pair {
  const base = 1_000_000;
  const head = Math.round(base * Math.exp(throughput));
  const slices = Array.from({ length: BLOCKS }, () => [
    togetherSlice("base", base),
    togetherSlice("head", head, { serverCpuSec: (head / base) * Math.exp(cpu) }),
  ]);
  // As much CPU time as both have together.
  const alone = [aloneSlice("base", base, 2), aloneSlice("head", head, 2 * (head / base) * Math.exp(cpu))];
  return { seconds: 4, slices: [...alone, ...slices.flat(), ...alone, ...alone] };
}

function repeated(count: number, throughput: number, cpu?: number): Pair[] {
  return Array.from({ length: count }, () => pair(throughput, cpu));
}

function judge(pairs: readonly Pair[], change = {}) {
  const [judged] = judgePaired([pairedRow("set/row", pairs, change)]);
  if (!judged) throw new Error("no verdict");
  return judged;
}

it("has finite figures, however much its pairs differ: a results file holds no others", () => {
  const effect = { logRatio: 4, standardError: 1.4, df: 2 };
  expect(relativeInterval(effect, 1e-6).every(Number.isFinite)).toBe(true);
  expect(minimumDetectable(effect, 1e-6, { better: "lower", margins: USUAL_MARGINS })).toSatisfy(Number.isFinite);
});

describe("a change that is called", () => {
  it("lies beyond the floor at the last look too", () => {
    const { compared } = judge([...repeated(4, Math.log(0.9)), ...repeated(11, 0.0341)], { ended: true });
    const { throughput } = compared.metrics;
    // It still points down, by less than the floor.
    expect(throughput?.change).toBeLessThan(0);
    expect(throughput?.change).toBeGreaterThan(-0.005);
    expect(compared.verdict).toBe("inconclusive");
  });

  it("has a p-value of at most 0.005, even where it is the only row", () => {
    const pairs = Array.from({ length: PAIRS_MAX }, (_, i) => pair(-0.0295 + 0.036 * (i % 2 === 0 ? 1 : -1)));
    const { compared } = judge(pairs, { ended: true });
    expect(compared.metrics.cpuPerRequest?.p).toBeGreaterThan(0.005);
    expect(compared.metrics.cpuPerRequest?.p).toBeLessThan(0.025);
    expect(compared.verdict).toBe("inconclusive");
  });

  it("is shown by figures that agree with it", () => {
    // The scattered pairs are of a slow minute and say +10 %.
    const scattered = togetherPair([500, 100, 500, 100], [500, 120, 400, 154]);
    const { compared } = judge([...repeated(3, -0.02), scattered, scattered], { ended: true });
    for (const { base = 0, head = 0, change } of Object.values(compared.metrics))
      expect(head / base - 1).toBeCloseTo(change, 12);
  });

  it("rests on its own pairs where no other row has any", () => {
    // Four pairs that differ by some 2.4 %: a t with three degrees of freedom.
    const { compared } = judge([pair(-0.02), pair(-0.075), pair(-0.05), pair(-0.03)]);
    expect(compared.verdict).toBe("inconclusive");
  });
});

describe("throughput that changed alone", () => {
  const SHARES = "throughput is that of each side alone: base used 18 % more CPU time than head while both were loaded";
  const CHANGE = Math.log(0.85);
  const NOTE =
    /^throughput changed by -15\.0 %, CPU per request did not \(\+0\.0 %\): noise of the machine does that too/;

  it("stays open until pairs that did not find it confirm it", () => {
    const first = judge(repeated(PAIRS_MIN, CHANGE, 0));
    expect(first.open).toBe(true);
    expect(first.compared.metrics.throughput?.verdict).toBe("inconclusive");
    expect(first.compared.notes).toContainEqual(expect.stringMatching(NOTE));
    const last = judge(repeated(PAIRS_MAX, CHANGE, 0));
    expect(last).toMatchObject({ open: false, compared: { verdict: "worse" } });
    expect(last.compared.notes).toEqual([SHARES]);
  });

  it("loses the note where a merged report confirms it", () => {
    const before = judge(repeated(PAIRS_MIN, CHANGE, 0)).compared;
    const row = { ...before, recorded: repeated(PAIRS_MAX, CHANGE, 0) };
    const [again] = rejudgeMerged([{ row, clientBound: false }]);
    expect(again?.verdict).toBe("worse");
    expect(again?.notes).toEqual([SHARES]);
  });

  it("is inconclusive where they do not", () => {
    const pairs = [...repeated(4, 3 * CHANGE, 0), ...repeated(11, CHANGE / 20, 0)];
    const { compared } = judge(pairs, { ended: true });
    expect(compared.verdict).toBe("inconclusive");
    expect(compared.notes).toContainEqual(expect.stringMatching(/^throughput changed by/));
  });

  it("is called at once where CPU per request agrees, or where the load generator was the limit", () => {
    expect(judge(repeated(PAIRS_MIN, CHANGE, -CHANGE / 2))).toMatchObject({
      open: false,
      compared: { verdict: "worse" },
    });
    const bound = judge(repeated(PAIRS_MIN, CHANGE, 0), { clientBound: true });
    expect(bound.compared.metrics.throughput?.verdict).toBe("worse");
  });

  it("is not asked of CPU per request", () => {
    expect(judge(repeated(PAIRS_MIN, 0, 0.1)).compared.metrics.cpuPerRequest?.verdict).toBe("worse");
  });
});

describe("a row that closes", () => {
  /** Equal sides that had different shares of the CPU: their throughput is that of the slices alone, if there are any. */
  function sharedUnequally(alone: boolean, cpu = 0): Pair {
    const [base, head] = [1_000_000, 850_000];
    const headCpuSec = (head / base) * Math.exp(cpu);
    const together = Array.from({ length: BLOCKS }, () => [
      togetherSlice("base", base),
      togetherSlice("head", head, { serverCpuSec: headCpuSec }),
    ]);
    const own = alone ? [aloneSlice("base", base, 2), aloneSlice("head", base, 2)] : [];
    return { seconds: 4, slices: [...own, ...together.flat(), ...own, ...own] };
  }

  it("keeps its verdict with all of its pairs, of which the looks so far need not have seen each", () => {
    // Throughput has four pairs now, so it is tested; CPU per request was tested with four, and its fifth pair is far off.
    const pairs = [false, true, true, true].map((alone) => sharedUnequally(alone));
    const { open } = judge([...pairs, sharedUnequally(true)]);
    expect(open).toBe(false);
    const unsettled = [...pairs, sharedUnequally(true, 0.3)];
    expect(judge(unsettled, { ended: true }).compared).toMatchObject({ verdict: "inconclusive", undecided: true });
    expect(judge(unsettled).open).toBe(true);
  });
});

describe("a row that is open", () => {
  const NOISY = [0.2, -0.22, 0.25, -0.18].map((one) => pair(one));

  it("goes on while pairs are left, however noisy the first ones were", () => {
    expect(judge(NOISY)).toMatchObject({ open: true, compared: { verdict: "inconclusive" } });
    expect(judge([...NOISY, ...NOISY, ...NOISY]).open).toBe(true);
    expect(judge(Array.from({ length: PAIRS_MAX / NOISY.length }, () => NOISY).flat()).open).toBe(false);
  });

  it("notes for how long the machine was disturbed", () => {
    const slices = pair(0).slices.map((slice, i) => ({ ...slice, othersShare: i < 8 ? 0.6 : 0 }));
    const voided = { seconds: 4, slices };
    const loaded = { seconds: 5, slices: pair(0).slices.map((slice) => ({ ...slice, othersShare: 0.4 })) };
    const { compared } = judge([...repeated(PAIRS_MIN, 0), voided, loaded]);
    expect(compared.notes).toContain("the machine was disturbed for 9 s of 25 s");
    expect(judge(repeated(PAIRS_MIN, 0)).compared.notes).toBeUndefined();
  });
});

describe("a head that is slower in part of its slices, with best slices as the figure", () => {
  const [slow, even] = [
    [1000, 995, 900, 890],
    [1000, 995, 1005, 990],
  ].map((head) => {
    const plain = ([base, other]: readonly [readonly number[], readonly number[]]): Pair => ({
      seconds: 4,
      slices: togetherPair(base, other).slices.flatMap(({ together, ...slice }) => (together ? [slice] : [])),
    });
    return Array.from({ length: 8 }, (_, i) => plain([[1000, 990 - i, 1005, 995], head.map((one) => one + i)]));
  });

  it("is not called unchanged, and the note names both", () => {
    const { compared, open } = judge(slow ?? []);
    expect(compared.metrics.cpuPerRequest?.verdict).toBe("inconclusive");
    expect(compared.notes).toContainEqual(
      expect.stringMatching(
        /^CPU per request: slower in part of the slices \(its best slices .0\.\d %, its mean \+5\.\d %\)$/,
      ),
    );
    expect(open).toBe(false);
  });

  it("is not seen where base's slices differ as much", () => {
    expect(judge(even ?? []).compared).toMatchObject({ verdict: "unchanged" });
    const mirrored = (slow ?? []).map((one) => ({
      ...one,
      slices: one.slices.map((slice) => ({
        ...slice,
        side: slice.side === "base" ? ("head" as const) : ("base" as const),
      })),
    }));
    expect(judge(mirrored).compared.notes).toBeUndefined();
  });
});

describe("a finer precision", () => {
  it("asks for a smaller interval, and has more looks for it", () => {
    const pairs = repeated(PAIRS_MIN, 0.001);
    const [usual, fine] = [judgePaired([pairedRow("a", pairs)]), judgePaired([pairedRow("a", pairs)], FINE_PRECISION)];
    expect(usual[0]).toMatchObject({ open: false, compared: { verdict: "unchanged" } });
    expect(fine[0]).toMatchObject({ open: true, compared: { verdict: "inconclusive" } });
    const [more] = judgePaired([pairedRow("a", repeated(36, 0.001))], FINE_PRECISION);
    expect(more).toMatchObject({ open: false, compared: { verdict: "unchanged" } });
    expect(measuredMax(FINE_PRECISION)).toBe(192);
  });

  it("has no more pairs than a results file can hold", () => {
    expect(measuredMax(FINE_PRECISION)).toBeLessThanOrEqual(PAIRS_PER_ROW_MAX);
  });
});
