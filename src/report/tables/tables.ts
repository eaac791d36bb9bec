/** Cases -> tables as values. Markdown and the terminal draw the same ones; cells are plain, not yet escaped. */
import { PYTHON_KNOB } from "../../plan/pythons.js";
import { METRIC_COLUMNS, type MetricColumn } from "../../results/metric-columns.js";
import type { CaseResult } from "../../results/schema.js";
import { MISSING, shortPython } from "../text/format.js";
import { metricCell } from "./metric-cell.js";
import { tableNotes } from "./notes.js";
import { groupsOf, isBetter, label, type Row, rowsOf, type SetInfo } from "./rows.js";
import type { Column, Table } from "./table.js";

/** One table for the set, or one for each group of its rows. */
export function tablesOf(set: SetInfo, cases: readonly CaseResult[]): Table[] {
  const rows = rowsOf(set, cases);
  const shown = set.connectionsColumn === undefined ? rows : everyConcurrency(rows);
  return [...groupsOf(shown)].map(([heading, rows]) => tableOf(set, rows, heading));
}

/** Each case as a row, sorted by concurrency; rows of one concurrency keep their order. */
function everyConcurrency(rows: readonly Row[]): Row[] {
  const each = rows.flatMap(({ id, cases }) => cases.map((shown): Row => ({ id, cases: [shown], shown })));
  return each.sort((a, b) => a.shown.connections - b.shown.connections);
}

function tableOf(set: SetInfo, rows: readonly Row[], heading: string | undefined): Table {
  const columns = columnsOf(set, rows);
  const bold = boldRows(rows, set.boldBestPer);
  return {
    ...(heading !== undefined && { heading }),
    columns,
    rows: rows.map((row) => ({
      cells: columns.map((column) => cell(column, row, set)),
      bold: bold.has(row),
      id: row.id,
      state: row.shown.state,
    })),
    notes: tableNotes(rows, columns),
  };
}

function columnsOf(set: SetInfo, rows: readonly Row[]): Column[] {
  const metrics: MetricColumn[] = set.columns.filter((column) => hasFigures(column, rows));
  const failing = rows.some(({ shown }) => shown.state === "completed" && shown.summary.failures.total > 0);
  // A server that drops connections must not look fast.
  if (failing && !metrics.includes("failures")) metrics.push("failures");
  return [
    ...(set.connectionsColumn === undefined ? [] : [{ kind: "connections", heading: set.connectionsColumn } as const]),
    ...knobColumns(set.leadColumns ?? {}),
    { kind: "label", heading: set.label },
    ...knobColumns(set.knobColumns),
    ...metrics.map((metric) => ({ kind: "metric", heading: METRIC_COLUMNS[metric], metric }) as const),
  ];
}

/** Figures that only some kinds of rows have. */
const OF_SOME_ROWS: Partial<Record<MetricColumn, "idle" | "startup">> = {
  "idle-memory": "idle",
  startup: "startup",
  "startup-memory": "startup",
};

/** False: the rows of this table are of a kind that has no such figure; another table of the set may have it. */
function hasFigures(column: MetricColumn, rows: readonly Row[]): boolean {
  const figure = OF_SOME_ROWS[column];
  const summaries = rows.flatMap(({ shown }) => (shown.state === "completed" ? [shown.summary] : []));
  return figure === undefined || summaries.length === 0 || summaries.some((summary) => summary[figure] !== undefined);
}

function knobColumns(byHeading: Readonly<Record<string, string>>): Column[] {
  return Object.entries(byHeading).map(([heading, knob]) => ({ kind: "knob", heading, knob }));
}

function cell(column: Column, { shown }: Row, set: SetInfo): string {
  if (column.kind === "connections") return String(shown.connections);
  if (column.kind === "label") return set.connectionsColumn === undefined ? label(shown) : shown.title;
  if (column.kind === "knob") return knobCell(column.knob, shown);
  return shown.state === "completed" ? metricCell(column.metric, shown) : MISSING;
}

/** A set with several Pythons has the version as a knob; other rows show the one that they ran on. */
function knobCell(knob: string, { knobs, server }: CaseResult): string {
  const value = knobs[knob];
  if (value === undefined && knob === PYTHON_KNOB) return server.python === undefined ? "" : shortPython(server.python);
  return String(value ?? "");
}

/** Of the rows with the same value of the knob, the fastest that nothing disturbed. */
function boldRows(rows: readonly Row[], knob: string | undefined): Set<Row> {
  const fastest = new Map<unknown, Row>();
  if (knob === undefined) return new Set();
  for (const row of rows) {
    if (row.shown.state !== "completed") continue;
    const value = row.shown.knobs[knob];
    const leader = fastest.get(value);
    if (!leader || isBetter(row.shown, leader.shown)) fastest.set(value, row);
  }
  return new Set(fastest.values());
}
