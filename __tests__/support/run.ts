/** A run of its own for a test: a fresh temporary folder, and nothing left of it afterwards. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { RunContext } from "../../src/process/run.js";
import { findRun, sweepRun } from "../../src/process/sweep.js";

export interface TestRun extends RunContext, AsyncDisposable {
  readonly controller: AbortController;
}

export function testRun(): TestRun {
  const controller = new AbortController();
  const run = {
    id: `test-${randomUUID()}`,
    tempDir: mkdtempSync(join(tmpdir(), "server-bench-test-")),
    signal: controller.signal,
    controller,
  };
  return {
    ...run,
    async [Symbol.asyncDispose]() {
      await sweepRun(run, 0);
      rmSync(run.tempDir, { recursive: true, force: true });
    },
  };
}

/** Ends the run. Whatever happened in it: no process of it is left by then. */
export async function endWithoutProcesses(run: TestRun): Promise<void> {
  const left = findRun(run);
  await run[Symbol.asyncDispose]();
  expect(left).toEqual([]);
}

/** The session list, the body of a request, and the empty settings of uv. They end with the run. */
const KEPT = /^(sessions|body-|uv\.toml$)/;

/**
 * Ends the run. Whatever happened in it: no process, no log, no recording is left.
 * @param own files that the test itself made
 */
export async function endWithoutTraces(run: TestRun, own?: RegExp): Promise<void> {
  const processes = findRun(run);
  const files = readdirSync(run.tempDir).filter((name) => !KEPT.test(name) && own?.test(name) !== true);
  await run[Symbol.asyncDispose]();
  expect({ processes, files }).toEqual({ processes: [], files: [] });
}

/** Polls until it holds. @throws Error naming what never came */
export async function eventually(what: string, holds: () => boolean, seconds = 10): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function serverScript(name: string): string {
  return new URL(`./servers/${name}`, import.meta.url).pathname;
}
