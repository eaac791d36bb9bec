/** Watches a server while it runs: unlimited memory would stop the machine, and an unlimited log would fill its disk. */
import { statSync, truncateSync } from "node:fs";
import { logTail } from "./log.js";
import { MemoryLimit, treeOf } from "./memory-use.js";

const PERIOD_MS = 500;
/** A larger log is emptied. Its last lines are kept: messages about failures show them. */
const LOG_MAX_BYTES = 64 * 1024 * 1024;

export interface Guarded {
  /** Its descendants are the server's processes. */
  readonly supervisor: number;
  readonly logFile: string;
  readonly memoryLimitMiB: number;
  /** Ends the server, for this reason. */
  end(because: string): void;
}

export class Guard implements Disposable {
  readonly #guarded: Guarded;
  readonly #limit: MemoryLimit;
  readonly #timer: NodeJS.Timeout;
  #droppedBytes = 0;
  #lastLines = "";

  constructor(guarded: Guarded) {
    this.#guarded = guarded;
    this.#limit = new MemoryLimit(guarded.memoryLimitMiB);
    this.#timer = setInterval(() => this.#look(), PERIOD_MS);
    this.#timer.unref();
  }

  /** What was removed from the log, in MiB; 0: it is whole. */
  get droppedLogMiB(): number {
    return Math.round(this.#droppedBytes / 1024 / 1024);
  }

  /** The last lines before the log was last emptied. */
  get lastLines(): string {
    return this.#lastLines;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#emptyLog();
    const { supervisor, memoryLimitMiB, end } = this.#guarded;
    const [, ...servers] = treeOf(supervisor);
    const used = this.#limit.exceededBy(servers);
    if (used === undefined) return;
    clearInterval(this.#timer);
    end(
      `it used ${Math.round(used)} MiB of memory, more than the limit of ${Math.round(memoryLimitMiB)} MiB (--memory-limit, input memory-limit)`,
    );
  }

  #emptyLog(): void {
    const { logFile } = this.#guarded;
    try {
      const { size } = statSync(logFile);
      if (size <= LOG_MAX_BYTES) return;
      this.#lastLines = logTail(logFile);
      // The server appends, so it continues at the new end.
      truncateSync(logFile);
      this.#droppedBytes += size;
    } catch {
      // Somebody has removed it.
    }
  }
}
