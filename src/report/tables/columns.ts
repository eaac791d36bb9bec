/** Which columns a table keeps when they do not all fit. */
import type { Column } from "./table.js";

/** Left out in this order. */
const DISPENSABLE: readonly string[] = [
  "p60",
  "p70",
  "p80",
  "p75",
  "p95",
  "requests",
  "max",
  "p90",
  "p99",
  "p50",
  "p100",
  "mean-ms",
];

/** Indexes of the columns: all of them, or as many as fit. */
export function keptColumns(columns: readonly Column[], fits: (kept: readonly number[]) => boolean): number[] {
  let kept = columns.map((_, i) => i);
  for (const index of dispensable(columns)) {
    if (fits(kept)) break;
    kept = kept.filter((i) => i !== index);
  }
  return kept;
}

function dispensable(columns: readonly Column[]): number[] {
  const metrics = DISPENSABLE.map((metric) =>
    columns.findIndex((column) => column.kind === "metric" && column.metric === metric),
  );
  // The columns that identify a row go last.
  const knobs = columns.flatMap((column, i) => (column.kind === "knob" ? [i] : [])).reverse();
  return [...metrics.filter((i) => i >= 0), ...knobs];
}
