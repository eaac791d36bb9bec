/** The order of one pair: what is started, warmed up and loaded when. Behind an executor, so that it is tested without time. */
import type { Side } from "../plan/types.js";

/** Slices of each side: enough for one that no neighbour touched. */
const SLICES_PER_SIDE = 4;
/** Seconds of load before the first slice; a process is as fast as it gets well within it. */
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
  /** Both servers, their boots overlapping. */
  start(): Promise<Step<undefined>>;
  warmUp(side: Side): Promise<Step<undefined>>;
  slice(side: Side): Promise<Step<T>>;
}

export type PairRun<T> =
  | { readonly state: "measured"; readonly slices: readonly T[] }
  | (Failure & { readonly slices: readonly T[] });

/** The side that begins a pair, flipped from pair to pair: whoever is always first wins or loses by that alone. */
export function firstSide(pair: number): Side {
  return pair % 2 === 0 ? "base" : "head";
}

/** ABBA, again and again: a drift that is straight over four slices cancels out. */
export function sliceOrder(first: Side): readonly Side[] {
  const second: Side = first === "base" ? "head" : "base";
  const block = [first, second, second, first];
  return Array.from({ length: (2 * SLICES_PER_SIDE) / block.length }, () => block).flat();
}

/** Runs a pair to its end or to its first failure. */
export async function runPair<T>(first: Side, executor: PairExecutor<T>): Promise<PairRun<T>> {
  const slices: T[] = [];
  const started = await executor.start();
  if (started.state === "failed") return { ...started, slices };
  const order = sliceOrder(first);
  for (const side of order.slice(0, 2)) {
    const warm = await executor.warmUp(side);
    if (warm.state === "failed") return { ...warm, slices };
  }
  for (const side of order) {
    const measured = await executor.slice(side);
    if (measured.state === "failed") return { ...measured, slices };
    slices.push(measured.value);
  }
  return { state: "measured", slices };
}
