/** One concurrency on a running server: warm-up until it is steady, then the window that counts. */
import type { PlannedRow, Profile } from "../plan/types.js";
import type { ServerProcess } from "../process/group.js";
import type { Slice, Summary } from "../results/schema.js";
import { clientCpus, isClientBound } from "./client-bound.js";
import {
  calmestWindow,
  type Disturbance,
  disturbanceOf,
  isDisturbed,
  OTHERS_LIMIT,
  STEAL_LIMIT,
} from "./disturbance.js";
import type { Generator, Load } from "./generators/contract.js";
import { closedIdle, holdIdle } from "./idle-memory.js";
import type { CpuSplit } from "./machine/cpus.js";
import { mayIdle } from "./pacing.js";
import { maximumRate, rateAt } from "./rate.js";
import { leftItsRange, recordedCommand, rowLoad, warmUpLoad } from "./row-load.js";
import type { Certificate } from "./server/certificate-files.js";
import { bytesPerRequest, type Exchange, routeAnswers } from "./server/exchange.js";
import { learnAgain } from "./server/learn.js";
import { probeOf } from "./server/start.js";
import { summarise } from "./summary.js";
import { watchThroughput } from "./throughput-spread.js";
import { isSteady, needsWaiting, STEADY_STEPS } from "./warmup.js";
import { failuresIn, measureWindow, type WindowOutcome } from "./window.js";

export interface CaseSetup {
  readonly row: PlannedRow;
  readonly profile: Profile;
  readonly cpus: CpuSplit;
  readonly generator: Generator;
  readonly port: number;
  readonly tempDir: string;
  readonly bodyFile: string | undefined;
  readonly exchange: Exchange;
  readonly certificate: Certificate | undefined;
  readonly socket: string | undefined;
  readonly startup: Summary["startup"];
  readonly signal: AbortSignal;
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
      /** Relative standard deviation of the throughput between parts of the window; undefined where it cannot be seen. */
      readonly spread: number | undefined;
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
  let step = warmUpLoad(load, warmupStepSec);
  const throughputs: number[] = [];
  let exact = true;
  let spentSec = 0;
  for (;;) {
    const window = await measureWindow({ loaded: server }, setup.generator, step, setup.cpus);
    if (leftItsRange(failuresIn(window), setup.exchange)) {
      step = warmUpLoad({ ...load, answers: routeAnswers(setup.exchange) }, warmupStepSec);
      continue;
    }
    if (window.state === "failed") return { ...window, reason: `warming up: ${window.reason}` };
    const { outcome } = window;
    setup.onLoad(outcome.seconds);
    spentSec += outcome.seconds;
    throughputs.push(outcome.requests / outcome.seconds);
    exact &&= outcome.exact && !step.record;
    const steady = isSteady(throughputs);
    if (steady || spentSec + warmupStepSec > warmupMaxSec) {
      // The profile asks for fewer steps than the rule needs: nothing to warn of.
      const asked = steady || warmupMaxSec < STEADY_STEPS * warmupStepSec;
      return { state: "warm", steady: asked, meanLatencyMs: outcome.latencyMs?.mean ?? 0, exact };
    }
  }
}

function warningsOf(warm: WarmUp, disturbance: Disturbance, tried: number, setup: CaseSetup): string[] {
  const { others, steal } = disturbance;
  const which = tried === 1 ? "" : ` in the least disturbed of ${tried} windows`;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return [
    ...(warm.steady ? [] : [`The throughput was not steady after ${setup.profile.warmupMaxSec} s of warm-up.`]),
    ...(steal > STEAL_LIMIT
      ? [`The hypervisor gave ${percent(steal)} of the CPU time of server and load generator to others${which}.`]
      : []),
    ...(others > OTHERS_LIMIT
      ? [`Other processes took ${percent(others)} of the CPU time of server and load generator${which}.`]
      : []),
  ];
}

/** One window; measured again with a recording where the generator's summary cannot count its answers. */
async function exactWindow(server: ServerProcess, load: Load, setup: CaseSetup): Promise<WindowOutcome> {
  const measure = async (of: Load) => {
    const spread = of.socket === undefined ? watchThroughput(of.seconds) : undefined;
    const window = await measureWindow({ loaded: server }, setup.generator, of, setup.cpus).finally(() =>
      spread?.end(0),
    );
    if (window.state !== "measured") return window;
    setup.onLoad(window.outcome.seconds);
    return { ...window, spread: spread?.end(window.outcome.requests) };
  };
  const window = await measure(load);
  return window.state === "measured" && !window.outcome.exact ? await measure({ ...load, record: true }) : window;
}

