/** Ends processes by pid, and finds all that a run has left. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RUN_MARKER } from "./environment.js";
import { environHas, listProcesses, type ProcessStat, readStat } from "./proc.js";
import type { RunContext } from "./run.js";

/** Time to end in peace; uvicorn, granian and gunicorn need less than a second without open connections. */
const GRACE_MS = 3000;
/** After KILL a process is gone at once, unless it is in the kernel; new ones may have been forked meanwhile. */
const KILL_MS = 5000;
const POLL_MS = 10;

/** Signals a process if it is still the one that was found: its pid may have been given to another one. */
function signalProcess(target: ProcessStat, signal: NodeJS.Signals): void {
  if (readStat(target.pid)?.startTime !== target.startTime) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // Gone in between.
  }
}

/**
 * Ends what `find` returns, TERM first, KILL after a bounded wait, until nothing is found.
 * @returns those that not even KILL could end
 */
export async function endProcesses(find: () => ProcessStat[], graceMs = GRACE_MS): Promise<ProcessStat[]> {
  const killAt = performance.now() + graceMs;
  const giveUpAt = killAt + KILL_MS;
  const asked = new Set<string>();
  for (;;) {
    const left = find();
    const now = performance.now();
    if (left.length === 0 || now >= giveUpAt) return left;
    for (const one of left) {
      const key = `${one.pid} ${one.startTime}`;
      if (now >= killAt) signalProcess(one, "SIGKILL");
      else if (!asked.has(key)) signalProcess(one, "SIGTERM");
      asked.add(key);
    }
    await sleep(POLL_MS);
  }
}

function sessionsDir(tempDir: string): string {
  return join(tempDir, "sessions");
}

/** Notes a server's session in the run's folder, where the watchdog finds it even if we are killed. */
export function noteSession(tempDir: string, pid: number, startTime: string): void {
  mkdirSync(sessionsDir(tempDir), { recursive: true });
  writeFileSync(join(sessionsDir(tempDir), String(pid)), `${startTime}\n`);
}

export function forgetSession(tempDir: string, pid: number): void {
  rmSync(join(sessionsDir(tempDir), String(pid)), { force: true });
}

function notedSessions(tempDir: string): Map<number, string> {
  const noted = new Map<number, string>();
  try {
    for (const name of readdirSync(sessionsDir(tempDir)))
      noted.set(Number(name), readFileSync(join(sessionsDir(tempDir), name), "utf8").trim());
  } catch {
    // No server was started yet.
  }
  return noted;
}

/** Every process of the run: by the marker in its environment, or by a noted session. */
export function findRun(run: Pick<RunContext, "id" | "tempDir">): ProcessStat[] {
  const entry = `${RUN_MARKER}=${run.id}`;
  const sessions = notedSessions(run.tempDir);
  for (const [pid, startTime] of sessions) {
    const leader = readStat(pid);
    if (leader !== undefined && leader.startTime !== startTime) sessions.delete(pid);
  }
  return listProcesses().filter(
    (one) => one.pid !== process.pid && (sessions.has(one.session) || environHas(one.pid, entry)),
  );
}

/** Ends every process of the run. @returns those that could not be ended */
export async function sweepRun(run: Pick<RunContext, "id" | "tempDir">, graceMs = GRACE_MS): Promise<ProcessStat[]> {
  return await endProcesses(() => findRun(run), graceMs);
}
