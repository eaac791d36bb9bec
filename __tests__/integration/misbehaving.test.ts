/** Servers that misbehave: each is a failed or flagged row with the cause in words, in bounded time, and the run goes on. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureRow } from "../../src/measure/row.js";
import type { PlannedRow } from "../../src/plan/types.js";
import type { CaseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutTraces, serverScript, type TestRun, testRun } from "../support/run.js";

const python = plainPython();
/** What one row may take, whatever its server does: its start, its load, the check after it, and its end. */
const BOUND_SEC = 25;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutTraces(run));

function misbehaving(mode: string, change: Partial<PlannedRow> = {}): PlannedRow {
  const row = faultyRow(mode, change);
  return { ...row, server: { ...row.server, command: ["python3", serverScript("misbehaving.py"), mode, "{port}"] } };
}

/** The row's only case. */
async function measure(row: PlannedRow, limits: { memoryLimitMiB?: number } = {}): Promise<CaseResult> {
  const startedAt = performance.now();
  const warnings: string[] = [];
  const context = testContext(run, { run: { ...run, ...limits, warn: (text) => void warnings.push(text) } });
  const [result] = await measureRow(row, python, context);
  expect((performance.now() - startedAt) / 1000).toBeLessThan(BOUND_SEC);
  if (result === undefined) throw new Error("no result");
  return result;
}

/** The row after it, on a good server. */
async function expectNextMeasured(): Promise<void> {
  const [next] = await measureRow(faultyRow("good"), python, testContext(run));
  expect(next?.state).toBe("completed");
}

async function reasonOf(row: PlannedRow, limits?: { memoryLimitMiB: number }): Promise<string> {
  const result = await measure(row, limits);
  if (result.state !== "failed") throw new Error(JSON.stringify(result));
  return result.reason;
}

describe("a start", () => {
  it("that is slow is waited for", async () => {
    expect((await measure(misbehaving("slow-start"))).state).toBe("completed");
  });
  it("that never ends fails", async () => {
    expect(await reasonOf(misbehaving("never-starts"))).toMatch(
      /^the server did not get ready: not ready after 5 s: nothing listens on its port \(connection refused\): /,
    );
    await expectNextMeasured();
  });
});

describe("under load", () => {
  it("memory that grows ends the server at its limit, and not the machine", async () => {
    expect(await reasonOf(misbehaving("grows"), { memoryLimitMiB: 200 })).toMatch(
      /^the server ended under load \(it used \d{3,4} MiB of memory, more than the limit of 200 MiB \(--memory-limit, input memory-limit\)\) at 8 connections$/,
    );
    await expectNextMeasured();
  });
  it("a log without bound does not fill the disk, and is named", async () => {
    const result = await measure(misbehaving("logs", { windowSec: 2 }));
    if (result.state !== "completed") throw new Error(JSON.stringify(result));
    expect(result.warnings?.join("\n")).toMatch(/The server wrote more than \d+ MiB of log, which slows it down/);
  });
  it("a worker that is killed shows as failures, and not as a server that is faster", async () => {
    const result = await measure(misbehaving("loses-worker", { windowSec: 2 }));
    if (result.state !== "completed") throw new Error(JSON.stringify(result));
    expect(result.summary.failures.total).toBeGreaterThan(0);
  });
  it.each([
    ["short", /no request succeeded in [\d.]+ s: \d+ x /],
    ["garbage-chunks", /no request succeeded in [\d.]+ s: \d+ x /],
    ["garbage", /no request succeeded in [\d.]+ s: \d+ x /],
    ["redirects", /no request succeeded in [\d.]+ s: \d+ x status 302/],
    ["trickles", /no request succeeded in [\d.]+ s: \d+ x timeout/],
  ])("%s fails by what is seen", async (mode, words) => {
    expect(await reasonOf(misbehaving(mode))).toMatch(words);
  });
  it("an answer that is longer than it says is no right answer", async () => {
    const result = await measure(misbehaving("long"));
    if (result.state === "completed") expect(result.summary.failures.total).toBeGreaterThan(0);
    else expect(result.reason).toMatch(/no request succeeded|is wrong after the load/);
  });
  it("connections that are refused count as failures", async () => {
    const result = await measure(misbehaving("refuses", { connections: [128], timeoutSec: 1 }));
    if (result.state === "completed") expect(result.summary.failures.total).toBeGreaterThan(0);
    else expect(result.reason).toMatch(/no request succeeded in [\d.]+ s: (\d+ x |no answer came)/);
  });
});

it("a daemon that leaves group, session and parent is measured, and ended", async () => {
  const result = await measure(misbehaving("daemon"));
  if (result.state !== "completed") throw new Error(JSON.stringify(result));
  expect(result.summary.cpuPerRequestUs).toBeGreaterThan(0);
  await expectNextMeasured();
});
