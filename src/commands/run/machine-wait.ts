/** A run that waits for another one on this machine: for how long, and what it shows. */
import type { WaitProgress } from "../../machine-lock/machine-lock.js";
import { plural } from "../../messages/sentence.js";
import { rowsOf } from "../../plan/plan.js";
import type { Plan } from "../../plan/types.js";
import type { ProvisionProgress } from "../../provision/types.js";
import type { RunHooks } from "./request.js";

const STEP = "waiting for another run on this machine";

/** `interfaces, http2: 24 benchmarks` */
export function whatIsMeasured(plan: Plan): string {
  return `${plan.sets.map(({ name }) => name).join(", ")}: ${plural(rowsOf(plan).length, "benchmark")}`;
}

export function waitProgress(progress: ProvisionProgress, { waiting }: RunHooks, minutesAtMost: number): WaitProgress {
  return {
    waiting: async (text, until) => {
      progress.note(`another run measures on this machine: ${text}`);
      progress.started(STEP);
      await waiting?.({ until, minutesAtMost });
    },
    update: (text) => progress.update(STEP, text),
    over: async (seconds) => {
      progress.finished(STEP, { seconds, reused: false });
      await waiting?.(undefined);
    },
  };
}
