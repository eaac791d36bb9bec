/** The order of one pair: when each side is started, warmed up and loaded. An executor does the work, so tests need no time. */
import type { Side } from "../../plan/types.js";

/** Slices of each side alone: enough that no neighbour disturbs all of them. */
const SLICES_PER_SIDE = 4;
/**
 * Slices of both sides together. In 96 recorded pairs of each of four servers a pair's variance of CPU per request times its seconds was alike within
 * 5 % with 4 and with 5 of them, and more pairs show better how much they differ. With 4, each load generator starts first in half of them.
 */
export const SLICES_TOGETHER = 4;
/**
 * Slices at a fixed rate of each side, where latency is compared: the better half of them counts. With three of them pairs took a sixth less time, and their p99's
 * variance was 1.4 to 2.4 times as large (22 pairs of identical sides of each of four servers; the recording 2026-11-27-latency-trial).
 */
const OPEN_SLICES_PER_SIDE = 4;
/**
 * Seconds of a side's first load: long enough to show how long its requests take. Where the sides share their time it is the whole warm-up: after 0.15 s
 * granian's throughput in the first slice had a standard deviation of 13.5 % (32 pairs), after 0.25 s 2.9 %, as in the others.
 */
const FIRST_LOAD_SEC = 0.2;
/** Where eight requests take longer than this, a connection had fewer than four in the first load: too few to warm up a server. */
const SLOW_SEC = 2 * FIRST_LOAD_SEC;
/** Seconds of each further load before the first slice, where the sides never share their time. */
const WARM_UP_SEC = 0.3;
/** Seconds of one slice. */
export const SLICE_SEC = 0.3;
/**
 * Seconds of the slice alone, where the others are together. The other side's server is at rest: long enough that work which a server
 * begins only some time after its last request is seen.
 */
const ALONE_SEC = 0.25;
/** Seconds of a slice together. Each side has half of the CPU time. */
const TOGETHER_SEC = 0.25;

export interface Failure {
  readonly state: "failed";
  readonly side: Side;
  readonly reason: string;
  readonly log: string;
}
export type Step<T> = { readonly state: "done"; readonly value: T } | Failure;

export function failure(side: Side, reason: string, log: string): Failure {
  return { state: "failed", side, reason, log };
}

export interface PairExecutor<T> {
  /** Both servers: their processes are made in this order, their boots overlap. */
  start(order: readonly [Side, Side]): Promise<Step<undefined>>;
  warmUp(side: Side, seconds: number): Promise<Step<undefined>>;
  /** One side alone. */
  slice(side: Side, seconds: number): Promise<Step<T>>;
  /** Both sides at the same time: a slice of each. */
  together(order: readonly [Side, Side], seconds: number): Promise<Step<readonly T[]>>;
  /** Seconds that eight requests of the slower side take, one after the other; 0 where they take no time. Known after the first warm-up. */
  slowSec(): number;
  /** Whether both sides can be loaded at the same time; known after the first warm-up. */
  sharesTime(): boolean;
  /** Whether the pair has to show what each side does alone, or at rest: each gets a slice alone, after those together. */
  needsLevel(): boolean;
  /** Whether the slices together do not show the throughput: each side gets more slices alone. */
  needsAlone(): boolean;
  /** A slice at a fixed rate; read after the closed loops, which may determine the rate. Undefined: the pair has no latency. */
  readonly openSlice?: ((side: Side) => Promise<Step<T>>) | undefined;
  /** Whether the server still gives right answers, after all loads. */
  readonly check?: (side: Side) => Promise<Step<undefined>>;
}

export type PairRun<T> =
  | { readonly state: "measured"; readonly slices: readonly T[] }
  | (Failure & { readonly slices: readonly T[] });

/** In which order both sides are prepared, started and warmed up. */
export function bothSides(first: Side): readonly [Side, Side] {
  return [first, first === "base" ? "head" : "base"];
}

/** ABBA, repeated: a drift that is linear over four slices cancels out. */
export function sliceOrder(first: Side, slices: number): readonly Side[] {
  const [, second] = bothSides(first);
  return Array.from({ length: slices }, (_, i) => (i % 4 === 0 || i % 4 === 3 ? first : second));
}

type Measurement<T> = () => Promise<Step<readonly T[]>>;

/** The closed-loop slices, then those at a fixed rate, when the processes are warmest. What earlier ones showed decides on further ones. */
function* measurements<T>(first: Side, executor: PairExecutor<T>): Generator<Measurement<T>> {
  if (executor.sharesTime()) yield* sharedTime(first, executor);
  else yield* aloneInTurn(first, SLICE_SEC, executor);
  const { openSlice } = executor;
  if (openSlice) yield* sliceOrder(first, 2 * OPEN_SLICES_PER_SIDE).map((side) => () => single(openSlice(side)));
}

/**
 * First the slices that verdicts rest on. A process of Python has its first full garbage collection after some thousand requests (hypercorn: 2,800 to
 * 5,100), so the sooner they are over, the fewer pairs have it on one side only.
 */
function* sharedTime<T>(first: Side, executor: PairExecutor<T>): Generator<Measurement<T>> {
  yield* sliceOrder(first, SLICES_TOGETHER).map((side) => () => executor.together(bothSides(side), TOGETHER_SEC));
  if (executor.needsLevel()) yield* bothSides(first).map((side) => () => single(executor.slice(side, ALONE_SEC)));
  if (executor.needsAlone()) yield* aloneInTurn(first, ALONE_SEC, executor);
}

function aloneInTurn<T>(first: Side, seconds: number, executor: PairExecutor<T>): readonly Measurement<T>[] {
  return sliceOrder(first, 2 * SLICES_PER_SIDE).map((side) => () => single(executor.slice(side, seconds)));
}

async function single<T>(step: Promise<Step<T>>): Promise<Step<readonly T[]>> {
  const done = await step;
  return done.state === "failed" ? done : { state: "done", value: [done.value] };
}

/** Runs a pair to its end or to its first failure. @param first in everything: that is an advantage or a disadvantage */
export async function runPair<T>(first: Side, executor: PairExecutor<T>): Promise<PairRun<T>> {
  const slices: T[] = [];
  const order = bothSides(first);
  const started = await executor.start(order);
  if (started.state === "failed") return { ...started, slices };
  const warm = await warmUpBoth(order, executor);
  if (warm.state === "failed") return { ...warm, slices };
  for (const measure of measurements(first, executor)) {
    const measured = await measure();
    if (measured.state === "failed") return { ...measured, slices };
    slices.push(...measured.value);
  }
  for (const side of order) {
    const checked = await executor.check?.(side);
    if (checked?.state === "failed") return { ...checked, slices };
  }
  return { state: "measured", slices };
}

async function warmUpBoth<T>(order: readonly [Side, Side], executor: PairExecutor<T>): Promise<Step<undefined>> {
  const first = await warmUpEach(order, FIRST_LOAD_SEC, executor);
  if (first.state === "failed") return first;
  if (!executor.sharesTime()) return await warmUpEach([...order, ...order], WARM_UP_SEC, executor);
  const seconds = executor.slowSec();
  return seconds > SLOW_SEC ? await warmUpEach(order, seconds, executor) : first;
}

async function warmUpEach<T>(sides: readonly Side[], seconds: number, executor: PairExecutor<T>) {
  for (const side of sides) {
    const warm = await executor.warmUp(side, seconds);
    if (warm.state === "failed") return warm;
  }
  return { state: "done", value: undefined } as const;
}
