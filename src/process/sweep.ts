/** Ends processes by pid, and finds all processes of a run. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RUN_MARKER } from "./environment.js";
import { environHas, listProcesses, type ProcessStat, readStat, withDescendants } from "./proc.js";
import type { RunContext } from "./run.js";
import type { ProcessName, Supervised } from "./supervised.js";

/** Time to end after TERM; uvicorn, granian and gunicorn need less than a second without open connections. */
const GRACE_MS = 3000;
/** After KILL a process ends at once, unless it waits in the kernel. New ones may have been forked meanwhile. */
const KILL_MS = 5000;
const POLL_MS = 10;

/** Signals a process if it is still the one that was found: its pid may have been given to another one. */
export function signalProcess(target: ProcessName, signal: NodeJS.Signals): void {
  if (readStat(target.pid)?.startTime !== target.startTime) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // It ended meanwhile.
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

/**
 * Notes a server's session and its supervisor in the run's folder, where the watchdog finds them even if we are killed:
 * the leader's start time, and the supervisor's pid and start time.
 */
export function noteSession(tempDir: string, { server, supervisor }: Pick<Supervised, "server" | "supervisor">): void {
  mkdirSync(sessionsDir(tempDir), { recursive: true });
  const note = `${server.startTime}\n${supervisor.pid} ${supervisor.startTime}\n`;
  writeFileSync(join(sessionsDir(tempDir), String(server.pid)), note);
}

export function forgetSession(tempDir: string, pid: number): void {
  rmSync(join(sessionsDir(tempDir), String(pid)), { force: true });
}

interface Note {
  readonly leader: ProcessName;
  readonly supervisor: ProcessName;
}

function notes(tempDir: string): Note[] {
  try {
    return readdirSync(sessionsDir(tempDir)).map((name) => {
      const [leaderStart = "", supervisor = ""] = readFileSync(join(sessionsDir(tempDir), name), "utf8").split("\n");
      const [pid = "", startTime = ""] = supervisor.split(" ");
      return { leader: { pid: Number(name), startTime: leaderStart }, supervisor: { pid: Number(pid), startTime } };
    });
  } catch {
    // No server was started yet.
    return [];
  }
}

/** Every process of the run: it has the marker in its environment, is in a noted session, or is a noted supervisor's child. */
export function findRun(run: Pick<RunContext, "id" | "tempDir">): ProcessStat[] {
  const entry = `${RUN_MARKER}=${run.id}`;
  const noted = notes(run.tempDir);
  const all = listProcesses();
  const sessions = new Set(noted.flatMap(({ leader }) => (isReused(leader) ? [] : [leader.pid])));
  const supervisors = new Set(noted.flatMap(({ supervisor }) => (isReused(supervisor) ? [] : [supervisor.pid])));
  const seeds = all.filter(
    (one) => sessions.has(one.session) || supervisors.has(one.parent) || environHas(one.pid, entry),
  );
  return withDescendants(all, seeds).filter(({ pid }) => pid !== process.pid);
}

/** Its pid belongs to another process now. */
function isReused({ pid, startTime }: ProcessName): boolean {
  const now = readStat(pid);
  return now !== undefined && now.startTime !== startTime;
}

/** Ends every process of the run. @returns those that could not be ended */
export async function sweepRun(run: Pick<RunContext, "id" | "tempDir">, graceMs = GRACE_MS): Promise<ProcessStat[]> {
  return await endProcesses(() => findRun(run), graceMs);
}
