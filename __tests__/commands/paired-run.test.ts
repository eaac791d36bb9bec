/** The budget of pairs, on a clock of the test's own: no server is started. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { PairedPlan } from "../../src/commands/run/base-plan.js";
import { PairedRun } from "../../src/commands/run/paired-run.js";
import type { PairedRunning } from "../../src/commands/run/paired-running.js";
import { PAIRS_MIN } from "../../src/compare/looks.js";
import { USUAL_PRECISION } from "../../src/compare/precision.js";
import type { RowPair } from "../../src/compare/sides.js";
import { readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import type { MeasuredSlice } from "../../src/measure/pairs/pair.js";
import type { Side } from "../../src/plan/types.js";
import type { ComparedRow, Comparison, OpenSlice } from "../../src/results/comparison.js";
import type { CaseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";
import { environmentSpec } from "../support/provisioning.js";
import { completed } from "../support/results.js";
import { testRun } from "../support/run.js";

const ready = plainPython();
const QUIET = { ...MEASURED_NOISE, outliers: 0 };

/** Nothing that is shown or stored. */
const QUIETLY: Pick<PairedRunning, "sidesOf" | "put" | "onPair" | "onPhase" | "onDecided" | "onFailed" | "between"> = {
  sidesOf: ({ base, head }) => ({ base: { row: base, ready }, head: { row: head, ready } }),
  put: async () => {},
  onPair: () => {},
  onPhase: () => {},
  onDecided: () => {},
  onFailed: () => {},
  between: async () => {},
};

function pairs(count: number, mode = "good"): RowPair[] {
  return Array.from({ length: count }, (_, i) => {
    const row = faultyRow(mode, { id: `faulty/${i}`, title: `${i}` });
    return { base: row, head: row, connections: 8 };
  });
}

/** Measures all rows where each pair takes so long. @returns what the budget did */
async function measure(
  measured: readonly RowPair[],
  budgetMinutes: number | undefined,
  pairSec: number,
  failed: Readonly<Record<Side, number>> = { base: 0, head: 0 },
  sidesOf = QUIETLY.sidesOf,
  ends: { readonly side: Side; readonly inPair: number } | undefined = undefined,
  onPut: (comparison: Comparison) => void = () => {},
  /** Seconds of the first pairs. */
  firstSec: readonly number[] = [],
  /** What follows these. */
  then: ((signal: AbortSignal) => Promise<never>) | undefined = undefined,
) {
  await using run = testRun();
  const plan: PairedPlan = { base: {}, measured, control: undefined, identical: [], alone: [], uncompared: [] };
  const paired = new PairedRun(plan, []);
  const random = seeded(7);
  const announced: CaseResult[] = [];
  let [clock, count] = [0, 0];
  const running: PairedRunning = {
    context: { run, cpus: splitCpus(readTopology()), generators: new Map(), filesDir: "", env: {}, onLoad: () => {} },
    cpus: splitCpus(readTopology()),
    budgetMinutes,
    earlier: [],
    now: () => clock,
    measurePair: async (_, { first }, { run: { signal } }) => {
      if (then && count === firstSec.length) await then(signal);
      clock += firstSec[count] ?? pairSec;
      count += 1;
      if (ends?.inPair === count) return { state: "failed", side: ends.side, reason: "it ended", log: "", slices: [] };
      return {
        state: "measured",
        slices: noisyPair(random, QUIET, 0, first === "base" ? 0 : 1).slices.map((slice) =>
          measuredSlice(slice, failed),
        ),
      };
    },
    ...QUIETLY,
    sidesOf,
    put: async () => onPut(paired.comparison()),
    onFailed: (result) => announced.push(result),
  };
  const { leftOut, withoutBase } = await paired.measure(running);
  return { paired, leftOut, withoutBase, announced, seconds: clock };
}

