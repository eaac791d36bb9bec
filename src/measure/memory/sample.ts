/** Memory of a server now. */
import { hasEnded, type ProcessStat, readProc } from "../../process/proc.js";
import type { MemorySide } from "../../results/further-metrics.js";
import { kibOf } from "../machine/memory.js";

const KIB_PER_MIB = 1024;

export interface MemorySample {
  readonly source: MemorySide["source"];
  readonly mib: number;
}

/**
 * Proportional set size of all processes: pages that several processes share are divided among them. Resident set size where
 * the kernel does not let us read it, for all processes then: the two must not be added.
 */
export function sampleMemory(processes: readonly ProcessStat[]): MemorySample {
  const proportional = processes.map(({ pid }) => {
    const kib = kibOf(readProc(`${pid}/smaps_rollup`), "Pss");
    // A process that has just ended has none.
    return kib === undefined && hasEnded(pid) ? 0 : kib;
  });
  if (proportional.every((kib) => kib !== undefined)) return { source: "pss", mib: sumMib(proportional) };
  const resident = processes.map(({ pid }) => kibOf(readProc(`${pid}/status`), "VmRSS"));
  return { source: "rss", mib: sumMib(resident) };
}

function sumMib(kib: readonly (number | undefined)[]): number {
  return kib.reduce<number>((sum, one) => sum + (one ?? 0), 0) / KIB_PER_MIB;
}
