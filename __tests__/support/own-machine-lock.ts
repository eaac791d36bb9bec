/** The runs of a test suite do not wait for a run of somebody else on this machine. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";

/** Each project of vitest.config.ts calls it; all of them share the lock of the first call. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[LOCK_VARIABLE] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "server-bench-tests-"));
  process.env[LOCK_VARIABLE] = join(folder, "machine.lock");
  return () => rm(folder, { recursive: true, force: true });
}
