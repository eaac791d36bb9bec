/** The rows that were compared, as a comment shows them: changes in a narrow table, the others folded. */

import { plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison, MetricComparison, Verdict } from "../../results/comparison.js";
import { type ChangedLine, changedRows } from "../comparison/changed-rows.js";
import { changeCell, detectableText, metricNames, metricTitle } from "../comparison/metric-text.js";
import { notedRows, rowNames } from "../comparison/row-names.js";
import { codeSpan, escapeCell, escapeText, plainText } from "../text/escape.js";
import { linesWithin, type Section } from "../text/fit-to-limit.js";
import { MISSING } from "../text/format.js";
import { folded, markdownGrid, ruleOf, tableLine } from "../text/markdown.js";
import { fitText } from "../text/width.js";
import { ORDER, REASON_LIMIT, shortName } from "./lists.js";

const HEADINGS = ["Benchmark", "Verdict", "Change", "Base → head"];
const SIDES = ["left", "left", "left", "right"] as const;
const TABLE_HEAD = [tableLine(HEADINGS), tableLine(SIDES.map(ruleOf))];
/** A metric that this version does not know may have any name. */
const CHANGE_COLUMNS = 60;
/** Bytes of the line below a table that was cut. */
const MORE_BYTES = 60;

/** One line for each metric that changed; the first has the row's name. */
export function changedSection(comparison: Comparison): Section {
  const lines = changedRows(comparison).flatMap((row) =>
    row.lines.map((line, i) => changedLine(i === 0 ? row.name : "", line)),
  );
  if (lines.length === 0) return { text: "" };
  const within = (room: number) =>
    draw(linesWithin(lines, room - TABLE_HEAD.join("\n").length - MORE_BYTES), lines.length);
  return {
    text: draw(lines, lines.length),
    shorter: [{ order: ORDER.changes, text: within, leftOut: "changes beyond those shown" }],
  };
}

/** A line may break before the figures and before their ends, not inside them. */
function unbroken(change: string): string {
  return change.replace(/ (?=%)| ±|\([+-].*?\)/g, (figures) => figures.replaceAll(" ", "\u00A0"));
}

function changedLine(name: string, { verdict, change, figures }: ChangedLine): string {
  return tableLine([
    escapeCell(shortName(name)),
    verdict === "worse" ? `**${verdict}**` : verdict,
    unbroken(escapeCell(fitText(plainText(change), CHANGE_COLUMNS))),
    escapeCell(figures).replaceAll(" ", "\u00A0"),
  ]);
}

/** Where not one line has room: nothing. The end of the text names what is left out. */
function draw(lines: readonly string[], of: number): string {
  if (lines.length === 0) return "";
  const more = of - lines.length;
  const table = [...TABLE_HEAD, ...lines].join("\n");
  return [table, ...(more > 0 ? [`and ${plural(more, "more change")}`] : [])].join("\n\n");
}

/** The notes of some rows, as items of a list. */
export function noteItems(comparison: Comparison, which: (row: ComparedRow) => boolean): string[] {
  return notedRows(comparison, which).map(
    ({ name, note }) => `- ${codeSpan(shortName(name))}: ${escapeText(note, REASON_LIMIT)}`,
  );
}

/** Inconclusive rows with their minimum detectable change, then the unchanged ones. */
export function otherSections(comparison: Comparison): Section[] {
  return [
    foldedRows(comparison, "inconclusive", (metric) => {
      const detectable = detectableText(metric);
      return `${changeCell(comparison, metric)}${detectable === "" ? "" : ` (${detectable})`}`;
    }),
    foldedRows(comparison, "unchanged", (metric) => changeCell(comparison, metric)),
  ];
}

function foldedRows(
  comparison: Comparison,
  verdict: Extract<Verdict, "inconclusive" | "unchanged">,
  cell: (metric: MetricComparison) => string,
): Section {
  const rows = comparison.rows.filter((row) => row.verdict === verdict);
  if (rows.length === 0) return { text: "" };
  const metrics = metricNames({ ...comparison, rows });
  const nameOf = rowNames(comparison);
  const grid = markdownGrid(
    ["Benchmark", ...metrics.map(metricTitle)],
    rows.map((row) => [shortName(nameOf(row)), ...metrics.map((name) => cellOf(row.metrics[name], cell))]),
    { padded: false },
  );
  const notes = noteItems(comparison, (row) => row.verdict === verdict).join("\n");
  const summary = `${plural(rows.length, "benchmark")} ${SUMMARIES[verdict]}`;
  return {
    text: folded(summary, [EXPLAINED[verdict], grid, notes].filter(Boolean).join("\n\n")),
    shorter: [{ order: ORDER[verdict], text: "", leftOut: `${verdict} benchmarks` }],
  };
}

function cellOf(metric: MetricComparison | undefined, cell: (metric: MetricComparison) => string): string {
  return metric ? cell(metric) : MISSING;
}

const SUMMARIES = {
  inconclusive: "inconclusive, with minimum detectable changes",
  unchanged: "unchanged",
} as const;

const EXPLAINED = {
  inconclusive:
    "In brackets: the minimum detectable change. A change for the worse of this size would have been found four times in five.",
  unchanged: "",
} as const;
