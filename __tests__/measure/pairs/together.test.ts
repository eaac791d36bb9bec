/** Two load generators at the same time, with real servers and a real oha. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOha } from "../../../src/measure/generators/oha.js";
import { measureTogether } from "../../../src/measure/pairs/together.js";
import { makeExchange, routeAnswers } from "../../../src/measure/server/exchange.js";
import { startReady } from "../../../src/measure/server/start.js";
import type { WindowOutcome } from "../../../src/measure/window.js";
import type { Side } from "../../../src/plan/types.js";
import { findRun } from "../../../src/process/sweep.js";
import { faultyRow, plainPython, testContext } from "../../support/measure.js";
import { testOha } from "../../support/oha.js";
import { endWithoutProcesses, type TestRun, testRun } from "../../support/run.js";

const TIMEOUT_MS = 60_000;
const SECONDS = 0.5;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

async function serve(mode: string, ...more: string[]) {
  const context = testContext(run);
  const row = faultyRow(mode, {}, ...more);
  const exchange = await makeExchange(row, run.tempDir);
  const started = await startReady(row, plainPython(), exchange, context);
  if (started.state === "failed") throw new Error(started.reason);
  const generator = createOha({
    tool: testOha(),
    cpus: context.cpus.client,
    env: { PATH: process.env.PATH ?? "", SERVER_BENCH_RUN: run.id },
    python: "python3",
    tempDir: run.tempDir,
    signal: run.signal,
  });
  const load = {
    ...{ port: started.port, request: row.request, answers: routeAnswers(exchange), http: 1 as const },
    ...{ connections: 8, streams: 1, seconds: SECONDS, timeoutSec: 1, waitOngoing: false, record: false },
  };
  return { server: started.server, generator, load };
}

type Order = readonly [Side, Side];

const both = (sides: Readonly<Record<Side, Awaited<ReturnType<typeof serve>>>>, order: Order = ["head", "base"]) =>
  measureTogether(sides, order, testContext(run).cpus);

function sliceOf(window: WindowOutcome) {
  if (window.state === "failed") throw new Error(window.reason);
  return window.slice;
}

function loadGenerators(): number[] {
  return findRun(run).flatMap(({ pid }) => (commandOf(pid).includes("oha") ? [pid] : []));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8");
  } catch {
    return "";
  }
}

describe("two servers at the same time", () => {
  it("have their own requests and CPU time, of one stretch of time", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const startedAt = performance.now();
    const windows = await both({ base, head });
    const wallSec = (performance.now() - startedAt) / 1000;
    const slices = { base: sliceOf(windows.base), head: sliceOf(windows.head) };
    for (const slice of Object.values(slices)) {
      expect(slice.requests).toBeGreaterThan(25);
      expect(slice.failures.total).toBe(0);
      expect(slice.serverCpuSec).toBeGreaterThan(0);
      expect(slice.latencyMs).toBeUndefined();
    }
    // One after the other they would need both their seconds.
    expect(slices.base.seconds + slices.head.seconds).toBeGreaterThan(wallSec);
    for (const window of Object.values(windows))
      expect(window).toMatchObject({ idleCpus: undefined, othersShare: expect.any(Number) });
  });

  it.each<Order>([
    ["base", "head"],
    ["head", "base"],
  ])("have the CPU time of their own server where %s is loaded first", { timeout: TIMEOUT_MS }, async (...order) => {
    const base = await serve("base");
    await using _base = base.server;
    // It answers after 0.1 s, and mostly waits.
    const head = await serve("slow");
    await using _head = head.server;
    const windows = await both({ base, head }, order);
    expect(sliceOf(windows.base).serverCpuSec).toBeGreaterThan(3 * sliceOf(windows.head).serverCpuSec);
  });

  it("count what each of them answered", { timeout: TIMEOUT_MS }, async () => {
    const files = { base: join(run.tempDir, "base"), head: join(run.tempDir, "head") };
    const base = await serve("counts", files.base);
    await using _base = base.server;
    const head = await serve("counts", files.head);
    await using _head = head.server;
    const answered = (side: Side) => Number(readFileSync(files[side]).readBigUInt64LE());
    const before = { base: answered("base"), head: answered("head") };
    const windows = await both({ base, head });
    for (const side of ["base", "head"] as const) {
      const { requests } = sliceOf(windows[side]);
      // What is under way at the end is answered, and not counted.
      const cutOff = answered(side) - before[side] - requests;
      expect(cutOff).toBeGreaterThanOrEqual(0);
      expect(cutOff).toBeLessThanOrEqual(8);
    }
  });

  it("leave no load generator behind when the run is aborted", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const measured = both({ base, head });
    setTimeout(() => run.controller.abort(new Error("stop")), 200);
    await expect(measured).rejects.toThrow("stop");
    expect(loadGenerators()).toEqual([]);
  });

  it("say which server ended", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const measured = both({ base, head });
    setTimeout(() => process.kill(head.server.pid, "SIGKILL"), 200);
    const windows = await measured;
    expect(windows.head).toMatchObject({ state: "failed", reason: "the server ended under load (signal SIGKILL)" });
    expect(windows.base.state).toBe("measured");
  });
});