/** Without pairs: memory and instructions alone, of rows whose server ends at once. Each round takes so long. */
async function measureFurtherMetrics(measured: readonly RowPair[], budgetMinutes: number, roundSec: readonly number[]) {
  await using run = testRun();
  const plan: PairedPlan = { base: {}, measured, control: undefined, identical: [], alone: [], uncompared: [] };
  const paired = new PairedRun(plan, [], USUAL_PRECISION, { metrics: ["instructions", "memory"] });
  let [clock, round] = [0, 0];
  const { cpus, generators, filesDir, env } = testContext(run);
  const running: PairedRunning = {
    context: { run, cpus, generators, filesDir, env, onLoad: () => {} },
    cpus,
    budgetMinutes,
    earlier: [],
    now: () => clock,
    measurePair: () => Promise.reject(new Error("no time was asked for")),
    furtherMetrics: {
      context: { run, cpus, generators, filesDir, env },
      now: () => clock,
      line: () => {},
      countsAreExtra: false,
      onRound: () => {
        clock += roundSec[round++] ?? 0;
      },
    },
    ...QUIETLY,
  };
  const { leftOut } = await paired.measure(running);
  return { leftOut, comparison: paired.comparison() };
}

/** 10,000 right answers, and so many failures in each slice of a side. */
function measuredSlice(paired: MeasuredSlice["paired"], failed: Readonly<Record<Side, number>>): MeasuredSlice {
  const total = failed[paired.side];
  const failures = { total, byKind: { "status 500": total } };
  const [slice] = completed("faulty/good", "good", 8, 1000, { summary: { failures } }).slices;
  if (!slice) throw new Error("no slice");
  return { paired, slice, peakMemoryMiB: 10, generatorCommand: [] };
}

function openSlice(random: () => number, late: boolean): OpenSlice {
  const p50 = 1 + 0.02 * random();
  const asked = { ratePerSec: 10_000, due: 5000, answered: late ? 2000 : 5000, failures: 0, windowSec: 0.11 };
  return { ...asked, latencyMs: { p50, p99: 2 * p50 }, clientShare: 0.5 };
}

describe("failed requests", () => {
  it.each([
    [{ base: 0, head: 200 }, /^\d+ failed requests in head, none in base$/],
    [{ base: 1, head: 204 }, /^2\.0 % of head's requests failed, 0\.010 % of base's$/],
  ])("%j a slice: a note of the row", async (failed, note) => {
    const { paired } = await measure(pairs(1), undefined, 4.5, failed);
    expect(paired.comparison().rows[0]?.notes).toContainEqual(expect.stringMatching(note));
  });

  it("as many on both sides: no note", async () => {
    const { paired } = await measure(pairs(1), undefined, 4.5, { base: 7, head: 7 });
    expect(paired.comparison().rows[0]?.notes ?? []).toEqual([]);
  });
});

describe("the line of a decided row", () => {
  it("has the figures of the report, also of a metric with fewer pairs than the row", async () => {
    await using run = testRun();
    const plan: PairedPlan = {
      base: {},
      measured: pairs(1),
      control: undefined,
      identical: [],
      alone: [],
      uncompared: [],
    };
    const paired = new PairedRun(plan, []);
    const random = seeded(9);
    const shown: ComparedRow[] = [];
    let count = 0;
    await paired.measure({
      context: { run, cpus: splitCpus(readTopology()), generators: new Map(), filesDir: "", env: {}, onLoad: () => {} },
      cpus: splitCpus(readTopology()),
      budgetMinutes: undefined,
      earlier: [],
      now: () => 0,
      measurePair: async () => {
        count += 1;
        const closed = noisyPair(random, QUIET, 0, count).slices;
        // Head does not hold the rate in the second pair, which has no latency therefore.
        const atRate = closed.map((slice) => ({
          ...slice,
          open: openSlice(random, count === 2 && slice.side === "head"),
        }));
        const slices = [...closed, ...atRate].map((slice) => measuredSlice(slice, { base: 0, head: 0 }));
        return { state: "measured", slices };
      },
      ...QUIETLY,
      onDecided: (row) => shown.push(row),
    });
    const [row] = paired.comparison().rows;
    expect(row?.metrics.latencyP50?.pairs).toBe(count - 1);
    expect(shown.map(({ metrics, verdict }) => ({ metrics, verdict }))).toEqual([
      { metrics: row?.metrics, verdict: row?.verdict },
    ]);
  });
});

