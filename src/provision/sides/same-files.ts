/**
 * Whether two checkouts hold the same files. An app loads code from anywhere in its checkout (`PYTHONPATH`, `sys.path`,
 * scripts in `before`), so the files in its own folder do not show whether it changed.
 */
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SCHEMA_NAME } from "../../results/schema.js";
import { git } from "./git.js";

/** Folders of installed packages, and of what Python writes beside a module. */
const NOT_SOURCES = new Set(["node_modules", ".venv", "venv", ".tox", "__pycache__"]);
const RESULTS_FILE = "results.json";
/** The name of the schema is in the first line after the brace. */
const RESULTS_HEAD_BYTES = 200;

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
  const status = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=none"];
  const entries = (await git(checkout, ...status)).split("\0").filter((entry) => entry !== "");
  if (!entries.every((entry) => entry.startsWith("?? "))) return false;
  const added = entries.map((entry) => entry.slice("?? ".length)).filter(isSource);
  const results = await resultsFolders(checkout, added);
  return added.every((name) => results.some((folder) => name.startsWith(`${folder}/`)));
}

/** A name with a slash at its end is a repository that the checkout does not know. */
function isSource(name: string): boolean {
  return !name.endsWith("/") && !name.split("/").some((part) => NOT_SOURCES.has(part));
}

/** Folders that an earlier run wrote its results to. */
async function resultsFolders(checkout: string, added: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const name of added) {
    const folder = dirname(name);
    if (name === join(folder, RESULTS_FILE) && folder !== "." && (await isResultsFile(join(checkout, name))))
      folders.push(folder);
  }
  return folders;
}

async function isResultsFile(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(RESULTS_HEAD_BYTES), 0, RESULTS_HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead).includes(`"schema": "${SCHEMA_NAME}"`);
}
