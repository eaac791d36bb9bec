/** Settings of the machine that decide how much its figures scatter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCgroupLimits } from "./cgroup.js";
import { parseCpuList } from "./cpus.js";
import { type PortRange, readEphemeralPorts } from "./ephemeral-ports.js";

/** Undefined: the kernel does not report it. */
export interface MachineSettings {
  /** CPUs that the scheduler keeps free of other processes. */
  readonly isolated: readonly number[];
  readonly governors: readonly string[];
  readonly turbo: "on" | "off" | undefined;
  readonly smt: "on" | "off" | undefined;
  readonly quotaCpus: number | undefined;
  readonly memoryLimitMiB: number | undefined;
  /** `docker`, `kubernetes`, `lxc`; undefined outside of a container. */
  readonly container: string | undefined;
  readonly virtualization: "hypervisor" | undefined;
  readonly openFiles: number | undefined;
  readonly ephemeralPorts: number | undefined;
  readonly perfEventParanoid: number | undefined;
  readonly ptraceScope: number | undefined;
  readonly memoryMiB: number | undefined;
}

/** @param root of the file system; tests give their own */
export function readSettings(cpus: readonly number[], root = "/"): MachineSettings {
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(join(root, path), "utf8").trim();
    } catch {
      return undefined;
    }
  };
  const limits = readCgroupLimits(root);
  const each = (file: string) => cpus.flatMap((cpu) => read(`sys/devices/system/cpu/cpu${cpu}/${file}`) || []);
  return {
    isolated: parseCpuList(read("sys/devices/system/cpu/isolated") ?? "").filter((cpu) => cpus.includes(cpu)),
    governors: [...new Set(each("cpufreq/scaling_governor"))].sort(),
    turbo: turboOf(read),
    smt: smtOf(read("sys/devices/system/cpu/smt/active")),
    quotaCpus: limits.cpus,
    memoryLimitMiB: limits.memoryBytes === undefined ? undefined : Math.round(limits.memoryBytes / 1024 / 1024),
    container: containerOf(read),
    virtualization: /^flags\s*:.*\bhypervisor\b/m.test(read("proc/cpuinfo") ?? "") ? "hypervisor" : undefined,
    openFiles: openFilesOf(read("proc/self/limits")),
    ephemeralPorts: portsIn(readEphemeralPorts(root)),
    perfEventParanoid: numberOf(read("proc/sys/kernel/perf_event_paranoid")),
    ptraceScope: numberOf(read("proc/sys/kernel/yama/ptrace_scope")),
    memoryMiB: memoryOf(read("proc/meminfo")),
  };
}

type Reader = (path: string) => string | undefined;

/** Intel's driver has a switch that turns it off, the others one that turns it on. */
function turboOf(read: Reader): "on" | "off" | undefined {
  const none = read("sys/devices/system/cpu/intel_pstate/no_turbo");
  if (none !== undefined) return none === "1" ? "off" : "on";
  const boost = read("sys/devices/system/cpu/cpufreq/boost");
  return boost === undefined ? undefined : boost === "1" ? "on" : "off";
}

function smtOf(active: string | undefined): "on" | "off" | undefined {
  return active === undefined ? undefined : active === "1" ? "on" : "off";
}

function containerOf(read: Reader): string | undefined {
  if (read(".dockerenv") !== undefined) return "docker";
  if (read("run/.containerenv") !== undefined) return "podman";
  const groups = read("proc/1/cgroup") ?? "";
  return /kubepods/.test(groups) ? "kubernetes" : /(docker|lxc|containerd)/.exec(groups)?.[1];
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return Number.isNaN(value) ? undefined : value;
}

/** Files that one process may open. */
export function openFilesLimit(): number {
  return openFilesOf(readFileSync("/proc/self/limits", "utf8")) ?? Number.MAX_SAFE_INTEGER;
}

/** The soft limit: it counts for what a process starts. */
function openFilesOf(limits: string | undefined): number | undefined {
  const soft = /^Max open files\s+(\S+)/m.exec(limits ?? "")?.[1];
  return soft === "unlimited" ? Number.MAX_SAFE_INTEGER : numberOf(soft);
}

function portsIn(range: PortRange | undefined): number | undefined {
  return range && range.last - range.first + 1;
}

function memoryOf(meminfo: string | undefined): number | undefined {
  const kib = numberOf(/^MemTotal:\s+(\d+)/m.exec(meminfo ?? "")?.[1]);
  return kib === undefined ? undefined : Math.round(kib / 1024);
}