type Paced = { readonly state: "paced"; readonly load: Load; readonly warnings: readonly string[] } | Failed;

/** Enough for a maximum that scatters by some per cent. */
const MAXIMUM_SEC = 3;

/** The load at its share of the server's own maximum, which a window in a closed loop measures; other loads as they are. */
async function atShare(server: ServerProcess, load: Load, setup: CaseSetup): Promise<Paced> {
  const { rateShare, windowSec, waits } = setup.row;
  if (rateShare === undefined) return { state: "paced", load, warnings: [] };
  const seconds = Math.min(windowSec, MAXIMUM_SEC);
  const measured = await calmestWindow(() => exactWindow(server, { ...load, seconds }, setup));
  if ("state" in measured) return { ...measured, reason: `measuring the maximum: ${measured.reason}` };
  const { slice, othersShare, serviceCpus } = measured.window;
  const client = clientCpus(setup.row, setup.cpus, serviceCpus);
  const ratePerSec = rateAt(rateShare, maximumRate(slice, client.usable));
  const clientBound = isClientBound([slice], client, load, waits || othersShare > OTHERS_LIMIT);
  return {
    state: "paced",
    load: { ...load, ratePerSec, waitOngoing: true },
    warnings: [
      ...(clientBound
        ? ["The load generator was the limit when the maximum was measured: the server's is higher."]
        : []),
      ...(isDisturbed(disturbanceOf(measured.window))
        ? ["Other work on the machine disturbed the window that measured the maximum: the server's may be higher."]
        : []),
    ],
  };
}

/** Measures one concurrency. What goes wrong in server or generator is a failed case, never an error. @throws the run's abort reason */
export async function measureCase(server: ServerProcess, connections: number, setup: CaseSetup): Promise<CaseFigures> {
  const { row } = setup;
  const asWritten = { connections, seconds: row.windowSec, waitOngoing: false, record: row.everyLatency };
  const first = rowLoad(row, setup, asWritten);
  setup.onPhase("warming up", connections);
  const warm = await warmUp(server, setup, first);
  if (warm.state === "failed") return { ...warm, generatorCommand: recordedCommand(setup, first) };
  await learnAgain(setup.exchange, (route) => probeOf(setup, route), setup.signal);
  const asked: Load = {
    ...first,
    answers: routeAnswers(setup.exchange),
    waitOngoing: needsWaiting(warm.meanLatencyMs, row.windowSec),
    record: row.everyLatency || !warm.exact,
  };
  const paced = await atShare(server, asked, setup);
  if (paced.state === "failed") return { ...paced, generatorCommand: recordedCommand(setup, asked) };
  const { load } = paced;
  const generatorCommand = recordedCommand(setup, load);
  setup.onPhase("measuring", connections);
  const held = await holdIdle(server, setup);
  if (held.state === "failed") return { ...held, generatorCommand };
  using idle = held;
  const measured = await calmestWindow(() => exactWindow(server, load, setup));
  if ("state" in measured) return { ...measured, generatorCommand };
  const stillIdle = idle.figures();
  const { window, tried } = measured;
  const slices = [window.slice];
  const { othersShare, serviceCpus } = window;
  const disturbance = disturbanceOf(window);
  const idles = mayIdle(row) || othersShare > OTHERS_LIMIT;
  const clientBound = isClientBound(slices, clientCpus(row, setup.cpus, serviceCpus), load, idles);
  const summary = summarise(slices, {
    peakMemoryMiB: window.peakMemoryMiB,
    clientBound,
    bytesPerRequest: bytesPerRequest(setup.exchange),
    idle: stillIdle,
    startup: setup.startup,
  });
  if (summary === undefined)
    return { state: "failed", reason: "no request succeeded", log: undefined, generatorCommand };
  return {
    state: "measured",
    summary,
    slices,
    othersShare,
    spread: window.spread,
    disturbed: isDisturbed(disturbance),
    warnings: [...paced.warnings, ...warningsOf(warm, disturbance, tried, setup), ...closedIdle(row, stillIdle)],
    generatorCommand,
  };
}
