/** measureRow on real servers with a real oha: what goes right, and how answers go wrong. not-measured.test.ts has what never gets that far. */
import { dirname, join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureRow } from "../../src/measure/row.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { type CaseResult, caseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutTraces, serverScript, type TestRun, testRun } from "../support/run.js";

const python = plainPython();
let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutTraces(run, /^marker/));

async function measure(row: PlannedRow, context = testContext(run)): Promise<CaseResult[]> {
  const results = await measureRow(row, python, context);
  for (const result of results) expect(v.parse(caseResult, result)).toEqual(result);
  return results;
}
async function one(row: PlannedRow, context = testContext(run)): Promise<CaseResult> {
  const [result, ...more] = await measure(row, context);
  if (result === undefined || more.length > 0) throw new Error(`expected one result, got ${more.length}`);
  return result;
}
async function completed(row: PlannedRow) {
  const result = await one(row);
  if (result.state !== "completed") throw new Error(JSON.stringify(result));
  return result;
}
async function failed(row: PlannedRow) {
  const result = await one(row);
  if (result.state !== "failed") throw new Error(JSON.stringify(result));
  return result;
}

describe("a good server", () => {
  it("is measured at every concurrency, in order, on one process", async () => {
    const seen: [number, string][] = [];
    const context = testContext(run, { onCase: async (result) => void seen.push([result.connections, result.state]) });
    const results = await measure(faultyRow("good", { connections: [4, 8] }), context);
    expect(seen).toEqual([
      [4, "completed"],
      [8, "completed"],
    ]);
    expect(new Set(results.map((result) => result.server.command.at(-1))).size).toBe(1);
    const [first] = results;
    if (first?.state !== "completed") throw new Error(JSON.stringify(first));
    expect(first.summary.requests).toBeGreaterThan(100);
    expect(first.summary.failures).toEqual({ total: 0, byKind: {} });
    expect(first.summary.cpuPerRequestUs).toBeGreaterThan(0);
    expect(first.summary.serverCpu).toBeLessThan(1.2);
    expect(first.summary.clientCpu).toBeGreaterThan(0);
    expect(first.summary.peakMemoryMiB).toBeGreaterThan(5);
    expect(first.summary.latencyMs.p60).toBeUndefined();
    expect(first.slices).toHaveLength(1);
    // Its window is too short.
    expect(first.spread).toBeUndefined();
    expect(first.generatorCommand).toContain("--disable-compression");
    expect(first.server.command.at(-1)).toBe("{port}");
    expect(context.phases).toEqual([
      ...["starting", "warming up 4", "measuring 4"],
      ...["warming up 8", "measuring 8"],
    ]);
    // Each concurrency has one step of warm-up and one window, or up to four where others disturb it.
    expect(context.loadSeconds.length).toBeGreaterThanOrEqual(4);
    expect(context.loadSeconds.length).toBeLessThanOrEqual(10);
  });

  it("has the spread of its throughput within a window of five seconds", async () => {
    const { spread = 0, summary } = await completed(faultyRow("good", { windowSec: 5 }));
    expect(summary.requests).toBeGreaterThan(1000);
    expect(spread).toBeGreaterThan(0);
    expect(spread).toBeLessThan(2);
  });

  it("has every percentile where each latency is recorded, and the same counts", async () => {
    const { summary } = await completed(faultyRow("good", { everyLatency: true }));
    const { p50, p60 = 0, p70 = 0, p75, p80 = 0, p90, max } = summary.latencyMs;
    expect([p50, p60, p70, p75, p80, p90, max]).toEqual([p50, p60, p70, p75, p80, p90, max].sort((a, b) => a - b));
    expect(p60).toBeGreaterThan(0);
    expect(summary.failures.total).toBe(0);
    // The client's CPU is that of the load, without the storing of the recording.
    expect(summary.clientCpu).toBeLessThan(1.1);
  });

  it("warms up until three steps agree, and says when they never did", async () => {
    const profile = { name: "standard", warmupStepSec: 0.1, warmupMaxSec: 0.3, windowSec: 0.5, sweep: true } as const;
    const context = testContext(run, { profile });
    await one(faultyRow("good"), context);
    // Three steps at the most, whether they agree or not, and one window, or up to four where others disturb it.
    expect(context.loadSeconds.length).toBeGreaterThanOrEqual(3);
    expect(context.loadSeconds.length).toBeLessThanOrEqual(7);
  });

  it("waits for requests that are slow against the window", async () => {
    const result = await completed(faultyRow("slow", { waits: true }));
    expect(result.generatorCommand).toContain("-w");
    expect(result.summary.clientBound).toBe(false);
    expect(result.summary.latencyMs.mean).toBeGreaterThanOrEqual(100);
    expect(result.summary.requests % 8).toBe(0);
  });

  it("is not client-bound where its app waits, although its row does not say so", async () => {
    const { summary } = await completed(faultyRow("slow"));
    expect(summary.serverCpu).toBeLessThan(0.5);
    expect(summary.clientBound).toBe(false);
  });

  it("gets a second port where the first one was taken in between", async () => {
    const result = await completed(faultyRow("taken", {}, join(run.tempDir, "marker")));
    expect(result.summary.requests).toBeGreaterThan(0);
  });
});

