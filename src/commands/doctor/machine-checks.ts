/** Settings of the machine -> what each means for figures. Pure. */
import { type CpuSplit, formatCpuList } from "../../measure/machine/cpus.js";
import type { Neighbours } from "../../measure/machine/neighbours.js";
import type { MachineSettings } from "../../measure/machine/settings.js";
import type { Check } from "./check.js";

/** From this share on, reports mark a row as disturbed (`src/measure/disturbance.ts`). */
const BUSY_SHARE = 0.1;
const STEAL_SHARE = 0.05;
/** The widest built-in rows open 1,024 connections, on both sides of each pair. */
const OPEN_FILES = 4096;
/** Without keep-alive each request takes a port for a minute. */
const PORTS = 20_000;
const MEMORY_MIB = 2048;

export interface MachineFacts {
  readonly settings: MachineSettings;
  readonly split: CpuSplit;
  readonly cpuModel: string;
  readonly neighbours: Neighbours;
}

export function machineChecks(facts: MachineFacts): Check[] {
  return [
    cpus(facts),
    load(facts),
    steal(facts),
    isolation(facts),
    governor(facts),
    turbo(facts),
    smt(facts),
    container(facts),
    virtualization(facts),
    memory(facts),
    openFiles(facts),
    ports(facts),
    perfEvents(facts),
    ptrace(facts),
  ];
}

function cpus({ split, cpuModel }: MachineFacts): Check {
  const { server, client, shared } = split;
  const count = new Set([...server, ...client]).size;
  return {
    id: "cpus",
    title: "CPUs",
    state: count >= 2 ? "good" : "lacking",
    found: `${count} (${cpuModel}); server on ${formatCpuList(server)}, load generator on ${formatCpuList(client)}`,
    means: shared
      ? "Server and load generator share one CPU, so throughput says little about the server."
      : "Server and load generator have CPUs of their own.",
    todo: shared ? "Take a machine with two CPUs or more; four are better." : "",
  };
}

function load({ neighbours }: MachineFacts): Check {
  const { busyShare, busiest } = neighbours;
  const busy = busyShare > BUSY_SHARE;
  const who =
    busiest === undefined
      ? ""
      : `; most by ${busiest.name} (pid ${busiest.pid}), ${percent(busiest.cpuShare)} of a CPU`;
  return {
    id: "other-load",
    title: "Other load",
    state: busy ? "lacking" : "good",
    found: `${percent(busyShare)} of the CPUs' time is in use${who}`,
    means: busy
      ? "Other processes take time from the server: pairs scatter, and benchmarks take longer or stay inconclusive."
      : "Nothing else takes the CPUs' time.",
    todo: busy ? "End other work on the machine, and run one job at a time on it." : "",
  };
}

function steal({ neighbours: { stealShare } }: MachineFacts): Check {
  const common = { id: "steal", title: "Steal time" };
  if (stealShare === undefined)
    return {
      ...common,
      state: "unknown",
      found: "not reported",
      means: "What the hypervisor takes cannot be seen.",
      todo: "",
    };
  const high = stealShare > STEAL_SHARE;
  return {
    ...common,
    state: high ? "lacking" : "good",
    found: percent(stealShare),
    means: high
      ? "The hypervisor gives this machine's time to others."
      : "The hypervisor takes no time from this machine.",
    todo: high ? "Measure at another time, or take a machine with dedicated CPUs." : "",
  };
}

