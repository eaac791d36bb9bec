/** Which files go into an artifact: no more than its reader accepts. */
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isTooDense, MAX_ENTRIES, MAX_UNPACKED_BYTES } from "../github/archive.js";
import { nameSome } from "../messages/sentence.js";

const LIMITS = `a reader accepts ${MAX_ENTRIES} files, ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB together and no file that looks like a hostile archive`;
/** More are counted. */
const NAMED = 3;

/**
 * The files that fit, in this order. The log names those that do not.
 * @param files from `root`, the most important ones first; the first is taken in any case
 */
export async function filesThatFit(
  root: string,
  files: readonly string[],
  log: (line: string) => void,
): Promise<readonly string[]> {
  const taken: string[] = [];
  const left: string[] = [];
  let free = MAX_UNPACKED_BYTES;
  for (const file of files) {
    const size = await sizeOf(join(root, file));
    const fits = taken.length < MAX_ENTRIES && size <= free && !(await isDenseFile(join(root, file), size));
    if (taken.length > 0 && !fits) left.push(file);
    else {
      taken.push(file);
      free -= size;
    }
  }
  if (left.length > 0) log(`left out of the artifact, because ${LIMITS}: ${nameSome(left, NAMED)}`);
  return taken;
}

/** 0 for what is no regular file or cannot be read: the upload refuses it in its own words. */
async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? stats.size : 0;
}

async function isDenseFile(path: string, size: number): Promise<boolean> {
  if (size === 0) return false;
  const bytes = await readFile(path).catch(() => undefined);
  return bytes !== undefined && isTooDense(bytes);
}
