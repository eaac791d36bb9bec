/** Recorded pairs, as the evaluation reads them. */
import type { Pair } from "../../src/results/comparison.js";
import type { FurtherMetrics } from "../../src/results/further-metrics.js";

export interface Recording {
  readonly environment: Readonly<Record<string, unknown>>;
  readonly recordedAt: string;
  /** Of the neighbour's bursts. */
  readonly seed: number;
  /** How each side was built, and whatever else a reader must know of this recording. */
  readonly notes: readonly string[];
  readonly rows: readonly RecordedRow[];
}

/** Pairs of the same two builds, with the same plant and the same neighbour. */
export interface RecordedRow {
  readonly server: string;
  /** What head's app does beside its work, as `--plants` names it: `none`, `cpu:3`, `stall:3:6`. */
  readonly plant: string;
  /** Turns, calls or lines per request that the calibration gave; 0 for plants without one. */
  readonly turns: number;
  readonly builds: { readonly base: string; readonly head: string };
  /** 0: none. */
  readonly neighbour: Neighbour;
  readonly pairs: readonly Pair[];
  /** Counted between the pairs. Absent in recordings that have none. */
  readonly counts?: Counts | undefined;
}

/** Instructions per request of both sides. */
export type Counts = Extract<FurtherMetrics["instructions"], { readonly state: "measured" }>;

/** Bursts of CPU load beside the pairs. */
export interface Neighbour {
  /** Of the time, 0 to 0.5. */
  readonly share: number;
  readonly cpus: readonly number[];
}

export const NO_PLANT = "none";
export const NO_NEIGHBOUR: Neighbour = { share: 0, cpus: [] };
