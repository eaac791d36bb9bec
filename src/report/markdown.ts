/** Tables and notes as GitHub's Markdown that also reads well raw. */
import { markdownTable } from "markdown-table";
import stringWidth from "string-width";
import { codeBlock, codeSpan, escapeCell, escapeLine, logLines } from "./escape.js";
import type { Note } from "./notes.js";
import type { Table } from "./tables.js";

/** A table of plain cells, aligned by what a terminal shows. */
export function markdownGrid(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = [headings, ...rows].map((cells) => cells.map(escapeCell));
  return markdownTable(escaped, { stringLength: stringWidth });
}

export function markdownOf(table: Table): string {
  const bold = (cell: string) => (cell === "" ? "" : `**${cell}**`);
  const grid = [
    table.columns.map((column) => escapeCell(column.heading)),
    ...table.rows.map((row) => row.cells.map(escapeCell).map(row.bold ? bold : (cell) => cell)),
  ];
  const notes = table.notes.map(noteItem).join("\n");
  return markdownTable(grid, { stringLength: stringWidth }) + (notes === "" ? "" : `\n\n${notes}`);
}

function noteItem(note: Note): string {
  const rows = note.rows.map((row) => codeSpan(row)).join(", ");
  const line = rows === "" ? `- ${escapeLine(note.text)}` : `- ${rows}: ${escapeLine(note.text)}`;
  const log = note.log === undefined ? [] : logLines(note.log);
  return log.length === 0 ? line : `${line}\n\n${indent(folded("Last lines of its log", codeBlock(log, "text")))}\n`;
}

/** What few readers need. `summary` is ours: nothing foreign belongs into HTML. */
export function folded(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** Inside a list item. */
function indent(block: string): string {
  return block.replace(/^(?=.)/gm, "  ");
}
