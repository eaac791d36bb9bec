/** One window of load on a running server, and the CPU time of everything that ran meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { reason } from "../messages/reasons.js";
import { describeExit, EXIT_NOTICE_MS, type ServerProcess } from "../process/group.js";
import { listProcesses, type ProcessStat } from "../process/proc.js";
import type { Failures, Slice } from "../results/schema.js";
import type { Generator, Load, Measured, SliceOutcome } from "./generators/contract.js";
import { toFailures } from "./generators/oha-output.js";
import { busyBetween, type CpuSample, cpuBetween, readMachineTime, sampleCpu, stealShare } from "./machine/cpu.js";
import type { CpuSplit } from "./machine/cpus.js";
import { peakMemoryMiB } from "./machine/memory.js";
import { RATE_LIMITED, sizeWords, TOO_MANY } from "./server/expected.js";
import { areMost, NO_ANSWER, SECONDS_MIN, unansweredConnections } from "./unanswered.js";

export interface Window {
  readonly state: "measured";
  readonly outcome: Measured;
  readonly slice: Slice;
  readonly peakMemoryMiB: number;
  /** Share (0 to 1) of the time of server's and client's CPUs that other processes took; the idle server is none of them. */
  readonly othersShare: number;
  /** CPUs in use by the server that had no load; undefined where there is none. */
  readonly idleCpus: number | undefined;
  /** CPUs in use by the row's services, where they share the load generator's; undefined where none does. */
  readonly serviceCpus: number | undefined;
  /** Relative standard deviation of the throughput between parts of the window, where it was watched. */
  readonly spread?: number | undefined;
}
export type WindowOutcome =
  | Window
  | {
      readonly state: "failed";
      readonly reason: string;
      /** The load generator's output; undefined where the server's own log explains more. */
      readonly log: string | undefined;
      /** The figures, where the server lives and only the requests failed, all of them. */
      readonly unanswered?: Window;
    };

/** Of a load whose requests may all have failed; none where the load generator did. */
export function failuresIn(window: WindowOutcome): Failures {
  const measured = window.state === "measured" ? window : window.unanswered;
  return measured?.outcome.failures ?? { total: 0, byKind: {} };
}

/** `3 x status 500, 1 x timeout`, the most frequent first; with what to do about that one. */
export function describeFailures(byKind: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(byKind).sort(([, a], [, b]) => b - a);
  const [most] = kinds[0] ?? [];
  const failures = kinds.length === 0 ? "no answer came" : kinds.map(([kind, n]) => `${n} x ${kind}`).join(", ");
  if (most === "timeout") return reason("timeouts", { failures });
  return most === "connection" ? reason("lost-connections", { failures }) : failures;
}

function toSlice(outcome: Measured, serverCpuSec: number, steal: number | undefined): Slice {
  return {
    seconds: outcome.seconds,
    requests: outcome.requests,
    failures: outcome.failures,
    ...(outcome.latencyMs === undefined ? {} : { latencyMs: outcome.latencyMs }),
    serverCpuSec,
    clientCpuSec: outcome.clientCpuSec,
    ...(steal === undefined ? {} : { stealShare: steal }),
    ...(outcome.messages === undefined ? {} : { messages: outcome.messages }),
    ...(outcome.firstByteMs === undefined ? {} : { firstByteMs: outcome.firstByteMs }),
  };
}

export interface Meters {
  readonly serverCpuSec: number;
  readonly steal: number | undefined;
  /** CPU seconds of everything on these CPUs, and all that they had. */
  readonly busySec: number;
  readonly capacitySec: number;
  /** CPU seconds of the other server, and the elapsed time of all meters. */
  readonly idleCpuSec: number;
  /** CPU seconds of the row's services on these CPUs. */
  readonly companionCpuSec?: number;
  readonly wallSec: number;
  /** Of the machine, at the end. */
  readonly processes: readonly ProcessStat[];
}

/** The server that is loaded, and the other side's, which runs beside it without load. */
export interface WindowServers {
  readonly loaded: ServerProcess;
  readonly idle?: ServerProcess;
  /** What else belongs to the row and runs on the same CPUs. */
  readonly companions?: CpuSplit["companions"];
}

type ServerSamples = Readonly<Record<"loaded" | "idle" | "companions", CpuSample>>;

function sampleServers(
  { loaded, idle, companions = [] }: WindowServers,
  all: readonly ProcessStat[] = listProcesses(),
): ServerSamples {
  return {
    loaded: sampleCpu(loaded.processes(all)),
    idle: idle ? sampleCpu(idle.processes(all)) : new Map(),
    companions: sampleCpu(companions.flatMap((one) => one.processes(all))),
  };
}

