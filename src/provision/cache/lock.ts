/**
 * One builder at a time for a thing in the cache, over all processes. The lock is the kernel's (flock(2)), held by a
 * child of ours that ends with us. However a builder ends, its lock is free afterwards.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf, SetupError } from "../../errors.js";
import { LIMIT_SEC } from "../tools/run-tool.js";

/** Longer than the time after which a build that hangs is ended, with its other steps. */
const LONGEST_WAIT_MS = (LIMIT_SEC + 15 * 60) * 1000;
/** A holder writes its process id right after it got the lock. */
const HOLDER_POLL_MS = 20;
const HOLDER_POLLS = 25;
/** Exit code of `flock -n` where another process has the lock. */
const TAKEN = 1;

export interface LockHolder {
  /** undefined: it did not say. */
  readonly pid: number | undefined;
}

export interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once, when another run holds the lock. */
  readonly onWait?: (holder: LockHolder) => void;
}

/** Locks have a folder where nothing is listed, replaced or removed, because a lock's file stays. */
export function lockPath(cache: string, name: string): string {
  return join(cache, "locks", `${name}.lock`);
}

/**
 * Runs `work` with the lock `path` held. The file stays: whoever removed it could remove another run's lock.
 * @throws SetupError after more than an hour of waiting, or without flock; the signal's reason when it is aborted.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  options.signal.throwIfAborted();
  await mkdir(dirname(path), { recursive: true });
  const keeper = (await takeAtOnce(path, options)) ?? (await waitFor(path, options));
  try {
    await writeFile(path, `${process.pid}\n`);
    return await work();
  } finally {
    // Before the lock is free: an old process id must not stand in the next holder's file.
    await writeFile(path, "").catch(() => undefined);
    await release(keeper);
  }
}

/** "process 4711, which builds X", for a note. */
export function describeHolder({ pid }: LockHolder, what: string): string {
  return `waiting for ${pid === undefined ? "another process" : `process ${pid}`}, which ${what}`;
}

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

async function takeAtOnce(path: string, { signal }: LockOptions): Promise<Keeper | undefined> {
  return take(path, ["-n"], signal);
}

async function waitFor(path: string, { signal, onWait }: LockOptions): Promise<Keeper> {
  const holder = await holderOf(path);
  onWait?.(holder);
  const limit = AbortSignal.timeout(LONGEST_WAIT_MS);
  const keeper = await take(path, [], AbortSignal.any([signal, limit])).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    const who = holder.pid === undefined ? "the process" : `process ${holder.pid}`;
    throw new SetupError(`waited ${LONGEST_WAIT_MS / 60_000} minutes for ${who} that holds ${path}; end it`);
  });
  if (keeper === undefined) throw new SetupError(`flock gave up waiting for ${path}`);
  return keeper;
}

/** The process id that the holder wrote; it may be a moment late. */
async function holderOf(path: string): Promise<LockHolder> {
  for (let poll = 0; poll < HOLDER_POLLS; poll++) {
    const pid = Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10);
    if (pid > 0) return { pid };
    await delay(HOLDER_POLL_MS);
  }
  return { pid: undefined };
}

/**
 * Starts the child that holds the lock: `flock` takes it and runs `cat`, which repeats our line once the lock is held, and
 * ends when its input does. It gets its own process group, because Ctrl-C must not free a lock that is in use.
 * @returns undefined where the lock is taken
 */
async function take(path: string, options: readonly string[], signal: AbortSignal): Promise<Keeper | undefined> {
  const keeper = spawn("flock", ["-x", ...options, path, "cat"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH },
    detached: true,
  });
  if (keeper.pid === undefined) throw cannotLock(path, messageOf((await once(keeper, "error"))[0]));
  // It may end before it reads: then its exit code says why.
  keeper.stdin.on("error", () => undefined);
  keeper.stdin.write("held\n");
  const abort = (): void => void keeper.kill();
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await new Promise((resolve, reject) => {
      keeper.once("error", (error) => reject(cannotLock(path, error.message)));
      keeper.once("exit", (code) => {
        if (signal.aborted) reject(signal.reason);
        else if (code === TAKEN) resolve(undefined);
        else reject(cannotLock(path, `flock ended with exit code ${code}`));
      });
      keeper.stdout.once("data", () => resolve(keeper));
    });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function release(keeper: Keeper): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    keeper.once("exit", () => resolve());
    keeper.stdin.end();
  });
}

function cannotLock(path: string, reason: string): SetupError {
  return new SetupError(
    `cannot lock ${path}: ${reason}; flock is needed on PATH (apt-get install util-linux), on a file system that has locks`,
  );
}
