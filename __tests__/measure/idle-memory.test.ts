/** Idle connections of a real server: memory for each, where all of them stay open. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { closedIdle, holdIdle, pairClosedIdle } from "../../src/measure/idle-memory.js";
import { makeExchange } from "../../src/measure/server/exchange.js";
import { startReady } from "../../src/measure/server/start.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { type TestRun, testRun } from "../support/run.js";

const TIMEOUT_MS = 60_000;
const COUNT = 50;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(async () => await run[Symbol.asyncDispose]());

async function heldBy(mode: string) {
  const row = faultyRow(mode, { idleConnections: COUNT });
  const started = await startReady(row, plainPython(), await makeExchange(row, run.tempDir), testContext(run));
  if (started.state === "failed") throw new Error(started.reason);
  await using server = started.server;
  const held = await holdIdle(server, { row, port: started.port, signal: run.signal });
  if (held.state === "failed") throw new Error(held.reason);
  using idle = held;
  return idle.figures();
}

it("has the memory of each connection while all are open", { timeout: TIMEOUT_MS }, async () => {
  const figures = await heldBy("good");
  expect(figures).toEqual({ open: COUNT, kibPerConnection: expect.any(Number) });
  expect(figures?.kibPerConnection).toBeGreaterThanOrEqual(0);
});

it("has none where the server closed connections before its memory was read", { timeout: TIMEOUT_MS }, async () => {
  expect(await heldBy("closes-idle")).toEqual({ open: 0 });
});

it("names how many were closed, in a warning and as the reason of a pair that does not count", () => {
  const row = { idleConnections: COUNT };
  expect(closedIdle(row, { open: COUNT, kibPerConnection: 3 })).toEqual([]);
  expect(pairClosedIdle(row, { open: COUNT, kibPerConnection: 3 })).toBeUndefined();
  expect(closedIdle(row, { open: 20 })).toEqual(["The server closed 30 of 50 idle connections before the end."]);
  expect(pairClosedIdle(row, { open: 20 })).toMatch(/^the server closed 30 of 50 idle connections during the pair: /);
});
