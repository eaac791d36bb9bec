import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { limitOver, RunningTime, startLimit } from "../../src/process/limit.js";

afterEach(() => vi.restoreAllMocks());

/** As after SIGSTOP and SIGCONT: the clock has gone on. @returns stops for so long */
function stoppable(): (ms: number) => void {
  const real = performance.now.bind(performance);
  let stoppedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => real() + stoppedMs);
  return (ms) => {
    stoppedMs += ms;
  };
}

it("a limit begins again where this process was stopped", async () => {
  const stop = stoppable();
  let ends = 0;
  startLimit(20, () => {
    ends += 1;
  });
  stop(25_000);
  await sleep(25);
  expect(ends).toBe(0);
  await vi.waitFor(() => expect(ends).toBe(1));
});

it("a limit that is ended is never over", async () => {
  const controller = new AbortController();
  const over = limitOver(1_000_000, controller.signal);
  controller.abort();
  await over;
  await limitOver(1_000_000, controller.signal);
  let ends = 0;
  startLimit(1, () => {
    ends += 1;
  })();
  await sleep(5);
  expect(ends).toBe(0);
});

it("the time in which this process ran leaves out a stop", () => {
  const stop = stoppable();
  const time = new RunningTime(100);
  stop(50);
  expect(Math.round(time.read() / 10)).toBe(5);
  stop(25_000);
  expect(Math.round(time.read() / 10)).toBe(15);
});