describe("a run that ends early", () => {
  it("lists the rows that were still to come as not measured", async () => {
    const states: string[][] = [];
    const { paired } = await measure(
      pairs(2),
      undefined,
      4.5,
      undefined,
      undefined,
      undefined,
      ({ rows, notCompared = [] }) =>
        states.push([
          ...rows.map(({ id, verdict }) => `${id} ${verdict}`),
          ...notCompared.map(({ id, kind, reason }) => `${id} ${kind}: ${reason}`),
        ]),
    );
    expect(states[0]).toEqual(["faulty/0 inconclusive", "faulty/1 unmeasured: the run ended before it"]);
    expect(states[1]).toEqual(["faulty/0 inconclusive", "faulty/1 inconclusive"]);
    expect(paired.comparison().notCompared).toEqual([]);
  });
});

describe("a side that fails after the first pair", () => {
  const sweep = () => pairs(1).map((pair) => ({ ...pair, head: { ...pair.head, connections: [4, 8] } }));
  const failing = (side: Side) => measure(sweep(), undefined, 4.5, undefined, undefined, { side, inPair: 2 });

  it.each(["base", "head"] as const)(
    "%s: the row is listed with the reason, at the concurrency of its pairs",
    async (side) => {
      const { paired, withoutBase, announced } = await failing(side);
      expect(announced).toMatchObject([{ side, state: "failed", id: "faulty/0", connections: 8, reason: "it ended" }]);
      expect(paired.comparison().rows).toEqual([]);
      expect(paired.comparison().notCompared).toEqual([
        { kind: `failed-in-${side}`, id: "faulty/0", title: "0", connections: 8, reason: "it ended" },
      ]);
      expect(withoutBase).toHaveLength(side === "base" ? 1 : 0);
    },
  );

  it("base, whose files changed: the row is void and stays it, so that it fails the gate", async () => {
    const { paired, withoutBase } = await failing("base");
    paired.voidAll("changed");
    for (const pair of withoutBase) paired.leaveUncompared(pair, "unmeasured", "head failed too");
    expect(paired.comparison().notCompared).toMatchObject([{ kind: "voided", reason: "changed" }]);
  });

  it("head, where base's files changed: the failure stays", async () => {
    const { paired } = await failing("head");
    paired.voidAll("changed");
    expect(paired.comparison().notCompared).toMatchObject([{ kind: "failed-in-head" }]);
  });
});

describe("the budget of pairs", () => {
  it("bounds the time of 100 rows; those that were not begun are named", async () => {
    const { paired, leftOut, seconds } = await measure(pairs(100), 10, 4.5);
    expect(seconds).toBeLessThanOrEqual(10 * 60);
    const { rows, notCompared = [] } = paired.comparison();
    expect(rows.length).toBeGreaterThanOrEqual(25);
    expect(rows.every(({ recorded = [] }) => recorded.length >= PAIRS_MIN)).toBe(true);
    expect(rows.length + notCompared.length).toBe(100);
    const reason = "the budget of 10 min was spent";
    expect(notCompared.every((row) => row.kind === "unmeasured" && row.reason === reason)).toBe(true);
    expect(leftOut.map(({ row }) => row.id)).toEqual(notCompared.map(({ id }) => id));
    expect([...paired.outcomes().values()].filter(({ state }) => state === "left-out")).toHaveLength(
      notCompared.length,
    );
  });

  it("holds where pairs take longer than expected", async () => {
    const { paired, seconds } = await measure(pairs(100), 10, 20);
    expect(seconds).toBeLessThanOrEqual(10 * 60);
    expect(paired.comparison().rows).toHaveLength(7);
  });

  it("holds for the first pairs of the first row too", async () => {
    const { paired, seconds, leftOut } = await measure(pairs(3), 1, 25);
    expect(seconds).toBe(50);
    const [row] = paired.comparison().rows;
    expect([row?.recorded?.length, row?.notes]).toEqual([
      2,
      ["the budget of 1 min was spent", "too few pairs for a verdict"],
    ]);
    expect(leftOut.map(({ row: { id }, reason }) => `${id}: ${reason}`)).toEqual([
      "faulty/1: the budget of 1 min was spent",
      "faulty/2: the budget of 1 min was spent",
    ]);
    expect((await measure(pairs(3), 0.1, 25)).leftOut).toHaveLength(3);
  });

  it("ends a pair that does not end, such as one of a server that hangs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const hanging = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const measuring = measure(pairs(2), 1, 1, undefined, undefined, undefined, undefined, [1, 1, 1], hanging);
    await vi.advanceTimersByTimeAsync(71_000);
    const { paired } = await measuring;
    expect(paired.comparison().rows.map(({ recorded }) => recorded?.length)).toEqual([2, 1]);
  });

  it("is the reason of a row whose pairs are too few", async () => {
    // The first pair of the second row takes the rest of the budget.
    const { paired } = await measure(pairs(2), 1, 4.5, undefined, undefined, undefined, undefined, [4.5, 130]);
    const [first, second] = paired.comparison().rows;
    expect([first?.recorded?.length, second?.recorded?.length]).toEqual([1, 1]);
    expect(first?.notes).toEqual(second?.notes);
    expect(second?.notes).toEqual(["the budget of 1 min was spent", "too few pairs for a verdict"]);
  });

  it("leaves nothing out where none was given", async () => {
    const { paired, leftOut } = await measure(pairs(12), undefined, 4.5);
    expect(leftOut).toEqual([]);
    expect(paired.comparison().rows).toHaveLength(12);
  });
});

