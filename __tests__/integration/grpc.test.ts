/**
 * gRPC with a real ghz, on a server that goes wrong and on the project's own ones. ghz comes as in a run: PATH, cache, or
 * built with Go; without all of them these tests are skipped.
 */
import { dirname } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureRow } from "../../src/measure/row.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provideGhz } from "../../src/provision/generators/ghz.js";
import { provision } from "../../src/provision/provision.js";
import type { ReadyEnvironment } from "../../src/provision/types.js";
import { type CaseResult, caseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutTraces, serverScript, type TestRun, testRun } from "../support/run.js";
import { needing, testTool } from "../support/tools.js";

const ghz = await testTool(provideGhz);

/** A row on `servers/grpc.mjs MODE`. */
function grpcRow(mode: string, change: Partial<PlannedRow> = {}): PlannedRow {
  const row = faultyRow(mode);
  return {
    ...row,
    server: {
      ...row.server,
      interface: "grpc",
      command: [process.execPath, serverScript("grpc.mjs"), mode, "{port}"],
      cwd: dirname(serverScript("grpc.mjs")),
      readyTimeoutSec: 10,
    },
    request: {
      name: "ask",
      method: "POST",
      path: "/probe.Probe/Ask",
      headers: {},
      grpc: { proto: serverScript("probe.proto"), call: "probe.Probe/Ask" },
      body: { kind: "message", fields: {} },
      expect: { status: 200, body: { kind: "message", fields: { 1: "Done" } } },
    },
    http: 2,
    generator: "ghz",
    ...change,
  };
}

describe.skipIf(ghz.missing !== undefined)(needing("gRPC", ghz), () => {
  let run: TestRun;
  beforeEach(() => {
    run = testRun();
  });
  afterEach(() => endWithoutTraces(run, /\.log$/));

  async function one(row: PlannedRow, environment: ReadyEnvironment = plainPython()): Promise<CaseResult> {
    const context = testContext(run, { generators: new Map(ghz.missing === undefined ? [["ghz", ghz.tool]] : []) });
    const [result] = await measureRow(row, environment, context);
    const checked = v.parse(caseResult, result);
    expect(checked).toEqual(result);
    return checked;
  }
  async function completed(row: PlannedRow, environment?: ReadyEnvironment) {
    const result = await one(row, environment);
    if (result.state !== "completed") throw new Error(JSON.stringify(result));
    return result;
  }

  it("is measured, with every percentile", async () => {
    const { summary, generatorCommand } = await completed(grpcRow("good"));
    expect(summary.requests).toBeGreaterThan(50);
    expect(summary.failures).toEqual({ total: 0, byKind: {} });
    expect(summary.latencyMs.p60).toBeGreaterThan(0);
    expect(summary.clientCpu).toBeGreaterThan(0);
    expect(generatorCommand).toContain("probe.Probe/Ask");
  });

  it("waits for calls that are slow against the window", async () => {
    const { summary, generatorCommand } = await completed(grpcRow("slow", { waits: true }));
    expect(generatorCommand).toContain("wait");
    expect(summary.latencyMs.mean).toBeGreaterThanOrEqual(99);
    expect(summary.failures.total).toBe(0);
  });

  it("has failed calls counted by their status, beside the right ones", async () => {
    const { summary } = await completed(grpcRow("mixed"));
    expect(Object.keys(summary.failures.byKind)).toEqual(["status Internal"]);
    expect(summary.failures.total / (summary.failures.total + summary.requests)).toBeCloseTo(0.2, 1);
    expect(Object.keys((await completed(grpcRow("drops"))).summary.failures.byKind)).toEqual(["connection"]);
  });

  it("has failed where no answer comes", async () => {
    const { state, ...rest } = await one(grpcRow("hangs"));
    expect(state).toBe("failed");
    expect(rest).toMatchObject({
      reason: expect.stringMatching(
        /^warming up: no request succeeded in [\d.]+ s: \d+ x timeout: give the benchmark fewer connections/,
      ),
    });
  });

  it.each([
    [
      "wrong",
      "expected status 200, 6 bytes 0x0a04446f6e65; got status 200, 6 bytes 0x0a04476f6e65 (they differ at byte 2)",
    ],
    ["unimplemented", "gRPC status Unimplemented: no such method"],
    ["http", "no gRPC answer: HTTP status 404"],
  ])("is not ready where the answer is %s", async (mode, words) => {
    expect(await one(grpcRow(mode))).toMatchObject({
      state: "failed",
      reason: `the server did not get ready: it answers, but not as expected: ${words}`,
    });
  });

  it("is answered rightly by the rows of the CPU-bound set", { timeout: 240_000 }, async () => {
    const root = new URL("../..", import.meta.url).pathname;
    const selectors = ["cpu-bound/sync-grpc", "cpu-bound/async-asyncio-grpc"];
    const rows = rowsOf(await planRun({ root, cwd: root, selectors, profile: "quick", servers: [], cores: 2 }));
    const quiet = (): void => {};
    const progress = { started: quiet, update: quiet, finished: quiet, failed: quiet, note: quiet };
    const { environments } = await provision(rows, { run, env: process.env, progress });
    expect(rows.map((row) => [row.generator, row.http])).toEqual([
      ["ghz", 2],
      ["ghz", 2],
    ]);
    for (const row of rows) {
      const environment = environments.get(environmentKey(row.environment));
      if (environment?.state !== "ready") throw new Error(JSON.stringify(environment));
      const { summary } = await completed({ ...row, connections: [2] }, environment);
      expect(summary.requests).toBeGreaterThan(0);
      expect(summary.failures.total).toBe(0);
    }
  });
});
