/** The evaluation waits for a run that measures on the machine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { takeMachine } from "../../evaluation/machine.js";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { MachineLock } from "../../src/machine-lock/machine-lock.js";
import { type TestRun, testRun } from "../support/run.js";

let run: TestRun;
let folder: string;
beforeEach(() => {
  run = testRun();
  folder = mkdtempSync(join(tmpdir(), "evaluate-"));
});
afterEach(async () => {
  await run[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it("takes the machine's lock, after the run that holds it", async () => {
  const env = { ...process.env, [LOCK_VARIABLE]: join(folder, "machine.lock") };
  const said: string[] = [];
  const other = MachineLock.open(env);
  await takeMachine(other, run, "interfaces: 18 rows", (line) => said.push(line));
  expect(said).toEqual([]);
  await using machine = MachineLock.open(env);
  let taken = false;
  const waiting = takeMachine(machine, run, "evaluate record: uvicorn", (line) => said.push(line)).then(() => {
    taken = true;
  });
  await expect.poll(() => said.join()).toContain("another run measures on this machine: process");
  expect(said.join()).toContain("interfaces: 18 rows");
  expect(taken).toBe(false);
  await other[Symbol.asyncDispose]();
  await waiting;
  expect(said.at(-1)).toMatch(/^the machine is free after \d+ s$/);
});
