/**
 * actions/checkout leaves the job's token where git finds it, unless its input `persist-credentials` is false: in `.git/config`, or in a
 * file that this includes. Measured code could read it there, so it is taken away while that code runs. Later steps have it again.
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { git } from "../provision/sides/git.js";

/** Of a file that is gone by then: its new one. */
const MODE = 0o600;

export async function withoutCredentials<T>(
  cwd: string,
  log: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const kept = new Map<string, Buffer>();
  try {
    for (const file of await filesWithToken(cwd)) {
      const text = await readFile(file);
      kept.set(file, text);
      await writeFile(file, text.toString("latin1").replaceAll(/^[ \t]*extraheader[ \t]*=.*\n?/gim, ""), "latin1");
    }
    if (kept.size > 0)
      log(
        "note the checkout has the job's token, which is taken away while code is measured: give actions/checkout persist-credentials: false",
      );
    return await work();
  } finally {
    for (const [file, text] of kept) await writeFile(file, text, { mode: MODE });
  }
}

/** Configuration of the checkout itself; the machine's and the user's are not a job's. */
async function filesWithToken(cwd: string): Promise<readonly string[]> {
  const args = ["--show-scope", "--show-origin", "--name-only", "-z", "--get-regexp", "^http\\..*\\.extraheader$"];
  const fields = (await git(cwd, "config", ...args).catch(() => "")).split("\0");
  const files = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = ""] = fields.slice(at, at + 2);
    if (/^(local|worktree)$/.test(scope)) files.add(resolve(cwd, origin.replace(/^file:/, "")));
  }
  return [...files];
}
