/** One pair of real servers: which answers count, when memory is read, and what becomes of idle connections. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type PairContext, PairSeries } from "../../../src/measure/pairs/pair.js";
import { pairedCase } from "../../../src/measure/pairs/pair-case.js";
import type { PairSides } from "../../../src/measure/pairs/pair-servers.js";
import { SLICES_TOGETHER } from "../../../src/measure/pairs/schedule.js";
import type { PlannedRow, Side } from "../../../src/plan/types.js";
import { findRun } from "../../../src/process/sweep.js";
import { faultyRow, plainPython, testContext } from "../../support/measure.js";
import { endWithoutProcesses, type TestRun, testRun } from "../../support/run.js";

const TIMEOUT_MS = 120_000;
const CHANCE = { first: "base", hashSeed: 1, padBytes: 0, stackBytes: 128 * 1024 * 1024 } as const;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

function sidesOf(base: string, head: string, change: Partial<PlannedRow>): PairSides {
  const side = (mode: string) => ({ row: faultyRow(mode, change), ready: plainPython() });
  return { base: side(base), head: side(head) };
}

async function measure(
  sides: PairSides,
  onPhase: (phase: string) => void = () => {},
  latency?: NonNullable<PairContext["latency"]>,
) {
  const context = { ...testContext(run), connections: 8, onPhase, onLoad: () => {}, ...(latency && { latency }) };
  await using series = new PairSeries();
  return { outcome: await series.measure(sides, CHANCE, context), cpus: context.cpus };
}

it("reads the memory of both sides once both are ready", { timeout: TIMEOUT_MS }, async () => {
  // Head gets ready more than a second after base has grown.
  const { outcome } = await measure(sidesOf("grows", "late", { startup: true }));
  const starts = outcome.slices.flatMap(({ paired: { side, start } }) => (start ? [{ side, ...start }] : []));
  expect(starts.map(({ side }) => side).sort()).toEqual(["base", "head"]);
  const [base, head] = [starts.find(({ side }) => side === "base"), starts.find(({ side }) => side === "head")];
  expect(base?.memoryMiB).toBeGreaterThan(100);
  // The time is still that of each start.
  expect(head?.seconds).toBeGreaterThan((base?.seconds ?? 0) + 1);
});

it("fails the side whose server ends after its last slice", { timeout: TIMEOUT_MS }, async () => {
  const phases: string[] = [];
  const { outcome } = await measure(sidesOf("good", "grows", { ratePerSec: 500 }), (phase) => {
    phases.push(phase);
    if (phase !== "base: measuring" || phases.filter((one) => one === phase).length < 4) return;
    for (const { pid } of findRun(run))
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0grows\0")) process.kill(pid, "SIGKILL");
  });
  expect(phases.at(-1), phases.join()).toBe("base: measuring");
  expect(outcome).toMatchObject({ state: "failed", side: "head", reason: expect.stringMatching(/ended .*SIGKILL/) });
});

it("fails the side that hangs for good while both are loaded", { timeout: TIMEOUT_MS }, async () => {
  const file = join(run.tempDir, "hangs");
  const head = { row: faultyRow("hangs-later", {}, file), ready: plainPython() };
  let loads = 0;
  const { outcome } = await measure({ ...sidesOf("good", "good", {}), head }, (phase) => {
    if (!phase.includes("at the same time")) return;
    loads += 1;
    if (loads === SLICES_TOGETHER) setTimeout(() => writeFileSync(file, ""), 80);
  });
  expect(outcome).toMatchObject({
    ...{ state: "failed", side: "head" },
    reason: "the server stopped answering under load, and answered nothing after it",
  });
});

it("has no latency in a pair whose base stalls while it is loaded alone", { timeout: TIMEOUT_MS }, async () => {
  const file = join(run.tempDir, "hangs");
  const base = { row: faultyRow("hangs-later", {}, file), ready: plainPython() };
  const stall = (phase: string) => {
    if (phase === "base: measuring") writeFileSync(file, "");
    else rmSync(file, { force: true });
  };
  const { outcome } = await measure({ ...sidesOf("good", "good", {}), base }, stall, { ratePerSec: undefined });
  const alone = outcome.slices.filter(({ paired }) => paired.side === "base" && !paired.together);
  expect(new Set(alone.map(({ paired }) => paired.requests))).toEqual(new Set([0]));
  expect(outcome.slices.filter(({ paired }) => paired.open)).toEqual([]);
});

it("fails the side that closes its idle connections", { timeout: TIMEOUT_MS }, async () => {
  const { outcome } = await measure(sidesOf("good", "closes-idle", { idleConnections: 30 }));
  expect(outcome).toMatchObject({
    state: "failed",
    side: "head",
    reason: expect.stringMatching(/^the server closed 30 of 30 idle connections during the pair/),
  });
});

it("has the memory of an idle connection of each side", { timeout: TIMEOUT_MS }, async () => {
  const sides = sidesOf("good", "good", { idleConnections: 30 });
  const { outcome, cpus } = await measure(sides);
  if (outcome.state === "failed") throw new Error(outcome.reason);
  for (const side of ["base", "head"] as const) {
    const [result] = pairedCase({ sides, connections: 8, slices: outcome.slices, wallSec: 1 }, side, cpus);
    const idle = result?.state === "completed" ? result.summary.idle : undefined;
    expect(idle).toEqual({ open: 30, kibPerConnection: expect.any(Number) });
  }
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
    const { outcome } = await measure({ ...sidesOf("good", "good", change), head }, (phase) => {
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
  const { outcome } = await measure(sidesOf("slow", "good", {}));
  expect(outcome.state).toBe("measured");
  const count = (side: Side, together: true | undefined) =>
    outcome.slices.filter(({ paired }) => paired.side === side && paired.together === together).length;
  expect([count("base", true), count("head", true), count("base", undefined), count("head", undefined)]).toEqual([
    ...[SLICES_TOGETHER, SLICES_TOGETHER],
    ...[5, 5],
  ]);
});
