/** All tables of a run in a comment, one fold for each set. */

import { plural } from "../../messages/sentence.js";
import type { Results } from "../../results/schema.js";
import { isChange } from "../comparison/metric-text.js";
import { keptColumns } from "../tables/columns.js";
import { furtherTable, isUntimed } from "../tables/further-table.js";
import { withNewLogs } from "../tables/notes.js";
import { rowsOf, type SetInfo } from "../tables/rows.js";
import type { Table } from "../tables/table.js";
import { tablesOf } from "../tables/tables.js";
import { escapeHtml, escapeText } from "../text/escape.js";
import type { Section } from "../text/fit-to-limit.js";
import { furtherMarkdown } from "../text/further-markdown.js";
import { tableOf } from "../text/left-out.js";
import { folded, markdownOf } from "../text/markdown.js";
import { textWidth } from "../text/width.js";
import { ORDER, shortName } from "./lists.js";

/** Rows that are unfolded where there is no verdict: a reader can still scroll through them. */
const OPEN_ROWS = 30;

/** The table of more rows would not fit into a comment: a row has 80 bytes or more. */
const ROWS_MAX = 900;

/** @param open unfold the first sets: there is no verdict to read before them */
export function setSections(results: Results, { open }: { readonly open: boolean }): Section[] {
  if (isUntimed(results)) return [];
  const changed = changedSets(results);
  const logs = new Map<string, string>();
  let shown = 0;
  return results.sets.map((set, index) => {
    const count = rowsOf(set, results.cases).length;
    shown += count;
    const state = open && shown <= OPEN_ROWS ? "open" : "closed";
    const summary = `${open ? "" : "Figures: "}${escapeHtml(shortName(set.title))} (${plural(count, "benchmark")})`;
    if (count > ROWS_MAX)
      return { text: folded(summary, "Too many benchmarks for a comment: see the report.", "closed") };
    return setSection(set, results, { summary, index, state, changed: changed.has(set.name), logs });
  });
}

/** Rows that were counted or sampled without a base. @param open there is no verdict to read before them */
export function furtherSections(results: Results, { open }: { readonly open: boolean }): Section[] {
  const table = furtherTable(results);
  if (!table) return [];
  const summary = `${open ? "" : "Figures: "}${table.title} (${plural(table.rows.length, "benchmark")})`;
  const state = open && table.rows.length <= OPEN_ROWS ? "open" : "closed";
  const text = folded(summary, furtherMarkdown(table), state);
  return [{ text, shorter: [{ order: ORDER.quietSets, text: "", leftOut: "instructions and memory" }] }];
}

/** Sets with a row that changed, or that failed in head only. */
function changedSets({ comparison, cases }: Results): Set<string> {
  const sets = new Map(cases.map((result) => [result.id, result.set]));
  const ids = [
    ...(comparison?.rows ?? []).filter((row) => isChange(row.verdict)),
    ...(comparison?.notCompared ?? []).filter((row) => row.kind === "failed-in-head"),
  ].map((row) => row.id);
  return new Set(ids.flatMap((id) => sets.get(id) ?? []));
}

interface SetState {
  /** HTML */
  readonly summary: string;
  readonly index: number;
  readonly state: "open" | "closed";
  readonly changed: boolean;
  /** Those that earlier sets show, and which set does. */
  readonly logs: Map<string, string>;
}

function setSection(set: SetInfo, results: Results, { summary, index, state, changed, logs }: SetState): Section {
  const tables = tablesOf(set, results.cases).map((table) => narrow(withNewLogs(table, set.title, logs)));
  const draw = (logs: boolean) =>
    folded(
      summary,
      tables.length === 0
        ? "No benchmark of this set was measured."
        : tables.map((table) => tableText(table, logs)).join("\n\n"),
      state,
    );
  const whole = draw(true);
  const hasLogs = tables.some((table) => table.notes.some((note) => note.log !== undefined));
  const plain = hasLogs ? draw(false) : whole;
  // The last set goes first.
  const order = (changed ? ORDER.changedSets : ORDER.quietSets) - index / (results.sets.length + 1);
  return {
    text: whole,
    shorter: [
      ...(plain === whole ? [] : [{ order: ORDER.logs, text: plain, leftOut: "logs of failed benchmarks" }]),
      { order, text: "", leftOut: tableOf(escapeText(shortName(set.title))) },
    ],
  };
}

function tableText(table: Table, logs: boolean): string {
  const title = escapeText(shortName(table.heading ?? ""));
  const heading = title === "" ? [] : [`**${title}**`];
  return [...heading, markdownOf(table, { padded: false, logs })].join("\n\n");
}

/**
 * Characters in a line of a conversation, which is some 740 px wide, in 14 px letters; and what the edges of a column take
 * beside its text.
 */
const LINE_COLUMNS = 98;
const COLUMN_EDGES = 4;
/** A longer title is broken into lines before a column is left out. */
const TITLE_COLUMNS = 24;

/** Cuts names and leaves out the least important columns, so that no reader has to scroll sideways. */
function narrow(table: Table): Table {
  const columns = table.columns.map((column) => ({ ...column, heading: shortName(column.heading) }));
  const rows = table.rows.map((row) => ({ ...row, cells: row.cells.map(shortName) }));
  const widths = columns.map(({ kind, heading }, i) => {
    const width = Math.max(longestWord(heading), ...rows.map(({ cells }) => textWidth(cells[i] ?? "")));
    return kind === "label" ? Math.min(width, TITLE_COLUMNS) : width;
  });
  const kept = keptColumns(
    columns,
    (kept) => kept.reduce((sum, i) => sum + (widths[i] ?? 0) + COLUMN_EDGES, 0) <= LINE_COLUMNS,
  );
  const left = columns.filter((_, i) => !kept.includes(i)).map(({ heading }) => heading);
  return {
    ...table,
    columns: columns.filter((_, i) => kept.includes(i)),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, i) => kept.includes(i)) })),
    notes: [
      ...table.notes.map((note) => ({ ...note, rows: note.rows.map(shortName) })),
      ...(left.length === 0 ? [] : [{ rows: [], text: `Left out for width: ${left.join(", ")}.` }]),
    ],
  };
}

/** A heading is broken between its words. */
function longestWord(heading: string): number {
  return Math.max(...heading.split(" ").map((word) => textWidth(word)));
}
