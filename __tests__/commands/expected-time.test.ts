/** The first line of a run. */
import { expect, test } from "vitest";
import type { PairedPlan } from "../../src/commands/run/base-plan.js";
import { expectedRunSec, startLine } from "../../src/commands/run/expected-time.js";
import { type Precision, precisionFor, USUAL_PRECISION } from "../../src/compare/precision.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import { ROOT } from "../support/own-set.js";

const planned = async (selector: string, profile: string) =>
  await planRun({ root: ROOT, cwd: ROOT, selectors: [selector], profile, cores: 2 });
const ALONE = { paired: undefined, base: undefined, quickProfile: "--profile quick" };

test("rows, cases and minutes, and what the shortest profile takes", async () => {
  const plan = await planned("interfaces", "standard");
  const [rows, cases] = [rowsOf(plan).length, rowsOf(plan).reduce((sum, row) => sum + row.connections.length, 0)];
  expect(cases).toBeGreaterThan(rows);
  const line = startLine({ ...ALONE, plan });
  expect(line).toMatch(
    /^interfaces: \d+ benchmarks, \d+ cases, about \d+ min, longer on a disturbed machine; --profile quick: about \d+ (?:s|min)$/,
  );
  expect(line).toContain(`${rows} benchmarks, ${cases} cases`);
  expect(startLine({ ...ALONE, plan, quickProfile: "profile: quick" })).toContain("; profile: quick: about ");
});

test("the shortest profile takes what was said of it", async () => {
  const [, said] = /quick: (about .*)$/.exec(startLine({ ...ALONE, plan: await planned("http2", "standard") })) ?? [];
  expect(startLine({ ...ALONE, plan: await planned("http2", "quick") })).toMatch(new RegExp(`cases, ${said}$`));
});

test("starts, idle connections, and a maximum that is measured first take time", async () => {
  const seconds = async (selector: string, profile: string) => {
    const plan = await planned(selector, profile);
    return expectedRunSec({ plan, paired: undefined, base: undefined }) / rowsOf(plan).length;
  };
  const plain = await seconds("unix-sockets", "standard");
  expect(await seconds("startup", "standard")).toBeCloseTo(plain + 4 * 0.8);
  expect(await seconds("latency", "standard")).toBeCloseTo(plain + 3);
  expect(await seconds("connections/10-000-idle-*", "standard")).toBeCloseTo(plain + 1 + 10_000 / 3000);
  expect(await seconds("startup", "quick")).toBeCloseTo(await seconds("unix-sockets", "quick"));
});

test("pairs take what an unchanged row takes, and longer in doubt, or the budget", async () => {
  const plan = await planned("interfaces", "standard");
  const [row, ...others] = rowsOf(plan).slice(0, 13);
  if (!row) throw new Error("no row");
  const measured = others.map((head) => ({ base: head, head, connections: 64 }));
  const control = { base: row, head: row, connections: 64 };
  const paired: PairedPlan = { base: {}, measured, control, identical: [], alone: [], uncompared: [] };
  const usual = { budgetMinutes: undefined, precision: USUAL_PRECISION };
  const line = (base: typeof usual | { budgetMinutes: number; precision: Precision }) =>
    startLine({ ...ALONE, plan, paired, base });
  expect(line(usual)).toBe("interfaces: 13 benchmarks in pairs with base, about 4 min, 15 min if all are in doubt");
  expect(line({ ...usual, budgetMinutes: 2 })).toBe("interfaces: 13 benchmarks in pairs with base, at most 2 min");
  expect(line({ ...usual, budgetMinutes: 3 })).toBe("interfaces: 13 benchmarks in pairs with base, at most 3 min");
  expect(line({ ...usual, budgetMinutes: 10 })).toBe(
    "interfaces: 13 benchmarks in pairs with base, about 4 min, at most 10 min",
  );
  expect(line({ ...usual, budgetMinutes: 20 })).toBe(line(usual));
  expect(expectedRunSec({ plan, paired, base: { ...usual, budgetMinutes: 0.1 } })).toBe(6);
  expect(expectedRunSec({ plan, paired, base: { ...usual, budgetMinutes: 2 } })).toBe(120);
  // The price of a finer margin is said before it is paid.
  expect(line({ ...usual, precision: precisionFor(0.01) })).toBe(
    "interfaces: 13 benchmarks in pairs with base, about 24 min, 46 min if all are in doubt",
  );
  expect(startLine({ ...ALONE, plan, paired: { ...paired, alone: [row] }, base: usual })).toMatch(
    /in doubt; without base: 1 benchmark, \d cases?, about \d+ s, longer on a disturbed machine; --profile/,
  );
});

test("pairs at a rate take longer, and with wrk, and with latency", async () => {
  const [row] = rowsOf(await planned("interfaces", "standard"));
  if (!row) throw new Error("no row");
  const plan = await planned("interfaces", "standard");
  const usual = { budgetMinutes: undefined, precision: USUAL_PRECISION };
  const secondsOf = (change: Partial<typeof row>) => {
    const head = { ...row, ...change };
    const paired = {
      base: {},
      measured: [{ base: head, head, connections: 64 }],
      identical: [],
      alone: [],
      uncompared: [],
    };
    return expectedRunSec({ plan, paired: { ...paired, control: undefined }, base: usual });
  };
  expect(secondsOf({ generator: "oha", latency: true }) - secondsOf({ generator: "oha" })).toBeCloseTo(9 * 5);
  expect(secondsOf({ generator: "oha", ratePerSec: 100 })).toBeCloseTo(9 * 4.5);
  expect(secondsOf({ generator: "ghz" })).toBeCloseTo(9 * 2.2);
  expect(secondsOf({ generator: "wrk" })).toBeCloseTo(9 * 7.3);
  expect(secondsOf({ generator: "websocket" })).toBeCloseTo(9 * 7);
});
