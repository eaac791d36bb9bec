/** Reads /proc: one process, or all of them. A process that has ended is undefined, never an error. */
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessStat {
  readonly pid: number;
  /** R, S, D, Z ... as in proc(5). */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks after boot, as text: together with the pid it names one process for ever. */
  readonly startTime: string;
  /** CPU time of all its threads, also of those that ended. */
  readonly cpuTicks: number;
  /** CPU time of its children that ended and were waited for. */
  readonly childTicks: number;
}

/** Parses /proc/PID/stat. The command name may hold spaces and parentheses: fields are counted after its last `)`. */
export function parseStat(text: string): ProcessStat | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const number = (index: number): number => Number(fields[index]);
  const startTime = fields[19];
  if (!Number.isInteger(pid) || startTime === undefined) return undefined;
  return {
    pid,
    state: fields[0] ?? "",
    parent: number(1),
    group: number(2),
    session: number(3),
    startTime,
    cpuTicks: number(11) + number(12),
    childTicks: number(13) + number(14),
  };
}

/**
 * The text of a file under /proc; undefined if it is gone or we may not read it. In UTF-8, which Node reads without a buffer:
 * with every other encoding a file of unknown size takes two buffers of 64 KiB.
 */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
}

export function readStat(pid: number | "self"): ProcessStat | undefined {
  const text = readProc(`${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** Of all its threads; none where it has ended. */
export function threadNames(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(
      (thread) => readProc(`${pid}/task/${thread}/comm`)?.trimEnd() ?? [],
    );
  } catch {
    return [];
  }
}

/** It is gone, or only its exit code is left. */
export function hasEnded(pid: number): boolean {
  return isOver(readStat(pid)?.state);
}

function isOver(state: string | undefined): boolean {
  return state === undefined || state === "Z" || state === "X";
}

/** Every process that is not a zombie. */
export function listProcesses(): ProcessStat[] {
  const found: ProcessStat[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat !== undefined && !isOver(stat.state)) found.push(stat);
  }
  return found;
}

/** The processes, and all that descend from them. */
export function withDescendants(all: readonly ProcessStat[], of: readonly ProcessStat[]): ProcessStat[] {
  const found = new Set(of.map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const one of all) if (found.has(one.parent)) found.add(one.pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

/** Whether the environment that the process was started with holds this `NAME=value`. */
export function environHas(pid: number, entry: string): boolean {
  return readProc(`${pid}/environ`)?.split("\0").includes(entry) ?? false;
}
