/**
 * Both servers are loaded at the same time, each by its own load generator, of which one is always stopped. They take turns
 * of some hundredths of a second: whatever slows the machine for longer slows both sides alike.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Side } from "../../plan/types.js";
import type { ServerProcess } from "../../process/group.js";
import type { Generator, Load, SliceOutcome } from "../generators/contract.js";
import type { CpuSplit } from "../machine/cpus.js";
import { readLoopbackBytes } from "../machine/loopback.js";
import { cpusOf, judgeWindow, type Meters, startMeters, type Window } from "../window.js";
import { cutWindow, type Part, type Work } from "./block-windows.js";
import { CONNECT_LIMIT_MS, PausedGenerator } from "./paused-generator.js";

export interface TurnsLoad {
  readonly server: ServerProcess;
  readonly generator: Generator;
  /** Its `seconds` follow from the turns. */
  readonly load: Load;
  /** Requests that the server still has to answer when the load generator is stopped (`requestsUnderWay`). */
  readonly underWay: number;
}

export type Order = readonly [Side, Side];

interface PlannedBlock {
  /** Which side begins it. */
  readonly order: Order;
  /** Of a turn. */
  readonly seconds: number;
}

/** Blocks of turns. */
export interface Turns {
  readonly blocks: readonly PlannedBlock[];
  /** Of each side in each block. */
  readonly count: number;
  /** After a turn the server answers what is still under way. The other side waits for that. */
  readonly drainSec: number;
  /** After its connections are made a load runs for this time before its first turn: handshakes come after them. */
  readonly settleSec: number;
}

/**
 * The side that begins has half a turn at the start and half a turn at the end: a drift that is straight over all turns
 * cancels out.
 */
export function turnsInOrder(
  [first, second]: Order,
  count: number,
  seconds: number,
): readonly (readonly [Side, number])[] {
  const middle = Array.from({ length: 2 * count - 1 }, (_, i) => [i % 2 === 0 ? second : first, seconds] as const);
  return [[first, seconds / 2], ...middle, [first, seconds / 2]];
}

/** The load ends when it is interrupted. Without an interrupt it ends this long after its last turn. */
const BEYOND_SEC = 5;

/** Seconds after which a load generator would end without an interrupt. */
function longestSeconds({ blocks, count, drainSec, settleSec }: Turns): number {
  // The first side has one turn more, of which two are half as long.
  const inTurns = blocks.reduce((sum, { seconds }) => sum + 2 * count * seconds + (2 * count + 1) * drainSec, 0);
  const connecting = 2 * (CONNECT_LIMIT_MS / 1000 + settleSec + drainSec);
  return Math.ceil(inTurns + connecting) + BEYOND_SEC;
}

type BySide<T> = Readonly<Record<Side, T>>;

interface SideFailed {
  readonly state: "failed";
  readonly reason: string;
  readonly log: string | undefined;
}
/** A window of each block. */
export type TurnsOutcome = { readonly state: "measured"; readonly windows: readonly Window[] } | SideFailed;

/**
 * One load of each side, in blocks of turns. What it took to make the connections is in no block. Latencies and first bytes are left out:
 * a request that was under way when its generator stopped waited for it.
 * @throws the abort reason
 */
export async function measureTurns(
  loads: BySide<TurnsLoad>,
  turns: Turns,
  split: Pick<CpuSplit, "server" | "client" | "companions">,
  signal: AbortSignal,
): Promise<BySide<TurnsOutcome>> {
  const servers = { loaded: loads.base.server, idle: loads.head.server, companions: split.companions };
  const run = new TurnsRun(loads, turns, () => startMeters(servers, cpusOf(split)));
  const outcomes = await run.take(signal);
  const of = (side: Side) => outcomeOf(loads[side], outcomes[side], run, side);
  return { base: await of("base"), head: await of("head") };
}

async function outcomeOf(
  { server, load, underWay }: TurnsLoad,
  outcome: SliceOutcome,
  { measured, around, endedEarly }: TurnsRun,
  side: Side,
): Promise<TurnsOutcome> {
  const blocks = measured.map(({ meters, parts }) => ({
    ...{ meters, ...parts[side] },
    serverCpuSec: side === "base" ? meters.serverCpuSec : meters.idleCpuSec,
    programCpuSec: parts.base.clientCpuSec + parts.head.clientCpuSec,
  }));
  const serverCpuSec = blocks.reduce((sum, block) => sum + block.serverCpuSec, 0);
  const whole = await judgeWindow(server, outcome, {
    ...{ serverCpuSec, steal: undefined, othersShare: 0, idleCpus: undefined },
  });
  if (whole.state === "failed") return whole;
  if (endedEarly.has(side)) return { state: "failed", reason: "the load ended before its last turn", log: undefined };
  const windows = cutWindow(whole, blocks, around[side], {
    by: workOf(load),
    handshakes: load.authority !== undefined,
    underWay,
  });
  return { state: "measured", windows };
}

/** Answers of several sizes: a few large ones would be most of the bytes. */
const SIZES_ALIKE = 2;
/** Of an answer's head. */
const HEAD_BYTES = 150;

/** What shows how many requests there were. Other programs use the loopback device too: what cannot be seen there is not looked for. */
function workOf({ socket, answers }: Load): Work {
  if (socket !== undefined) return "clientCpuSec";
  const sizes = answers.flatMap(({ size }) => (size ? [size.least, size.most] : []));
  // One answer of unknown size is mostly the same one.
  if (sizes.length < 2 * answers.length) return answers.length > 1 ? "clientCpuSec" : "bytes";
  const areAlike = HEAD_BYTES + Math.max(...sizes) <= SIZES_ALIKE * (HEAD_BYTES + Math.min(...sizes));
  return areAlike ? "bytes" : "clientCpuSec";
}

