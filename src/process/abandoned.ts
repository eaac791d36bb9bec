/**
 * What a run left that was killed together with its watchdog. Its folder names its process, so the next run of the same user
 * can see that this process is gone.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { readStat } from "./proc.js";
import type { RunContext } from "./run.js";
import { sweepRun } from "./sweep.js";

/** How the folders of runs begin. */
export const FOLDER_PREFIX = "server-bench-";
/** The note in each of them. */
export const OWNER_FILE = "owner";
/** Its processes are killed at once: the time to end by themselves was when their run was killed. */
const GRACE_MS = 0;

/** Whose folder it is. Process ids mean something within one machine and one namespace only. */
interface Owner {
  readonly run: string;
  readonly pid: number;
  readonly startTime: string;
  readonly host: string;
  readonly namespace: string;
}

type Run = Pick<RunContext, "id" | "tempDir">;

/** Writes into the run's folder that this process owns it. */
export function noteOwner({ id, tempDir }: Run): void {
  const owner: Owner = {
    run: id,
    pid: process.pid,
    startTime: readStat("self")?.startTime ?? "",
    host: hostname(),
    namespace: ownNamespace(),
  };
  writeFileSync(join(tempDir, OWNER_FILE), JSON.stringify(owner));
}

/**
 * Ends the processes of this user's runs whose own process is gone, and removes their folders in `folder`.
 * @returns the folders
 */
export async function removeAbandoned(folder: string, uid = process.getuid?.()): Promise<string[]> {
  const removed: string[] = [];
  for (const name of namesIn(folder)) {
    const tempDir = join(folder, name);
    const owner = name.startsWith(FOLDER_PREFIX) && isOurs(tempDir, uid) ? readOwner(tempDir) : undefined;
    if (owner === undefined || !isGone(owner)) continue;
    await sweepRun({ id: owner.run, tempDir }, GRACE_MS);
    try {
      rmSync(tempDir, { recursive: true, force: true });
      removed.push(tempDir);
    } catch {
      // Its watchdog is removing it too.
    }
  }
  return removed;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Both checks are needed: another user's note could name a run of ours that lives. */
function isOurs(path: string, uid: number | undefined): boolean {
  try {
    const folder = lstatSync(path);
    if (!folder.isDirectory() || folder.uid !== uid) return false;
    const note = lstatSync(join(path, OWNER_FILE));
    return note.isFile() && note.uid === uid;
  } catch {
    // Removed meanwhile, without a note, or closed to us: in each case not known to be ours.
    return false;
  }
}

function readOwner(tempDir: string): Owner | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(join(tempDir, OWNER_FILE), "utf8"));
    return isOwner(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== "object" || value === null) return false;
  const { run, pid, startTime, host, namespace } = value as Readonly<Record<string, unknown>>;
  return (
    [run, startTime, host, namespace].every((one) => typeof one === "string" && one !== "") && Number.isSafeInteger(pid)
  );
}

function isGone({ pid, startTime, host, namespace }: Owner): boolean {
  if (host !== hostname() || namespace !== ownNamespace()) return false;
  return readStat(pid)?.startTime !== startTime;
}

function ownNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "unknown";
  }
}
