/** Rounds of further metrics in slots and within a budget, on a clock of the test's own. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { measureInSlots, type RoundSchedule } from "../../src/commands/run/round-schedule.js";

interface Row {
  readonly name: number;
  /** Seconds of one of its rounds. */
  readonly roundSec: number;
  /** Rounds until it is decided. */
  readonly wanted: number;
  rounds: number;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function rows(count: number, roundSec = 10, wanted = 2): Row[] {
  return Array.from({ length: count }, (_, name) => ({ name, roundSec, wanted, rounds: 0 }));
}

async function measure(subjects: readonly Row[], change: Partial<RoundSchedule<Row>> = {}) {
  const order: number[] = [];
  const start = performance.now();
  const now = () => (performance.now() - start) / 1000;
  const timed = async () => {
    const end = await measureInSlots({
      ...{ subjects, slots: 1, firstRounds: 2, expectedSec: 10, limitSec: undefined, now },
      roundsOf: ({ rounds }) => rounds,
      open: () => new Set(subjects.filter(({ rounds, wanted }) => rounds < wanted)),
      measure: async (row) => {
        order.push(row.name);
        await new Promise((resolve) => setTimeout(resolve, row.roundSec * 1000));
        row.rounds += 1;
      },
      between: async () => {},
      ...change,
    });
    return { ...end, order, seconds: now() };
  };
  const [ended] = await Promise.allSettled([timed(), vi.runAllTimersAsync()]);
  if (ended.status === "rejected") throw ended.reason;
  return ended.value;
}

function counts(subjects: readonly Row[]): number[] {
  return subjects.map(({ rounds }) => rounds);
}

describe("rounds within a budget", () => {
  it("begin a row only where its first rounds fit, and leave none half done", async () => {
    const subjects = rows(10);
    const { unbegun, enoughSec, seconds } = await measure(subjects, { limitSec: 75 });
    expect(counts(subjects)).toEqual([2, 2, 2, 0, 0, 0, 0, 0, 0, 0]);
    expect(seconds).toBe(60);
    expect(unbegun.map(({ name }) => name)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(enoughSec).toBe(200);
  });

  it("hold where rounds take longer than expected", async () => {
    const subjects = rows(10, 30);
    const { seconds } = await measure(subjects, { limitSec: 130 });
    expect(counts(subjects)).toEqual([2, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(seconds).toBe(120);
  });

  it("begin no row, not even the first one, whose first rounds do not fit", async () => {
    const subjects = rows(3);
    const { seconds, unbegun } = await measure(subjects, { limitSec: 19, slots: 2 });
    expect([counts(subjects), seconds, unbegun.length]).toEqual([[0, 0, 0], 0, 3]);
    const slow = rows(3, 30);
    expect((await measure(slow, { limitSec: 50 })).seconds).toBe(30);
    expect(counts(slow)).toEqual([1, 0, 0]);
  });

  it("give what is left to open rows, as far as a round fits", async () => {
    const subjects = rows(3, 10, 5);
    const { seconds, unbegun } = await measure(subjects, { limitSec: 85 });
    expect(counts(subjects)).toEqual([3, 3, 2]);
    expect([seconds, unbegun]).toEqual([80, []]);
  });

  it("run in several slots, no row in two at once", async () => {
    const subjects = rows(7);
    const { unbegun, enoughSec, seconds } = await measure(subjects, { limitSec: 45, slots: 3 });
    expect(counts(subjects)).toEqual([2, 2, 2, 2, 2, 2, 0]);
    expect(seconds).toBe(40);
    expect([unbegun.length, enoughSec]).toEqual([1, 60]);
  });
});

describe("rounds without a budget", () => {
  it("finish the first rounds of a row before the next one begins", async () => {
    const { order } = await measure(rows(3, 10, 3));
    expect(order).toEqual([0, 0, 1, 1, 2, 2, 0, 1, 2]);
  });

  it("end all slots before an error is passed on", async () => {
    const subjects = rows(2);
    let ended = 0;
    const failing = async (row: Row) => {
      if (row.name === 0) throw new Error("no disk");
      await new Promise((resolve) => setTimeout(resolve, 1000));
      row.rounds = row.wanted;
      ended += 1;
    };
    await expect(measure(subjects, { slots: 2, measure: failing })).rejects.toThrow("no disk");
    expect(ended).toBe(1);
  });

  it("begin none after an error", async () => {
    const subjects = rows(3);
    let begun = 0;
    const failing = async (row: Row) => {
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, row.name === 0 ? 500 : 1000));
      if (row.name === 0) throw new Error("no disk");
      row.rounds += 1;
    };
    await expect(measure(subjects, { slots: 2, measure: failing })).rejects.toThrow("no disk");
    expect(begun).toBe(2);
  });
});
