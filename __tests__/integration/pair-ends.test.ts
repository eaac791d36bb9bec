/** One pair of real servers: which side fails and how, when memory is read, and what becomes of idle connections. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pairedCase } from "../../src/measure/pairs/pair-case.js";
import { findRun } from "../../src/process/sweep.js";
import { faultyRow, plainPython } from "../support/measure.js";
import { measurePair, sidesOf } from "../support/one-pair.js";
import { endWithoutProcesses, type TestRun, testRun } from "../support/run.js";

const TIMEOUT_MS = 120_000;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

it("reads the memory of both sides once both are ready", { timeout: TIMEOUT_MS }, async () => {
  // Head gets ready more than a second after base has grown.
  const { outcome } = await measurePair(run, sidesOf("grows", "late", { startup: true }));
  const starts = outcome.slices.flatMap(({ paired: { side, start } }) => (start ? [{ side, ...start }] : []));
  expect(starts.map(({ side }) => side).sort()).toEqual(["base", "head"]);
  const [base, head] = [starts.find(({ side }) => side === "base"), starts.find(({ side }) => side === "head")];
  expect(base?.memoryMiB).toBeGreaterThan(100);
  // The time is still that of each start.
  expect(head?.seconds).toBeGreaterThan((base?.seconds ?? 0) + 1);
});

it("fails the side whose server ends after its last slice", { timeout: TIMEOUT_MS }, async () => {
  const phases: string[] = [];
  const { outcome } = await measurePair(run, sidesOf("good", "grows", { ratePerSec: 500 }), (phase) => {
    phases.push(phase);
    if (phase !== "base: measuring" || phases.filter((one) => one === phase).length < 4) return;
    for (const { pid } of findRun(run))
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0grows\0")) process.kill(pid, "SIGKILL");
  });
  expect(phases.at(-1), phases.join()).toBe("base: measuring");
  expect(outcome).toMatchObject({ state: "failed", side: "head", reason: expect.stringMatching(/ended .*SIGKILL/) });
});

it("has no latency in a pair whose base stalls while it is loaded alone", { timeout: TIMEOUT_MS }, async () => {
  const file = join(run.tempDir, "hangs");
  const base = { row: faultyRow("hangs-later", {}, file), ready: plainPython() };
  const stall = (phase: string) => {
    if (phase === "base: measuring") writeFileSync(file, "");
    else rmSync(file, { force: true });
  };
  const { outcome } = await measurePair(run, { ...sidesOf("good", "good", {}), base }, stall, {
    ratePerSec: undefined,
  });
  const alone = outcome.slices.filter(({ paired }) => paired.side === "base" && !paired.together);
  expect(new Set(alone.map(({ paired }) => paired.requests))).toEqual(new Set([0]));
  expect(outcome.slices.filter(({ paired }) => paired.open)).toEqual([]);
});

it("fails the side that closes its idle connections", { timeout: TIMEOUT_MS }, async () => {
  const { outcome } = await measurePair(run, sidesOf("good", "closes-idle", { idleConnections: 30 }));
  expect(outcome).toMatchObject({
    state: "failed",
    side: "head",
    reason: expect.stringMatching(/^the server closed 30 of 30 idle connections during the pair/),
  });
});

it("has the memory of an idle connection of each side", { timeout: TIMEOUT_MS }, async () => {
  const sides = sidesOf("good", "good", { idleConnections: 30 });
  const { outcome, cpus } = await measurePair(run, sides);
  if (outcome.state === "failed") throw new Error(outcome.reason);
  for (const side of ["base", "head"] as const) {
    const [result] = pairedCase({ sides, connections: 8, slices: outcome.slices, wallSec: 1 }, side, cpus);
    const idle = result?.state === "completed" ? result.summary.idle : undefined;
    expect(idle).toEqual({ open: 30, kibPerConnection: expect.any(Number) });
  }
});