/** Between isolated CPUs the kernel does not move threads: https://docs.kernel.org/admin-guide/kernel-parameters.html (isolcpus). */
function isolation({ settings: { isolated }, split }: MachineFacts): Check {
  const common = {
    id: "cpu-isolation",
    title: "CPU isolation",
    found: isolated.length === 0 ? "no CPU is isolated" : `CPUs ${formatCpuList(isolated)} are isolated`,
  };
  if (split.server.filter((cpu) => isolated.includes(cpu)).length > 1)
    return {
      ...common,
      state: "lacking",
      means: "The kernel moves no thread from one isolated CPU to another: a server with several threads uses one CPU.",
      todo: "Isolate one of these CPUs at most (isolcpus, on the kernel's command line).",
    };
  if (split.server.every((cpu) => isolated.includes(cpu)))
    return { ...common, state: "good", means: "The kernel runs nothing else on the server's CPU.", todo: "" };
  const keepOff = `keep other services off CPU ${formatCpuList(split.server)}: docs/forks-and-runners.md, "Settings that last"`;
  return {
    ...common,
    state: "lacking",
    means: "The kernel may run other processes on the server's CPUs. Pairs even this out; single figures scatter more.",
    todo: `On a machine of your own ${keepOff}. Hosted runners have no such setting.`,
  };
}

function governor({ settings: { governors } }: MachineFacts): Check {
  const common = { id: "governor", title: "Frequency governor" };
  if (governors.length === 0)
    return {
      ...common,
      state: "unknown",
      found: "not reported",
      means: "The host sets the frequency, as in most virtual machines.",
      todo: "",
    };
  const fixed = governors.every((name) => name === "performance");
  return {
    ...common,
    state: fixed ? "good" : "lacking",
    found: governors.join(", "),
    means: fixed
      ? "The CPUs keep their frequency."
      : "The CPUs change their frequency with the load, so short slices differ.",
    todo: fixed ? "" : "sudo cpupower frequency-set --governor performance",
  };
}

function turbo({ settings }: MachineFacts): Check {
  return switchedOff({ id: "turbo", title: "Turbo" }, settings.turbo, {
    unknown: "The host decides on it, as in most virtual machines.",
    on: "The frequency depends on temperature and on how many CPUs work.",
    off: "The frequency does not depend on temperature.",
    todo: "Turn it off: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo (Intel), or echo 0 > /sys/devices/system/cpu/cpufreq/boost.",
  });
}

function smt({ settings }: MachineFacts): Check {
  return switchedOff({ id: "smt", title: "Hardware threads (SMT)" }, settings.smt, {
    unknown: "Two CPUs may share one core, and slow each other down.",
    on: "Two CPUs share one core. Server and load generator get whole cores, but other work on the second thread slows them down.",
    off: "Each CPU is a core of its own.",
    todo: "Turn it off: echo off > /sys/devices/system/cpu/smt/control.",
  });
}

/** A switch that is best off. @param state undefined: the machine does not report it */
function switchedOff(
  common: Pick<Check, "id" | "title">,
  state: string | undefined,
  texts: Readonly<Record<"unknown" | "on" | "off" | "todo", string>>,
): Check {
  if (state === undefined)
    return { ...common, state: "unknown", found: "not reported", means: texts.unknown, todo: "" };
  if (state === "on") return { ...common, state: "lacking", found: state, means: texts.on, todo: texts.todo };
  return { ...common, state: "good", found: state, means: texts.off, todo: "" };
}

function container({ settings: { container: name, quotaCpus }, split }: MachineFacts): Check {
  const count = new Set([...split.server, ...split.client]).size;
  const limited = quotaCpus !== undefined && quotaCpus < count;
  const where = name === undefined ? "no container" : `a container (${name})`;
  return {
    id: "container",
    title: "Container limits",
    state: limited ? "lacking" : "good",
    found: limited ? `${where}, limited to ${quotaCpus} of ${count} CPUs' time` : `${where}, no limit of CPU time`,
    means: limited
      ? "Server and load generator share one quota: the kernel stops both when it is used up."
      : "Server and load generator may use all the time of their CPUs.",
    todo: limited ? "Start the container without --cpus, or with --cpuset-cpus instead: that gives whole CPUs." : "",
  };
}

function virtualization({ settings: { virtualization: kind } }: MachineFacts): Check {
  return {
    id: "virtualization",
    title: "Virtualization",
    state: kind === undefined ? "good" : "lacking",
    found: kind === undefined ? "none" : "a virtual machine",
    means:
      kind === undefined
        ? "No other machine shares this hardware."
        : "Other machines share this hardware. Comparing in pairs is made for that; stored results of different days differ more.",
    todo: kind === undefined ? "" : "Compare with --base. For stored results take a machine of your own.",
  };
}