const NO_TURNS: Part = { seconds: 0, drainSec: 0, stops: 0, bytes: 0, clientCpuSec: 0 };

interface BlockOfBoth {
  readonly meters: Meters;
  readonly parts: BySide<Part>;
}

/** Its load generators, from their start to their end. */
class TurnsRun {
  readonly #loads: BySide<TurnsLoad>;
  readonly #turns: Turns;
  readonly #startMeters: () => () => Meters;
  readonly #paused: BySide<PausedGenerator> = { base: new PausedGenerator(), head: new PausedGenerator() };
  readonly #runs = new Map<Side, Promise<SliceOutcome>>();
  readonly measured: BlockOfBoth[] = [];
  /** Before the first block, and after the last one. */
  readonly around: BySide<Part[]> = { base: [], head: [] };
  /** Sides whose load generator ended by itself. */
  readonly endedEarly = new Set<Side>();
  /** When a load ends: what comes after it is for the generator's figures. */
  #onLoadEnd: () => void = () => {};
  #bytes = 0;

  constructor(loads: BySide<TurnsLoad>, turns: Turns, startMetering: () => () => Meters) {
    this.#loads = loads;
    this.#turns = turns;
    this.#startMeters = startMetering;
  }

  /** @throws the abort reason */
  async take(signal: AbortSignal): Promise<BySide<SliceOutcome>> {
    const { blocks } = this.#turns;
    const [first, second] = blocks[0]?.order ?? (["base", "head"] as const);
    try {
      for (const side of [first, second]) await this.#connect(side, signal);
      for (const block of blocks) {
        if (this.#isOver()) break;
        this.measured.push(await this.#block(block, signal));
      }
      for (const side of [first, second]) if (this.#paused[side].isOver) this.endedEarly.add(side);
      // One after the other: while one writes its figures, nothing else runs.
      const [one, other] = [await this.#end(first), await this.#end(second)];
      return first === "base" ? { base: one, head: other } : { base: other, head: one };
    } finally {
      for (const one of Object.values(this.#paused)) one.finish();
      await Promise.allSettled(this.#runs.values());
    }
  }

  /** Starts a side's load generator, waits until its connections are made and used, and stops it. */
  async #connect(side: Side, signal: AbortSignal): Promise<void> {
    const { drainSec, settleSec } = this.#turns;
    const { generator, load } = this.#loads[side];
    const paused = this.#paused[side];
    this.#takeBytes();
    const run = generator.run(
      { ...load, seconds: longestSeconds(this.#turns) },
      () => this.#onLoadEnd(),
      (group) => paused.started(group),
    );
    this.#runs.set(side, run);
    run.catch(() => {}).finally(() => paused.ended());
    const startedAt = await paused.connected(load.connections);
    await until(performance.now() + settleSec * 1000, signal);
    paused.stop();
    await until(performance.now() + drainSec * 1000, signal);
    const seconds = (performance.now() - startedAt) / 1000;
    this.around[side].push({ ...NO_TURNS, seconds, bytes: this.#takeBytes(), clientCpuSec: paused.takeCpuSec() });
  }

  async #block({ order, seconds }: PlannedBlock, signal: AbortSignal): Promise<BlockOfBoth> {
    const read = this.#startMeters();
    const parts: BySide<Part> = { base: { ...NO_TURNS }, head: { ...NO_TURNS } };
    // Times are counted from the start, so that a late timer makes no later turn longer.
    let at = performance.now();
    this.#takeBytes();
    for (const [side, turnSec] of turnsInOrder(order, this.#turns.count, seconds)) {
      const part = parts[side];
      const startedAt = performance.now();
      this.#paused[side].continue();
      at += turnSec * 1000;
      await until(at, signal);
      this.#paused[side].stop();
      const stoppedAt = performance.now();
      at += this.#turns.drainSec * 1000;
      await until(at, signal);
      part.stops += 1;
      part.drainSec += (performance.now() - stoppedAt) / 1000;
      part.seconds += (performance.now() - startedAt) / 1000;
      part.bytes += this.#takeBytes();
    }
    const meters = read();
    for (const side of order) parts[side].clientCpuSec = this.#paused[side].takeCpuSec();
    return { parts, meters };
  }

  async #end(side: Side): Promise<SliceOutcome> {
    this.#takeBytes();
    const startedAt = performance.now();
    const rest = (): Part => ({
      ...NO_TURNS,
      seconds: (performance.now() - startedAt) / 1000,
      bytes: this.#takeBytes(),
    });
    let ending: Part | undefined;
    this.#onLoadEnd = () => {
      ending ??= rest();
    };
    this.#paused[side].finish();
    const outcome = await this.#runs.get(side);
    if (!outcome) throw new Error(`${side} was not loaded`);
    this.around[side].push(ending ?? rest());
    return withoutWaits(outcome);
  }

  /** Bytes since this was asked for the last time. */
  #takeBytes(): number {
    const before = this.#bytes;
    this.#bytes = readLoopbackBytes() ?? before;
    return this.#bytes - before;
  }

  #isOver(): boolean {
    const hasEnded = (side: Side) => this.#paused[side].isOver || this.#loads[side].server.exit !== undefined;
    return hasEnded("base") || hasEnded("head");
  }
}

async function until(at: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, at - performance.now()));
  signal.throwIfAborted();
}

function withoutWaits(outcome: SliceOutcome): SliceOutcome {
  if (outcome.state === "failed") return outcome;
  const { firstByteMs: _, ...rest } = outcome;
  return { ...rest, latencyMs: undefined };
}
