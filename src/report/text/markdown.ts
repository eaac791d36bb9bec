/** Tables and notes as GitHub's Markdown that also reads well raw. */

import { markdownTable } from "markdown-table";
import type { Note, Table } from "../tables/table.js";
import { type ColumnSide, columnSides } from "./column-sides.js";
import { codeBlock, codeSpan, escapeCell, escapeLine, logLines } from "./escape.js";
import { textWidth } from "./width.js";

export interface GridStyle {
  /** Columns aligned by what a terminal shows, for readers of the raw Markdown; default true. */
  readonly padded?: boolean;
}

/** A table of plain cells. */
export function markdownGrid(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: GridStyle = {},
): string {
  return draw(
    [headings, ...rows].map((cells) => cells.map(escapeCell)),
    style,
  );
}

/** Nobody reads the raw text of a longer table, and measuring its cells takes long. */
const PADDED_LINES = 1000;

/** Cells are Markdown. */
function draw(grid: readonly (readonly string[])[], { padded = true }: GridStyle): string {
  const [headings = [], ...rows] = grid;
  const sides = columnSides(headings.length, rows);
  return padded && grid.length <= PADDED_LINES
    ? markdownTable(grid, { stringLength: textWidth, align: sides.map((side) => (side === "right" ? "right" : "")) })
    : [headings, sides.map(ruleOf), ...rows].map(tableLine).join("\n");
}

/** The cell below a heading, which aligns its column. */
export function ruleOf(side: ColumnSide): string {
  return side === "right" ? "---:" : "---";
}

/** One line of a table that is not aligned; cells are Markdown. */
export function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export interface TableStyle extends GridStyle {
  /** The logs of failed rows; default true. */
  readonly logs?: boolean;
}

export function markdownOf(table: Table, style: TableStyle = {}): string {
  const bold = (cell: string) => (cell === "" ? "" : `**${cell}**`);
  const grid = [
    table.columns.map((column) => escapeCell(column.heading)),
    ...table.rows.map((row) => row.cells.map(escapeCell).map(row.bold ? bold : (cell) => cell)),
  ];
  const notes = table.notes.map((note) => noteItem(note, style)).join("\n");
  return draw(grid, style) + (notes === "" ? "" : `\n\n${notes}`);
}

function noteItem(note: Note, { logs = true }: TableStyle): string {
  const rows = note.rows.map((row) => codeSpan(row)).join(", ");
  const line = rows === "" ? `- ${escapeLine(note.text)}` : `- ${rows}: ${escapeLine(note.text)}`;
  const log = note.log === undefined || !logs ? [] : logLines(note.log);
  return log.length === 0 ? line : `${line}\n\n${indent(folded("Last lines of its log", codeBlock(log, "text")))}\n`;
}

/** A fold for what few readers need. `summary` is HTML: ours, or escaped. */
export function folded(summary: string, content: string, state: "open" | "closed" = "closed"): string {
  return `<details${state === "open" ? " open" : ""}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** Inside a list item. */
function indent(block: string): string {
  return block.replace(/^(?=.)/gm, "  ");
}
