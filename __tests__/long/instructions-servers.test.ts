/** Instructions of servers that are hard to count, below a real Valgrind. */
import { describe, expect, it } from "vitest";
import { type CountedProcess, countProcess, type WindowSize } from "../../src/measure/instructions/count-process.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import type { PlannedRequest, PlannedRow } from "../../src/plan/types.js";
import { findRun } from "../../src/process/sweep.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { serverScript, testRun } from "../support/run.js";

const TIMEOUT_MS = 200_000;
const found = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const title = found.state === "found" ? "the work of a server" : `the work of a server (skipped: ${found.reason})`;

function rowOf(mode: string, change: Partial<PlannedRow> = {}): PlannedRow {
  const row = faultyRow(mode, change);
  return { ...row, server: { ...row.server, command: ["python3", serverScript("counted.py"), mode, "{port}"] } };
}

/** Below Valgrind; no process is left. */
async function count(row: PlannedRow, size: WindowSize = { requests: undefined }): Promise<CountedProcess> {
  if (found.state === "missing") throw new Error(found.reason);
  await using run = testRun();
  const counted = await countProcess(row, plainPython(), 1, size, { ...testContext(run), valgrind: found.valgrind });
  expect(findRun(run)).toEqual([]);
  return counted;
}

const request = (name: string, path: string): PlannedRequest => ({ ...faultyRow("good").request, name, path });

describe.skipIf(found.state === "missing")(title, { timeout: TIMEOUT_MS }, () => {
  it("is not that of a worker that still starts", async () => {
    const alone = await count(rowOf("plain"));
    const both = await count(rowOf("slow-worker"));
    const [one = 0, other = 0] = [alone, both].map((counted) =>
      counted.state === "counted" ? counted.windows.at(-1) : 0,
    );
    expect(Math.abs(other / one - 1)).toBeLessThan(0.5);
  });

  it("is counted whatever its variables name the host and the user", async () => {
    const row = rowOf("plain");
    const env = { HOST: "127.0.0.1", HOSTNAME: "shop", LOGNAME: "shop", USER: "shop" };
    expect(await count({ ...row, server: { ...row.server, env } })).toMatchObject({ state: "counted" });
  });

  it("is not counted where requests start programs", async () => {
    expect(await count(rowOf("starts-programs"))).toEqual({
      state: "failed",
      reason: "the app starts programs while it answers, and their work cannot be counted",
    });
  });

  it("has windows of the same requests where a row has several", async () => {
    const mix = [
      { request: request("light", "/"), weight: 3 },
      { request: request("heavy", "/heavy"), weight: 1 },
    ];
    const counted = await count(rowOf("routes", { mix }));
    if (counted.state === "failed") throw new Error(counted.reason);
    expect(Math.max(...counted.windows) / Math.min(...counted.windows)).toBeLessThan(1.02);
    expect(counted.answers.map((answer) => answer.request)).toEqual(["light", "heavy"]);
  });

  it("is not counted of a server that fails, with the reason", async () => {
    const timeoutSec = 2;
    expect(await count(faultyRow("dies", { timeoutSec }))).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/ended under load \(exit code 7\): fatal: out of luck|failed/),
    });
    expect(await count(faultyRow("exits", { timeoutSec }))).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("no such app"),
    });
    expect(await count(faultyRow("sizes", { timeoutSec }))).toMatchObject({
      state: "failed",
      reason: "below Valgrind some bodies had a wrong size",
    });
    expect(await count(faultyRow("all-500", { timeoutSec }))).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("status 500"),
    });
  });

  it.each(["varies", "grows"])("is counted where right answers have several sizes: %s", async (mode) => {
    const row = faultyRow(mode);
    const server = { ...row.server, command: ["python3", serverScript("answers.py"), mode, "{port}"] };
    const learned = { ...row.request, expect: { status: "learned", body: { kind: "learned" } } } as const;
    expect(await count({ ...row, server, request: learned })).toMatchObject({ state: "counted" });
  });

  it("is counted in short windows where requests wait", async () => {
    const size: WindowSize = { requests: undefined };
    expect(await count(rowOf("waits"), size)).toMatchObject({ state: "counted" });
    expect(size.requests).toBeLessThanOrEqual(20);
  });
});
