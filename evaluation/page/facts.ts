/** What a page is made of. */
import type { Agreement } from "../benchstat.js";
import type { MeasuredCommit } from "../commits/measured-commit.js";
import type { LiveRun } from "../live/runs.js";
import type { Recording } from "../recording/recording.js";
import type { Cell } from "../resample/evaluate.js";
import type { BuildNoise, MeasuredRow } from "../resample/measured.js";
import type { Earlier } from "./earlier.js";

export interface Facts {
  /** What writes this page from the recordings. */
  readonly command: string;
  readonly recording: Pick<Recording, "environment" | "recordedAt" | "notes">;
  readonly reports: number;
  readonly seed: number;
  readonly cells: readonly Cell[];
  readonly measured: readonly MeasuredRow[];
  readonly builds: readonly BuildNoise[];
  readonly live: readonly LiveRun[];
  readonly commits: readonly MeasuredCommit[];
  /** Undefined where benchstat is not installed. */
  readonly benchstat: Agreement | undefined;
  /** Evaluations of another form that were published before. */
  readonly earlier: readonly Earlier[];
}
