/** A table as a value: cells are plain, not yet escaped. */
import type { MetricColumn } from "../../results/metric-columns.js";
import type { CaseResult } from "../../results/schema.js";

export type Column =
  | { readonly kind: "connections"; readonly heading: string }
  | { readonly kind: "label"; readonly heading: string }
  | { readonly kind: "knob"; readonly heading: string; readonly knob: string }
  | { readonly kind: "metric"; readonly heading: string; readonly metric: MetricColumn };

export interface TableRow {
  /** One per column. */
  readonly cells: readonly string[];
  readonly bold: boolean;
  /** Of the row of its set. */
  readonly id: string;
  readonly state: CaseResult["state"];
}

export interface Note {
  /** The rows that it is about; none: the whole table. */
  readonly rows: readonly string[];
  /** Not yet escaped. */
  readonly text: string;
  readonly log?: string;
}

export interface Table {
  /** Absent when the set is one table. */
  readonly heading?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  readonly notes: readonly Note[];
}
