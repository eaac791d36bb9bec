/** Results -> the same tables for a terminal. */

import stringWidth from "string-width";
import { duration } from "../../messages/duration.js";
import { plural } from "../../messages/sentence.js";
import type { Results } from "../../results/schema.js";
import { comparisonText } from "../comparison/section.js";
import { reportWarnings } from "../markdown/report.js";
import { failedLogs } from "../tables/base-logs.js";
import { keptColumns } from "../tables/columns.js";
import { furtherTable, isUntimed, untimedWords } from "../tables/further-table.js";
import { countRows, type SetInfo } from "../tables/rows.js";
import type { Note, Table, TableRow } from "../tables/table.js";
import { tablesOf } from "../tables/tables.js";
import { logLines, plainText } from "../text/escape.js";
import { fitText, padText, wrapText } from "../text/width.js";

export interface TerminalOptions {
  /** Width of the terminal. */
  readonly columns: number;
  readonly colour: boolean;
  /** Where the files were written; named in the last line. */
  readonly paths?: { readonly page: string; readonly report: string; readonly results: string };
  /** Names of sets whose tables are not shown again. */
  readonly shown?: ReadonlySet<string>;
}

type Style = (text: string) => string;
interface Styles {
  readonly bold: Style;
  readonly dim: Style;
}

const GAP = "  ";
/** A title is cut to this, where it still differs from the others, before a column is left out, and to the smaller one after. */
const TITLE_WIDTH = 24;
const TITLE_WIDTH_MIN = 10;
const LOG_LINES_SHOWN = 8;

