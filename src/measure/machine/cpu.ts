/** CPU time: what all processes of a server used, and what the hypervisor took. */
import { readdirSync } from "node:fs";
import { type ProcessStat, readProc } from "../../process/proc.js";
import { clockTicksPerSec } from "./clock-ticks.js";

const NS_PER_SEC = 1e9;

/** CPU time of one process since its start, at one moment, in seconds. */
interface ProcessCpu {
  /** By the scheduler (schedstat), of each live thread: exact to the nanosecond, but an ended thread is gone. */
  readonly threads: ReadonlyMap<string, number>;
  /** By the clock's ticks, of all its threads, also of ended ones. */
  readonly ticked: number;
  /** By ticks, of its children that it waited for. */
  readonly children: number;
}
/** Keyed by pid and start time. */
export type CpuSample = ReadonlyMap<string, ProcessCpu>;

const NEW: ProcessCpu = { threads: new Map(), ticked: 0, children: 0 };

/** User and system time are each cut to whole ticks, in both samples: while no thread ends, ticks exceed the scheduler's figure by less. */
const TICKS_OFF = 2;

function threadsOf(pid: number): ReadonlyMap<string, number> {
  const threads = new Map<string, number>();
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const scheduledNs = Number.parseInt(readProc(`${pid}/task/${thread}/schedstat`) ?? "", 10);
      if (Number.isFinite(scheduledNs)) threads.set(thread, scheduledNs / NS_PER_SEC);
    }
  } catch {
    // It has just ended.
  }
  return threads;
}

export function sampleCpu(processes: readonly ProcessStat[]): CpuSample {
  const ticksPerSec = clockTicksPerSec();
  return new Map(
    processes.map((stat) => [
      `${stat.pid} ${stat.startTime}`,
      {
        threads: threadsOf(stat.pid),
        ticked: stat.cpuTicks / ticksPerSec,
        children: stat.childTicks / ticksPerSec,
      },
    ]),
  );
}

/** CPU seconds of a process and its threads between two moments, without its children. */
function ownBetween(before: ProcessCpu, after: ProcessCpu): number {
  let scheduled = 0;
  for (const [thread, seconds] of after.threads) {
    const earlier = before.threads.get(thread) ?? 0;
    // Less than before: another thread has got the number of one that ended.
    scheduled += seconds < earlier ? seconds : seconds - earlier;
  }
  const ticked = after.ticked - before.ticked;
  const offSec = TICKS_OFF / clockTicksPerSec();
  // A tick is 10 ms, 4 % of a slice: ticks count only in the interval in which a thread ended.
  return lostThread(before, after) || ticked > scheduled + offSec ? Math.max(scheduled, ticked) : scheduled;
}

function lostThread(before: ProcessCpu, after: ProcessCpu): boolean {
  return [...before.threads].some(([thread, seconds]) => (after.threads.get(thread) ?? -1) < seconds);
}

/**
 * CPU seconds between two samples of the same server. A process that ended in between is in the `children` of the
 * one that waited for it; where none did (it ignores its children's end), at least the others are counted.
 */
export function cpuBetween(before: CpuSample, after: CpuSample): number {
  let own = 0;
  let children = 0;
  for (const [key, now] of after) {
    const earlier = before.get(key) ?? NEW;
    own += ownBetween(earlier, now);
    children += now.children - earlier.children;
  }
  // What an ended process had used before the interval is in its parent's `children` too.
  for (const [key, gone] of before) if (!after.has(key)) children -= ownBetween(NEW, gone) + gone.children;
  return own + Math.max(0, children);
}

/** Up to steal: the two after it are part of user and nice. */
const STAT_FIELDS = 8;

/** CPU time in ticks since boot, on the CPUs that were asked for. */
export interface MachineTime {
  /** All time, and the time that the hypervisor gave to others. */
  readonly total: number;
  readonly steal: number;
  /** In use. */
  readonly busy: number;
}

/**
 * Parses /proc/stat (proc(5)): user nice system idle iowait irq softirq steal, summed and for each CPU. Where it does not
 * list the CPUs by their numbers (in some containers), total and steal are those of all CPUs that it has.
 */
export function parseMachineTime(text: string, cpus: readonly number[]): MachineTime | undefined {
  const lines = new Map<string, readonly number[]>();
  for (const [, cpu = "", ticks = ""] of text.matchAll(/^cpu(\d*)\s+([\d ]+)$/gm))
    lines.set(cpu, ticks.split(" ").slice(0, STAT_FIELDS).map(Number));
  const own = cpus.flatMap((cpu) => {
    const fields = lines.get(`${cpu}`);
    return fields === undefined ? [] : [fields];
  });
  const counted = own.length > 0 ? own : [lines.get("") ?? []];
  if (counted.some((fields) => fields.length < STAT_FIELDS)) return undefined;
  return {
    total: sumOf(counted, (fields) => fields.reduce((sum, field) => sum + field, 0)),
    steal: sumOf(counted, ([, , , , , , , steal = 0]) => steal),
    busy: sumOf(
      own,
      ([user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0]) => user + nice + system + irq + softirq,
    ),
  };
}

function sumOf(lines: readonly (readonly number[])[], of: (fields: readonly number[]) => number): number {
  return lines.reduce((sum, fields) => sum + of(fields), 0);
}

export function readMachineTime(cpus: readonly number[]): MachineTime | undefined {
  return parseMachineTime(readProc("stat") ?? "", cpus);
}

/** Share (0 to 1) of these CPUs' time that the hypervisor gave to others; undefined where the kernel does not report it. */
export function stealShare(before: MachineTime | undefined, after: MachineTime | undefined): number | undefined {
  if (before === undefined || after === undefined || after.total <= before.total) return undefined;
  return Math.min(1, Math.max(0, (after.steal - before.steal) / (after.total - before.total)));
}

/** CPU seconds of everything on the CPUs that were asked for. */
export function busyBetween(before: MachineTime | undefined, after: MachineTime | undefined): number {
  if (before === undefined || after === undefined) return 0;
  return Math.max(0, after.busy - before.busy) / clockTicksPerSec();
}
