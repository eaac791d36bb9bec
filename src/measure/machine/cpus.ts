/** Splits the CPUs between server and load generator, so that neither takes the other's time. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../../errors.js";
import type { ServerProcess } from "../../process/group.js";
import { readCgroupLimits } from "./cgroup.js";

/** The allowed CPUs, grouped by physical core: SMT siblings share one. */
export interface Topology {
  readonly cores: readonly (readonly number[])[];
  /** CPUs' worth of time that a container may use, where it is limited. */
  readonly quotaCpus?: number;
}

/** A program whose processes are known. */
type Companion = Pick<ServerProcess, "processes">;

export interface CpuSplit {
  readonly server: readonly number[];
  readonly client: readonly number[];
  /** For services beside the server; undefined: they share the load generator's. */
  readonly services?: readonly number[];
  /** Programs of the row that run on these CPUs too: their work is no disturbance. */
  readonly companions?: readonly Companion[];
  /** Both on the same CPU: there is only one. */
  readonly shared: boolean;
  /** Sentences for the report. */
  readonly warnings: readonly string[];
}

/** Parses a kernel CPU list such as `0-3,8`. @throws Error where it is none */
export function parseCpuList(text: string): number[] {
  const cpus = text
    .trim()
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const match = /^(\d+)(?:-(\d+))?$/.exec(part);
      if (match === null) throw new Error(`not a CPU list: ${JSON.stringify(text)}`);
      const first = Number(match[1]);
      const last = Number(match[2] ?? first);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  return [...new Set(cpus)].sort((a, b) => a - b);
}

/** Formats CPUs as taskset takes them: `0-3,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const cpu of [...new Set(cpus)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === cpu - 1) last[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/**
 * Half of the cores for each. An odd one goes to the load generator: a client that is too slow would measure itself.
 * Siblings stay together, unless there is one core only.
 */
export function splitCpus(topology: Topology): CpuSplit {
  const cores = topology.cores.filter((core) => core.length > 0);
  const all = cores.flat();
  const warnings: string[] = [];
  const [first, second] = all;
  if (first === undefined) throw new SetupError("no CPU found that this process may run on");
  if (topology.quotaCpus !== undefined && topology.quotaCpus < all.length)
    warnings.push(
      `This container may use ${topology.quotaCpus} of ${all.length} CPUs' time: server and load generator slow each other down.`,
    );
  if (second === undefined) {
    warnings.push(
      "There is only one CPU: server and load generator share it, and throughput says little about the server.",
    );
    return { server: [first], client: [first], shared: true, warnings };
  }
  if (cores.length === 1) {
    warnings.push(
      "There is only one core: server and load generator run on its hardware threads and slow each other down.",
    );
    const half = Math.floor(all.length / 2);
    return { server: all.slice(0, half), client: all.slice(half), shared: false, warnings };
  }
  const half = Math.floor(cores.length / 2);
  return { server: cores.slice(0, half).flat(), client: cores.slice(half).flat(), shared: false, warnings };
}

/** A core for services where there are three or more; else they share the load generator's. */
export function splitWithServices(topology: Topology): CpuSplit {
  const cores = topology.cores.filter((core) => core.length > 0);
  const services = cores.at(-1);
  if (services !== undefined && cores.length >= 3)
    return { ...splitCpus({ ...topology, cores: cores.slice(0, -1) }), services };
  const split = splitCpus(topology);
  const shared = "There is no CPU for the services of apps: they share the load generator's and slow it down.";
  return { ...split, warnings: [...split.warnings, shared] };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Reads what this process may run on. A kernel that hides its topology gets one core per CPU.
 * @param root of the file system; tests give their own
 */
export function readTopology(root = "/"): Topology {
  const allowedText = /^Cpus_allowed_list:\s*(.+)$/m.exec(read(join(root, "proc/self/status")) ?? "")?.[1];
  if (allowedText === undefined)
    throw new SetupError("cannot read the allowed CPUs from /proc/self/status: measuring needs Linux");
  const cores = new Map<string, number[]>();
  for (const cpu of onlineOf(parseCpuList(allowedText), root)) {
    const file = join(root, `sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`);
    const siblings = read(file)?.trim() ?? `${cpu}`;
    cores.set(siblings, [...(cores.get(siblings) ?? []), cpu]);
  }
  const { cpus: quotaCpus } = readCgroupLimits(root);
  return { cores: [...cores.values()], ...(quotaCpus === undefined ? {} : { quotaCpus }) };
}

/**
 * The list of allowed CPUs also has those that are offline or not yet plugged in. In some containers the list of those that are
 * online numbers the container's CPUs from 0, so a CPU with a topology counts too: one that is offline has none.
 */
function onlineOf(allowed: readonly number[], root: string): readonly number[] {
  const text = read(join(root, "sys/devices/system/cpu/online"))?.trim() ?? "";
  if (!/^[\d,-]+$/.test(text)) return allowed;
  const online = new Set(parseCpuList(text));
  const usable = allowed.filter(
    (cpu) => online.has(cpu) || existsSync(join(root, `sys/devices/system/cpu/cpu${cpu}/topology`)),
  );
  return usable.length === 0 ? allowed : usable;
}

/** Frequency governors of the given CPUs, `performance` or `performance, powersave`; undefined in most machines. */
export function readGovernor(cpus: readonly number[]): string | undefined {
  const found = new Set<string>();
  for (const cpu of cpus) {
    const governor = read(`/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_governor`)?.trim();
    if (governor) found.add(governor);
  }
  return found.size === 0 ? undefined : [...found].sort().join(", ");
}
