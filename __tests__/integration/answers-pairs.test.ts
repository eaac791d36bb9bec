/** Pairs of real servers with special answers: each side's own are expected of it, and the sides of a row at a rate do not share their time. */
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pairChance } from "../../src/measure/pairs/chance.js";
import { type PairContext, PairSeries } from "../../src/measure/pairs/pair.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import { LearnedAnswers } from "../../src/measure/server/learned.js";
import type { Expect, PlannedRow } from "../../src/plan/types.js";
import { answerDifferences } from "../../src/results/answer-notes.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutProcesses, serverScript, type TestRun, testRun } from "../support/run.js";

const python = plainPython();
const LEARNED: Expect = { status: "learned", body: { kind: "learned" } };

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

/** @param modes of `servers/answers.py`, of base and head */
function sidesOf(modes: readonly [string, string], change: Partial<PlannedRow> = {}): PairSides {
  const script = serverScript("answers.py");
  const side = (mode: string) => {
    const row = faultyRow(mode, { request: { ...faultyRow("").request, expect: LEARNED }, ...change });
    const server = { ...row.server, command: ["python3", script, mode, "{port}"], cwd: dirname(script) };
    return { row: { ...row, server: { ...server, readyTimeoutSec: 20 } }, ready: python };
  };
  return { base: side(modes[0]), head: side(modes[1]) };
}

async function measure(sides: PairSides, change: Partial<PairContext> = {}) {
  const context = { ...testContext(run), connections: 4, onPhase: () => {}, onLoad: () => {}, ...change };
  await using series = new PairSeries();
  return await series.measure(sides, { ...pairChance(1, 0), first: "base" }, context);
}

async function measured(sides: PairSides, change: Partial<PairContext> = {}) {
  const outcome = await measure(sides, change);
  if (outcome.state === "failed") throw new Error(`${outcome.side}: ${outcome.reason}`);
  const last = (side: "base" | "head") => outcome.slices.findLast(({ paired }) => paired.side === side)?.answers ?? [];
  return { slices: outcome.slices, answers: { base: last("base"), head: last("head") } };
}

describe("a pair whose answers are not given", () => {
  it("expects of each side what it answers, and counts all of it", async () => {
    const learned = { base: new LearnedAnswers(), head: new LearnedAnswers() };
    const sides = sidesOf(["plain", "varies"]);
    const { slices, answers } = await measured(sides, { learned });
    expect(answers.base).toMatchObject([{ size: 5, type: "text/plain" }]);
    expect(answers.head).toMatchObject([{ size: [expect.any(Number), expect.any(Number)], type: "application/json" }]);
    expect(slices.map(({ slice }) => slice.failures.total)).toEqual(slices.map(() => 0));
    expect(answerDifferences(answers.base, answers.head)).toEqual([
      "get: base and head answer differently: type text/plain in base, application/json in head",
    ]);
    // The next pair adds to what this one has learned.
    const again = await measured(sides, { learned });
    expect(again.answers.base).toEqual(answers.base);
  });
  it("checks no size of a side where it leaves every range", async () => {
    const { slices, answers } = await measured(sidesOf(["plain", "grows"]));
    expect([answers.base[0]?.checked, answers.head[0]?.checked]).toEqual(["size", "none"]);
    expect(slices.map(({ slice }) => slice.failures.total)).toEqual(slices.map(() => 0));
  });
});

describe("a pair with a wrong side", () => {
  it("fails soon, and names the side", async () => {
    const startedAt = performance.now();
    const outcome = await measure(sidesOf(["plain", "missing"]));
    expect(outcome).toMatchObject({ state: "failed", side: "head", reason: expect.stringContaining("got status 404") });
    expect((performance.now() - startedAt) / 1000).toBeLessThan(15);
  });
  it("is seen after the load where only the bytes show it", async () => {
    const request = {
      ...faultyRow("").request,
      expect: { status: 200, body: { kind: "text", text: "hello" } } as const,
    };
    expect(await measure(sidesOf(["plain", "breaks"], { request }))).toMatchObject({
      ...{ state: "failed", side: "head" },
      reason: expect.stringContaining('the answer to "get" is wrong after the load'),
    });
  });
});

describe("a pair at a rate of the row", () => {
  it("has slices one after the other, all of them at this rate", { timeout: 60_000 }, async () => {
    const sides = sidesOf(["plain", "plain"], { ratePerSec: 400 });
    const { slices } = await measured(sides, { latency: { ratePerSec: 400 } });
    const closed = slices.filter(({ paired }) => paired.open === undefined);
    const open = slices.filter(({ paired }) => paired.open !== undefined);
    expect([closed.length, open.length]).toEqual([8, 8]);
    for (const { paired, generatorCommand } of slices) {
      expect(paired.together).toBeUndefined();
      expect(generatorCommand.join(" ")).toContain("-q 400 --latency-correction");
    }
    const rates = closed.map(({ paired }) => paired.requests / paired.seconds);
    expect(Math.max(...rates)).toBeLessThan(480);
  });
});
