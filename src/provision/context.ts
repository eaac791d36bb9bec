/** What every step of provisioning is given. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { RunContext } from "../process/run.js";
import { openCache } from "./cache/cache.js";
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
  return { ...options, cache, env: await withUvCache(options.env, cache) };
}

/** uv keeps its downloads below the user's home. Where that cannot be written, they go into our cache. */
async function withUvCache(env: NodeJS.ProcessEnv, cache: string): Promise<NodeJS.ProcessEnv> {
  if (env.UV_CACHE_DIR) return env;
  const own = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "uv");
  return (await canMake(own)) ? env : { ...env, UV_CACHE_DIR: join(cache, "uv-cache") };
}

/** Whether the folder is there, or can be made, for this user to write. */
async function canMake(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined && dirname(folder) !== folder) return await canMake(dirname(folder));
  if (!found?.isDirectory()) return false;
  return await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Seconds since `startedMs` (performance.now()). */
export function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
