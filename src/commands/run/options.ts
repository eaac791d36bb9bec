/** The options of a run. */
import type { SelectedMetrics } from "../../plan/selected-metrics.js";
import type { ShardIndex } from "../../results/shard.js";
import type { ProfileRows } from "./profile-rows.js";

export const FAIL_ON = ["never", "worse", "failed"] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** As the user gave them, checked. */
export interface RunOptions {
  /** None: what the checkout has, or the usual sets. */
  readonly selectors: readonly string[];
  readonly profile: string;
  /** Absolute. */
  readonly out: string;
  readonly scenarios?: string;
  readonly servers: readonly string[];
  /** Versions or paths, separated by commas. */
  readonly python?: string;
  readonly failOn: FailOn;
  /** Rows that are sampled after the pairs; default: those that changed. */
  readonly profileRows?: ProfileRows;
  /** What is judged; absent: throughput and CPU per request. */
  readonly metrics?: SelectedMetrics;
  /** What each server may use; absent: the usual share of the machine. */
  readonly memoryLimitMiB?: number;
  /** How long to wait for another run on this machine; absent: the usual time. */
  readonly waitMinutes?: number;
  /** Which shard of a plan this run is. */
  readonly shard?: ShardIndex;
}
