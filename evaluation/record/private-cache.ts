/** A cache for builds that must be new: programs without a part in them come from the usual cache. */
import { mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { cacheRoot } from "../../src/provision/cache/cache.js";

const SHARED_PROGRAMS = ["oha", "uv"];

/** @returns variables with which the tool uses it */
export async function privateCache(folder: string, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  await mkdir(folder, { recursive: true });
  for (const program of SHARED_PROGRAMS) {
    const usual = join(cacheRoot(env), program);
    if (await stat(usual).catch(() => undefined)) await symlink(usual, join(folder, program), "dir");
  }
  return { ...env, SERVER_BENCH_CACHE: folder };
}
