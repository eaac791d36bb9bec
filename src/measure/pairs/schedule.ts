/** The order of one pair: when each side is started, warmed up and loaded. An executor does the work, so tests need no time. */
import type { Side } from "../../plan/types.js";

/** Slices of each side: enough that no neighbour disturbs one of them. */
const SLICES_PER_SIDE = 4;
/** Slices at a fixed rate of each side, where latency is compared. */
const OPEN_SLICES_PER_SIDE = 2;
/** Seconds of load before the first slice; a process reaches its full speed well before. */
export const WARM_UP_SEC = 0.7;
/** Seconds of one slice. */
export const SLICE_SEC = 0.3;

export interface Failure {
  readonly state: "failed";
  readonly side: Side;
  readonly reason: string;
  readonly log: string;
}
type Step<T> = { readonly state: "done"; readonly value: T } | Failure;

export interface PairExecutor<T> {
  /** Both servers: their processes are made in this order, their boots overlap. */
  start(order: readonly [Side, Side]): Promise<Step<undefined>>;
  warmUp(side: Side): Promise<Step<undefined>>;
  slice(side: Side): Promise<Step<T>>;
  /** A slice at a fixed rate; the slices before it may determine the rate. Undefined: latency is not compared. */
  readonly openSlice?: ((side: Side) => Promise<Step<T>>) | undefined;
}

export type PairRun<T> =
  | { readonly state: "measured"; readonly slices: readonly T[] }
  | (Failure & { readonly slices: readonly T[] });

/** The side that is first in everything that a pair does. It flips from pair to pair: being first is an advantage or a disadvantage. */
export function firstSide(pair: number): Side {
  return pair % 2 === 0 ? "base" : "head";
}

/** In which order both sides are started and warmed up. */
function bothSides(first: Side): readonly [Side, Side] {
  return [first, first === "base" ? "head" : "base"];
}

/** ABBA, repeated: a drift that is linear over four slices cancels out. */
export function sliceOrder(first: Side, perSide = SLICES_PER_SIDE): readonly Side[] {
  const [, second] = bothSides(first);
  const block = [first, second, second, first];
  return Array.from({ length: (2 * perSide) / block.length }, () => block).flat();
}

/** The closed-loop slices, then those at a fixed rate, when the processes are warmest. */
function measurements<T>(first: Side, executor: PairExecutor<T>): readonly (() => Promise<Step<T>>)[] {
  const { openSlice } = executor;
  const closed = sliceOrder(first).map((side) => () => executor.slice(side));
  if (openSlice === undefined) return closed;
  return [...closed, ...sliceOrder(first, OPEN_SLICES_PER_SIDE).map((side) => () => openSlice(side))];
}

/** Runs a pair to its end or to its first failure. */
export async function runPair<T>(first: Side, executor: PairExecutor<T>): Promise<PairRun<T>> {
  const slices: T[] = [];
  const order = bothSides(first);
  const started = await executor.start(order);
  if (started.state === "failed") return { ...started, slices };
  for (const side of order) {
    const warm = await executor.warmUp(side);
    if (warm.state === "failed") return { ...warm, slices };
  }
  for (const measure of measurements(first, executor)) {
    const measured = await measure();
    if (measured.state === "failed") return { ...measured, slices };
    slices.push(measured.value);
  }
  return { state: "measured", slices };
}
