/** One pair: base and head, started afresh on the same CPUs, are warmed up and loaded, alone and at the same time. */
import { allEnded } from "../../all-ended.js";
import { needsAlone, needsLevel } from "../../compare/shared-time.js";
import type { Side } from "../../plan/types.js";
import { describeExit } from "../../process/group.js";
import type { ExpectedAnswer } from "../../results/answers.js";
import type { Pair, PairSlice } from "../../results/comparison.js";
import type { LatencyMs, Slice, Summary } from "../../results/schema.js";
import { clientCpus } from "../client-bound.js";
import type { Load } from "../generators/contract.js";
import { pairClosedIdle } from "../idle-memory.js";
import { misplacement, otherPlaces } from "../machine/placement.js";
import { leftItsRange, recordedCommand, rowLoad, warmUpLoad } from "../row-load.js";
import { isSilentAfterLoad, wrongAfterLoad } from "../server/after-load.js";
import { bytesPerRequest, expectedAnswers } from "../server/exchange.js";
import { learnAgain } from "../server/learn.js";
import { probeOf } from "../server/start.js";
import { areMost, SECONDS_MIN, unansweredConnections } from "../unanswered.js";
import { needsWaiting } from "../warmup.js";
import { failuresIn, measureWindow, type Window, type WindowOutcome } from "../window.js";
import type { PairChance } from "./chance.js";
import { openFigures, openLoad, openRate } from "./open-slice.js";
import { PairServers, type PairSides, type ServersContext } from "./pair-servers.js";
import { failure, type PairExecutor, type PairRun, runPair, SLICE_SEC } from "./schedule.js";
import { measureTogether } from "./together.js";

export type PairContext = ServersContext & {
  readonly connections: number;
  /** Those of the row so far; default: none. */
  readonly earlierPairs?: readonly Pair[];
  /** Compare latency too, at this rate; without one, at a share of base's throughput in this pair. */
  readonly latency?: { readonly ratePerSec: number | undefined; readonly share?: number | undefined };
  onPhase(phase: string): void;
  /** Seconds of every load, warm-up included. */
  onLoad(seconds: number): void;
};

/** A slice, as the decision reads it (`paired`) and as a case shows it. */
export interface MeasuredSlice {
  readonly paired: PairSlice;
  readonly slice: Slice;
  readonly peakMemoryMiB: number;
  /** CPUs in use by the row's services, where they share the load generator's. */
  readonly serviceCpus?: number | undefined;
  readonly generatorCommand: readonly string[];
  /** What is expected of the answers. */
  readonly answers?: readonly ExpectedAnswer[];
  readonly bytesPerRequest?: number | undefined;
  /** Of a side's first slice, in a row with idle connections. */
  readonly idle?: Summary["idle"];
}

/** Where a request takes long, a slice is as long as this many of them, up to a limit. */
const REQUESTS_PER_SLICE = 8;
const SLICE_MAX_SEC = 10;

/** Of a slice at the row's own rate: with fewer, CPU per request says little. */
const REQUESTS_AT_RATE = 100;

/** With handshakes, at the least: they are part of a slice's CPU time. */
const TLS_SLICE_SEC = 0.5;
/** While both sides are loaded, a request takes twice as long as alone, and sometimes longer. None must be late for its timeout. */
const TOGETHER_LATENCIES = 4;

export type MeasurePair = (
  sides: PairSides,
  chance: PairChance,
  context: PairContext,
) => Promise<PairRun<MeasuredSlice> & Pick<Pair, "sameAddresses">>;

/** Pairs one after the other. The servers of a pair end while those of the next one start. Disposing waits for the last ones. */
export class PairSeries implements AsyncDisposable {
  #ending: Promise<unknown> = Promise.resolve();
  readonly #unmovable = new Set<string>();
  readonly #known = new Map<string, unknown>();

