/** The commit that is measured. */
import { versionOf } from "../../history/versions.js";
import { git, hasUncommittedChanges } from "../../provision/sides/git.js";
import { compareTags } from "../../release/tags.js";
import type { Results } from "../../results/schema.js";

/**
 * Commit and reference of the folder's checkout, and whether its files differ from them; undefined outside one, without
 * a commit, or without git.
 * @param tag of the release that is measured: on a branch or not, it is that commit
 */
export async function readGit(cwd: string, tag?: string): Promise<Results["run"]["git"]> {
  try {
    const sha = await git(cwd, "rev-parse", "--verify", "HEAD");
    const ref = tag ?? (await branchOf(cwd)) ?? (await versionTagOf(cwd));
    return {
      sha,
      ...(ref !== undefined && { ref }),
      ...((await hasUncommittedChanges(cwd)) && { uncommitted: true as const }),
    };
  } catch {
    return undefined;
  }
}

async function branchOf(cwd: string): Promise<string | undefined> {
  // A shorter form would have another name for a branch that is called like a tag.
  const ref = await git(cwd, "symbolic-ref", "--quiet", "HEAD").catch(() => "");
  return /^refs\/heads\/(.+)$/.exec(ref)?.[1];
}

/** Undefined where the commit has no version, or is a version of several projects. */
async function versionTagOf(cwd: string): Promise<string | undefined> {
  const names = (await git(cwd, "tag", "--points-at", "HEAD")).split("\n");
  const versions = names.flatMap((name) => versionOf(name) ?? []).sort(compareTags);
  return new Set(versions.map(({ prefix }) => prefix)).size === 1 ? versions.at(-1)?.tag : undefined;
}
