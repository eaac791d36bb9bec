/** One window of load on a running server, and what the machine did meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../process/group.js";
import type { Slice } from "../results/schema.js";
import type { Generator, Load, Measured } from "./generators/contract.js";
import { busyBetween, cpuBetween, readMachineTime, sampleCpu, stealShare } from "./machine/cpu.js";
import type { CpuSplit } from "./machine/cpus.js";
import { peakMemoryMiB } from "./machine/memory.js";

export interface Window {
  readonly state: "measured";
  readonly outcome: Measured;
  readonly slice: Slice;
  readonly peakMemoryMiB: number;
  /** Share (0 to 1) of the time of server's and client's CPUs that other processes took. */
  readonly othersShare: number;
}
export type WindowOutcome =
  | Window
  | {
      readonly state: "failed";
      readonly reason: string;
      /** The load generator's output; undefined where the server's own log tells more. */
      readonly log: string | undefined;
      /** Where the server lives and nothing else went wrong, but no request succeeded. */
      readonly unanswered?: Window;
    };

/** The end of a process is seen a moment after its connections broke. */
const EXIT_NOTICE_MS = 100;

/** `connection 12, status 500 3`, the most frequent first. */
function describeFailures(byKind: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(byKind).sort(([, a], [, b]) => b - a);
  if (kinds.length === 0) return "not one answer came";
  return kinds.map(([kind, n]) => `${n} x ${kind}`).join(", ");
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
  };
}

interface Meters {
  readonly serverCpuSec: number;
  readonly steal: number | undefined;
  /** CPU seconds of everything on these CPUs, and how many there were to have. */
  readonly busySec: number;
  readonly capacitySec: number;
}

/** Starts all meters; the function that it returns reads them, the first time that it is called. */
function startMeters(server: ServerProcess, cpus: readonly number[]): () => Meters {
  const cpuBefore = sampleCpu(server.processes());
  const machineBefore = readMachineTime(cpus);
  const startedAt = performance.now();
  let meters: Meters | undefined;
  return () => {
    if (meters !== undefined) return meters;
    const machineAfter = readMachineTime(cpus);
    const capacitySec = ((performance.now() - startedAt) / 1000) * cpus.length;
    meters = {
      serverCpuSec: cpuBetween(cpuBefore, sampleCpu(server.processes())),
      steal: stealShare(machineBefore, machineAfter),
      busySec: busyBetween(machineBefore, machineAfter),
      capacitySec,
    };
    return meters;
  };
}

/** Loads the server once. Failed: the generator did, the server ended, or no request succeeded. @throws the abort reason */
export async function measureWindow(
  server: ServerProcess,
  generator: Generator,
  load: Load,
  split: Pick<CpuSplit, "server" | "client">,
): Promise<WindowOutcome> {
  const read = startMeters(server, [...new Set([...split.server, ...split.client])]);
  const outcome = await generator.run(load, read);
  const { serverCpuSec, steal, busySec, capacitySec } = read();
  const suspect = outcome.state === "failed" || outcome.failures.total > 0 || outcome.requests === 0;
  if (server.exit === undefined && suspect) await sleep(EXIT_NOTICE_MS);
  if (server.exit !== undefined) return { state: "failed", reason: "the server ended under load", log: undefined };
  if (outcome.state === "failed") return outcome;
  const slice = toSlice(outcome, serverCpuSec, steal);
  const othersShare = Math.max(0, busySec - serverCpuSec - outcome.clientCpuSec) / capacitySec;
  const window: Window = {
    state: "measured",
    ...{ outcome, slice, othersShare, peakMemoryMiB: peakMemoryMiB(server.processes()) },
  };
  if (outcome.requests > 0) return window;
  const why = describeFailures(outcome.failures.byKind);
  return {
    state: "failed",
    reason: `no request succeeded in ${outcome.seconds.toFixed(1)} s: ${why}`,
    log: undefined,
    unanswered: window,
  };
}
