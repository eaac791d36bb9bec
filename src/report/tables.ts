/** Cases -> tables as values. Markdown and the terminal draw the same ones; cells are plain, not yet escaped. */
import { METRIC_COLUMNS, type MetricColumn } from "../plan/schema.js";
import type { CaseResult } from "../results/schema.js";
import { MISSING, metricCell } from "./format.js";
import { type Note, tableNotes } from "./notes.js";
import { label, type Row, rowsOf, type SetInfo, throughput } from "./rows.js";

export type Column =
  | { readonly kind: "label"; readonly heading: string }
  | { readonly kind: "knob"; readonly heading: string; readonly knob: string }
  | { readonly kind: "metric"; readonly heading: string; readonly metric: MetricColumn };

export interface TableRow {
  /** One per column. */
  readonly cells: readonly string[];
  readonly bold: boolean;
  readonly state: CaseResult["state"];
}

export interface Table {
  /** Absent when the set is one table. */
  readonly heading?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  readonly notes: readonly Note[];
}

/** One table for the set, or one for each group of its rows. */
export function tablesOf(set: SetInfo, cases: readonly CaseResult[]): Table[] {
  const groups = new Map<string | undefined, Row[]>();
  for (const row of rowsOf(set, cases)) {
    const { group } = row.shown;
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups].map(([heading, rows]) => tableOf(set, rows, heading));
}

function tableOf(set: SetInfo, rows: readonly Row[], heading: string | undefined): Table {
  const columns = columnsOf(set, rows);
  const bold = boldRows(rows, set.boldBestPer);
  return {
    ...(heading !== undefined && { heading }),
    columns,
    rows: rows.map((row) => ({
      cells: columns.map((column) => cell(column, row)),
      bold: bold.has(row),
      state: row.shown.state,
    })),
    notes: tableNotes(rows, columns),
  };
}

function columnsOf(set: SetInfo, rows: readonly Row[]): Column[] {
  const metrics: MetricColumn[] = [...set.columns];
  const failing = rows.some(({ shown }) => shown.state === "completed" && shown.summary.failures.total > 0);
  // A server that drops connections must not look fast.
  if (failing && !metrics.includes("failures")) metrics.push("failures");
  return [
    { kind: "label", heading: set.label },
    ...Object.entries(set.knobColumns).map(([heading, knob]) => ({ kind: "knob", heading, knob }) as const),
    ...metrics.map((metric) => ({ kind: "metric", heading: METRIC_COLUMNS[metric], metric }) as const),
  ];
}

function cell(column: Column, { shown }: Row): string {
  if (column.kind === "label") return label(shown);
  if (column.kind === "knob") return String(shown.knobs[column.knob] ?? "");
  return shown.state === "completed" ? metricCell(column.metric, shown) : MISSING;
}

/** Of the rows with the same value of the knob, the fastest. */
function boldRows(rows: readonly Row[], knob: string | undefined): Set<Row> {
  const fastest = new Map<unknown, Row>();
  if (knob === undefined) return new Set();
  for (const row of rows) {
    if (row.shown.state !== "completed") continue;
    const value = row.shown.knobs[knob];
    const leader = fastest.get(value);
    if (!leader || throughput(row.shown) > throughput(leader.shown)) fastest.set(value, row);
  }
  return new Set(fastest.values());
}
