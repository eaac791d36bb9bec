/** Time limits of this process's children. */

/** A timer that ends later than this was stopped, with this process: by Ctrl-Z, SIGSTOP, or a container that was paused. */
const STOPPED_MS = 1000;

/**
 * Calls `onEnd` when the time is over. Time in which this process was stopped does not count: then the limit begins again, because what
 * the child did meanwhile is read only after the timers.
 * @returns ends the limit
 */
export function startLimit(ms: number, onEnd: () => void): () => void {
  let timer: NodeJS.Timeout;
  const start = (): void => {
    const due = performance.now() + ms;
    timer = setTimeout(() => (performance.now() - due > STOPPED_MS ? start() : onEnd()), ms);
  };
  start();
  return () => clearTimeout(timer);
}

/** Resolves when the time is over, as above, or when the signal is aborted. */
export async function limitOver(ms: number, signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = startLimit(ms, resolve);
    signal.addEventListener("abort", () => {
      end();
      resolve();
    });
  });
}

/** The time in which this process ran. */
export class RunningTime {
  readonly #longestMs: number;
  #readAt = performance.now();
  #ms = 0;

  /** @param longestMs that pass between two readings; more are counted as so many */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** Milliseconds since it was made. */
  read(): number {
    const now = performance.now();
    this.#ms += Math.min(now - this.#readAt, this.#longestMs);
    this.#readAt = now;
    return this.#ms;
  }
}
