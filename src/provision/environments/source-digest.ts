/** What a local requirement (a checkout, a wheel) or an app holds now: an environment is made anew when that changes. */
import { createHash, type Hash, randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, readFile, readlink, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, SetupError } from "../../errors.js";
import { checkoutOf, gitWith } from "../sides/git.js";
import { uncommittedFiles } from "../sides/same-files.js";
import { notBuilt } from "./not-built.js";
import { type Purpose, sourceFiles, toBytes } from "./source-files.js";

/** `granian @ file:///src/granian` -> `/src/granian` */
function localPath(requirement: string): string | undefined {
  const url = / @ (file:\S+)/.exec(requirement)?.[1];
  return url === undefined ? undefined : fileURLToPath(url);
}

export function localPaths(requires: readonly string[]): string[] {
  return requires.flatMap((requirement) => localPath(requirement) ?? []);
}

/** Names of the distributions that come from a local folder or file. */
export function localDistributions(requires: readonly string[]): string[] {
  return requires.flatMap((requirement) =>
    localPath(requirement) === undefined ? [] : [/^[\w.-]+/.exec(requirement)?.[0] ?? ""],
  );
}

/** Requirements without the paths of local ones: what is built depends on their files, not on where these are. */
export function placelessRequires(requires: readonly string[]): string[] {
  return requires.map((requirement) =>
    localPath(requirement) === undefined ? requirement : requirement.replace(/ @ file:\S+/, " @ local"),
  );
}

/**
 * Hexadecimal SHA-256 over names and bytes of all that local requirements are built from; "" when there is none. Equal
 * for equal files in another folder.
 * @param scenarios the folder of the user's scenario files, where a build need not see it
 * @throws SetupError for a path that is not there
 */
export async function sourceDigest(requires: readonly string[], scenarios?: string): Promise<string> {
  const paths = localPaths(requires);
  if (paths.length === 0) return "";
  const hash = createHash("sha256");
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (!found)
      throw new SetupError(
        `${path}: no such folder or wheel (asked for with --server, in the action with the input servers)`,
      );
    if (found.isDirectory()) await addTree(hash, path, "build", await notBuilt(path, scenarios));
    else addBytes(hash, "file", toBytes(basename(path)), await readFile(path));
  }
  return hash.digest("hex");
}

/** The same over all that one project is built from. */
export async function treeDigest(folder: string, scenarios?: string): Promise<string> {
  const hash = createHash("sha256");
  await addTree(hash, folder, "build", await notBuilt(folder, scenarios));
  return hash.digest("hex");
}

/** The same over the files of a folder that programs are run from. */
export async function folderDigest(folder: string): Promise<string> {
  const hash = createHash("sha256");
  await addTree(hash, folder, "run");
  return hash.digest("hex");
}

interface Tree {
  readonly hash: Hash;
  readonly purpose: Purpose;
  /** The checkout; what links lead to outside of it is not the checkout's. */
  readonly top: string;
  /** Folders that were added: a link may lead to one of them. */
  readonly seen: Set<string>;
  /** Folders that do not count. */
  readonly leftOut: readonly string[];
}

async function addTree(hash: Hash, path: string, purpose: Purpose, leftOut: readonly string[] = []): Promise<void> {
  const folder = await realpath(path);
  const checkout = checkoutOf(folder) ?? folder;
  const tree = { hash, purpose, top: toBytes(checkout), seen: new Set<string>(), leftOut: leftOut.map(toBytes) };
  await addFolder(tree, toBytes(folder), "");
  if (purpose === "build" && checkout !== folder) await addSurroundings(tree, checkout);
}

/**
 * A project may be built from anything in its checkout: members of its workspace, `path = "../core"`, a setup.py that reads
 * `../VERSION`. Git knows what a file has held since its commit, so only others are read.
 */
