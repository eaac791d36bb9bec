/**
 * A table's throughput as a chart that GitHub draws in a job summary, where image files cannot be shown. Only what stays readable
 * there: one series of few bars with short names, all of them figures that can be compared.
 */
import { throughputOf, throughputWords } from "../html/throughput.js";
import { label, type Row } from "../tables/rows.js";
import { plainText } from "../text/escape.js";
import { textWidth } from "../text/width.js";

const FEWEST_BARS = 2;
const MOST_BARS = 10;
/** Columns: longer names run into the bars. */
const NAME_COLUMNS = 28;

/** Markdown; "" where a chart would not be readable. */
export function mermaidChart(rows: readonly Row[]): string {
  if (rows.length < FEWEST_BARS || rows.length > MOST_BARS) return "";
  const bars = rows.flatMap((row) => barOf(row) ?? []);
  if (bars.length < rows.length || new Set(bars.map(({ name }) => name)).size < rows.length) return "";
  const most = Math.max(...bars.map(({ value }) => value));
  return [
    "```mermaid",
    "xychart-beta horizontal",
    `  x-axis [${bars.map(({ name }) => `"${name}"`).join(", ")}]`,
    `  y-axis "${throughputWords(rows)}, more is better" 0 --> ${roundedUp(most)}`,
    `  bar [${bars.map(({ value }) => value).join(", ")}]`,
    "```",
  ].join("\n");
}

/** Undefined for a row that failed, whose figure is a lower bound, or that others disturbed, and for a name that is too long. */
function barOf({ shown }: Row): { readonly name: string; readonly value: number } | undefined {
  if (shown.state !== "completed" || shown.disturbed || shown.summary.clientBound) return undefined;
  const name = nameOf(label(shown));
  const value = Math.round(throughputOf(shown));
  return name === "" || textWidth(name) > NAME_COLUMNS || value <= 0 ? undefined : { name, value };
}

/** Letters, digits and harmless signs: nothing that ends the text, the chart or the block. */
function nameOf(text: string): string {
  return plainText(text)
    .replace(/[^\p{L}\p{N} ().,:+/_-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The axis ends at a round figure. */
function roundedUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}
