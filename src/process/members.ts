/**
 * The processes that belong to one server: its session and group, every process with its marker, its supervisor's children, and
 * the descendants of all these. Each sign can get lost: a daemon leaves the session, a process that sets its title overwrites its
 * environment, and a supervisor can be killed.
 */
import { environHas, listProcesses, type ProcessStat, readProc, withDescendants } from "./proc.js";
import type { ProcessName } from "./supervised.js";

/** Set in a server's environment to a value that no other server has. */
export const SERVER_MARKER = "SERVER_BENCH_SERVER";
/** Of a hidden process's command line, for messages. */
const NAME_CHARS = 100;

export class Members {
  /** pid -> start time of every process that was ever found. */
  readonly #known = new Map<number, string>();
  readonly #root: ProcessName;
  readonly #supervisor: ProcessName;
  readonly #entry: string;

  /** @param root leader of the server's own session */
  constructor(root: ProcessName, marker: string, supervisor: ProcessName) {
    this.#root = root;
    this.#supervisor = supervisor;
    this.#entry = `${SERVER_MARKER}=${marker}`;
    this.#known.set(root.pid, root.startTime);
  }

  /** Those that are alive now. @param all every process of the machine, so that it is read once for several servers */
  find(all: readonly ProcessStat[] = listProcesses()): ProcessStat[] {
    const isRoot = this.#isOfRoot(all);
    const seeds = all.filter(
      (one) =>
        isRoot(one) ||
        this.#known.get(one.pid) === one.startTime ||
        (!this.#isOlder(one) && environHas(one.pid, this.#entry)),
    );
    const members = withDescendants(all, [...seeds, ...this.#orphans(all)]).filter(({ pid }) => pid !== process.pid);
    for (const one of members) this.#known.set(one.pid, one.startTime);
    return members;
  }

  /** Command lines of those that are found only as the supervisor's children: they left session, marker and parent. */
  hidden(): string[] {
    const all = listProcesses();
    const isRoot = this.#isOfRoot(all);
    return this.#orphans(all)
      .filter((one) => !isRoot(one) && !environHas(one.pid, this.#entry))
      .map(
        ({ pid }) =>
          readProc(`${pid}/cmdline`)
            ?.replaceAll(/[\0\s]+/g, " ")
            .trim()
            .slice(0, NAME_CHARS) || `pid ${pid}`,
      );
  }

  /** Than the server: it cannot descend from it. Most processes of a machine are, and a pair looks for its servers dozens of times. */
  #isOlder({ startTime }: ProcessStat): boolean {
    return Number(startTime) < Number(this.#root.startTime);
  }

  #isOfRoot(all: readonly ProcessStat[]): (one: ProcessStat) => boolean {
    const { pid, startTime } = this.#root;
    if (all.some((one) => one.pid === pid && one.startTime !== startTime)) return () => false;
    return ({ session, group }) => session === pid || group === pid;
  }

  /** Children of the supervisor. */
  #orphans(all: readonly ProcessStat[]): ProcessStat[] {
    const { pid, startTime } = this.#supervisor;
    if (!all.some((one) => one.pid === pid && one.startTime === startTime)) return [];
    return all.filter(({ parent }) => parent === pid);
  }
}