async function addSurroundings(tree: Tree, checkout: string): Promise<void> {
  const listing = gitWith({ cwd: checkout, encoding: "latin1" }, "ls-files", "--stage", "-z");
  const [committed, changed] = await Promise.all([listing, uncommittedFiles(checkout)]).catch(() => []);
  // Without git all of them are read.
  if (committed === undefined || changed === undefined) return await addFolder(tree, toBytes(checkout), "");
  const counts = (name: string) => !isLeftOut(tree, join(toBytes(checkout), name));
  const entries = committed.split("\0").filter((entry) => counts(entry.slice(entry.indexOf("\t") + 1)));
  addBytes(tree.hash, "committed", "", Buffer.from(entries.join("\0"), "latin1"));
  for (const name of changed.filter((one) => counts(toBytes(one))).sort()) {
    addBytes(tree.hash, "changed", toBytes(name), Buffer.alloc(0));
    await addEntry(tree, toBytes(join(checkout, name)), toBytes(name));
  }
}

async function addFolder(tree: Tree, folder: string, prefix: string): Promise<void> {
  tree.seen.add(folder);
  for (const name of await sourceFiles(folder, tree.purpose)) {
    const path = join(folder, name);
    if (!isLeftOut(tree, path)) await addEntry(tree, path, prefix + name);
  }
}

function isLeftOut({ leftOut }: Tree, path: string): boolean {
  return leftOut.some((folder) => isWithin(folder, path));
}

/** What cannot be read may have changed: it makes the digest one that never comes again. */
async function addEntry(tree: Tree, path: string, name: string): Promise<void> {
  try {
    const found = await lstat(bytes(path)).catch(orMissing);
    if (found?.isSymbolicLink()) await addLink(tree, path, name);
    else if (found?.isDirectory()) await addSubmodule(tree, path, name);
    else if (found) await addFile(tree, path, name, found);
  } catch {
    addBytes(tree.hash, "unreadable", name, Buffer.from(randomUUID()));
  }
}

/** A folder among git's files is a submodule; one that is not checked out is empty. */
async function addSubmodule(tree: Tree, path: string, name: string): Promise<void> {
  const checkedOut = await stat(bytes(join(path, ".git"))).catch(orMissing);
  if (checkedOut) await addFolder(tree, path, `${name}/`);
  else addBytes(tree.hash, "folder", name, Buffer.alloc(0));
}

/** Its text, and what it leads to. */
async function addLink(tree: Tree, path: string, name: string): Promise<void> {
  addBytes(tree.hash, "link", name, await readlink(bytes(path), "buffer"));
  const target = await realpath(bytes(path), "latin1").catch(orMissing);
  if (target === undefined) return addBytes(tree.hash, "nowhere", name, Buffer.alloc(0));
  const found = await stat(bytes(target));
  if (found.isFile()) return await addFile(tree, target, name, found);
  // Of a folder elsewhere the place counts: it is not searched.
  if (!found.isDirectory() || !isWithin(tree.top, target)) return addBytes(tree.hash, "place", name, bytes(target));
  if (tree.seen.has(target)) return addBytes(tree.hash, "seen", name, Buffer.alloc(0));
  // A build takes what a link leads to.
  await addFolder({ ...tree, leftOut: [] }, target, `${name}/`);
}

async function addFile({ hash }: Tree, path: string, name: string, found: Stats): Promise<void> {
  // A device or a pipe has no end.
  if (!found.isFile()) return addBytes(hash, "special", name, Buffer.from(String(found.rdev)));
  addBytes(hash, found.mode & 0o100 ? "program" : "file", name, await readFile(bytes(path)));
}

function addBytes(hash: Hash, kind: string, name: string, content: Buffer): void {
  hash.update(`${kind} ${name}\0${content.length}\0`).update(content);
}

function bytes(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Nothing is there: a file that was deleted, a link to nowhere or to itself. @throws every other error */
function orMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "ELOOP") throw error;
  return undefined;
}
