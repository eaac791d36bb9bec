/** What a local requirement (a checkout, a wheel) holds now: its environment is made anew when that changes. */
import { createHash, type Hash } from "node:crypto";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "../../errors.js";
import { git } from "../sides/git.js";

/** What builds write and do not read, outside a git repository, where nothing says what is ignored. */
const IGNORED = new Set([".git", ".venv", "venv", "node_modules", "target", "__pycache__", "build", ".tox"]);

/** `granian @ file:///src/granian` -> `/src/granian` */
function localPath(requirement: string): string | undefined {
  const url = / @ (file:\S+)/.exec(requirement)?.[1];
  return url === undefined ? undefined : fileURLToPath(url);
}

/** Names of the distributions that come from a local folder or file. */
export function localDistributions(requires: readonly string[]): string[] {
  return requires.flatMap((requirement) =>
    localPath(requirement) === undefined ? [] : [/^[\w.-]+/.exec(requirement)?.[0] ?? ""],
  );
}

/** Requirements without the places of local ones: wherever a checkout stands, its files say what is built of it. */
export function placelessRequires(requires: readonly string[]): string[] {
  return requires.map((requirement) =>
    localPath(requirement) === undefined ? requirement : requirement.replace(/ @ file:\S+/, " @ local"),
  );
}

/**
 * Hexadecimal SHA-256 over names and bytes of all that local requirements are built from; "" when there is none. Equal
 * for equal files in another folder.
 * @throws SetupError for a path that is not there
 */
export async function sourceDigest(requires: readonly string[]): Promise<string> {
  const paths = requires.flatMap((requirement) => localPath(requirement) ?? []);
  if (paths.length === 0) return "";
  const hash = createHash("sha256");
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (!found)
      throw new SetupError(
        `${path}: no such folder or wheel (asked for with --server, in the action with the input servers)`,
      );
    if (found.isDirectory()) await addFolder(hash, path);
    else addFile(hash, basename(path), await readFile(path));
  }
  return hash.digest("hex");
}

/** The same over the files of a folder. */
export async function folderDigest(folder: string): Promise<string> {
  const hash = createHash("sha256");
  await addFolder(hash, folder);
  return hash.digest("hex");
}

async function addFolder(hash: Hash, folder: string): Promise<void> {
  for (const file of await sourceFiles(folder)) {
    const name = relative(folder, file);
    if (!name.split("/").includes("__pycache__"))
      addFile(hash, name, await readFile(file).catch(() => Buffer.alloc(0)));
  }
}

function addFile(hash: Hash, name: string, bytes: Buffer): void {
  hash.update(`${name}\0${bytes.length}\0`).update(bytes);
}

/** Tracked and new files, as git sees them, with those of submodules; every file where there is no repository. */
async function sourceFiles(folder: string): Promise<string[]> {
  const listing = await git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard").catch(
    () => undefined,
  );
  if (listing === undefined) return (await walk(folder)).sort();
  const names = [...new Set(listing.split("\0"))].filter((name) => name !== "").sort();
  const files = names.map(async (name) => {
    const path = join(folder, name);
    return (await isSubmodule(name, path)) ? await sourceFiles(path) : [path];
  });
  return (await Promise.all(files)).flat();
}

/** Git lists one as a file; a repository that it does not know has a slash at its end, and is left out. */
async function isSubmodule(name: string, path: string): Promise<boolean> {
  if (name.endsWith("/") || !(await lstat(path).catch(() => undefined))?.isDirectory()) return false;
  return (await stat(join(path, ".git")).catch(() => undefined)) !== undefined;
}

async function walk(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries
    .filter(({ name }) => !IGNORED.has(name) && !name.endsWith(".egg-info"))
    .map(async (entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
    });
  return (await Promise.all(nested)).flat();
}
