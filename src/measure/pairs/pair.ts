/** One pair: base and head started afresh together on the same CPUs, warmed up, and loaded in turn. */
import type { PlannedRow, Side } from "../../plan/types.js";
import type { ServerProcess } from "../../process/group.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { PairSlice } from "../../results/comparison.js";
import type { Slice } from "../../results/schema.js";
import { recordedCommand } from "../case.js";
import type { Generator, Load } from "../generators/contract.js";
import { type MeasureContext, makeGenerator } from "../row.js";
import { type Exchange, makeExchange, type Started, startReady, writeBody } from "../server/start.js";
import { needsWaiting } from "../warmup.js";
import { measureWindow, type Window } from "../window.js";
import { chanceEnvironment, type PairChance } from "./chance.js";
import { openFigures, openLoad, openRate } from "./open-slice.js";
import { type Failure, type PairExecutor, type PairRun, runPair, SLICE_SEC, WARM_UP_SEC } from "./schedule.js";
import { measureTurns, type Turns } from "./turns.js";

interface PairSide {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}
export type PairSides = Readonly<Record<Side, PairSide>>;
export type PairContext = Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
  readonly connections: number;
  /** Compare latency too, at this rate; without one, at a share of base's throughput in this pair. */
  readonly latency?: { readonly ratePerSec: number | undefined };
  onPhase(phase: string): void;
  /** Seconds of every load, warm-up included. */
  onLoad(seconds: number): void;
};

/** A slice, as the decision reads it (`paired`) and as a case shows it. */
export interface MeasuredSlice {
  readonly paired: PairSlice;
  readonly slice: Slice;
  readonly peakMemoryMiB: number;
  readonly generatorCommand: readonly string[];
}

/** Where a request takes long, a slice is as long as this many of them, up to a limit. */
const REQUESTS_PER_SLICE = 8;
const SLICE_MAX_SEC = 10;

/** Of a turn, where requests are fast. Shorter ones cost more waiting for the last answers than they gain. */
const TURN_SEC = 0.03;
/** A turn is at least as long as this many requests. */
const REQUESTS_PER_TURN = 4;
/** Longer turns would no longer follow a machine whose speed changes. */
const TURN_MAX_SEC = 0.16;
/** Of each side in one slice. */
const SLICE_IN_TURNS_SEC = 0.2;
const TURNS_MIN = 3;

/**
 * Measures one pair. Whatever goes wrong in a server is a failure of its side.
 * @throws the signal's reason when the run is aborted; both servers are gone by then
 */
export async function measurePair(
  sides: PairSides,
  chance: PairChance,
  context: PairContext,
): Promise<PairRun<MeasuredSlice>> {
  await using meter = new PairMeter(sides, chance, context);
  return await runPair(chance.first, meter);
}

interface Running {
  readonly server: ServerProcess;
  readonly port: number;
  readonly generator: Generator;
  readonly exchange: Exchange;
  readonly bodyFile: string | undefined;
}

class PairMeter implements PairExecutor<MeasuredSlice>, AsyncDisposable {
  readonly #sides: PairSides;
  readonly #chance: PairChance;
  readonly #context: PairContext;
  readonly #running = new Map<Side, Running>();
  /** What slow requests ask of a slice; the same for both sides: the slower one decides. */
  #slowSec = 0;
  #waitOngoing = false;
  #record = false;
  /** Mean of the slower side. */
  #latencySec = 0;
  readonly #closed: MeasuredSlice[] = [];
  readonly openSlice: PairExecutor<MeasuredSlice>["openSlice"];

  constructor(sides: PairSides, chance: PairChance, context: PairContext) {
    this.#sides = sides;
    this.#chance = chance;
    this.#context = context;
    if (context.latency) this.openSlice = (side) => this.#openSlice(side);
  }

