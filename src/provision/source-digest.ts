/** What a local requirement (a checkout, a wheel) holds now: its environment is made anew when that changes. */
import { execFile } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SetupError } from "../errors.js";

const run = promisify(execFile);
const GIT_OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
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
    if (!found) throw new SetupError(`${path}: no such folder or wheel (asked for with --server)`);
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

/** Tracked and new files, as git sees them; every file where there is no repository. */
async function sourceFiles(folder: string): Promise<string[]> {
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const { stdout } = await run("git", args, { cwd: folder, maxBuffer: GIT_OUTPUT_MAX_BYTES });
    return [...new Set(stdout.split("\0"))]
      .filter((name) => name !== "")
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return (await walk(folder)).sort();
  }
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
