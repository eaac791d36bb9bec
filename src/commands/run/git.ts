/** The commit that is measured. */
import { git, hasUncommittedChanges } from "../../provision/sides/git.js";
import type { Results } from "../../results/schema.js";

/**
 * Commit and branch of the folder's checkout, and whether its files differ from them; undefined outside one, without
 * a commit, or without git.
 */
export async function readGit(cwd: string): Promise<Results["run"]["git"]> {
  try {
    const sha = await git(cwd, "rev-parse", "--verify", "HEAD");
    const ref = await git(cwd, "rev-parse", "--abbrev-ref", "HEAD");
    return {
      sha,
      ...(ref !== "HEAD" && ref !== "" && { ref }),
      ...((await hasUncommittedChanges(cwd)) && { uncommitted: true as const }),
    };
  } catch {
    return undefined;
  }
}
