/** Runs a load generator's program on its CPUs, and meters the CPU time of its load. */
import { messageOf } from "../../errors.js";
import { type ChildOutcome, childTail, runChild } from "../../process/child.js";
import { readStat } from "../../process/proc.js";
import { clockTicksPerSec } from "../machine/clock-ticks.js";
import { filesOf } from "../machine/connection-limits.js";
import { formatCpuList } from "../machine/cpus.js";
import { openFilesLimit } from "../machine/settings.js";
import type { GeneratorSetup, SliceOutcome } from "./contract.js";

export interface GeneratorRun {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /** That it opens. */
  readonly connections: number;
  /** Whether this output shows that the load is over; without this function the load ends with the program. */
  readonly isOver?: (stdout: string) => boolean;
  /** Milliseconds that the program may run on after its load; they start when the load ends. */
  readonly afterwardsMs?: number;
  readonly onLoadEnd: () => void;
}

/** CPU seconds of a living process, or of all children of this process that have ended. */
function cpuSec(pid: number | "children"): number | undefined {
  const stat = readStat(pid === "children" ? "self" : pid);
  if (stat === undefined) return undefined;
  return (pid === "children" ? stat.childTicks : stat.cpuTicks) / clockTicksPerSec();
}

/** Numbers above the highest one that Node needs in between. */
const FILES_TO_START = 8;

/** Runs in progress: two generators may run at once. For each: CPU seconds of ended children that belong to other runs. */
const running = new Set<{ others: number }>();

/** @returns how many files, within the limit of this process */
function roomFor(connections: number): number {
  return Math.min(filesOf(connections), openFilesLimit() - FILES_TO_START);
}

/** @returns how it ended, and its CPU seconds up to the end of the load. @throws the run's abort reason */
export async function runGenerator(
  setup: GeneratorSetup,
  { argv, timeoutMs, connections, isOver, afterwardsMs, onLoadEnd }: GeneratorRun,
): Promise<{ readonly outcome: ChildOutcome; readonly clientCpuSec: number }> {
  let clientCpuSec: number | undefined;
  const own = { others: cpuSec("children") ?? 0 };
  running.add(own);
  try {
    const outcome = await runChild({
      argv,
      cpuList: formatCpuList(setup.cpus),
      env: setup.env,
      signal: setup.signal,
      timeoutMs,
      roomForFiles: roomFor(connections),
      onOutput: (stdout, pid, extend) => {
        if (isOver === undefined || !isOver(stdout)) return;
        clientCpuSec = cpuSec(pid);
        onLoadEnd();
        if (afterwardsMs !== undefined) extend(afterwardsMs);
      },
    });
    const ended = Math.max(0, (cpuSec("children") ?? 0) - own.others);
    for (const other of running) other.others += ended;
    // It ended before its output arrived: its time is what was added to that of the ended children.
    clientCpuSec ||= ended;
    return { outcome, clientCpuSec };
  } finally {
    running.delete(own);
  }
}

/**
 * CPU seconds of the load: at most what its CPUs had in that time. The rest went into printing or storing the figures
 * before this process noticed that the load was over.
 */
export function ofLoad(clientCpuSec: number, seconds: number, setup: Pick<GeneratorSetup, "cpus">): number {
  return Math.min(clientCpuSec, seconds * setup.cpus.length);
}

/** A generator that ended well, but whose figures cannot be read. */
export function unreadable(error: unknown, outcome: ChildOutcome): Extract<SliceOutcome, { state: "failed" }> {
  return { state: "failed", reason: messageOf(error), log: childTail(outcome) };
}