function memory({ settings: { memoryMiB, memoryLimitMiB } }: MachineFacts): Check {
  const usable = Math.min(memoryMiB ?? Number.POSITIVE_INFINITY, memoryLimitMiB ?? Number.POSITIVE_INFINITY);
  const common = { id: "memory", title: "Memory" };
  if (!Number.isFinite(usable))
    return {
      ...common,
      state: "unknown",
      found: "not reported",
      means: "A machine that swaps measures its disk.",
      todo: "",
    };
  const small = usable < MEMORY_MIB;
  return {
    ...common,
    state: small ? "lacking" : "good",
    found: `${usable.toLocaleString("en-US")} MiB${memoryLimitMiB === usable ? ", the container's limit" : ""}`,
    means: small
      ? "Base, head and the load generator run at the same time and may not fit."
      : "Base, head and the load generator fit.",
    todo: small ? `Take a machine with ${MEMORY_MIB.toLocaleString("en-US")} MiB or more.` : "",
  };
}

function openFiles({ settings: { openFiles: limit } }: MachineFacts): Check {
  const common = { id: "open-files", title: "Open files" };
  if (limit === undefined)
    return { ...common, state: "unknown", found: "not reported", means: "Every connection is an open file.", todo: "" };
  const low = limit < OPEN_FILES;
  return {
    ...common,
    state: low ? "lacking" : "good",
    found: limit === Number.MAX_SAFE_INTEGER ? "no limit" : `${limit.toLocaleString("en-US")} for each process`,
    means: low
      ? "Every connection is an open file: benchmarks with many connections fail."
      : "Every connection is an open file: there are enough.",
    todo: low ? `ulimit -n ${OPEN_FILES}, or LimitNOFILE= in the runner's service.` : "",
  };
}

function ports({ settings: { ephemeralPorts } }: MachineFacts): Check {
  const common = { id: "ephemeral-ports", title: "Ephemeral ports" };
  if (ephemeralPorts === undefined)
    return {
      ...common,
      state: "unknown",
      found: "not reported",
      means: "Every new connection takes a port.",
      todo: "",
    };
  const few = ephemeralPorts < PORTS;
  return {
    ...common,
    state: few ? "lacking" : "good",
    found: ephemeralPorts.toLocaleString("en-US"),
    means: few
      ? "Every new connection takes a port for a minute: benchmarks without keep-alive run out of them."
      : "There are enough for benchmarks that open a connection for each request.",
    todo: few ? 'sudo sysctl net.ipv4.ip_local_port_range="10240 65535"' : "",
  };
}

function perfEvents({ settings: { perfEventParanoid } }: MachineFacts): Check {
  const common = { id: "perf-events", title: "Hardware counters" };
  if (perfEventParanoid === undefined)
    return {
      ...common,
      state: "unknown",
      found: "not reported",
      means: "Instructions cannot be counted by the hardware.",
      todo: "",
    };
  const closed = perfEventParanoid > 2;
  return {
    ...common,
    state: closed ? "lacking" : "good",
    found: `perf_event_paranoid is ${perfEventParanoid}`,
    means: closed
      ? "Users may not count instructions."
      : "Users may count instructions of their own processes, where the CPU has counters.",
    todo: closed ? "sudo sysctl kernel.perf_event_paranoid=2" : "",
  };
}

function ptrace({ settings: { ptraceScope } }: MachineFacts): Check {
  const common = { id: "ptrace", title: "Tracing of processes" };
  const open = ptraceScope === undefined || ptraceScope <= 1;
  return {
    ...common,
    state: open ? "good" : "lacking",
    found: ptraceScope === undefined ? "not restricted" : `ptrace_scope is ${ptraceScope}`,
    means: open
      ? "Profilers such as py-spy can inspect processes that they start."
      : "Profilers such as py-spy need root.",
    todo: open ? "" : "sudo sysctl kernel.yama.ptrace_scope=1",
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
