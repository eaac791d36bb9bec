/** The evaluation measures as a run does: one at a time on a machine. */

import type { MachineLock, WaitProgress } from "../src/machine-lock/machine-lock.js";
import { DEFAULTS } from "../src/options/options.js";
import type { RunContext } from "../src/process/run.js";

/**
 * Waits until no run measures on this machine.
 * @param what is measured, for others that wait
 * @throws MachineBusy when the wait is over
 */
export async function takeMachine(
  machine: MachineLock,
  run: RunContext,
  what: string,
  say: (line: string) => void,
): Promise<void> {
  const progress: WaitProgress = {
    waiting: async (text) => say(`another run measures on this machine: ${text}`),
    update: () => {},
    over: async (seconds) => say(`the machine is free after ${seconds.toFixed(0)} s`),
  };
  await machine.take(run, { waitMinutes: DEFAULTS.waitMinutes, what, expectedSec: undefined, progress });
}
