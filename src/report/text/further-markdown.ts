/** The table of rows that were counted or sampled without a base, as Markdown. */
import type { FurtherTable } from "../tables/further-table.js";
import { escapeText } from "./escape.js";
import { markdownGrid } from "./markdown.js";

export function furtherMarkdown({ headings, rows, notes }: FurtherTable): string {
  const items = notes.map((note) => `- ${escapeText(note)}`).join("\n");
  return [markdownGrid(headings, rows), items].filter(Boolean).join("\n\n");
}
