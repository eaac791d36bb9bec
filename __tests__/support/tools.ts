/** Load generators that not every machine has: as the product finds or installs them, or why there is none. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SetupError } from "../../src/errors.js";
import type { ProvisionOptions } from "../../src/provision/context.js";
import type { Tool } from "../../src/provision/types.js";

export type TestTool = { readonly tool: Tool; readonly missing?: never } | { readonly missing: string };

export async function testTool(provide: (options: ProvisionOptions) => Promise<Tool>): Promise<TestTool> {
  const tempDir = await mkdtemp(join(tmpdir(), "server-bench-tests-"));
  const quiet = (): void => {};
  const progress = { started: quiet, update: quiet, finished: quiet, failed: quiet, note: quiet };
  const run = { id: "tests", tempDir, signal: new AbortController().signal };
  try {
    return { tool: await provide({ run, env: process.env, progress }) };
  } catch (error) {
    if (error instanceof SetupError) return { missing: error.message };
    throw error;
  } finally {
    await rm(tempDir, { recursive: true, force: true });
  }
}

/** The title of tests that need it; a report then says why they were skipped. */
export function needing(what: string, { missing }: TestTool): string {
  return missing === undefined ? what : `${what} (skipped: ${missing.split("\n").join(" ")})`;
}
