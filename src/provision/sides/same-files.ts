/**
 * Whether two checkouts hold the same files. An app loads code from anywhere in its checkout (`PYTHONPATH`, `sys.path`,
 * scripts in `before`), so the files in its own folder do not show whether it changed.
 */
import { git } from "./git.js";
import { possibleSources } from "./sources.js";

/** Folders of installed packages, and of what Python writes beside a module. */
const NOT_SOURCES = new Set(["node_modules", ".venv", "venv", ".tox", "__pycache__"]);

/**
 * True where both have the same commit's files and nothing else. It reads no file's content, so that it is quick in a
 * large checkout: what was edited counts as different. What git cannot say may have changed.
 */
export async function haveSameFiles(base: string, head: string): Promise<boolean> {
  try {
    if ((await committedTree(base)) !== (await committedTree(head))) return false;
    return (await isAsCommitted(base)) && (await isAsCommitted(head));
  } catch {
    return false;
  }
}

/** Equal for commits with the same files, modes, links and submodules. */
async function committedTree(checkout: string): Promise<string> {
  return await git(checkout, "rev-parse", "--verify", "--quiet", "HEAD^{tree}");
}

/** Whether no tracked file differs from the commit, and no file was added that an app could load. */
async function isAsCommitted(checkout: string): Promise<boolean> {
  return (await uncommittedFiles(checkout)).length === 0;
}

/**
 * Names of tracked files that differ from the commit or are gone, and of files that were added. Added files of installed packages, of
 * setuptools' output and of earlier runs' results are left out: they hold no source.
 * @param checkout its top
 * @throws Error with git's message
 */
export async function uncommittedFiles(checkout: string): Promise<string[]> {
  const status = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames"];
  const entries = (await git(checkout, ...status)).split("\0").filter((entry) => entry !== "");
  const nameOf = (entry: string) => entry.slice("?? ".length);
  const isAdded = (entry: string) => entry.startsWith("?? ");
  const added = entries.filter(isAdded).map(nameOf).filter(isOfCheckout);
  return [...entries.filter((entry) => !isAdded(entry)).map(nameOf), ...(await possibleSources(checkout, added))];
}

export function isOfCheckout(name: string): boolean {
  return !name.split("/").some((part) => NOT_SOURCES.has(part));
}
