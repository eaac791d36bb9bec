/**
 * Whether files of a folder changed while code of the other side ran. The same user can write to all of them; but no user
 * can set a file's ctime, so a change that was undone shows too.
 */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { extname, join } from "node:path";
import { messageOf } from "../../errors.js";

/** What counts: in an environment every file; in a checkout an app may add data. */
export type FolderKind = "environment" | "checkout";

export interface WatchedFolder {
  readonly path: string;
  readonly kind: FolderKind;
}

interface Entry {
  /** What it is, and what no user can put back. */
  readonly identity: string;
  /** Of a file with several names (uv links files from its cache) another name changes the ctime: its bytes decide. */
  readonly content: string | undefined;
}

export interface Snapshot {
  readonly folder: WatchedFolder;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** New files of a checkout that Python or a program would load. */
const CODE = new Set([".py", ".pyc", ".pyi", ".so", ".pth", ".egg-link", ".zip"]);

export async function takeSnapshot(folder: WatchedFolder): Promise<Snapshot> {
  return { folder, entries: await readEntries(folder) };
}

/** Paths that changed since, each with what happened; empty where nothing did. */
export async function changedSince({ folder, entries: before }: Snapshot): Promise<string[]> {
  let after: ReadonlyMap<string, Entry>;
  try {
    after = await readEntries(folder);
  } catch (error) {
    return [`files that cannot be read any more (${messageOf(error)})`];
  }
  const changes: string[] = [];
  for (const [name, entry] of before) {
    const now = after.get(name);
    if (!now) changes.push(`${name} was removed`);
    else if (!isSame(entry, now)) changes.push(`${name} was changed`);
  }
  for (const name of after.keys())
    if (!before.has(name) && (folder.kind === "environment" || CODE.has(extname(name))))
      changes.push(`${name} was added`);
  return changes.sort();
}

function isSame(before: Entry, now: Entry): boolean {
  if (before.content !== undefined || now.content !== undefined) return before.content === now.content;
  return before.identity === now.identity;
}

async function readEntries({ path }: WatchedFolder): Promise<Map<string, Entry>> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const entries = new Map<string, Entry>();
  for (const { name, parentPath } of found) {
    const file = join(parentPath, name);
    const within = file.slice(path.length + 1);
    // Git refreshes its index; no code is run from it.
    if (within.split("/").includes(".git")) continue;
    const entry = await readEntry(file).catch(() => ({ identity: "unreadable", content: undefined }));
    if (entry) entries.set(within, entry);
  }
  return entries;
}

/** A folder changes with its files only: these show it. */
async function readEntry(file: string): Promise<Entry | undefined> {
  const stat = await lstat(file, { bigint: true });
  if (stat.isDirectory()) return undefined;
  if (stat.isSymbolicLink()) return { identity: identityOf(stat), content: await readlink(file) };
  if (stat.nlink === 1n || !stat.isFile()) return { identity: identityOf(stat), content: undefined };
  const digest = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  return { identity: identityOf(stat), content: `${stat.mode} ${digest}` };
}

function identityOf({ mode, size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [mode, size, mtimeNs, ctimeNs, ino].join(" ");
}
