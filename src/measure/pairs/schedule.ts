/** The order of one pair: when each side is started, warmed up and loaded. An executor does the work, so tests need no time. */
import type { Side } from "../../plan/types.js";

/** Slices of each side alone: enough that no neighbour disturbs all of them. */
const SLICES_PER_SIDE = 4;
/**
 * Slices of both sides together. In 44 recorded pairs of four servers a pair's variance of CPU per request times its seconds was 8.3 with 2 of them,
 * 3.5 with 4, 3.1 with 6 and 3.0 with 12 (in (percent)^2 s). 5 leave time for more pairs: few of them do not show how much they differ.
 */
export const SLICES_TOGETHER = 5;
/** Slices at a fixed rate of each side, where latency is compared. */
const OPEN_SLICES_PER_SIDE = 2;
/** Seconds of a side's first load: long enough to show how long its requests take. */
const FIRST_LOAD_SEC = 0.15;
/** Seconds of each further load before the first slice, where the sides never share their time. */
const WARM_UP_SEC = 0.3;
/** Seconds of one slice. */
export const SLICE_SEC = 0.3;
/**
 * Seconds of the slice alone, where the others are together. It ends the warm-up. The other side's server is at rest:
 * long enough that work which a server begins only some time after its last request is seen.
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
  /** Whether both sides can be loaded at the same time; known after the warm-up. */
  sharesTime(): boolean;
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

/** One slice alone of each side, which also ends its warm-up, and the slices together; or all slices alone. */
function closedLoops<T>(first: Side, executor: PairExecutor<T>): readonly Measurement<T>[] {
  if (!executor.sharesTime()) return aloneInTurn(first, SLICE_SEC, executor);
  const alone = bothSides(first).map((side) => () => single(executor.slice(side, ALONE_SEC)));
  const together = sliceOrder(first, SLICES_TOGETHER).map(
    (side) => () => executor.together(bothSides(side), TOGETHER_SEC),
  );
  return [...alone, ...together];
}

/** The closed-loop slices, then those at a fixed rate, when the processes are warmest. What earlier ones showed decides on further ones. */
function* measurements<T>(first: Side, executor: PairExecutor<T>): Generator<Measurement<T>> {
  yield* closedLoops(first, executor);
  if (executor.sharesTime() && executor.needsAlone()) yield* aloneInTurn(first, ALONE_SEC, executor);
  const { openSlice } = executor;
  if (openSlice) yield* sliceOrder(first, 2 * OPEN_SLICES_PER_SIDE).map((side) => () => single(openSlice(side)));
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

/** Where the sides share their time, the slices alone are the rest of the warm-up. */
async function warmUpBoth<T>(order: readonly [Side, Side], executor: PairExecutor<T>): Promise<Step<undefined>> {
  for (const side of order) {
    const warm = await executor.warmUp(side, FIRST_LOAD_SEC);
    if (warm.state === "failed") return warm;
  }
  if (executor.sharesTime()) return { state: "done", value: undefined };
  for (const side of [...order, ...order]) {
    const warm = await executor.warmUp(side, WARM_UP_SEC);
    if (warm.state === "failed") return warm;
  }
  return { state: "done", value: undefined };
}
