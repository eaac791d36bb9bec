/**
 * flock(2) on an open file. The program `flock` takes or frees the lock through a descriptor that it shares with us. So the lock
 * belongs to the open file: it is free when the last process that has this file open has ended in any way.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf, SetupError } from "../errors.js";

/** Exit code of `flock -n` if the lock is taken. */
const TAKEN = 1;

interface FlockOptions {
  /** Environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** @returns whether the lock is ours now @throws SetupError without flock */
export async function tryLock(file: number, options: FlockOptions): Promise<boolean> {
  const code = await flock(["-x", "-n"], file, options);
  if (code !== 0 && code !== TAKEN) throw cannotLock(`flock ended with exit code ${code}`);
  return code === 0;
}

/** Sleeps in the kernel until the lock is ours. @throws the signal's reason; SetupError without flock */
export async function waitForLock(file: number, options: FlockOptions): Promise<void> {
  const code = await flock(["-x"], file, options);
  options.signal?.throwIfAborted();
  if (code !== 0) throw cannotLock(`flock ended with exit code ${code}`);
}

/** Frees the lock. Where `flock` cannot be started now, the lock is free when the file is closed. */
export async function unlock(file: number, options: FlockOptions): Promise<void> {
  try {
    await flock(["-u"], file, options);
  } catch {
    // A finished run must not lose its report because of this.
  }
}

async function flock(args: readonly string[], file: number, { env, signal }: FlockOptions): Promise<number | null> {
  signal?.throwIfAborted();
  // In another process group, so that Ctrl-C reaches only us.
  const child = spawn("flock", [...args, "3"], { stdio: ["ignore", "ignore", "ignore", file], env, detached: true });
  const end = (): void => void child.kill();
  signal?.addEventListener("abort", end, { once: true });
  try {
    const [code] = await once(child, "exit");
    return code;
  } catch (error) {
    throw cannotLock(messageOf(error));
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

function cannotLock(reason: string): SetupError {
  return new SetupError(
    `cannot lock this machine for measuring: ${reason}; flock is needed on PATH: apt-get install util-linux`,
  );
}
