/** Two load generators in turns: the order of the turns, and real servers with a real oha. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createOha } from "../../../src/measure/generators/oha.js";
import { bothSides } from "../../../src/measure/pairs/schedule.js";
import { measureTurns, type Order, type Turns, turnsInOrder } from "../../../src/measure/pairs/turns.js";
import { makeExchange, routeAnswers } from "../../../src/measure/server/exchange.js";
import { startReady } from "../../../src/measure/server/start.js";
import type { Side } from "../../../src/plan/types.js";
import { findRun } from "../../../src/process/sweep.js";
import { faultyRow, plainPython, testContext } from "../../support/measure.js";
import { testOha } from "../../support/oha.js";
import { endWithoutProcesses, type TestRun, testRun } from "../../support/run.js";

const TIMEOUT_MS = 60_000;
const kill = process.kill.bind(process);
const SECONDS = 0.03;
/** @param orders which side begins each block */
const blocksOf = (...orders: readonly Order[]) => orders.map((order) => ({ order, seconds: SECONDS }));
const TURNS: Turns = { blocks: blocksOf(["head", "base"]), count: 4, drainSec: 0.002, settleSec: 0 };

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
    ...{ connections: 8, streams: 1, seconds: 0, timeoutSec: 1, waitOngoing: false, record: false },
  };
  return { server: started.server, generator, load, underWay: 0 };
}

/** Load generators of this run that stand still. */
function stopped(): number[] {
  return findRun(run).flatMap(({ pid, state }) => (state === "T" ? [pid] : []));
}

describe("the order of turns", () => {
  it("gives both sides the same time, and the same mean moment", () => {
    for (const order of [
      ["base", "head"],
      ["head", "base"],
    ] as const) {
      const total = { base: 0, head: 0 };
      const moment = { base: 0, head: 0 };
      let at = 0;
      for (const [side, seconds] of turnsInOrder(order, TURNS.count, SECONDS)) {
        total[side] += seconds;
        moment[side] += seconds * (at + seconds / 2);
        at += seconds;
      }
      expect(total.base).toBeCloseTo(4 * SECONDS, 12);
      expect(total.head).toBeCloseTo(total.base, 12);
      expect(moment.head).toBeCloseTo(moment.base, 12);
    }
  });
});

