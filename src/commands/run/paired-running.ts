/** What pairs get from the run, and what they give back. */
import type { EarlierRow } from "../../compare/earlier-noise.js";
import type { RowPair } from "../../compare/sides.js";
import type { CpuSplit } from "../../measure/machine/cpus.js";
import type { MeasurePair, PairContext } from "../../measure/pairs/pair.js";
import type { PairSides } from "../../measure/pairs/pair-servers.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import type { ComparedRow } from "../../results/comparison.js";
import type { CaseResult } from "../../results/schema.js";
import type { FurtherRunning } from "./further-rounds.js";

/** Progress of the pairs. */
export interface PairProgress {
  /** Number of the pair within its row, from 1. */
  readonly pair: number;
  readonly rows: number;
  /** Rows that are decided. */
  readonly decided: number;
}

/** What the pairs get from the run. */
export interface PairedRunning {
  readonly context: Omit<PairContext, "connections" | "earlierPairs" | "onPhase">;
  readonly cpus: CpuSplit;
  /** For all pairs together. */
  readonly budgetMinutes: number | undefined;
  /** Seconds of a clock that never goes back. */
  now(): number;
  measurePair: MeasurePair;
  /** Rows of earlier runs on this machine. */
  readonly earlier: readonly EarlierRow[];
  /** What is measured beside the pairs; undefined: nothing. */
  readonly furtherMetrics?: FurtherRunning | undefined;
  /** The environments of both sides; undefined: the row cannot be paired. */
  sidesOf(pair: RowPair): PairSides | undefined;
  /** Replaces earlier results of the same cases. */
  put(cases: readonly CaseResult[]): Promise<void>;
  onPair(row: PlannedRow, progress: PairProgress): void;
  onPhase(phase: string, connections: number): void;
  /** @param control it is the same on both sides */
  onDecided(row: ComparedRow, control: boolean): void;
  /** One side of a row failed, so that it has no verdict. */
  onFailed(result: CaseResult): void;
  /** After every pair, when nothing is measured. @param decided rows */
  between(decided: number): Promise<void>;
}

/** Rows that got no verdict from pairs. */
export interface Unpaired {
  /** Base failed: head is measured alone, unless earlier pairs have its figures. */
  readonly withoutBase: readonly RowPair[];
  /** The budget had no room for their first pairs. */
  readonly leftOut: readonly { readonly row: PlannedRow; readonly reason: string }[];
}

/** The state of one row. */
export type PairOutcome =
  | { readonly state: "decided"; readonly row: ComparedRow }
  | { readonly state: "failed"; readonly side: Side; readonly reason: string }
  /** The budget had no room for it. */
  | { readonly state: "left-out"; readonly reason: string }
  /** Pairs were still to come. */
  | { readonly state: "open" };

/** A row whose pairs were measured. */
export interface PairedTarget {
  readonly sides: PairSides;
  readonly connections: number;
  readonly compared: ComparedRow;
  /** It is identical on both sides: a change would be noise. */
  readonly control: boolean;
}
