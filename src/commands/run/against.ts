/** What head is compared with. The command line and the action each build it once, checked; `run` takes it as valid. */
import { resolve } from "node:path";
import type { StoredRun } from "../../compare/history.js";
import type { Precision } from "../../compare/precision.js";
import type { BaseSource } from "../../provision/sides/sides.js";
import { readResults } from "../../results/read.js";
import type { NothingToCompare } from "../../results/schema.js";

export type Against =
  /** `because` is absent where no comparison was requested. */
  | { readonly kind: "none"; readonly because?: NothingToCompare }
  | { readonly kind: "stored"; readonly stored: StoredBase }
  | { readonly kind: "paired"; readonly base: MeasuredBase; readonly ifUnusable: IfUnusable }
  /** Rows that may have changed since the stored results are measured again, in pairs with base. */
  | { readonly kind: "storedThenPaired"; readonly stored: StoredBase; readonly base: MeasuredBase };

/** Results of earlier runs. */
export interface StoredBase {
  /** One is a base, several are a history. */
  readonly runs: readonly StoredRun[];
  /** Servers that are the same in all runs. */
  readonly anchors: readonly string[];
  /** What else is known of the runs, for the description of base. */
  readonly facts: Readonly<Record<string, string>>;
}

/** The other side, measured in this run. */
export interface MeasuredBase {
  readonly source: BaseSource;
  /** For the pairs of all rows; undefined: until every row is decided. */
  readonly budgetMinutes: number | undefined;
  /** Compare the latency of every row too. */
  readonly latency: boolean;
  /** Which changes the pairs look for. */
  readonly precision: Precision;
}

/** Base may have no scenarios or none of the rows: wrong input, or a state to report, where head is the first to add them. */
type IfUnusable = "fail" | "measure-head-alone";

export const NONE: Against = { kind: "none" };

/** @throws InputError for a file that cannot be read or is no results file */
export async function readStoredRuns(files: readonly string[], cwd: string): Promise<readonly StoredRun[]> {
  const runs: StoredRun[] = [];
  for (const source of files) runs.push({ source, results: await readResults(resolve(cwd, source)) });
  return runs;
}

/** Undefined where no base is measured. */
export function measuredBase(against: Against): MeasuredBase | undefined {
  return "base" in against ? against.base : undefined;
}
