/** A run of its own for a test: a fresh temporary folder, and nothing left of it afterwards. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunContext } from "../../src/process/run.js";
import { sweepRun } from "../../src/process/sweep.js";

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
