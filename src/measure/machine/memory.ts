/** Proportional memory of a server: shared pages are divided among those that share them. */
import { type ProcessStat, readProc } from "../../process/proc.js";

const KIB_PER_MIB = 1024;

/** KiB of a field such as `VmRSS:   1234 kB`. */
export function kibOf(text: string | undefined, field: string): number | undefined {
  const value = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text ?? "")?.[1];
  return value === undefined ? undefined : Number(value);
}

/**
 * MiB at the peak so far: proportional memory now, plus how much larger each process once was (its resident
 * high-water mark). An upper bound where processes peaked at different times.
 */
export function peakMemoryMiB(processes: readonly ProcessStat[]): number {
  let kib = 0;
  for (const { pid } of processes) {
    const status = readProc(`${pid}/status`);
    const resident = kibOf(status, "VmRSS") ?? 0;
    const proportional = kibOf(readProc(`${pid}/smaps_rollup`), "Pss") ?? resident;
    kib += proportional + Math.max(0, (kibOf(status, "VmHWM") ?? resident) - resident);
  }
  return kib / KIB_PER_MIB;
}
