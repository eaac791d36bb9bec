/** What other processes take of the machine while nothing is measured. */
import { setTimeout as sleep } from "node:timers/promises";
import { listProcesses, type ProcessStat, readProc } from "../../process/proc.js";
import { clockTicksPerSec } from "./clock-ticks.js";
import { busyBetween, readMachineTime, stealShare } from "./cpu.js";

export interface Neighbours {
  /** Share (0 to 1) of the CPUs' time that was in use. */
  readonly busyShare: number;
  /** Share that the hypervisor gave to other machines; undefined where the kernel does not report it. */
  readonly stealShare: number | undefined;
  /** The busiest process, with its share of one CPU. */
  readonly busiest: { readonly name: string; readonly pid: number; readonly cpuShare: number } | undefined;
}

/** Watches for some seconds. This process is not counted among the busiest. */
export async function watchNeighbours(cpus: readonly number[], seconds: number): Promise<Neighbours> {
  const before = { machine: readMachineTime(cpus), processes: listProcesses(), at: performance.now() };
  await sleep(seconds * 1000);
  const elapsed = (performance.now() - before.at) / 1000;
  const after = readMachineTime(cpus);
  return {
    busyShare: Math.min(1, busyBetween(before.machine, after) / (elapsed * Math.max(1, cpus.length))),
    stealShare: stealShare(before.machine, after),
    busiest: busiestOf(before.processes, listProcesses(), elapsed),
  };
}

function busiestOf(before: readonly ProcessStat[], after: readonly ProcessStat[], elapsedSec: number) {
  const earlier = new Map(before.map((one) => [`${one.pid} ${one.startTime}`, one.cpuTicks]));
  const used = after.flatMap((one) => {
    const ticks = earlier.get(`${one.pid} ${one.startTime}`);
    return ticks === undefined || one.pid === process.pid ? [] : [{ pid: one.pid, ticks: one.cpuTicks - ticks }];
  });
  const [first] = used.sort((a, b) => b.ticks - a.ticks);
  if (first === undefined || first.ticks === 0) return undefined;
  const name = (readProc(`${first.pid}/comm`) ?? "").trim();
  return { name, pid: first.pid, cpuShare: first.ticks / clockTicksPerSec() / elapsedSec };
}
