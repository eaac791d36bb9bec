/**
 * Both servers are loaded at the same time, each by its own load generator, of which one is always stopped. They take turns
 * of some hundredths of a second: whatever slows the machine for longer slows both sides alike.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Side } from "../../plan/types.js";
import type { ServerProcess } from "../../process/group.js";
import type { Generator, Load, SliceOutcome } from "../generators/contract.js";
import type { CpuSplit } from "../machine/cpus.js";
import { cpusOf, judgeWindow, programCpuOf, shareOfOthers, startMeters, type WindowOutcome } from "../window.js";

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

/** The load ends when it is interrupted. Without an interrupt it ends this long after its last turn. */
const BEYOND_SEC = 5;

/** Seconds after which a load generator would end without an interrupt. */
function longestSeconds({ count, seconds, drainSec }: Turns): number {
  return Math.ceil(2 * count * (seconds + drainSec) + (2 * CONNECT_LIMIT_MS) / 1000) + BEYOND_SEC;
}

/** For a load generator to make its connections; servers that close every connection never show all of them at once. */
const CONNECT_LIMIT_MS = 200;
const CONNECT_POLL_MS = 2;
const OWN_SOCKETS = 6;
const STEADY_MS = 60;

/** A load generator that is stopped and continued, and the time for which it and its server stood still. */
class Paused {
  #group: number | undefined;
  #stillSince: number | undefined;
  stillSec = 0;

  started(group: number): void {
    this.#group = group;
  }

  /** The group has the number of its first process, which is the load generator. */
  sockets(): number {
    return this.#group === undefined ? 0 : socketsOf(this.#group);
  }

  stop(): void {
    this.#signal("SIGSTOP");
  }

  /** Its server has answered: from now on both stand still. */
  drained(): void {
    this.#stillSince = performance.now();
  }

  /** From now on its number may be another group's. */
  ended(): void {
    this.#group = undefined;
  }

  continue(): void {
    if (this.#stillSince !== undefined) this.stillSec += (performance.now() - this.#stillSince) / 1000;
    this.#stillSince = undefined;
    this.#signal("SIGCONT");
  }

  /** It ends its load and writes its figures. */
  finish(): void {
    this.#signal("SIGINT");
    this.continue();
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
 * Latencies and first bytes are left out: a request that was under way when its generator stopped waited for it.
 * @throws the abort reason
 */
export async function measureTurns(
  loads: BySide<TurnsLoad>,
  turns: Turns,
  split: Pick<CpuSplit, "server" | "client" | "companions">,
  signal: AbortSignal,
): Promise<BySide<WindowOutcome>> {
  const read = startMeters(
    { loaded: loads.base.server, idle: loads.head.server, companions: split.companions },
    cpusOf(split),
  );
  const over = new Set<Side>();
  const onLoadEnd = (side: Side) => {
    over.add(side);
    if (over.size === 2) read();
  };
  const outcomes = await loadInTurns(loads, turns, onLoadEnd, signal);
  const meters = read();
  const programCpuSec = programCpuOf(outcomes.base) + programCpuOf(outcomes.head);
  const both = { steal: meters.steal, othersShare: shareOfOthers(meters, programCpuSec), idleCpus: undefined };
  return {
    base: await judgeWindow(loads.base.server, outcomes.base, { ...both, serverCpuSec: meters.serverCpuSec }),
    head: await judgeWindow(loads.head.server, outcomes.head, { ...both, serverCpuSec: meters.idleCpuSec }),
  };
}

async function loadInTurns(
  loads: BySide<TurnsLoad>,
  turns: Turns,
  onLoadEnd: (side: Side) => void,
  signal: AbortSignal,
): Promise<BySide<SliceOutcome>> {
  const paused: BySide<Paused> = { base: new Paused(), head: new Paused() };
  const runs = new Map<Side, Promise<SliceOutcome>>();
  const end = async (side: Side) => {
    paused[side].finish();
    const outcome = await runs.get(side);
    if (!outcome) throw new Error(`${side} was not loaded`);
    return within(outcome, paused[side]);
  };
  try {
    for (const side of turns.order) {
      await start(side, { loads, turns, paused, runs, onLoadEnd });
      await rest(paused[side], turns, signal);
    }
    await takeTurns(turns, paused, signal);
    // One after the other: while one writes its figures, nothing else runs.
    const [first, second] = turns.order;
    const [one, other] = [await end(first), await end(second)];
    return first === "base" ? { base: one, head: other } : { base: other, head: one };
  } finally {
    for (const one of Object.values(paused)) one.finish();
    await Promise.allSettled(runs.values());
  }
}

interface Starting {
  readonly loads: BySide<TurnsLoad>;
  readonly turns: Turns;
  readonly paused: BySide<Paused>;
  readonly runs: Map<Side, Promise<SliceOutcome>>;
  readonly onLoadEnd: (side: Side) => void;
}

/** Starts a side's load generator, and waits until it has its connections: its clock runs by then. */
async function start(side: Side, { loads, turns, paused, runs, onLoadEnd }: Starting): Promise<void> {
  const { generator, load } = loads[side];
  let over = false;
  const run = generator.run(
    { ...load, seconds: longestSeconds(turns) },
    () => onLoadEnd(side),
    (group) => paused[side].started(group),
  );
  runs.set(side, run);
  run
    .catch(() => {})
    .finally(() => {
      over = true;
      paused[side].ended();
    });
  const giveUpAt = performance.now() + CONNECT_LIMIT_MS;
  const connected = new ConnectedSockets(load.connections);
  while (!over && performance.now() < giveUpAt && !connected.isReached(paused[side].sockets()))
    await sleep(CONNECT_POLL_MS);
}

/** When a load generator has its connections. It has sockets of its own too: oha has six of them before the first connection. */
class ConnectedSockets {
  readonly #connections: number;
  #last = { sockets: 0, since: performance.now() };

  constructor(connections: number) {
    this.#connections = connections;
  }

  /** @param sockets that it has now */
  isReached(sockets: number): boolean {
    if (sockets !== this.#last.sockets) this.#last = { sockets, since: performance.now() };
    if (sockets >= this.#connections + OWN_SOCKETS) return true;
    // Another version may have fewer of its own.
    return sockets > this.#connections && performance.now() - this.#last.since >= STEADY_MS;
  }
}

/** Sockets that a process has open. Reading the kernel's list of all connections would take longer than a turn. */
function socketsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:"))
      .length;
  } catch {
    // It has not begun, or it has just ended or closed one.
    return 0;
  }
}

/** Stops a load generator, and waits for its last answers. */
async function rest(paused: Paused, { drainSec }: Turns, signal: AbortSignal): Promise<void> {
  paused.stop();
  await until(performance.now() + drainSec * 1000, signal);
  paused.drained();
}

async function takeTurns(turns: Turns, paused: BySide<Paused>, signal: AbortSignal): Promise<void> {
  // Times are counted from the start, so that a late timer makes no later turn longer.
  let at = performance.now();
  for (const [side, seconds] of turnsInOrder(turns)) {
    paused[side].continue();
    at += seconds * 1000;
    await until(at, signal);
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
  const { firstByteMs: _, ...rest } = outcome;
  return { ...rest, seconds: Math.max(0, outcome.seconds - stillSec), latencyMs: undefined };
}
