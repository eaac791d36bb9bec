/** Memory of a process and all that it started, read without disturbing what is measured. */
import { readdirSync } from "node:fs";
import { totalmem } from "node:os";
import { readProc } from "./proc.js";

const MIB = 1024 * 1024;
/** Two sides that grow are ended before they fill the machine. */
const DEFAULT_SHARE = 0.4;

/** What one server may use unless the user says otherwise, in MiB. */
export function defaultMemoryLimitMiB(): number {
  // 0, or more than the machine has, where there is no limit.
  const constrained = process.constrainedMemory() ?? 0;
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor((bytes * DEFAULT_SHARE) / MIB);
}

/** The process and its descendants. Where the kernel does not list children, the process alone. */
export function treeOf(pid: number): number[] {
  const found = [pid];
  for (const one of found) found.push(...childrenOf(one));
  return found;
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) => {
    const children = readProc(`${pid}/task/${thread}/children`)?.trim() ?? "";
    return children === "" ? [] : children.split(" ").map(Number);
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Compares what processes use with a limit. Pages that they share count once. */
export class MemoryLimit {
  readonly limitMiB: number;
  readonly #exactLooks: ExactLooks;

  constructor(limitMiB: number) {
    this.limitMiB = limitMiB;
    this.#exactLooks = new ExactLooks(limitMiB);
  }

  /** What the processes use, in MiB; undefined: not more than the limit. */
  exceededBy(pids: readonly number[]): number | undefined {
    const simpleMiB = sum(pids, rssMiB);
    const now = performance.now();
    if (!this.#exactLooks.isDue(simpleMiB, now)) return undefined;
    const exactMiB = sum(pids, proportionalMiB);
    if (exactMiB > this.limitMiB) return exactMiB;
    this.#exactLooks.wasBelow(simpleMiB, now);
    return undefined;
  }
}

/** Growth of the simple sum after which the exact figure is read again. */
const GROWTH = 1.1;
/** Shared pages become private without a larger simple sum, so the exact figure is also read again after this time. */
const LOOK_AGAIN_MS = 30_000;

/**
 * When the exact figure is read. The simple sum counts a shared page once for each process, so it is never too low; the exact
 * figure costs the kernel a walk over all pages, while the server is measured.
 */
export class ExactLooks {
  readonly #limitMiB: number;
  #lastBelow: { readonly simpleMiB: number; readonly atMs: number } | undefined;

  constructor(limitMiB: number) {
    this.#limitMiB = limitMiB;
  }

  isDue(simpleMiB: number, nowMs: number): boolean {
    if (simpleMiB <= this.#limitMiB) return false;
    const last = this.#lastBelow;
    return last === undefined || simpleMiB >= last.simpleMiB * GROWTH || nowMs - last.atMs >= LOOK_AGAIN_MS;
  }

  /** The exact figure was below the limit. */
  wasBelow(simpleMiB: number, nowMs: number): void {
    this.#lastBelow = { simpleMiB, atMs: nowMs };
  }
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0);
}

function rssMiB(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? "")?.[1];
  return Number(kibibytes ?? 0) / 1024;
}

function proportionalMiB(pid: number): number {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readProc(`${pid}/smaps_rollup`) ?? "")?.[1];
  return kibibytes === undefined ? rssMiB(pid) : Number(kibibytes) / 1024;
}