describe("two servers in turns", () => {
  it("begin when each load generator is connected, also with one connection", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const programs: string[] = [];
    const signals = vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
      if (signal === "SIGSTOP" && programs.length < 2)
        programs.push(readFileSync(`/proc/${Math.abs(pid)}/comm`, "utf8").trim());
      return kill(pid, signal);
    });
    const one = <T extends { readonly load: object }>(side: T) => ({ ...side, load: { ...side.load, connections: 1 } });
    const windows = await measureTurns({ base: one(base), head: one(head) }, TURNS, testContext(run).cpus, run.signal);
    signals.mockRestore();
    expect(programs).toEqual(["oha", "oha"]);
    for (const window of Object.values(windows)) expect(window.state).toBe("measured");
  });

  it("are loaded alternately: each one has its own time, requests and CPU time", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const signals = vi.spyOn(process, "kill");
    const started = performance.now();
    const blocks = blocksOf(...(["head", "base"] as const).map(bothSides));
    const outcomes = await measureTurns(
      { base, head },
      { ...TURNS, blocks, count: 5 },
      testContext(run).cpus,
      run.signal,
    );
    const wall = (performance.now() - started) / 1000;
    // A group that has ended gets no signal: its number may be another group's by then.
    const interrupted = signals.mock.calls
      .filter(([pid, signal]) => pid < 0 && signal === "SIGINT")
      .map(([pid]) => pid);
    signals.mockRestore();
    // One load of each side for both blocks.
    expect(interrupted).toHaveLength(2);
    expect(new Set(interrupted).size).toBe(2);
    const slices = (side: Side) => {
      const outcome = outcomes[side];
      if (outcome.state === "failed") throw new Error(outcome.reason);
      expect(outcome.windows).toHaveLength(2);
      return outcome.windows.map(({ slice }) => slice);
    };
    const seconds = (side: Side) => slices(side).reduce((sum, slice) => sum + slice.seconds, 0);
    for (const slice of [...slices("base"), ...slices("head")]) {
      expect(slice.requests).toBeGreaterThan(25);
      expect(slice.failures.total).toBe(0);
      expect(slice.serverCpuSec).toBeGreaterThan(0);
      expect(slice.latencyMs).toBeUndefined();
    }
    for (const side of ["base", "head"] as const) {
      // Half of the time each: 10 turns of 30 ms, without the time in which it stood still.
      expect(seconds(side)).toBeGreaterThan(0.2);
      expect(seconds(side)).toBeLessThan(0.65 * wall);
    }
    expect(seconds("base") + seconds("head")).toBeLessThanOrEqual(wall);
    expect(stopped()).toEqual([]);
  });

  it.each([
    { settleSec: 0, closes: false },
    { settleSec: 0.2, closes: false },
    // Its connections are never there all at once.
    { settleSec: 0.2, closes: true },
  ])(
    "count the requests of their blocks, and none before them: %j",
    { timeout: TIMEOUT_MS },
    async ({ settleSec, closes }) => {
      const files = { base: join(run.tempDir, "base"), head: join(run.tempDir, "head") };
      const base = await serve("counts", files.base);
      await using _base = base.server;
      const head = await serve("counts", files.head);
      await using _head = head.server;
      /** Answers of each server when the first turn began, and after the last one. */
      const seen: Record<Side, number>[] = [];
      const answered = (side: Side) => Number(readFileSync(files[side]).readBigUInt64LE());
      const answers = () => ({ base: answered("base"), head: answered("head") });
      const signals = vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
        const isFirst = signal === "SIGCONT" && seen.length === 0;
        if (isFirst || (signal === "SIGINT" && seen.length === 1)) seen.push(answers());
        return kill(pid, signal);
      });
      const blocks = blocksOf(...(["head", "base", "base", "head"] as const).map(bothSides));
      const turns = { ...TURNS, blocks, settleSec };
      const as = <T extends { readonly load: object }>(side: T) => ({ ...side, load: { ...side.load, closes } });
      const outcomes = await measureTurns({ base: as(base), head: as(head) }, turns, testContext(run).cpus, run.signal);
      signals.mockRestore();
      const [before, after] = seen;
      for (const side of ["base", "head"] as const) {
        const outcome = outcomes[side];
        if (outcome.state === "failed" || !before || !after) throw new Error(`${side} was not measured`);
        const counted = outcome.windows.reduce((sum, { slice }) => sum + slice.requests, 0);
        const sent = after[side] - before[side];
        expect(counted / sent, `${side}: ${counted} of ${sent}`).toBeCloseTo(1, 2);
      }
    },
  );

  it("leave nothing behind when the run is aborted between turns", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const measured = measureTurns({ base, head }, { ...TURNS, count: 60 }, testContext(run).cpus, run.signal);
    setTimeout(() => run.controller.abort(new Error("stop")), 300);
    await expect(measured).rejects.toThrow("stop");
    expect(stopped()).toEqual([]);
    expect(findRun(run).filter(({ pid }) => readFileSync(`/proc/${pid}/stat`, "utf8").includes("(oha)"))).toEqual([]);
  });

  it("say which server ended", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    const measured = measureTurns({ base, head }, { ...TURNS, count: 20 }, testContext(run).cpus, run.signal);
    setTimeout(() => process.kill(head.server.pid, "SIGKILL"), 200);
    const windows = await measured;
    expect(windows.head).toMatchObject({ state: "failed", reason: "the server ended under load (signal SIGKILL)" });
    expect(windows.base.state).toBe("measured");
    expect(stopped()).toEqual([]);
  });

  it("say which server ended before the first turn", { timeout: TIMEOUT_MS }, async () => {
    const base = await serve("base");
    await using _base = base.server;
    const head = await serve("head");
    await using _head = head.server;
    process.kill(head.server.pid, "SIGKILL");
    const windows = await measureTurns({ base, head }, TURNS, testContext(run).cpus, run.signal);
    expect(windows.head).toMatchObject({ state: "failed", reason: "the server ended under load (signal SIGKILL)" });
    expect(windows.base).toMatchObject({ state: "measured", windows: [] });
  });
});
