/** The cache that outlives runs: where it is, and how it is written so that a kill at any time leaves it usable. */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, messageOf, SetupError } from "../../errors.js";
import { homeFolder } from "../../surroundings.js";

/**
 * $SERVER_BENCH_CACHE, else the runner's tool cache, else the user's cache folder. Absolute.
 * @throws SetupError for a user without a home
 */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
  if (env.SERVER_BENCH_CACHE) return resolve(env.SERVER_BENCH_CACHE);
  if (env.RUNNER_TOOL_CACHE) return resolve(env.RUNNER_TOOL_CACHE, "server-bench");
  if (env.XDG_CACHE_HOME) return resolve(env.XDG_CACHE_HOME, "server-bench");
  const home = homeFolder(env);
  if (home !== undefined) return join(home, ".cache", "server-bench");
  throw new SetupError(
    `there is no folder for the cache: user ${process.getuid?.()} has no home, and HOME is not set; set SERVER_BENCH_CACHE to a folder that can be written`,
  );
}

/** Makes the cache's folder. @throws SetupError when it cannot be made or written. */
export async function openCache(env: NodeJS.ProcessEnv): Promise<string> {
  const root = cacheRoot(env);
  try {
    await makeFolders(root);
    const probe = temporarySibling(join(root, "probe"));
    await writeFile(probe, "");
    await rm(probe, { force: true });
  } catch (error) {
    throw new SetupError(
      `cannot write the cache ${root}: ${messageOf(error)}; set SERVER_BENCH_CACHE to a folder that can be written`,
    );
  }
  return root;
}

/** Node's own recursive mkdir never ends in a folder such as /proc, which answers ENOENT although it is there. */
async function makeFolders(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makeFolders(dirname(path));
  await mkdir(path).catch(async (error: unknown) => {
    // Another run may have made it at this moment.
    if (!(await isFolder(path))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** A new name beside `path`, on the same file system, so that a rename puts it into place. */
export function temporarySibling(path: string): string {
  return `${path}.tmp-${process.pid}-${randomBytes(4).toString("hex")}`;
}

/** Replaces a file in one step. */
export async function writeFileAtomic(path: string, content: string): Promise<void> {
  const temporary = temporarySibling(path);
  try {
    await writeFile(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Replaces a folder by a finished one. A reader sees the old one, the new one or, for a moment, none. */
export async function publishFolder(temporary: string, path: string): Promise<void> {
  await removeFolder(path);
  await rename(temporary, path);
}

/** Removes a folder; it is renamed first, so that a kill in the middle leaves no half of it under its name. */
export async function removeFolder(path: string): Promise<void> {
  const doomed = temporarySibling(path);
  try {
    await rename(path, doomed);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  await discard(doomed);
}

/** Removes what killed runs left half-built beside `path`. Call it with the lock of `path` held. */
export async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.tmp-`;
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names) if (name.startsWith(prefix)) await discard(join(dirname(path), name));
}

/** Removes what is not read again. It does not fail where a process of a killed run still writes there. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
