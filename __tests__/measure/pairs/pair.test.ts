/** One pair of real servers: which answers count, how many slices it has, and a side that hangs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SLICES_TOGETHER } from "../../../src/measure/pairs/schedule.js";
import type { Side } from "../../../src/plan/types.js";
import { faultyRow, plainPython } from "../../support/measure.js";
import { measurePair, sidesOf } from "../../support/one-pair.js";
import { endWithoutProcesses, type TestRun, testRun } from "../../support/run.js";

const TIMEOUT_MS = 120_000;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

// Beside another load it may hang before or after the slice that it is meant for.
it("fails the side that hangs for good while both are loaded", { timeout: TIMEOUT_MS }, async () => {
  const file = join(run.tempDir, "hangs");
  const head = { row: faultyRow("hangs-later", {}, file), ready: plainPython() };
  let loads = 0;
  const { outcome } = await measurePair(run, { ...sidesOf("good", "good", {}), head }, (phase) => {
    if (!phase.includes("at the same time")) return;
    loads += 1;
    if (loads === SLICES_TOGETHER) setTimeout(() => writeFileSync(file, ""), 80);
  });
  expect(outcome).toMatchObject({
    ...{ state: "failed", side: "head" },
    reason: "the server stopped answering under load, and answered nothing after it",
  });
});

it.each([
  ["leaves-cpus", "good", "base"],
  ["good", "leaves-cpus", "head"],
] as const)("has no time of a side that leaves its CPUs: %s, %s", { timeout: TIMEOUT_MS }, async (base, head, side) => {
  const { outcome } = await measurePair(run, sidesOf(base, head, {}));
  expect(outcome).toMatchObject({ state: "failed", side });
  expect(outcome.state === "failed" && outcome.reason).toMatch(
    /^the server changed its CPUs \(\S+, was started with \S+\)/,
  );
});

it("fails the side most of whose connections get no answer", { timeout: TIMEOUT_MS }, async () => {
  const { outcome } = await measurePair(run, sidesOf("good", "limited", {}));
  expect(outcome).toMatchObject({ state: "failed", side: "head" });
  expect(outcome.state === "failed" && outcome.reason).toMatch(/^at least [567] of 8 connections got no answer/);
});

it.each([
  { how: "at the same time", change: {}, from: "at the same time", loads: 2 * SLICES_TOGETHER },
  { how: "one after the other", change: { ratePerSec: 2000 }, from: ": measuring", loads: 8 },
])(
  "counts no answer with a shorter body, although the warm-up had none, $how",
  { timeout: TIMEOUT_MS },
  async ({ change, from, loads }) => {
    const file = join(run.tempDir, "short");
    const head = { row: faultyRow("short", change, file), ready: plainPython() };
    const { outcome } = await measurePair(run, { ...sidesOf("good", "good", change), head }, (phase) => {
      if (phase.includes(from)) writeFileSync(file, "");
    });
    if (outcome.state === "failed") throw new Error(outcome.reason);
    const loaded = outcome.slices.filter(({ paired }) => paired.together || change.ratePerSec !== undefined);
    expect(loaded).toHaveLength(loads);
    for (const { paired, slice } of loaded) {
      const wrong = slice.failures.byKind["wrong body"] ?? 0;
      expect(wrong / (wrong + paired.requests), paired.side).toBeCloseTo(paired.side === "head" ? 0.25 : 0, 1);
    }
  },
);

it("has more slices of each side alone where one side gets more of the CPU", { timeout: TIMEOUT_MS }, async () => {
  const { outcome } = await measurePair(run, sidesOf("slow", "good", {}));
  expect(outcome.state).toBe("measured");
  const count = (side: Side, together: true | undefined) =>
    outcome.slices.filter(({ paired }) => paired.side === side && paired.together === together).length;
  expect([count("base", true), count("head", true), count("base", undefined), count("head", undefined)]).toEqual([
    ...[SLICES_TOGETHER, SLICES_TOGETHER],
    ...[5, 5],
  ]);
});
