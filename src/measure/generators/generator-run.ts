/** Runs a load generator's program on its CPUs, and meters the CPU time of its load. */
import { type ChildOutcome, childTail, runChild } from "../../process/child.js";
import { readStat } from "../../process/proc.js";
import { clockTicksPerSec } from "../machine/clock-ticks.js";
import { formatCpuList } from "../machine/cpus.js";
import type { GeneratorSetup, SliceOutcome } from "./contract.js";

export interface GeneratorRun {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /** Whether this output says that the load is over; without it, the program's end is the load's. */
  readonly isOver?: (stdout: string) => boolean;
  /** Milliseconds that the program may go on after its load, counted anew. */
  readonly afterwardsMs?: number;
  readonly onLoadEnd: () => void;
}

/** CPU seconds of a process that still is, or of all our children that were waited for. */
function cpuSec(pid: number | "children"): number | undefined {
  const stat = readStat(pid === "children" ? "self" : pid);
  if (stat === undefined) return undefined;
  return (pid === "children" ? stat.childTicks : stat.cpuTicks) / clockTicksPerSec();
}

/** @returns how it ended, and its CPU seconds up to the end of the load. @throws the run's abort reason */
export async function runGenerator(
  setup: GeneratorSetup,
  { argv, timeoutMs, isOver, afterwardsMs, onLoadEnd }: GeneratorRun,
): Promise<{ readonly outcome: ChildOutcome; readonly clientCpuSec: number }> {
  let clientCpuSec: number | undefined;
  const childrenBefore = cpuSec("children") ?? 0;
  const outcome = await runChild({
    argv,
    cpuList: formatCpuList(setup.cpus),
    env: setup.env,
    signal: setup.signal,
    timeoutMs,
    onOutput: (stdout, pid, extend) => {
      if (isOver === undefined || !isOver(stdout)) return;
      clientCpuSec = cpuSec(pid);
      onLoadEnd();
      if (afterwardsMs !== undefined) extend(afterwardsMs);
    },
  });
  // It was reaped before its output arrived: then it is what our waited-for children grew by.
  clientCpuSec ||= (cpuSec("children") ?? 0) - childrenBefore;
  return { outcome, clientCpuSec };
}

/**
 * CPU seconds of the load: no more than its CPUs had in its time. What is beyond was used to print or store the figures
 * before we saw that the load was over.
 */
export function ofLoad(clientCpuSec: number, seconds: number, setup: Pick<GeneratorSetup, "cpus">): number {
  return Math.min(clientCpuSec, seconds * setup.cpus.length);
}

/** A generator that ended well, but whose figures cannot be read. */
export function unreadable(error: unknown, outcome: ChildOutcome): Extract<SliceOutcome, { state: "failed" }> {
  return { state: "failed", reason: error instanceof Error ? error.message : String(error), log: childTail(outcome) };
}
