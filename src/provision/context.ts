/** What every step of provisioning is given. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../process/run.js";
import { openCache } from "./cache/cache.js";
import { withUvCache } from "./tools/uv-cache.js";
import type { ProvisionProgress } from "./types.js";

export interface ProvisionOptions {
  readonly run: RunContext;
  /** The host's variables; children see a part of them only. */
  readonly env: NodeJS.ProcessEnv;
  readonly progress: ProvisionProgress;
  /** Where logs of failed installations are kept; default: `logs` in the cache. */
  readonly logDir?: string;
}

export interface ProvisionContext extends ProvisionOptions {
  /** The cache's folder; it exists. */
  readonly cache: string;
}

/** @throws SetupError when the cache cannot be written. */
export async function openContext(options: ProvisionOptions): Promise<ProvisionContext> {
  const cache = await openCache(options.env);
  await endSearchForSettings(options.run.tempDir);
  return { ...options, cache, env: await withUvCache(options.env, cache) };
}

/**
 * uv runs in the run's folder and in base's checkout below it. It takes the settings of the nearest folder above that has some, with the
 * package index among them. Above is /tmp, where every user can write.
 */
async function endSearchForSettings(tempDir: string): Promise<void> {
  await mkdir(tempDir, { recursive: true });
  await writeFile(join(tempDir, "uv.toml"), "");
}

/** Seconds since `startedMs` (performance.now()). */
export function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
