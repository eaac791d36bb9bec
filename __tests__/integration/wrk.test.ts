/** measureRow with a real wrk on real servers. Debian: apt-get install wrk; without it these tests are skipped. */
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureRow } from "../../src/measure/row.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { provideWrk } from "../../src/provision/generators/wrk.js";
import { type CaseResult, caseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutTraces, type TestRun, testRun } from "../support/run.js";
import { needing, testTool } from "../support/tools.js";

const wrk = await testTool(provideWrk);
const python = plainPython();

describe.skipIf(wrk.missing !== undefined)(needing("wrk", wrk), () => {
  let run: TestRun;
  beforeEach(() => {
    run = testRun();
  });
  afterEach(() => endWithoutTraces(run));

  async function one(mode: string, change: Partial<PlannedRow> = {}): Promise<CaseResult> {
    const row = faultyRow(mode, { generator: "wrk", ...change });
    const context = testContext(run, { generators: new Map(wrk.missing === undefined ? [["wrk", wrk.tool]] : []) });
    const [result] = await measureRow(row, python, context);
    const checked = v.parse(caseResult, result);
    expect(checked).toEqual(result);
    return checked;
  }
  async function completed(mode: string, change: Partial<PlannedRow> = {}) {
    const result = await one(mode, change);
    if (result.state !== "completed") throw new Error(JSON.stringify(result));
    return result;
  }

  it("measures a good server, with the threads that the row asks for", async () => {
    const { summary, slices, generatorCommand = [] } = await completed("good", { generatorThreads: 4 });
    expect(generatorCommand.slice(1, 5)).toEqual(["-t", "4", "-c", "8"]);
    expect(summary.requests).toBeGreaterThan(100);
    expect(summary.failures).toEqual({ total: 0, byKind: {} });
    expect(summary.clientCpu).toBeGreaterThan(0);
    expect(summary.cpuPerRequestUs).toBeGreaterThan(0);
    const { p50, p60 = 0, p80 = 0, p90, max } = summary.latencyMs;
    expect([p50, p60, p80, p90, max]).toEqual([p50, p60, p80, p90, max].sort((a, b) => a - b));
    // wrk lasts whole seconds.
    expect(slices[0]?.seconds).toBeGreaterThanOrEqual(1);
  });

  it("sends a body by its method", async () => {
    const body = { kind: "text", text: "ask" } as const;
    const request = { ...faultyRow("good").request, method: "POST" as const, body };
    // The server takes the body for the beginning of the next request, whose end it waits for.
    const { summary } = await completed("good", { request });
    expect(summary.requests).toBeGreaterThan(100);
  });

  it("counts 500s and cut connections", async () => {
    const mixed = await completed("mixed");
    expect(Object.keys(mixed.summary.failures.byKind)).toEqual(["status 400 or above"]);
    const { failures, requests } = mixed.summary;
    expect(failures.total / (failures.total + requests)).toBeCloseTo(0.2, 1);
    expect(Object.keys((await completed("drops")).summary.failures.byKind)).toEqual(["connection"]);
  });

  it("fails the case where no answer is right, or none comes", async () => {
    expect(await one("all-500")).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/^warming up: no request succeeded in [\d.]+ s: \d+ x status 400 or above$/),
    });
    expect(await one("hangs")).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/^warming up: no request succeeded in [\d.]+ s: no answer came$/),
    });
  });

  it("fails the case where the server dies", async () => {
    expect(await one("dies")).toMatchObject({
      state: "failed",
      reason: "the server ended under load (exit code 7) at 8 connections",
    });
  });
});
