import { expect, it } from "vitest";
import { areMost, unansweredConnections } from "../../src/measure/unanswered.js";
import { faultyRow } from "../support/measure.js";

const { request } = faultyRow("good");
const LOAD = { request, connections: 64, seconds: 10, waitOngoing: false, http: 1, timeoutSec: 10 } as const;
const latency = (mean: number, max: number) => ({ mean, p50: mean, p75: mean, p90: mean, p95: mean, p99: mean, max });
const seen = (requestsPerSec: number, mean: number, max = 3 * mean, byKind = {}, total = 0) => ({
  ...{ seconds: 10, requests: 10 * requestsPerSec, failures: { total, byKind } },
  latencyMs: latency(mean, max),
});

it.each([
  ["8 of 64 are served: waitress with a limit of 10", seen(3985, 2), 56],
  ["all are served", seen(4000, 15.9), 0],
  ["all are served, each for long", seen(64, 950, 1400), 0],
  ["8 of 64 are served, and the machine stalled for 4 s", seen(3985, 2, 4000), 56],
  ["a few wait for an answer that never comes", seen(2500, 20), 13],
  ["so few wait that they may have been cut off", seen(3900, 16), 0],
  ["they wait until their time is over", seen(2400, 20, 60, { timeout: 16 }, 16), 0],
])("%s", (_, outcome, without) => {
  expect(unansweredConnections(outcome, LOAD).silent).toBe(without);
});

it.each([
  ["by a clock", { ratePerSec: 100 }],
  ["with connections that close", { closes: true }],
  ["of messages", { request: { ...request, headers: { Upgrade: "websocket" } } }],
  ["over HTTP/2", { http: 2 as const }],
])("says nothing of a load %s", (_, change) => {
  expect(unansweredConnections(seen(3985, 2), { ...LOAD, ...change })).toEqual({ silent: 0, timedOut: 0 });
});

it.each([
  ["most waited for the whole window", seen(3985, 2), true],
  ["most ran out of time", seen(3985, 2, 6, { timeout: 50 }, 50), true],
  ["a quarter ran out of time", seen(2400, 20, 60, { timeout: 16 }, 16), false],
])("%s", (_, outcome, most) => {
  expect(areMost(unansweredConnections(outcome, LOAD), LOAD)).toBe(most);
});

it.each([
  ["one request in ten took the whole window", { p50: 200, p90: 10_400 }, 30],
  ["all are slow", { p50: 9000, p90: 10_400 }, 0],
  ["few are late", { p50: 200, p999: 10_400 }, 0],
])("counts connections that were answered only after the window: %s", (_, late, silent) => {
  const { latencyMs, ...outcome } = seen(30, 600);
  const load = { ...LOAD, waitOngoing: true };
  expect(unansweredConnections({ ...outcome, latencyMs: { ...latencyMs, ...late } }, load).silent).toBe(silent);
});
