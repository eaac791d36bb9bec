/**
 * The processes that belong to one server: its session and group, whatever carries its marker, and their descendants.
 * Each sign alone can be lost: a daemon leaves the session, a process that sets its title overwrites its environment.
 */
import { environHas, listProcesses, type ProcessStat } from "./proc.js";

/** Set in a server's environment to a value of its own. */
export const SERVER_MARKER = "SERVER_BENCH_SERVER";

export class Members {
  /** pid -> start time of every process that was ever found. */
  readonly #known = new Map<number, string>();
  readonly #rootPid: number;
  readonly #rootStart: string;
  readonly #entry: string;

  /** @param rootPid leader of the server's own session, and its start time */
  constructor(rootPid: number, rootStart: string, marker: string) {
    this.#rootPid = rootPid;
    this.#rootStart = rootStart;
    this.#entry = `${SERVER_MARKER}=${marker}`;
    this.#known.set(rootPid, rootStart);
  }

  /** Those alive now. @param all every process of the machine: one reading serves several servers */
  find(all: readonly ProcessStat[] = listProcesses()): ProcessStat[] {
    const found = new Set<number>();
    const reused = all.some((one) => one.pid === this.#rootPid && one.startTime !== this.#rootStart);
    for (const one of all) {
      const ours = !reused && (one.session === this.#rootPid || one.group === this.#rootPid);
      if (ours || this.#known.get(one.pid) === one.startTime || environHas(one.pid, this.#entry)) found.add(one.pid);
    }
    for (let size = -1; size !== found.size; ) {
      size = found.size;
      for (const one of all) if (found.has(one.parent)) found.add(one.pid);
    }
    const members = all.filter((one) => found.has(one.pid) && one.pid !== process.pid);
    for (const one of members) this.#known.set(one.pid, one.startTime);
    return members;
  }
}