describe("the budget of counts and samples", () => {
  it("keeps the failure of one kind where the other kind had no room", async () => {
    // Two samples that fail soon, then a count that takes the rest of the budget.
    const { leftOut, comparison } = await measureFurtherMetrics(pairs(2, "exits"), 2, [5, 5, 200]);
    expect(leftOut).toEqual([]);
    expect(comparison.notCompared ?? []).toEqual([]);
    for (const { memory } of comparison.rows)
      expect(memory).toMatchObject({
        state: "not-measured",
        reason: expect.not.stringMatching(/^(base|head): |^$/),
        failedIn: "base",
      });
    const last = comparison.rows.at(-1);
    expect(last?.id).toBe("faulty/1");
    expect(last?.notes).toContainEqual(expect.stringMatching(/^instructions: not counted: .*(no room|algrind)/));
  });

  it("leaves a row out that had no room for any kind", async () => {
    const { leftOut } = await measureFurtherMetrics(pairs(2, "exits"), 1, [100, 100]);
    expect(leftOut.map(({ row, reason }) => [row.id, reason])).toEqual([
      ["faulty/1", expect.stringMatching(/^the budget of 1 min had no room/)],
    ]);
  });
});

describe("packages that are not what is compared", () => {
  async function notesWhere(base: Partial<typeof ready>, head: Partial<typeof ready>) {
    const environment = environmentSpec({ server: "faulty", requires: ["faulty"], distribution: "Faulty.Server" });
    const row = faultyRow("good", { environment });
    const sidesOf: PairedRunning["sidesOf"] = (pair) => ({
      base: { row: pair.base, ready: { ...ready, ...base } },
      head: { row: pair.head, ready: { ...ready, ...head } },
    });
    const { paired } = await measure(
      [{ base: row, head: row, connections: 8 }],
      10,
      4.5,
      { base: 0, head: 0 },
      sidesOf,
    );
    return paired.comparison().rows.flatMap(({ notes = [] }) => notes);
  }

  it("are a note at the row where their versions differ", async () => {
    const packages = ["click==8.1", "faulty-server==1.0", "h11==0.16", "shop==0.1"];
    const others = ["Click==8.3", "faulty-server==2.0", "idna==3.7", "shop==0.2"];
    expect(await notesWhere({ packages, local: ["shop"] }, { packages: others, local: ["Shop"] })).toEqual([
      "other packages differ: click 8.1 in base, 8.3 in head; h11 0.16 in base, none in head; idna none in base, 3.7 in head",
    ]);
    expect(await notesWhere({ packages }, { packages })).toEqual([]);
  });

  it("are five at most", async () => {
    const packages = (version: number) => Array.from({ length: 7 }, (_, index) => `p${index}==${version}`);
    const [note] = await notesWhere({ packages: packages(1) }, { packages: packages(2) });
    expect(note).toMatch(/; p4 1 in base, 2 in head; and 2 more$/);
  });
});