export function renderTerminal(results: Results, options: TerminalOptions): string {
  const styles = stylesOf(options);
  const sets = isUntimed(results) ? [] : results.sets.filter(({ name }) => !options.shown?.has(name));
  const blocks = [
    ...reportWarnings(results).map((text) => wrapText(`warning: ${plainText(text)}`, options.columns, "  ").join("\n")),
    ...(results.comparison ? [comparisonText(results.comparison, options.columns)] : []),
    ...failedLogs(results.cases).map(({ reason, log }) =>
      noteLines({ rows: [], text: `Log of base: ${reason}`, log }, options.columns).join("\n"),
    ),
    ...furtherText(results, options.columns, styles),
    ...sets.map((set) => setText(set, results, options.columns, styles)),
    summaryLine(results, options.paths),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The tables of one set. @param name of a set of the results */
export function renderSet(results: Results, name: string, options: TerminalOptions): string {
  const sets = results.sets.filter((set) => set.name === name);
  return sets.map((set) => setText(set, results, options.columns, stylesOf(options))).join("\n\n");
}

function stylesOf({ colour }: TerminalOptions): Styles {
  if (!colour) return { bold: (text) => text, dim: (text) => text };
  return { bold: (text) => `\u001b[1m${text}\u001b[22m`, dim: (text) => `\u001b[2m${text}\u001b[22m` };
}

function furtherText(results: Results, columns: number, { bold, dim }: Styles): string[] {
  const table = furtherTable(results);
  if (!table) return [];
  const widths = table.headings.map((heading, i) =>
    Math.max(heading.length, ...table.rows.map((row) => stringWidth(plainText(row[i] ?? "")))),
  );
  const line = (cells: readonly string[]) =>
    fitText(
      cells.map((cell, i) => padText(plainText(cell), widths[i] ?? 0, i === 0 ? "left" : "right")).join(GAP),
      columns,
    );
  const notes = table.notes.flatMap((note) => wrapText(plainText(note), columns, "  "));
  const lines = [bold(table.title), "", bold(line(table.headings)), ...table.rows.map(line), ...notes.map(dim)];
  return [lines.join("\n")];
}

function setText(set: SetInfo, results: Results, columns: number, styles: Styles): string {
  const tables = tablesOf(set, results.cases).map((table) => tableText(table, columns, styles));
  const title = styles.bold(fitText(plainText(set.title), columns));
  return [title, ...(tables.length > 0 ? tables : ["No benchmark of this set was measured."])].join("\n\n");
}

function tableText(table: Table, columns: number, styles: Styles): string {
  const { kept, left, widths } = layout(table, columns);
  const line = (cells: readonly string[]) => {
    const fitted = kept
      .map((i, at) => {
        const width = widths[at] ?? 0;
        return padText(fitText(cells[i] ?? "", width), width, table.columns[i]?.kind === "label" ? "left" : "right");
      })
      .join(GAP);
    return fitText(fitted.trimEnd(), columns);
  };
  const headings = table.columns.map((column) => plainText(column.heading));
  const notes = table.notes.flatMap((note) => noteLines(note, columns));
  if (left.length > 0) notes.push(...wrapText(`Left out for width: ${left.join(", ")}.`, columns, "  "));
  return [
    ...(table.heading === undefined ? [] : [fitText(plainText(table.heading), columns)]),
    styles.bold(line(headings)),
    ...table.rows.map((row) => rowStyle(row, styles)(line(row.cells.map((cell) => plainText(cell))))),
    ...(notes.length > 0 ? ["", ...notes.map(styles.dim)] : []),
  ].join("\n");
}

function rowStyle(row: TableRow, styles: Styles): Style {
  if (row.bold) return styles.bold;
  return row.state === "completed" ? (text) => text : styles.dim;
}

interface Layout {
  /** Indexes of the columns that fit, and their widths. */
  readonly kept: readonly number[];
  readonly widths: readonly number[];
  readonly left: readonly string[];
}

function layout({ columns, rows }: Table, available: number): Layout {
  const natural = columns.map((column, i) =>
    Math.max(stringWidth(plainText(column.heading)), ...rows.map((row) => stringWidth(plainText(row.cells[i] ?? "")))),
  );
  const first = columns.findIndex(({ kind }) => kind === "label");
  const title = natural[first] ?? 0;
  const widthOf = (kept: readonly number[], title: number) =>
    kept.reduce((sum, i) => sum + (i === first ? title : (natural[i] ?? 0)), (kept.length - 1) * GAP.length);
  const cut = distinctWidth(rows.map(({ cells }) => plainText(cells[first] ?? "")));
  const kept = keptColumns(columns, (kept) => widthOf(kept, Math.min(title, cut)) <= available);
  const room = available - (widthOf(kept, title) - title);
  const fitted = Math.min(title, Math.max(room, TITLE_WIDTH_MIN));
  return {
    kept,
    widths: kept.map((i) => (i === first ? fitted : (natural[i] ?? 0))),
    left: columns.filter((_, i) => !kept.includes(i)).map((column) => plainText(column.heading)),
  };
}

/** The width from TITLE_WIDTH on at which titles that differ still do when they are cut. */
function distinctWidth(titles: readonly string[]): number {
  const longest = Math.max(0, ...titles.map((title) => stringWidth(title)));
  const count = new Set(titles).size;
  let width = TITLE_WIDTH;
  while (width < longest && new Set(titles.map((title) => fitText(title, width))).size < count) width += 1;
  return width;
}

function noteLines(note: Note, columns: number): string[] {
  const rows = note.rows.map((row) => plainText(row)).join(", ");
  const text = plainText(rows === "" ? note.text : `${rows}: ${note.text}`);
  const log = note.log === undefined ? [] : logLines(note.log, LOG_LINES_SHOWN);
  return [...wrapText(text, columns, "  "), ...log.map((line) => fitText(`    | ${line}`, columns))];
}

function summaryLine(results: Results, paths: TerminalOptions["paths"]): string {
  const { completed, failed, skipped } = countRows(results);
  const { startedAt, finishedAt, measuredSec } = results.run;
  const seconds = finishedAt === null ? measuredSec : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  const rows = `${plural(completed + failed + skipped, "benchmark")}: ${completed} completed, ${failed} failed, ${skipped} skipped`;
  const measured = isUntimed(results) ? untimedWords(results) : rows;
  const files = paths ? `; ${paths.page}, ${paths.report}, ${paths.results}` : "";
  return `${measured} in ${duration(seconds)}${files}`;
}
