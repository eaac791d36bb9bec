/** Memory is compared only of servers that do the work: the answers of the load are judged. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleMemoryPair } from "../../../src/measure/memory/memory-pair.js";
import type { PlannedRow } from "../../../src/plan/types.js";
import { faultyRow, plainPython, testContext } from "../../support/measure.js";
import { endWithoutProcesses, serverScript, type TestRun, testRun } from "../../support/run.js";

const TIMEOUT_MS = 120_000;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

/** Longer than a row's second: a server that waits for a CPU beside other tests has not hung. */
const PATIENT = { timeoutSec: 10 };

async function sample(given: PlannedRow) {
  const row = { ...given, ...PATIENT };
  const context = { ...testContext(run), connections: 8 };
  const size = { requests: undefined };
  return await sampleMemoryPair({ head: { row, ready: plainPython() } }, 1, "head", size, context);
}

/** A row on `servers/answers.py MODE` whose right answers are learned. */
function answersRow(mode: string): PlannedRow {
  const row = faultyRow(mode);
  const command = ["python3", serverScript("answers.py"), mode, "{port}"];
  const server = { ...row.server, command, cwd: dirname(serverScript("answers.py")) };
  return { ...row, server, request: { ...row.request, expect: { status: "learned", body: { kind: "learned" } } } };
}

/** A row on `servers/counted.py MODE`. */
function countedRow(mode: string, change: Partial<PlannedRow> = {}): PlannedRow {
  const row = faultyRow(mode, change);
  return { ...row, server: { ...row.server, command: ["python3", serverScript("counted.py"), mode, "{port}"] } };
}

describe("the memory of a server", () => {
  it("includes that of the row's idle connections", { timeout: TIMEOUT_MS }, async () => {
    const busy = await sample(countedRow("memory-per-connection"));
    const idle = await sample(countedRow("memory-per-connection", { idleConnections: 50 }));
    const [one = 0, other = 0] = [busy, idle].map((sampled) =>
      sampled.state === "sampled" ? sampled.head.peakMiB : 0,
    );
    expect(other - one).toBeGreaterThan(45);
  });

  it("is not measured where the answer is another one after the load", { timeout: TIMEOUT_MS }, async () => {
    const row = { ...answersRow("breaks"), request: faultyRow("breaks").request };
    expect(await sample(row)).toEqual({
      state: "failed",
      failedIn: "head",
      reason: expect.stringMatching(/^the answer to "get" is wrong after the load: /),
    });
  });

  it.each([
    ["mixed", /^\d+ of \d+ requests failed: \d+ x status 500$/],
    ["drops", /^\d+ of \d+ requests failed: \d+ x connection: the server closes/],
    ["sizes", /^\d+ of \d+ requests failed: \d+ x wrong body$/],
    ["dies-later", /^the server ended under load \(exit code 7\)$/],
  ])("is not measured where requests fail: %s", { timeout: TIMEOUT_MS }, async (mode, reason) => {
    expect(await sample(faultyRow(mode))).toEqual({
      state: "failed",
      failedIn: "head",
      reason: expect.stringMatching(reason),
    });
  });

  it("is not measured where a file of its request is missing", async () => {
    const row = faultyRow("good");
    const body = { kind: "file", name: "none.bin", path: "/nowhere/none.bin" } as const;
    expect(await sample({ ...row, request: { ...row.request, body } })).toEqual({
      state: "failed",
      failedIn: "head",
      reason: "cannot read the body none.bin: there is no /nowhere/none.bin",
    });
  });

  it("is not measured where bodies get shorter after the warm-up", { timeout: TIMEOUT_MS }, async () => {
    const file = join(run.tempDir, "short");
    const later = setTimeout(() => writeFileSync(file, ""), 2000);
    const sampled = await sample(faultyRow("short", {}, file));
    clearTimeout(later);
    expect(sampled).toMatchObject({ state: "failed", reason: expect.stringMatching(/\d+ x wrong body$/) });
  });

  it.each([
    ["loses one connection in a thousand", faultyRow("rarely-drops")],
    ["answers in sizes that leave every range", answersRow("grows")],
  ])("is measured where it %s", { timeout: TIMEOUT_MS }, async (_, row) => {
    expect(await sample(row)).toMatchObject({ state: "sampled", head: { samplesMiB: expect.any(Array) } });
  });
});
