/** One concurrency on a running server: warm-up until it is steady, then the window that counts. */
import type { PlannedRow, Profile } from "../plan/types.js";
import type { ServerProcess } from "../process/group.js";
import type { Slice, Summary } from "../results/schema.js";
import { isClientBound } from "./client-bound.js";
import {
  calmestWindow,
  type Disturbance,
  disturbanceOf,
  isDisturbed,
  OTHERS_LIMIT,
  STEAL_LIMIT,
} from "./disturbance.js";
import type { Generator, Load } from "./generators/contract.js";
import type { CpuSplit } from "./machine/cpus.js";
import { HOST } from "./server/port.js";
import { summarise } from "./summary.js";
import { isSteady, needsWaiting, STEADY_STEPS } from "./warmup.js";
import { measureWindow, type WindowOutcome } from "./window.js";

export interface CaseSetup {
  readonly row: PlannedRow;
  readonly profile: Profile;
  readonly cpus: CpuSplit;
  readonly generator: Generator;
  readonly port: number;
  readonly tempDir: string;
  readonly bodyFile: string | undefined;
  readonly expectedBytes: number;
  /** Gets the seconds of every load, warm-up included. */
  readonly onLoad: (seconds: number) => void;
  readonly onPhase: (phase: "warming up" | "measuring", connections: number) => void;
}

export type CaseFigures =
  | {
      readonly state: "measured";
      readonly summary: Summary;
      readonly slices: readonly Slice[];
      readonly warnings: readonly string[];
      readonly othersShare: number;
      readonly disturbed: boolean;
      readonly generatorCommand: readonly string[];
    }
  | {
      readonly state: "failed";
      readonly reason: string;
      readonly log: string | undefined;
      readonly generatorCommand: readonly string[];
    };

interface WarmUp {
  readonly state: "warm";
  readonly steady: boolean;
  readonly meanLatencyMs: number;
  /** The generator's summary was enough to count right and wrong answers in every step. */
  readonly exact: boolean;
}
type Failed = { readonly state: "failed"; readonly reason: string; readonly log: string | undefined };

/** Steps of load until the last three agree, for a bounded time. Each step waits for its last requests, so that none runs on into the next one. */
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
      // The profile asks for fewer steps than the rule needs: nothing to warn of.
      const asked = steady || warmupMaxSec < STEADY_STEPS * warmupStepSec;
      return { state: "warm", steady: asked, meanLatencyMs: outcome.latencyMs?.mean ?? 0, exact };
    }
  }
}

/** argv for the results file, without the port and folder of this run: two runs then record the same command. */
export function recordedCommand(
  { generator, port, tempDir }: Pick<CaseSetup, "generator" | "port" | "tempDir">,
  load: Load,
): string[] {
  return generator
    .command(load)
    .map((part) => part.replaceAll(`${HOST}:${port}`, `${HOST}:{port}`).replaceAll(tempDir, "{temp}"));
}

function warningsOf(warm: WarmUp, disturbance: Disturbance, tried: number, setup: CaseSetup): string[] {
  const { others, steal } = disturbance;
  const which = tried === 1 ? "" : ` in the least disturbed of ${tried} windows`;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return [
    ...(warm.steady ? [] : [`The throughput was not steady after ${setup.profile.warmupMaxSec} s of warm-up.`]),
    ...(steal > STEAL_LIMIT
      ? [`The hypervisor gave ${percent(steal)} of the machine's CPU time to others${which}.`]
      : []),
    ...(others > OTHERS_LIMIT
      ? [`Other processes took ${percent(others)} of the CPU time of server and load generator${which}.`]
      : []),
  ];
}

/** One window; measured again with a recording where the generator's summary cannot count its answers. */
async function exactWindow(server: ServerProcess, load: Load, setup: CaseSetup): Promise<WindowOutcome> {
  const measure = async (of: Load) => {
    const window = await measureWindow({ loaded: server }, setup.generator, of, setup.cpus);
    if (window.state === "measured") setup.onLoad(window.outcome.seconds);
    return window;
  };
  const window = await measure(load);
  return window.state === "measured" && !window.outcome.exact ? await measure({ ...load, record: true }) : window;
}

/** Measures one concurrency. What goes wrong in server or generator is a failed case, never an error. @throws the run's abort reason */
export async function measureCase(server: ServerProcess, connections: number, setup: CaseSetup): Promise<CaseFigures> {
  const { row } = setup;
  const first: Load = {
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
  const warm = await warmUp(server, setup, first);
  if (warm.state === "failed") return { ...warm, generatorCommand: recordedCommand(setup, first) };
  const load: Load = {
    ...first,
    waitOngoing: needsWaiting(warm.meanLatencyMs, row.windowSec),
    record: row.everyLatency || !warm.exact,
  };
  const generatorCommand = recordedCommand(setup, load);
  setup.onPhase("measuring", connections);
  const measured = await calmestWindow(() => exactWindow(server, load, setup));
  if ("state" in measured) return { ...measured, generatorCommand };
  const { window, tried } = measured;
  const slices = [window.slice];
  const { othersShare } = window;
  const disturbance = disturbanceOf(window);
  const clientBound = isClientBound(slices, setup.cpus, row.waits || othersShare > OTHERS_LIMIT);
  const summary = summarise(slices, { peakMemoryMiB: window.peakMemoryMiB, clientBound });
  if (summary === undefined)
    return { state: "failed", reason: "no request succeeded", log: undefined, generatorCommand };
  return {
    state: "measured",
    summary,
    slices,
    othersShare,
    disturbed: isDisturbed(disturbance),
    warnings: warningsOf(warm, disturbance, tried, setup),
    generatorCommand,
  };
}