  async start(order: readonly [Side, Side]) {
    this.#context.onPhase("starting");
    const starts: Promise<Failure | undefined>[] = [];
    for (const side of order) {
      await new Promise<void>((resolve) => {
        const start = this.#startSide(side, resolve);
        start.then(
          () => resolve(),
          () => resolve(),
        );
        starts.push(start);
      });
    }
    const started = await Promise.allSettled(starts);
    for (const one of started) if (one.status === "rejected") throw one.reason;
    const failed = started.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []));
    // Where both fail, base's failure is reported, whichever was started first.
    return failed.find(({ side }) => side === "base") ?? failed[0] ?? ({ state: "done", value: undefined } as const);
  }

  /** @param onSpawned called once the process exists; the other side's process is made after that */
  async #startSide(side: Side, onSpawned: () => void): Promise<Failure | undefined> {
    const { row, ready } = this.#sides[side];
    const { run, filesDir } = this.#context;
    const context = { ...this.#context, onSpawned, extraEnv: chanceEnvironment(this.#chance, side) };
    let exchange: Exchange;
    try {
      exchange = await makeExchange(row, filesDir);
    } catch (error) {
      return failure(side, error instanceof Error ? error.message : String(error), "");
    }
    let started = await startReady(row, ready, exchange, context);
    if (started.state === "failed" && started.portTaken) started = await startReady(row, ready, exchange, context);
    if (started.state === "failed") return failure(side, started.reason, started.log);
    // From here on this object owns the server and stops it, whatever fails below.
    const { server, port }: Started = started;
    const generator = makeGenerator(row, ready, this.#context);
    this.#running.set(side, { server, port, generator, exchange, bodyFile: undefined });
    this.#running.set(side, {
      ...{ server, port, generator, exchange },
      bodyFile: await writeBody(row, exchange, run.tempDir),
    });
    return undefined;
  }

  async warmUp(side: Side) {
    this.#context.onPhase(`${side}: warming up`);
    const load = { ...this.#load(side), seconds: WARM_UP_SEC, waitOngoing: true, record: false };
    const window = await this.#window(side, load);
    if (window.state === "failed") return failure(side, `warming up: ${window.reason}`, window.log);
    const { outcome } = window;
    const latencyMs = outcome.latencyMs?.mean ?? 0;
    // In whole milliseconds: oha accepts at most nine decimals.
    const wanted = Math.ceil(REQUESTS_PER_SLICE * latencyMs) / 1000;
    this.#slowSec = Math.min(SLICE_MAX_SEC, Math.max(this.#slowSec, wanted));
    this.#waitOngoing ||= needsWaiting(latencyMs, Math.max(SLICE_SEC, this.#slowSec));
    this.#record ||= !outcome.exact;
    this.#latencySec = Math.max(this.#latencySec, latencyMs / 1000);
    return { state: "done", value: undefined } as const;
  }

  async slice(side: Side, least: number) {
    this.#context.onPhase(`${side}: measuring`);
    const load = { ...this.#load(side), seconds: Math.max(least, this.#slowSec) };
    const window = await this.#window(side, load);
    if (window.state === "failed") return failure(side, window.reason, window.log);
    const value = this.#measured(side, load, window);
    this.#closed.push(value);
    return { state: "done", value } as const;
  }

  takesTurns(): boolean {
    const canPause = [...this.#running.values()].every(({ generator }) => generator.canPause);
    return canPause && REQUESTS_PER_TURN * this.#latencySec <= TURN_MAX_SEC;
  }

  async block(order: readonly [Side, Side]) {
    this.#context.onPhase("base and head: measuring in turns");
    const load = (side: Side) => ({ ...this.#of(side), load: this.#load(side) });
    const loads = { base: load("base"), head: load("head") };
    const seconds = Math.max(TURN_SEC, REQUESTS_PER_TURN * this.#latencySec);
    const count = Math.max(TURNS_MIN, Math.round(SLICE_IN_TURNS_SEC / seconds));
    // In a closed loop the requests under way are answered after one mean latency (Little's law).
    const turns: Turns = { order, count, seconds, drainSec: this.#latencySec };
    const windows = await measureTurns(loads, turns, this.#context.cpus, this.#context.run.signal);
    const slices: MeasuredSlice[] = [];
    for (const side of ["base", "head"] as const) {
      const window = windows[side];
      if (window.state === "failed") return failure(side, window.reason, window.log ?? this.#of(side).server.logTail());
      this.#context.onLoad(window.outcome.seconds);
      const measured = this.#measured(side, loads[side].load, window);
      slices.push({ ...measured, paired: { ...measured.paired, turns: count } });
    }
    this.#closed.push(...slices);
    return { state: "done", value: slices } as const;
  }

  /** A server that lives but answers nothing at this rate has no latency; its closed-loop slices still count. */
  async #openSlice(side: Side) {
    this.#context.onPhase(`${side}: measuring latency`);
    const { latency, cpus } = this.#context;
    const ratePerSec = latency?.ratePerSec ?? openRate(this.#closed, cpus.client.length);
    if (ratePerSec === undefined) throw new Error("a rate needs slices of base");
    const load = openLoad(this.#load(side), ratePerSec);
    const asked = await this.#window(side, load);
    if (asked.state === "measured") return this.#opened(side, load, asked);
    if (asked.unanswered) return this.#opened(side, load, asked.unanswered);
    return failure(side, asked.reason, asked.log);
  }

  #opened(side: Side, load: ReturnType<typeof openLoad>, window: Window) {
    const value = this.#measured(side, load, window);
    const open = openFigures(load, window.outcome, this.#context.cpus.client.length);
    return { state: "done", value: { ...value, paired: { ...value.paired, open } } } as const;
  }

  #measured(side: Side, load: Load, { slice, othersShare, idleCpus, peakMemoryMiB }: Window): MeasuredSlice {
    const { seconds, requests, serverCpuSec, stealShare } = slice;
    const { generator, port } = this.#of(side);
    const { tempDir } = this.#context.run;
    return {
      paired: {
        ...{ side, seconds, requests, serverCpuSec },
        ...(stealShare === undefined ? {} : { stealShare }),
        othersShare: Math.min(1, othersShare),
        ...(idleCpus === undefined ? {} : { idleCpuSec: idleCpus * seconds }),
      },
      slice,
      peakMemoryMiB,
      generatorCommand: recordedCommand({ generator, port, tempDir }, load),
    };
  }

  async #window(side: Side, load: Load) {
    const { server, generator } = this.#of(side);
    const idle = this.#of(side === "base" ? "head" : "base").server;
    const window = await measureWindow({ loaded: server, idle }, generator, load, this.#context.cpus);
    if (window.state === "measured") {
      this.#context.onLoad(window.outcome.seconds);
      return window;
    }
    return { ...window, log: window.log ?? server.logTail() };
  }

  #load(side: Side): Load {
    const { row } = this.#sides[side];
    const { port, exchange, bodyFile } = this.#of(side);
    return {
      port,
      request: row.request,
      ...(bodyFile === undefined ? {} : { bodyFile }),
      expectedBytes: exchange.expected.body.length,
      http: row.http,
      connections: this.#context.connections,
      streams: row.streams,
      seconds: Math.max(SLICE_SEC, this.#slowSec),
      timeoutSec: row.timeoutSec,
      waitOngoing: this.#waitOngoing,
      record: this.#record,
      ...(row.generatorThreads === undefined ? {} : { generatorThreads: row.generatorThreads }),
    };
  }

  #of(side: Side): Running {
    const running = this.#running.get(side);
    if (!running) throw new Error(`the ${side} server was not started`);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ server }) => server[Symbol.asyncDispose]()));
  }
}

function failure(side: Side, reason: string, log: string) {
  return { state: "failed", side, reason, log } as const;
}
