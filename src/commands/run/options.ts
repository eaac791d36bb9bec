/** The options of a run. */
import type { ShardIndex } from "../../results/shard.js";

export const FAIL_ON = ["never", "worse", "failed"] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** As the user gave them, checked. */
export interface RunOptions {
  readonly selectors: readonly string[];
  readonly profile: string;
  /** Absolute. */
  readonly out: string;
  readonly scenarios?: string;
  readonly servers: readonly string[];
  /** Versions or paths, separated by commas. */
  readonly python?: string;
  readonly failOn: FailOn;
  /** Which shard of a plan this run is. */
  readonly shard?: ShardIndex;
}
