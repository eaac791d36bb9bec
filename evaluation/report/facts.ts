/** What a report is made of; also its JSON file. */
import type { Recording } from "../recording/recording.js";
import type { Cell } from "../resample/evaluate.js";
import type { PairNoise } from "../resample/measured.js";

export interface Facts {
  /** Writes this report from the recordings. */
  readonly command: string;
  readonly recording: Pick<Recording, "environment" | "recordedAt">;
  readonly pairs: number;
  readonly reports: number;
  readonly seed: number;
  /** Lines of the table that other pages show. */
  readonly headlines: readonly (readonly string[])[];
  readonly noise: readonly PairNoise[];
  readonly cells: readonly Cell[];
  readonly wholeRuns: WholeRuns | undefined;
}

/** Rows of whole runs between identical sides: every `better` or `worse` is false. */
export interface WholeRuns {
  readonly rows: number;
  readonly verdicts: Readonly<Record<string, number>>;
  /** On average. */
  readonly seconds: number;
  readonly longestSec: number;
}
