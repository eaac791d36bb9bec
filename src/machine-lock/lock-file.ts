/** The file that stands for the machine: every run that measures locks it, whichever user started it. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { codeOf, messageOf, SetupError } from "../errors.js";

/** Not in TMPDIR or RUNNER_TEMP: these differ from job to job. */
const DEFAULT_PATH = "/tmp/server-bench.lock";
/** Names another lock file: for containers that share a folder, and for tests. */
export const LOCK_VARIABLE = "SERVER_BENCH_LOCK";
/** Another user may make the file at the same moment. */
const OPEN_ATTEMPTS = 5;

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
/** A link must not redirect us, and a pipe must not block us. */
const SAFE = O_NOFOLLOW | O_NONBLOCK;

/** @throws SetupError for a path that is not absolute */
export function lockFilePath(env: Readonly<Record<string, string | undefined>>): string {
  const path = env[LOCK_VARIABLE] || DEFAULT_PATH;
  if (isAbsolute(path)) return path;
  throw new SetupError(`${LOCK_VARIABLE} "${path}" is not an absolute path: give one, such as ${DEFAULT_PATH}`);
}

/**
 * Opens the file, or makes it if there is none. Everybody may lock it.
 * @returns a file descriptor that no child inherits
 * @throws SetupError
 */
export function openLockFile(path: string): number {
  let problem: unknown;
  for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
    try {
      return checkedFile(openOrMake(path));
    } catch (error) {
      problem = error;
    }
  }
  throw new SetupError(
    `cannot open ${path}, by which runs on this machine wait for each other: ${messageOf(problem)}; remove it, or name another file with ${LOCK_VARIABLE}`,
  );
}

function openOrMake(path: string): number {
  // Without O_CREAT: in a sticky folder the kernel refuses that flag for another user's file (fs.protected_regular).
  const opened = openExisting(path, O_RDWR) ?? openExisting(path, O_RDONLY);
  if (opened !== undefined) return opened;
  const made = openSync(path, O_RDWR | O_CREAT | O_EXCL | SAFE, 0o666);
  // The umask has removed the rights of other users.
  fchmodSync(made, 0o666);
  return made;
}

/** Undefined if it is missing or may not be opened in this mode. A file that may only be read can be locked too. */
function openExisting(path: string, mode: number): number | undefined {
  try {
    return openSync(path, mode | SAFE);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || (mode === O_RDWR && (code === "EACCES" || code === "EROFS"))) return undefined;
    throw error;
  }
}

function checkedFile(file: number): number {
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error("it is not a regular file");
}

/** Whether the path still names this open file: a lock on a removed file stops no other run. */
export function isStillThere(path: string, file: number): boolean {
  const [now, ours] = [statSync(path, { throwIfNoEntry: false }), fstatSync(file)];
  return now !== undefined && now.ino === ours.ino && now.dev === ours.dev;
}
