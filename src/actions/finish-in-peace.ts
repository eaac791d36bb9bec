/** A cancelled job still reports what was measured: the runner leaves it some seconds. */

/** How a runner cancels a step. SIGKILL follows about ten seconds after the first one. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Signals do not end the process while `work` runs.
 * @param work gets a signal that is aborted when the job is cancelled: it then leaves out what takes long
 */
export async function finishInPeace<T>(
  log: (line: string) => void,
  work: (cancelled: AbortSignal) => Promise<T>,
): Promise<T> {
  const cancel = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    log(`note ${signal} received: finishing the report first`);
    cancel.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work(cancel.signal);
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  }
}

/** What `work` gives; undefined as soon as the job is cancelled. Work that was started continues. */
export async function unlessCancelled<T>(work: () => Promise<T>, cancelled: AbortSignal): Promise<T | undefined> {
  if (cancelled.aborted) return undefined;
  let abort = (): void => {};
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
    cancelled.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    cancelled.removeEventListener("abort", abort);
  }
}
