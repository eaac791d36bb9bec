/** One concurrency on a running server: warm-up until it is steady, then the slice that counts. */
import type { PlannedRow, Profile } from "../plan/types.js";
import type { ServerProcess } from "../process/group.js";
import type { Slice, Summary } from "../results/schema.js";
import { isClientBound } from "./client-bound.js";
import type { Generator, Load } from "./generators/contract.js";
import type { CpuSplit } from "./machine/cpus.js";
import { HOST } from "./server/port.js";
import { summarise } from "./summary.js";
import { isSteady, needsWaiting, STEADY_STEPS } from "./warmup.js";
import { measureWindow, type Window } from "./window.js";

export interface CaseSetup {
  readonly row: PlannedRow;
  readonly profile: Profile;
  readonly cpus: CpuSplit;
  readonly generator: Generator;
  readonly port: number;
  readonly tempDir: string;
  readonly bodyFile: string | undefined;
  readonly expectedBytes: number;
  /** Told of every load's seconds, warm-up included. */
  readonly onLoad: (seconds: number) => void;
  readonly onPhase: (phase: "warming up" | "measuring", connections: number) => void;
}

export type CaseFigures =
  | {
      readonly state: "measured";
      readonly summary: Summary;
      readonly slices: readonly Slice[];
      readonly warnings: readonly string[];
      readonly generatorCommand: readonly string[];
    }
  | {
      readonly state: "failed";
      readonly reason: string;
      readonly log: string | undefined;
      readonly generatorCommand: readonly string[];
    };

/** A hypervisor that takes more than this of the machine's time shows in every figure. */
const STEAL_WARNING = 0.05;
/** The same for other processes on the CPUs of server and client: from here on an idle server may have been kept waiting. */
export const OTHERS_WARNING = 0.1;

interface WarmUp {
  readonly state: "warm";
  readonly steady: boolean;
  readonly meanLatencyMs: number;
  /** Every step's answers could be told apart by the generator's summary. */
  readonly exact: boolean;
}
type Failed = { readonly state: "failed"; readonly reason: string; readonly log: string | undefined };

/** Steps of load until the last three agree, for a bounded time. Their requests are always waited for: none is left over. */
async function warmUp(server: ServerProcess, setup: CaseSetup, load: Load): Promise<WarmUp | Failed> {
  const { warmupStepSec, warmupMaxSec } = setup.profile;
  const step: Load = { ...load, seconds: warmupStepSec, waitOngoing: true, record: false };
  const throughputs: number[] = [];
  let exact = true;
  let spentSec = 0;
  for (;;) {
    const window = await measureWindow({ loaded: server }, setup.generator, step, setup.cpus);
    if (window.state === "failed") return { ...window, reason: `warming up: ${window.reason}` };
    const { outcome } = window;
    setup.onLoad(outcome.seconds);
    spentSec += outcome.seconds;
    throughputs.push(outcome.requests / outcome.seconds);
    exact &&= outcome.exact;
    const steady = isSteady(throughputs);
    if (steady || spentSec + warmupStepSec > warmupMaxSec) {
      // Fewer steps than the rule needs were asked for: nothing to warn of.
      const asked = steady || warmupMaxSec < STEADY_STEPS * warmupStepSec;
      return { state: "warm", steady: asked, meanLatencyMs: outcome.latencyMs?.mean ?? 0, exact };
    }
  }
}

/** argv as it is recorded: port and folder of one run would be noise in the next one's. */
export function recordedCommand(
  { generator, port, tempDir }: Pick<CaseSetup, "generator" | "port" | "tempDir">,
  load: Load,
): string[] {
  return generator
    .command(load)
    .map((part) => part.replaceAll(`${HOST}:${port}`, `${HOST}:{port}`).replaceAll(tempDir, "{temp}"));
}

function warningsOf(warm: WarmUp, { slice, othersShare }: Window, setup: CaseSetup): string[] {
  const warnings: string[] = [];
  if (!warm.steady) warnings.push(`The throughput was not steady after ${setup.profile.warmupMaxSec} s of warm-up.`);
  const steal = slice.stealShare ?? 0;
  if (steal > STEAL_WARNING)
    warnings.push(`The hypervisor gave ${(steal * 100).toFixed(0)} % of the machine's CPU time to others.`);
  if (othersShare > OTHERS_WARNING)
    warnings.push(
      `Other processes took ${(othersShare * 100).toFixed(0)} % of the CPU time of server and load generator.`,
    );
  return warnings;
}

/** Measures it. Never throws for what server or generator do. @throws the run's abort reason */
export async function measureCase(server: ServerProcess, connections: number, setup: CaseSetup): Promise<CaseFigures> {
  const { row, generator } = setup;
  let load: Load = {
    port: setup.port,
    request: row.request,
    ...(setup.bodyFile === undefined ? {} : { bodyFile: setup.bodyFile }),
    expectedBytes: setup.expectedBytes,
    http: row.http,
    connections,
    streams: row.streams,
    seconds: row.windowSec,
    timeoutSec: row.timeoutSec,
    waitOngoing: false,
    record: row.everyLatency,
    ...(row.generatorThreads === undefined ? {} : { generatorThreads: row.generatorThreads }),
  };
  setup.onPhase("warming up", connections);
  const warm = await warmUp(server, setup, load);
  if (warm.state === "failed") return { ...warm, generatorCommand: recordedCommand(setup, load) };
  load = {
    ...load,
    waitOngoing: needsWaiting(warm.meanLatencyMs, row.windowSec),
    record: row.everyLatency || !warm.exact,
  };
  const generatorCommand = recordedCommand(setup, load);
  setup.onPhase("measuring", connections);
  let window = await measureWindow({ loaded: server }, generator, load, setup.cpus);
  if (window.state === "measured") setup.onLoad(window.outcome.seconds);
  if (window.state === "measured" && !window.outcome.exact) {
    window = await measureWindow({ loaded: server }, generator, { ...load, record: true }, setup.cpus);
    if (window.state === "measured") setup.onLoad(window.outcome.seconds);
  }
  if (window.state === "failed") return { ...window, generatorCommand };
  const slices = [window.slice];
  const clientBound = isClientBound(slices, setup.cpus, row.waits || window.othersShare > OTHERS_WARNING);
  const summary = summarise(slices, { peakMemoryMiB: window.peakMemoryMiB, clientBound });
  if (summary === undefined)
    return { state: "failed", reason: "no request succeeded", log: undefined, generatorCommand };
  return { state: "measured", summary, slices, warnings: warningsOf(warm, window, setup), generatorCommand };
}
