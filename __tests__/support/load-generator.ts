/** Gives the tests a real oha, found or installed as the product does it: PATH, cache, release asset, cargo. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provideOha } from "../../src/provision/generators/oha.js";

/** Each project of vitest.config.ts calls it; the first call provides for all of them. */
export default async function setup(): Promise<void> {
  if (process.env.SERVER_BENCH_TEST_OHA !== undefined) return;
  const tempDir = await mkdtemp(join(tmpdir(), "server-bench-tests-"));
  const run = { id: "tests", tempDir, signal: new AbortController().signal };
  const say = (text: string) => process.stderr.write(`${text}\n`);
  let last = 0;
  const progress = {
    started: (step: string) => say(`setup  ${step} ...`),
    update: (step: string, detail: string) => {
      if (Date.now() - last < 15_000) return;
      last = Date.now();
      say(`setup  ${step}: ${detail}`);
    },
    finished: () => {},
    failed: (step: string, reason: string) => say(`setup  ${step} failed: ${reason}`),
    note: say,
  };
  try {
    const oha = await provideOha({ run, env: process.env, progress });
    process.env.SERVER_BENCH_TEST_OHA = oha.path;
  } finally {
    await rm(tempDir, { recursive: true, force: true });
  }
}
