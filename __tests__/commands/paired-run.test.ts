/** The budget of pairs, on a clock of the test's own: no server is started. */
import { describe, expect, it } from "vitest";
import type { PairedPlan } from "../../src/commands/run/base-plan.js";
import { PairedRun, type PairedRunning } from "../../src/commands/run/paired-run.js";
import { PAIRS_MIN } from "../../src/compare/looks.js";
import type { RowPair } from "../../src/compare/sides.js";
import { readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import type { MeasuredSlice } from "../../src/measure/pairs/pair.js";
import { faultyRow, plainPython } from "../support/measure.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";
import { completed } from "../support/results.js";
import { testRun } from "../support/run.js";

const ready = plainPython();
const QUIET = { ...MEASURED_NOISE, outliers: 0 };

function pairs(count: number): RowPair[] {
  return Array.from({ length: count }, (_, i) => {
    const row = faultyRow("good", { id: `faulty/${i}`, title: `${i}` });
    return { base: row, head: row, connections: 8 };
  });
}

/** Measures all rows where each pair takes so long. @returns what the budget did */
async function measure(measured: readonly RowPair[], budgetMinutes: number | undefined, pairSec: number) {
  await using run = testRun();
  const plan: PairedPlan = { base: {}, measured, control: undefined, same: [], alone: [], apart: [] };
  const paired = new PairedRun(plan, []);
  const random = seeded(7);
  let clock = 0;
  const running: PairedRunning = {
    context: { run, cpus: splitCpus(readTopology()), generators: new Map(), filesDir: "", env: {}, onLoad: () => {} },
    cpus: splitCpus(readTopology()),
    budgetMinutes,
    now: () => clock,
    measurePair: async (_, { first }) => {
      clock += pairSec;
      return {
        state: "measured",
        slices: noisyPair(random, QUIET, 0, first === "base" ? 0 : 1).slices.map(measuredSlice),
      };
    },
    sidesOf: ({ base, head }) => ({ base: { row: base, ready }, head: { row: head, ready } }),
    put: async () => {},
    onPair: () => {},
    onPhase: () => {},
    onDecided: () => {},
    between: async () => {},
  };
  const { leftOut } = await paired.measure(running);
  return { paired, leftOut, seconds: clock };
}

function measuredSlice(paired: MeasuredSlice["paired"]): MeasuredSlice {
  const [slice] = completed("faulty/good", "good", 8, 1000).slices;
  if (!slice) throw new Error("no slice");
  return { paired, slice, peakMemoryMiB: 10, generatorCommand: [] };
}

describe("the budget of pairs", () => {
  it("bounds the time of 100 rows; those that were not begun are named", async () => {
    const { paired, leftOut, seconds } = await measure(pairs(100), 10, 4.5);
    expect(seconds).toBeLessThanOrEqual(10 * 60);
    const { rows, apart = [] } = paired.comparison();
    expect(rows.length).toBeGreaterThanOrEqual(25);
    expect(rows.every(({ recorded = [] }) => recorded.length >= PAIRS_MIN)).toBe(true);
    expect(rows.length + apart.length).toBe(100);
    const reason = "the budget of 10 min was spent";
    expect(apart.every((row) => row.kind === "unmeasured" && row.reason === reason)).toBe(true);
    expect(leftOut.map(({ row }) => row.id)).toEqual(apart.map(({ id }) => id));
    expect([...paired.outcomes().values()].filter(({ state }) => state === "left-out")).toHaveLength(apart.length);
  });

  it("holds where pairs take longer than expected", async () => {
    const { paired, seconds } = await measure(pairs(100), 10, 20);
    expect(seconds).toBeLessThanOrEqual(10 * 60);
    expect(paired.comparison().rows).toHaveLength(7);
  });

  it("always compares one row", async () => {
    const { paired, seconds } = await measure(pairs(3), 0.1, 4.5);
    expect(seconds).toBe(PAIRS_MIN * 4.5);
    expect(paired.comparison().rows.map(({ id }) => id)).toEqual(["faulty/0"]);
  });

  it("leaves nothing out where none was given", async () => {
    const { paired, leftOut } = await measure(pairs(12), undefined, 4.5);
    expect(leftOut).toEqual([]);
    expect(paired.comparison().rows).toHaveLength(12);
  });
});
