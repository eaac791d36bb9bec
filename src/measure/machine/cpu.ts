/** CPU time: of all processes of a server, and what the hypervisor took from the machine. */
import { readdirSync } from "node:fs";
import { type ProcessStat, readProc } from "../../process/proc.js";
import { clockTicksPerSec } from "./clock-ticks.js";

const NS_PER_SEC = 1e9;

/** CPU seconds of one process at one time. */
interface ProcessCpu {
  /** Of its threads, also ended ones. */
  readonly own: number;
  /** Of its children that it waited for. */
  readonly children: number;
}
/** Keyed by pid and start time. */
export type CpuSample = ReadonlyMap<string, ProcessCpu>;

/**
 * The scheduler's figures (schedstat) are exact to the nanosecond but know live threads only; the ticks of
 * /proc/PID/stat know ended ones too. Both undercount, so the larger one is right.
 */
function ownCpuSec(stat: ProcessStat, ticksPerSec: number): number {
  let scheduledNs = 0;
  try {
    for (const thread of readdirSync(`/proc/${stat.pid}/task`)) {
      scheduledNs += Number.parseInt(readProc(`${stat.pid}/task/${thread}/schedstat`) ?? "0", 10) || 0;
    }
  } catch {
    // It has just ended.
  }
  return Math.max(scheduledNs / NS_PER_SEC, stat.cpuTicks / ticksPerSec);
}

export function sampleCpu(processes: readonly ProcessStat[]): CpuSample {
  const ticksPerSec = clockTicksPerSec();
  return new Map(
    processes.map((stat) => [
      `${stat.pid} ${stat.startTime}`,
      { own: ownCpuSec(stat, ticksPerSec), children: stat.childTicks / ticksPerSec },
    ]),
  );
}

/**
 * CPU seconds between two samples of the same server. A process that ended in between is in the `children` of the
 * one that waited for it; where none did (it ignores its children's end), at least the others are counted.
 */
export function cpuBetween(before: CpuSample, after: CpuSample): number {
  const total = (sample: CpuSample): number =>
    [...sample.values()].reduce((sum, one) => sum + one.own + one.children, 0);
  let own = 0;
  for (const [key, now] of after) own += Math.max(0, now.own - (before.get(key)?.own ?? 0));
  return Math.max(total(after) - total(before), own);
}

/** CPU time in ticks since boot. */
export interface MachineTime {
  /** Of all the machine's CPUs: what passed, and what the hypervisor gave to others. */
  readonly total: number;
  readonly steal: number;
  /** In use, on the CPUs that were asked for. */
  readonly busy: number;
}

/** Parses /proc/stat (proc(5)): user nice system idle iowait irq softirq steal, summed and for each CPU. */
export function parseMachineTime(text: string, cpus: readonly number[]): MachineTime | undefined {
  let all: number[] | undefined;
  let busy = 0;
  for (const [, cpu, ticks = ""] of text.matchAll(/^cpu(\d*)\s+([\d ]+)$/gm)) {
    const fields = ticks.split(" ").slice(0, 8).map(Number);
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields;
    if (cpu === "") all = fields;
    else if (cpus.includes(Number(cpu))) busy += user + nice + system + irq + softirq;
  }
  const steal = all?.[7];
  if (all === undefined || steal === undefined) return undefined;
  return { total: all.reduce((sum, field) => sum + field, 0), steal, busy };
}

export function readMachineTime(cpus: readonly number[]): MachineTime | undefined {
  return parseMachineTime(readProc("stat") ?? "", cpus);
}

/** Share (0 to 1) of the machine's time that the hypervisor gave to others; undefined where it does not say. */
export function stealShare(before: MachineTime | undefined, after: MachineTime | undefined): number | undefined {
  if (before === undefined || after === undefined || after.total <= before.total) return undefined;
  return Math.min(1, Math.max(0, (after.steal - before.steal) / (after.total - before.total)));
}

/** CPU seconds of everything on the CPUs that were asked for. */
export function busyBetween(before: MachineTime | undefined, after: MachineTime | undefined): number {
  if (before === undefined || after === undefined) return 0;
  return Math.max(0, after.busy - before.busy) / clockTicksPerSec();
}
