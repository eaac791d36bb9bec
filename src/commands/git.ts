/** Which checkout is measured. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Commit and branch of the folder's checkout; undefined outside one, or without git. */
export async function readGit(cwd: string): Promise<{ sha: string; ref?: string } | undefined> {
  try {
    const sha = (await run("git", ["rev-parse", "HEAD"], { cwd })).stdout.trim();
    const ref = (await run("git", ["rev-parse", "--abbrev-ref", "HEAD"], { cwd })).stdout.trim();
    return ref === "HEAD" || ref === "" ? { sha } : { sha, ref };
  } catch {
    return undefined;
  }
}
