/**
 * When an environment was last used. Every commit of a checkout makes one, so unused ones are removed. One that a run may be
 * measuring with stays.
 */
import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plural } from "../../messages/sentence.js";
import { discard, removeFolder } from "../cache/cache.js";
import { lockPath, withLock } from "../cache/lock.js";
import type { ProvisionContext } from "../context.js";
import { folderBytes, mebibytes } from "../folder-size.js";
import { MANIFEST, readManifest } from "./manifest.js";

const MARK = "used";
const DAY_MS = 24 * 60 * 60 * 1000;
/** A branch that is merged later than that pays for its environment again. */
const KEPT_DAYS = 30;
/** Longer than any run. */
const IN_USE_MS = DAY_MS;

/** The time of the last use is that of a file. A cache that cannot be written keeps no marks. */
export async function markUsed(folder: string): Promise<void> {
  const mark = join(folder, MARK);
  const now = new Date();
  await utimes(mark, now, now).catch(() => writeFile(mark, "").catch(() => undefined));
}

/** Removes what is in the way of a new build: all but the virtual environment that another run may be using. */
export async function clearForBuild(folder: string): Promise<void> {
  const inUse = (await ageMs(folder, MARK)) < IN_USE_MS ? (await readManifest(folder))?.venv : undefined;
  for (const name of await readdir(folder)) if (name !== inUse) await discard(join(folder, name));
}

/** Removes the environments in the cache that no run used for 30 days, and says so. */
export async function removeUnused({ cache, run, progress }: ProvisionContext): Promise<void> {
  const all = join(cache, "environments");
  let [count, bytes] = [0, 0];
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name);
    if (!(await isUnused(folder))) continue;
    await withLock(lockPath(cache, name), { signal: run.signal }, async () => {
      // Another run may have begun to use it.
      if (!(await isUnused(folder))) return;
      bytes += await folderBytes(folder).catch(() => 0);
      count += 1;
      await removeFolder(folder);
    });
  }
  if (count > 0)
    progress.note(
      `removed ${plural(count, "environment")} (${mebibytes(bytes)}) that no run used for ${KEPT_DAYS} days`,
    );
}

/** Without a mark it counts from its build, and what a killed build left from its last file. */
async function isUnused(folder: string): Promise<boolean> {
  const ages = await Promise.all([MARK, MANIFEST, "."].map((name) => ageMs(folder, name)));
  return Math.min(...ages) > KEPT_DAYS * DAY_MS;
}

/** Infinite where it is not there. */
async function ageMs(folder: string, name: string): Promise<number> {
  const found = await stat(join(folder, name)).catch(() => undefined);
  return found === undefined ? Number.POSITIVE_INFINITY : Date.now() - found.mtimeMs;
}
