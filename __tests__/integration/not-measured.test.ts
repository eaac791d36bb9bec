/** measureRow where no load is judged: servers that do not get ready, a load generator that goes wrong, interruptions. */
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SetupError } from "../../src/errors.js";
import { measureRow } from "../../src/measure/row.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { findRun } from "../../src/process/sweep.js";
import { caseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutTraces, type TestRun, testRun } from "../support/run.js";

const python = plainPython();
let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutTraces(run));

async function failed(row: PlannedRow, context = testContext(run)) {
  const [result, ...more] = await measureRow(row, python, context);
  if (result?.state !== "failed" || more.length > 0) throw new Error(JSON.stringify([result, ...more]));
  expect(v.parse(caseResult, result)).toEqual(result);
  return result;
}

describe("a server that does not get ready", () => {
  const impatient = (mode: string): PlannedRow => {
    const row = faultyRow(mode);
    return { ...row, server: { ...row.server, readyTimeoutSec: 1 } };
  };
  it.each([
    ["wrong-status", 'last seen: expected status 200, 5 bytes "hello"; got status 503, 5 bytes "hello"'],
    [
      "wrong-body",
      'last seen: expected status 200, 5 bytes "hello"; got status 200, 5 bytes "help!" (they differ at byte 3)',
    ],
    ["never-listens", "nothing listens on its port (connection refused): "],
  ])("%s", async (mode, words) => {
    const { reason } = await failed(impatient(mode));
    expect(reason).toMatch(/^the server did not get ready: not ready after 1 s[;:] /);
    expect(reason).toContain(words);
    expect(reason).toContain("raise `ready-timeout` of the server");
  });
  it("says how it ended, with its traceback", async () => {
    const { reason, log } = await failed(faultyRow("exits"));
    expect(reason).toContain("its first process ended (exit code 1) before the right answer came");
    expect(log).toContain("RuntimeError: no such app: app:application");
  });
  it("does not accept one that leaves for the background", async () => {
    const row = faultyRow("daemonises", {
      request: { ...faultyRow("").request, expect: { status: 200, body: { kind: "text", text: "never" } } },
    });
    expect((await failed(row)).reason).toContain("a server has to stay in the foreground");
  });
  it("names a program that is missing", async () => {
    const row = faultyRow("good");
    const { log } = await failed({ ...row, server: { ...row.server, command: ["no-such-server"] } });
    expect(log).toContain("no-such-server");
  });
  it("names a folder that is missing", async () => {
    const row = faultyRow("good");
    const { reason } = await failed({ ...row, server: { ...row.server, cwd: join(run.tempDir, "gone") } });
    expect(reason).toContain("the folder of the app is missing");
  });
  it("names a file that is missing", async () => {
    const request = {
      ...faultyRow("").request,
      expect: { status: 200, body: { kind: "file", name: "media" } as const },
    };
    expect((await failed(faultyRow("good", { request }))).reason).toContain("cannot read the body media");
  });
});

describe("a load generator that goes wrong", () => {
  const withTool = (path: string) => testContext(run, { generators: new Map([["oha", { path, version: "0" }]]) });
  it("fails the case with its exit code", async () => {
    const { reason } = await failed(faultyRow("good"), withTool("/bin/false"));
    expect(reason).toBe("warming up: oha ended with exit code 1");
  });
  it("fails the case with its output where that is no JSON", async () => {
    const { reason } = await failed(faultyRow("good"), withTool("/bin/echo"));
    expect(reason).toContain("oha's output is not JSON");
  });
  it("is an error of the machine where it was not set up", async () => {
    const promise = measureRow(faultyRow("good"), python, testContext(run, { generators: new Map() }));
    await expect(promise).rejects.toThrow(SetupError);
  });
});

describe("an interruption", () => {
  it.each([
    ["starting", "never-listens"],
    ["warming up", "good"],
    ["measuring", "good"],
  ])("while %s ends with its reason, and the server is gone", async (phase, mode) => {
    const reason = new Error("interrupted");
    const context = testContext(run, {
      onPhase: (now) => {
        if (now === phase) setTimeout(() => run.controller.abort(reason), 150);
      },
    });
    await expect(measureRow(faultyRow(mode, { windowSec: 20 }), python, context)).rejects.toBe(reason);
    expect(findRun(run)).toEqual([]);
  });
  it("before the start starts nothing", async () => {
    const reason = new Error("interrupted");
    run.controller.abort(reason);
    await expect(measureRow(faultyRow("good"), python, testContext(run))).rejects.toBe(reason);
  });
});