  /**
   * Measures one pair. Whatever goes wrong in a server is a failure of its side.
   * @throws the signal's reason when the run is aborted
   */
  readonly measure: MeasurePair = async (sides, chance, context) => {
    const servers = new PairServers(sides, chance, context, { ending: this.#ending, unmovable: this.#unmovable });
    try {
      const run = await runPair(chance.first, new PairMeter(sides, context, servers, this.#same));
      return { ...run, ...(servers.sameAddresses && { sameAddresses: true }) };
    } finally {
      this.#ending = allEnded([this.#ending, servers.end()]);
      // The next pair, or whoever disposes of the series, gets the error.
      this.#ending.catch(() => {});
    }
  };

  readonly #same = <T>(value: T): T => {
    const key = JSON.stringify(value);
    const known = this.#known.get(key) ?? value;
    this.#known.set(key, known);
    // Equal as JSON, which is all that commands and answers are.
    return known as T;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ending;
  }
}

class PairMeter implements PairExecutor<MeasuredSlice> {
  readonly #sides: PairSides;
  readonly #context: PairContext;
  readonly #servers: PairServers;
  /** What slow requests ask of a slice; the same for both sides: the slower one decides. */
  #slowSec = 0;
  #waitOngoing = false;
  #record = false;
  /** Of a typical request of the slower side. */
  #latencySec = 0;
  readonly #closed: MeasuredSlice[] = [];
  /** Sides that answered nothing in a slice. */
  readonly #silent = new Set<Side>();
  /** Sides whose start and idle connections are in a slice already. */
  readonly #shown = new Set<Side>();
  readonly #same: <T>(value: T) => T;

  /** @param same the object that earlier slices hold, where it is equal to this one: a long run has thousands of slices */
  constructor(sides: PairSides, context: PairContext, servers: PairServers, same: <T>(value: T) => T) {
    this.#sides = sides;
    this.#context = context;
    this.#servers = servers;
    this.#same = same;
  }

  async start(order: readonly [Side, Side]) {
    this.#context.onPhase("starting");
    const started = await this.#servers.start(order);
    if (started.state === "failed") return started;
    return this.#misplaced("base") ?? this.#misplaced("head") ?? started;
  }

  async warmUp(side: Side, seconds: number) {
    this.#context.onPhase(`${side}: warming up`);
    const load = () => warmUpLoad(this.#load(side), seconds);
    let window = await this.#window(side, load());
    if (leftItsRange(failuresIn(window), this.#servers.of(side).exchange)) window = await this.#window(side, load());
    if (window.state === "failed") return failure(side, `warming up: ${window.reason}`, window.log);
    const { signal } = this.#context.run;
    const running = this.#servers.of(side);
    await learnAgain(running.exchange, (route) => probeOf({ row: this.#sides[side].row, ...running }, route), signal);
    const { outcome } = window;
    const latencyMs = typicalMs(outcome.latencyMs);
    // In whole milliseconds: oha accepts at most nine decimals. A round has all of its messages, however long each one waits for the others.
    const wanted = this.#hasRounds(side) ? 0 : Math.ceil(REQUESTS_PER_SLICE * latencyMs) / 1000;
    const { ratePerSec } = this.#sides[side].row;
    const atRate = ratePerSec === undefined ? 0 : Math.ceil((1000 * REQUESTS_AT_RATE) / ratePerSec) / 1000;
    this.#slowSec = Math.min(SLICE_MAX_SEC, Math.max(this.#slowSec, wanted, atRate));
    this.#waitOngoing ||= needsWaiting(latencyMs, Math.max(SLICE_SEC, this.#slowSec));
    this.#record ||= !outcome.exact || load().record;
    this.#latencySec = Math.max(this.#latencySec, latencyMs / 1000);
    return { state: "done", value: undefined } as const;
  }

  #hasRounds(side: Side): boolean {
    return this.#sides[side].row.generator === "websocket";
  }

  #sliceSec(side: Side, least: number): number {
    return Math.max(least, this.#slowSec, this.#sides[side].row.tls ? TLS_SLICE_SEC : 0);
  }

  async slice(side: Side, least: number) {
    this.#context.onPhase(`${side}: measuring`);
    const load = () => ({ ...this.#load(side), seconds: this.#sliceSec(side, least) });
    let window = await this.#window(side, load());
    if (this.#mustRecord([window])) window = await this.#window(side, load());
    if (window.state === "measured" && areMost(unansweredConnections(window.outcome, load()), load()))
      window = await this.#window(side, { ...load(), seconds: SECONDS_MIN });
    const answered = this.#answered(side, window);
    if (answered.state === "failed") return this.#failed(side, answered);
    const value = this.#measured(side, load(), answered);
    this.#closed.push(value);
    return { state: "done", value } as const;
  }

  /** A server that lives may answer nothing in so short a time: it is asked once more after all loads. */
  #answered(side: Side, window: WindowOutcome): WindowOutcome {
    if (window.state === "measured" || window.unanswered === undefined) return window;
    if (window.unanswered.slice.failures.total > 0) return window;
    this.#silent.add(side);
    return window.unanswered;
  }

  slowSec(): number {
    return this.#slowSec;
  }

  sharesTime(): boolean {
    const { ratePerSec, timeoutSec } = this.#sides.head.row;
    // By a clock, a server's CPU time for each request is that of a CPU that mostly rests.
    return ratePerSec === undefined && TOGETHER_LATENCIES * this.#latencySec <= timeoutSec;
  }

  needsLevel(): boolean {
    const { latency, earlierPairs } = this.#context;
    // A base that stalled while it was loaded alone gave no rate.
    const lacksRate = latency !== undefined && latency.ratePerSec === undefined;
    return lacksRate || needsLevel(earlierPairs);
  }

  needsAlone(): boolean {
    const own = this.#closed.map(({ paired }) => paired);
    return needsAlone(own, this.#context.earlierPairs);
  }

  async together(order: readonly [Side, Side], seconds: number) {
    this.#context.onPhase("base and head: measuring at the same time");
    let sides = await this.#bothAtOnce(order, seconds);
    if (this.#mustRecord(Object.values(sides))) sides = await this.#bothAtOnce(order, seconds);
    const [base, head] = [this.#answered("base", sides.base), this.#answered("head", sides.head)];
    if (base.state === "failed") return this.#failed("base", base);
    if (head.state === "failed") return this.#failed("head", head);
    const slices = order.map((side) => {
      const window = side === "base" ? base : head;
      const rounds = this.#hasRounds(side) ? { rounds: true as const } : {};
      return this.#measured(side, this.#loadTogether(side, seconds), window, { together: true, ...rounds });
    });
    this.#closed.push(...slices);
    return { state: "done", value: slices } as const;
  }

  async #bothAtOnce(order: readonly [Side, Side], seconds: number) {
    const load = (side: Side) => ({ ...this.#servers.of(side), load: this.#loadTogether(side, seconds) });
    const sides = await measureTogether({ base: load("base"), head: load("head") }, order, this.#context.cpus);
    const measured = Object.values(sides).flatMap((side) => (side.state === "measured" ? [side.slice.seconds] : []));
    this.#context.onLoad(Math.max(0, ...measured));
    return sides;
  }

  /** Requests that are cut off at the end have cost CPU time: with slow servers they are a sixth of a slice. */
  #loadTogether(side: Side, seconds: number): Load {
    return { ...this.#load(side), seconds: this.#sliceSec(side, seconds), waitOngoing: true };
  }

  #failed(side: Side, { reason, log }: { readonly reason: string; readonly log: string | undefined }) {
    return failure(side, reason, log ?? this.#servers.of(side).server.logTail());
  }

  /**
   * A server may give wrong bodies only after its warm-up. From the first such window on, every load of this pair is recorded.
   * @returns true: wrong answers were counted as right ones, and these windows have to be measured again
   */
  #mustRecord(windows: readonly WindowOutcome[]): boolean {
    const counted = windows.every((window) => window.state === "failed" || window.outcome.exact);
    if (counted || this.#record) return false;
    this.#record = true;
    return true;
  }

  async check(side: Side) {
    const { row } = this.#sides[side];
    const running = this.#servers.of(side);
    const ended = this.#ended(side);
    if (ended !== undefined) return failure(side, ended, running.server.logTail());
    const misplaced = this.#misplaced(side);
    if (misplaced) return misplaced;
    const closed = pairClosedIdle(row, running.idle?.figures());
    if (closed !== undefined) return failure(side, closed, running.server.logTail());
    const { signal } = this.#context.run;
    const ask = (route: (typeof running.exchange.routes)[number]) => probeOf({ row, ...running }, route);
    // A stall passes; a server that hangs for good does not.
    if (this.#fellSilent(side) && (await isSilentAfterLoad(running.exchange, ask, signal)))
      return failure(side, this.#ended(side) ?? HANGS, running.server.logTail());
    const wrong = await wrongAfterLoad(running.exchange, ask, signal);
    if (wrong === undefined) return { state: "done", value: undefined } as const;
    return failure(side, wrong, running.server.logTail());
  }

  #misplaced(side: Side) {
    const processes = (of: Side) => this.#servers.of(of).server.processes();
    const reason =
      misplacement(processes(side), this.#context.cpus.server) ??
      (side === "head" ? otherPlaces(processes("base"), processes("head")) : undefined);
    return reason === undefined ? undefined : failure(side, reason, "");
  }

  #fellSilent(side: Side): boolean {
    const own = this.#closed.filter(({ paired }) => paired.side === side && paired.together !== undefined);
    const requests = own.map(({ slice }) => slice.requests);
    const last = requests.at(-1) ?? Number.POSITIVE_INFINITY;
    return this.#silent.has(side) || last <= SILENT_SHARE * Math.max(...requests);
  }

  #ended(side: Side): string | undefined {
    const { exit } = this.#servers.of(side).server;
    return exit && `the server ended (${describeExit(exit)})`;
  }

  /** A base that stalled while it was loaded alone gives no rate: a later pair of the row may. */
  get openSlice(): PairExecutor<MeasuredSlice>["openSlice"] {
    const { latency, cpus } = this.#context;
    if (!latency) return undefined;
    const { usable } = clientCpus(this.#sides.base.row, cpus);
    const ratePerSec = latency.ratePerSec ?? openRate(this.#closed, usable, latency.share);
    return ratePerSec === undefined ? undefined : (side) => this.#openSlice(side, ratePerSec);
  }

  /** A server that lives but answers nothing at this rate has no latency; its closed-loop slices still count. */
  async #openSlice(side: Side, ratePerSec: number) {
    this.#context.onPhase(`${side}: measuring latency`);
    const load = openLoad(this.#load(side), ratePerSec);
    const asked = await this.#window(side, load);
    if (asked.state === "measured") return this.#opened(side, load, asked);
    if (asked.unanswered) {
      this.#silent.add(side);
      return this.#opened(side, load, asked.unanswered);
    }
    return failure(side, asked.reason, asked.log);
  }

  #opened(side: Side, load: ReturnType<typeof openLoad>, window: Window) {
    const { usable } = clientCpus(this.#sides[side].row, this.#context.cpus);
    const open = openFigures(load, window.outcome, usable);
    return { state: "done", value: this.#measured(side, load, window, { open }) } as const;
  }

  #measured(
    side: Side,
    load: Load,
    window: Window,
    kind: Pick<PairSlice, "together" | "rounds" | "open"> = {},
  ): MeasuredSlice {
    const { slice, othersShare, idleCpus, peakMemoryMiB, serviceCpus } = window;
    const { seconds, requests, serverCpuSec, stealShare } = slice;
    const { generator, port, exchange, start, idle } = this.#servers.of(side);
    const { tempDir } = this.#context.run;
    const isFirst = this.#isFirst(side);
    return {
      paired: {
        side,
        seconds,
        requests,
        serverCpuSec,
        othersShare: Math.min(1, othersShare),
        ...(stealShare === undefined ? {} : { stealShare }),
        ...kind,
        ...(idleCpus === undefined ? {} : { idleCpuSec: idleCpus * seconds }),
        ...(start && isFirst && { start }),
      },
      slice,
      peakMemoryMiB,
      serviceCpus,
      generatorCommand: this.#same(recordedCommand({ generator, port, tempDir }, load)),
      answers: this.#same(expectedAnswers(exchange)),
      bytesPerRequest: bytesPerRequest(exchange),
      ...(isFirst && { idle: idle?.figures() }),
    };
  }

  /** Once for each side. */
  #isFirst(side: Side): boolean {
    if (this.#shown.has(side)) return false;
    this.#shown.add(side);
    return true;
  }

  async #window(side: Side, load: Load) {
    const { server, generator } = this.#servers.of(side);
    const idle = this.#servers.of(side === "base" ? "head" : "base").server;
    const window = await measureWindow({ loaded: server, idle }, generator, load, this.#context.cpus);
    if (window.state === "measured") {
      this.#context.onLoad(window.outcome.seconds);
      return window;
    }
    return { ...window, log: window.log ?? server.logTail() };
  }

  #load(side: Side): Load {
    const { row } = this.#sides[side];
    return rowLoad(row, this.#servers.of(side), {
      connections: this.#context.connections,
      seconds: Math.max(SLICE_SEC, this.#slowSec),
      waitOngoing: this.#waitOngoing,
      record: this.#record || row.everyLatency,
    });
  }
}

/** Where the mean is more than this many medians, a few requests make most of it. */
const COLD = 2;

/** The mean. A process's first answers take long, and count for little here. */
function typicalMs(latencyMs: LatencyMs | undefined): number {
  return latencyMs === undefined ? 0 : Math.min(latencyMs.mean, COLD * latencyMs.p50);
}

/** Of the requests in its best slice. A server that answers fewer in its last one is asked whether it still answers. */
const SILENT_SHARE = 0.5;
const HANGS = "the server stopped answering under load, and answered nothing after it";
