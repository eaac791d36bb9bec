/**
 * Both servers are loaded at the same time, each by its own load generator, of which one is always stopped. They take turns
 * of some hundredths of a second: whatever slows the machine for longer slows both sides alike.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Side } from "../../plan/types.js";
import type { ServerProcess } from "../../process/group.js";
import type { Generator, Load, SliceOutcome } from "../generators/contract.js";
import type { CpuSplit } from "../machine/cpus.js";
import { cpusOf, judgeWindow, type Meters, startMeters, type WindowOutcome } from "../window.js";

export interface TurnsLoad {
  readonly server: ServerProcess;
  readonly generator: Generator;
  /** Its `seconds` follow from the turns. */
  readonly load: Load;
}

export interface Turns {
  readonly order: readonly [Side, Side];
  /** Of each side. */
  readonly count: number;
  readonly seconds: number;
  /** After a turn the server answers what is still under way. The other side waits for that. */
  readonly drainSec: number;
}

/**
 * The side that begins has half a turn at the start and half a turn at the end: a drift that is straight over all turns
 * cancels out.
 */
export function turnsInOrder({ order, count, seconds }: Turns): readonly (readonly [Side, number])[] {
  const [first, second] = order;
  const middle = Array.from({ length: 2 * count - 1 }, (_, i) => [i % 2 === 0 ? second : first, seconds] as const);
  return [[first, seconds / 2], ...middle, [first, seconds / 2]];
}

/** A generator must not end before its last turn does: what it stood still after its end would be taken from its seconds. */
const MARGIN_SEC = 0.01;

/** Seconds from a side's start to its last turn's end; in whole milliseconds, because oha accepts few decimals. */
export function loadSeconds({ order, count, seconds, drainSec }: Turns, side: Side): number {
  const all = 2 * count * (seconds + drainSec);
  const own = side === order[0] ? all : all - seconds - 2 * drainSec;
  return Number((own + MARGIN_SEC).toFixed(3));
}

/** A load generator that is stopped and continued, and the time for which it and its server stood still. */
class Paused {
  #group: number | undefined;
  #stillSince: number | undefined;
  #ended = false;
  stillSec = 0;

  started(group: number): void {
    this.#group = group;
  }

  get isStarted(): boolean {
    return this.#group !== undefined;
  }

  stop(): void {
    this.#signal("SIGSTOP");
  }

  /** Its server has answered: from now on both stand still. */
  drained(): void {
    if (!this.#ended) this.#stillSince = performance.now();
  }

  ended(): void {
    this.#ended = true;
  }

  continue(): void {
    if (this.#stillSince !== undefined) this.stillSec += (performance.now() - this.#stillSince) / 1000;
    this.#stillSince = undefined;
    this.#signal("SIGCONT");
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#group !== undefined) process.kill(-this.#group, signal);
    } catch {
      // It has ended: its outcome says why.
    }
  }
}

type BySide<T> = Readonly<Record<Side, T>>;

/**
 * One window of each side. The seconds of a side are those in which its load generator ran or its server still answered.
 * Latencies are left out: a request that was under way when its generator stopped waited for it.
 * @throws the abort reason
 */
export async function measureTurns(
  loads: BySide<TurnsLoad>,
  turns: Turns,
  split: Pick<CpuSplit, "server" | "client">,
  signal: AbortSignal,
): Promise<BySide<WindowOutcome>> {
  const read = startMeters({ loaded: loads.base.server, idle: loads.head.server }, cpusOf(split));
  const over = new Set<Side>();
  const onLoadEnd = (side: Side) => {
    over.add(side);
    if (over.size === 2) read();
  };
  const outcomes = await loadInTurns(loads, turns, onLoadEnd, signal);
  const meters = read();
  const othersShare = othersOf(meters, outcomes);
  const { steal } = meters;
  return {
    base: await judgeWindow(loads.base.server, outcomes.base, {
      ...{ serverCpuSec: meters.serverCpuSec, steal, othersShare },
      idleCpus: undefined,
    }),
    head: await judgeWindow(loads.head.server, outcomes.head, {
      ...{ serverCpuSec: meters.idleCpuSec, steal, othersShare },
      idleCpus: undefined,
    }),
  };
}

function othersOf({ busySec, serverCpuSec, idleCpuSec, capacitySec }: Meters, outcomes: BySide<SliceOutcome>): number {
  const programs = Object.values(outcomes).reduce(
    (sum, outcome) => sum + (outcome.state === "measured" ? outcome.programCpuSec : 0),
    0,
  );
  return Math.max(0, busySec - serverCpuSec - idleCpuSec - programs) / capacitySec;
}

async function loadInTurns(
  loads: BySide<TurnsLoad>,
  turns: Turns,
  onLoadEnd: (side: Side) => void,
  signal: AbortSignal,
): Promise<BySide<SliceOutcome>> {
  const paused: BySide<Paused> = { base: new Paused(), head: new Paused() };
  const runs = new Map<Side, Promise<SliceOutcome>>();
  const start = async (side: Side) => {
    const { generator, load } = loads[side];
    const seconds = loadSeconds(turns, side);
    const end = () => {
      paused[side].ended();
      onLoadEnd(side);
    };
    await new Promise<void>((resolve) => {
      const run = generator.run({ ...load, seconds }, end, (group) => {
        paused[side].started(group);
        resolve();
      });
      runs.set(side, run);
      run.then(
        () => resolve(),
        () => resolve(),
      );
    });
  };
  try {
    await takeTurns(turns, paused, start, signal);
    const [first, second] = turns.order;
    // The last turn was the first side's, which ends now. The other one is continued after that, and has nothing left to do.
    const outcome = await runs.get(first);
    paused[second].continue();
    const other = await runs.get(second);
    if (!outcome || !other) throw new Error("a side had no turn");
    const active = { [first]: within(outcome, paused[first]), [second]: within(other, paused[second]) };
    return { base: active.base ?? outcome, head: active.head ?? outcome };
  } finally {
    for (const one of Object.values(paused)) one.continue();
    await Promise.allSettled(runs.values());
  }
}

async function takeTurns(
  turns: Turns,
  paused: BySide<Paused>,
  start: (side: Side) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const inOrder = turnsInOrder(turns);
  // Times are counted from the start, so that a late timer makes no later turn longer.
  let at = performance.now();
  for (const [i, [side, seconds]] of inOrder.entries()) {
    if (paused[side].isStarted) paused[side].continue();
    else await start(side);
    at += seconds * 1000;
    await until(at, signal);
    if (i === inOrder.length - 1) return;
    paused[side].stop();
    at += turns.drainSec * 1000;
    await until(at, signal);
    paused[side].drained();
  }
}

async function until(at: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, at - performance.now()));
  signal.throwIfAborted();
}

function within(outcome: SliceOutcome, { stillSec }: Paused): SliceOutcome {
  if (outcome.state === "failed") return outcome;
  return { ...outcome, seconds: Math.max(0, outcome.seconds - stillSec), latencyMs: undefined };
}
