/**
 * What an environment's files hold, so that one that was changed since it was built is built again.
 *
 * It finds what a server, an app or a user wrote into an environment: by mistake, or without knowledge of our files. It
 * does not stop an attacker's program that runs as the same user: that can also write the file with the digest, uv's cache,
 * Python itself and the runner. Only a machine that is made anew for every job helps against that.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";

/** More at a time gain nothing: one thread makes the digests. */
const READS_AT_A_TIME = 16;

/**
 * SHA-256 in hexadecimal over names, kinds and bytes of all files below a folder; of a link, where it leads. An
 * environment of 2,000 files and 90 MB takes half a second.
 * @throws the file system's errors: what cannot be read is not equal to anything
 */
export async function contentDigest(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const lines: string[] = [];
  const queue = files.values();
  const work = async (): Promise<void> => {
    for (const entry of queue) {
      const path = join(entry.parentPath, entry.name);
      const held = entry.isSymbolicLink() ? `-> ${await readlink(path)}` : await fileDigest(path);
      lines.push(`${JSON.stringify(relative(folder, path))} ${held}`);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_A_TIME }, work));
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}

async function fileDigest(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