describe("HTTP/2 by prior knowledge", () => {
  const row = faultyRow("good", { http: 2, streams: 4, connections: [2] });
  const server = {
    ...row.server,
    command: [process.execPath, serverScript("http2.mjs"), "{port}"],
    cwd: dirname(serverScript("http2.mjs")),
  };
  it("is measured with a GET", async () => {
    const { summary, generatorCommand } = await completed({ ...row, server });
    expect(summary.requests).toBeGreaterThan(50);
    expect(generatorCommand).toContain("--http2");
  });
  it("is measured with a POST of a body that comes back", async () => {
    const body = { kind: "repeat", character: "x", sizeBytes: 20_000 } as const;
    const request = { ...row.request, name: "echo", method: "POST" as const, body, expect: { status: 200, body } };
    const { summary } = await completed({ ...row, server, request });
    expect(summary.requests).toBeGreaterThan(10);
    expect(summary.failures.byKind["wrong body"]).toBeUndefined();
  });
});

describe("a server that answers partly wrong", () => {
  it("has its 500s counted, and percentiles of the right answers alone", async () => {
    const { summary } = await completed(faultyRow("mixed"));
    expect(Object.keys(summary.failures.byKind)).toEqual(["status 500"]);
    expect(summary.failures.total / (summary.failures.total + summary.requests)).toBeCloseTo(0.2, 2);
    expect(summary.latencyMs.p60).toBeGreaterThan(0);
  });
  it("has wrong sizes counted as wrong bodies", async () => {
    const { summary } = await completed(faultyRow("sizes"));
    expect(Object.keys(summary.failures.byKind)).toEqual(["wrong body"]);
    expect(summary.failures.total / (summary.failures.total + summary.requests)).toBeCloseTo(0.25, 2);
  });
  it("has cut connections counted", async () => {
    const { summary } = await completed(faultyRow("drops"));
    expect(Object.keys(summary.failures.byKind)).toEqual(["connection"]);
    expect(summary.failures.total / (summary.failures.total + summary.requests)).toBeCloseTo(0.1, 1);
  });
  it("has failed where most connections got no answer, which no request shows", async () => {
    const { reason } = await failed(faultyRow("limited", { windowSec: 1, timeoutSec: 5 }));
    expect(reason).toMatch(
      /^at least [567] of 8 connections got no answer in [\d.]+ s: give the benchmark fewer connections/,
    );
  });
  it("has failed where no answer was right", async () => {
    const { reason, generatorCommand } = await failed(faultyRow("all-500"));
    expect(reason).toMatch(/^warming up: no request succeeded in [\d.]+ s: \d+ x status 500$/);
    expect(generatorCommand).toContain("-z");
  });
  it("has failed where none came, after the request's timeout", async () => {
    expect((await failed(faultyRow("hangs"))).reason).toMatch(
      /^warming up: no request succeeded in [\d.]+ s: \d+ x timeout: give the benchmark fewer connections/,
    );
  });
});

describe("a server that dies under load", () => {
  it("fails this case and those still to come, with exit code and log", async () => {
    const results = await measure(faultyRow("dies", { connections: [4, 8, 16] }));
    expect(results.map((result) => [result.connections, result.state])).toEqual([
      [4, "failed"],
      [8, "failed"],
      [16, "failed"],
    ]);
    for (const result of results) {
      if (result.state !== "failed") continue;
      expect(result.reason).toBe("the server ended under load (exit code 7) at 4 connections");
      expect(result.log).toBe("fatal: out of luck");
    }
  });
});