/** Starts all meters; the function that it returns reads them, the first time that it is called. */
export function startMeters(servers: WindowServers, cpus: readonly number[]): () => Meters {
  const before = sampleServers(servers);
  const machineBefore = readMachineTime(cpus);
  const startedAt = performance.now();
  let meters: Meters | undefined;
  return () => {
    if (meters !== undefined) return meters;
    const machineAfter = readMachineTime(cpus);
    const wallSec = (performance.now() - startedAt) / 1000;
    const processes = listProcesses();
    const after = sampleServers(servers, processes);
    meters = {
      serverCpuSec: cpuBetween(before.loaded, after.loaded),
      idleCpuSec: cpuBetween(before.idle, after.idle),
      companionCpuSec: cpuBetween(before.companions, after.companions),
      steal: stealShare(machineBefore, machineAfter),
      busySec: busyBetween(machineBefore, machineAfter),
      capacitySec: wallSec * cpus.length,
      wallSec,
      processes,
    };
    return meters;
  };
}

type Shared = Pick<Meters, "busySec" | "serverCpuSec" | "idleCpuSec" | "companionCpuSec" | "capacitySec">;

/** Both servers belong to the comparison: only what is neither theirs nor the load generator's was taken by others. */
export function shareOfOthers(
  { busySec, serverCpuSec, idleCpuSec, companionCpuSec = 0, capacitySec }: Shared,
  programCpuSec: number,
): number {
  return Math.max(0, busySec - serverCpuSec - idleCpuSec - companionCpuSec - programCpuSec) / capacitySec;
}

/** What a load meant for a server, beside the load generator's own figures. */
interface Taken extends Pick<Meters, "processes"> {
  readonly serverCpuSec: number;
  readonly steal: number | undefined;
  readonly othersShare: number;
  readonly idleCpus: number | undefined;
  readonly serviceCpus: number | undefined;
}

/** Loads the server once. Failed: the generator did, the server ended, or no request succeeded. @throws the abort reason */
export async function measureWindow(
  servers: WindowServers,
  generator: Generator,
  load: Load,
  split: Pick<CpuSplit, "server" | "client" | "companions">,
): Promise<WindowOutcome> {
  const { loaded: server, idle } = servers;
  const read = startMeters({ ...servers, companions: split.companions }, cpusOf(split));
  const outcome = await generator.run(load, read);
  const meters = read();
  const { serverCpuSec, steal, idleCpuSec, companionCpuSec = 0, wallSec, processes } = meters;
  return await judgeWindow(server, outcome, load, {
    processes,
    serverCpuSec,
    steal,
    othersShare: shareOfOthers(meters, programCpuOf(outcome)),
    idleCpus: idle && idleCpuSec / wallSec,
    serviceCpus: split.companions && companionCpuSec / wallSec,
  });
}

export function programCpuOf(outcome: SliceOutcome): number {
  return outcome.state === "measured" ? outcome.programCpuSec : 0;
}

export function cpusOf({ server, client }: Pick<CpuSplit, "server" | "client">): readonly number[] {
  return [...new Set([...server, ...client])];
}

function expectedSizes({ answers }: Pick<Load, "answers">): string {
  return [...new Set(answers.flatMap(({ size }) => (size ? [sizeWords(size)] : [])))].join(" or ");
}

/** A server that has just ended may be noticed a moment later, so a load without success waits for that. */
export async function judgeWindow(
  server: ServerProcess,
  outcome: SliceOutcome,
  load: Load,
  { processes, serverCpuSec, steal, othersShare, idleCpus, serviceCpus }: Taken,
): Promise<WindowOutcome> {
  const suspect = outcome.state === "failed" || outcome.failures.total > 0 || outcome.requests === 0;
  if (server.exit === undefined && suspect) await sleep(EXIT_NOTICE_MS);
  if (server.exit !== undefined)
    return { state: "failed", reason: `the server ended under load (${describeExit(server.exit)})`, log: undefined };
  if (outcome.state === "failed") return outcome;
  const limited = outcome.failures.byKind[`status ${TOO_MANY}`] ?? 0;
  if (limited > outcome.requests)
    return {
      state: "failed",
      reason: `status ${TOO_MANY} for most requests (${limited} of ${limited + outcome.requests}). ${RATE_LIMITED}`,
      log: undefined,
    };
  const isLong = outcome.seconds >= SECONDS_MIN;
  const unanswered = unansweredConnections(outcome, load);
  if (isLong && areMost(unanswered, load))
    return {
      state: "failed",
      reason: reason("most-silent", {
        count: unanswered.silent + unanswered.timedOut,
        connections: load.connections,
        seconds: Math.min(outcome.seconds, load.seconds).toFixed(1),
      }),
      log: undefined,
    };
  const failures = toFailures([
    ...Object.entries(outcome.failures.byKind),
    [NO_ANSWER, isLong ? unanswered.silent : 0],
  ]);
  const counted = { ...outcome, failures };
  const window: Window = {
    state: "measured",
    outcome: counted,
    slice: toSlice(counted, serverCpuSec, steal),
    othersShare,
    idleCpus,
    serviceCpus,
    peakMemoryMiB: peakMemoryMiB(server.processes(processes)),
  };
  if (outcome.requests > 0) return window;
  const sizes = outcome.wrongSizes === undefined ? "" : ` (expected ${expectedSizes(load)}; got ${outcome.wrongSizes})`;
  const why = `${describeFailures(outcome.failures.byKind)}${sizes}`;
  return {
    state: "failed",
    reason: `no request succeeded in ${outcome.seconds.toFixed(1)} s: ${why}`,
    log: undefined,
    unanswered: window,
  };
}
