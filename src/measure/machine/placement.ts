/** Whether a server runs where and how it was started: one that takes more CPUs, or comes first on them, looks faster than it is. */
import { readdirSync } from "node:fs";
import { type ProcessStat, readProc } from "../../process/proc.js";
import { formatCpuList, parseCpuList } from "./cpus.js";

/** How the kernel schedules a thread. */
interface Schedule {
  readonly cpus: string;
  readonly nice: number;
  readonly schedulingClass: string;
  readonly realTimePriority: number;
}

/** By number, as in sched(7). */
const CLASSES = ["SCHED_OTHER", "SCHED_FIFO", "SCHED_RR", "SCHED_BATCH", "", "SCHED_IDLE", "SCHED_DEADLINE"];

/** Of every thread; those that end meanwhile are left out. */
function schedulesOf(processes: readonly Pick<ProcessStat, "pid">[]): Schedule[] {
  return processes.flatMap(({ pid }) => threadsOf(pid).flatMap((thread) => scheduleOf(`${pid}/task/${thread}`) ?? []));
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function scheduleOf(path: string): Schedule | undefined {
  const cpus = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readProc(`${path}/status`) ?? "")?.[1];
  const stat = readProc(`${path}/stat`);
  if (cpus === undefined || stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (index: number) => Number(fields[index]);
  const schedulingClass = CLASSES[number(38)] || `class ${number(38)}`;
  return { cpus, nice: number(16), schedulingClass, realTimePriority: number(37) };
}

/**
 * What the server changed; undefined: nothing that gives it another share of the machine. Threads may keep to some of the CPUs.
 * @param given CPUs of the server; priority and class are those of this process
 */
export function misplacement(
  processes: readonly Pick<ProcessStat, "pid">[],
  given: readonly number[],
): string | undefined {
  const own = scheduleOf("self");
  for (const { cpus, nice, schedulingClass, realTimePriority } of schedulesOf(processes)) {
    if (parseCpuList(cpus).some((cpu) => !given.includes(cpu)))
      return changed("its CPUs", cpus, formatCpuList(given), "sched_setaffinity, taskset");
    if (own === undefined) continue;
    if (schedulingClass !== own.schedulingClass)
      return changed("its scheduling class", schedulingClass, own.schedulingClass, "sched_setscheduler, chrt");
    if (nice !== own.nice || realTimePriority !== own.realTimePriority)
      return changed("its priority", `nice ${nice}`, `nice ${own.nice}`, "nice, setpriority");
  }
  return undefined;
}

function changed(what: string, is: string, was: string, by: string): string {
  return `the server changed ${what} (${is}, was started with ${was}), so its time says nothing: take the call out (${by})`;
}

/** Where the sides keep to different CPUs; undefined: to the same. */
export function otherPlaces(
  base: readonly Pick<ProcessStat, "pid">[],
  head: readonly Pick<ProcessStat, "pid">[],
): string | undefined {
  const [before, after] = [base, head].map((one) =>
    [...new Set(schedulesOf(one).map(({ cpus }) => cpus))].sort().join(" and "),
  );
  if (before === after || before === "" || after === "") return undefined;
  return `base keeps to CPUs ${before}, head to ${after}, so their times cannot be compared`;
}
