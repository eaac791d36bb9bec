/** The comparison's section: the verdict in one line, the rows that changed, and everything else folded. */

import { plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import { codeSpan, escapeLine, escapeText, plainText } from "../text/escape.js";
import { linesWithin, type Section } from "../text/fit-to-limit.js";
import { MISSING, runDate } from "../text/format.js";
import { folded, markdownGrid } from "../text/markdown.js";
import { wrapText } from "../text/width.js";
import { baseLine, confirmedLine } from "./base-line.js";
import { changedLines, costText } from "./changed-rows.js";
import { headline, headlineText } from "./headline.js";
import { methodSentences } from "./method.js";
import {
  changeCell,
  detectableText,
  isChange,
  isOpenIn,
  metricNames,
  metricTitle,
  verdictWord,
} from "./metric-text.js";
import { remarks } from "./remarks.js";
import { notedRows, rowNames } from "./row-names.js";
import { type UncomparedLine, uncomparedLines } from "./uncompared-lines.js";

/** For report.md. */
export function comparisonMarkdown(comparison: Comparison): string {
  return comparisonSections(comparison, NO_ORDER)
    .map(({ text }) => text)
    .filter(Boolean)
    .join("\n\n");
}

/** What a summary leaves out first has the lowest. */
export interface ComparisonOrder {
  readonly others: number;
  readonly how: number;
  readonly list: number;
  readonly changes: number;
}

const NO_ORDER: ComparisonOrder = { others: 0, how: 0, list: 0, changes: 0 };

export function comparisonSections(comparison: Comparison, order: ComparisonOrder): Section[] {
  const { verdict, rest } = headline(comparison);
  const others = comparison.rows.filter((row) => !isChange(row.verdict));
  const foldable = (text: string, at: number, leftOut: string): Section =>
    text === "" ? { text } : { text, shorter: [{ order: at, text: "", leftOut }] };
  return [
    { text: `## Compared with base\n\n**${escapeText(verdict)}**${rest === "" ? "" : `\n\n${escapeText(rest)}`}` },
    changesTable(comparison, order.changes),
    foldable(comparedItems(comparison).join("\n"), order.list, "the list of benchmarks and notes"),
    foldable(
      others.length === 0
        ? ""
        : folded(`${rowsWord(comparison, others)} (${others.length})`, otherRows(comparison, others)),
      order.others,
      "the benchmarks that did not change",
    ),
    foldable(folded("How this was compared", provenance(comparison)), order.how, "how this was compared"),
  ];
}

function rowsWord({ rows }: Comparison, others: readonly ComparedRow[]): string {
  return others.length < rows.length ? "The other benchmarks" : "The benchmarks";
}

/** Bytes of the line below a table that was cut. */
const MORE_BYTES = 60;

function changesTable(comparison: Comparison, order: number): Section {
  const changed = changedLines(comparison);
  if (changed.length === 0) return { text: "" };
  const paired = hasPairs(comparison);
  const text = markdownGrid(
    ["Benchmark", "Verdict", "Change", "Base", "Head", ...(paired ? ["Measured"] : [])],
    changed.map((line) => [
      ...[line.row, line.verdict, line.change, line.base, line.head],
      ...(paired ? [line.cost ?? ""] : []),
    ]),
  );
  const within = (room: number) => {
    const kept = linesWithin(text.split("\n"), room - MORE_BYTES);
    const more = `and ${plural(changed.length + HEAD_LINES - kept.length, "more change")}`;
    return kept.length > HEAD_LINES ? [kept.join("\n"), more].join("\n\n") : more;
  };
  return { text, shorter: [{ order, text: within, leftOut: "changes beyond those shown" }] };
}

/** Of a table in Markdown: the headings and the rule below them. */
const HEAD_LINES = 2;

function comparedItems(comparison: Comparison): string[] {
  return [
    ...uncomparedLines(comparison).map(uncomparedItem),
    ...rowNotes(comparison, (row) => isChange(row.verdict)),
    ...remarks(comparison).map((note) => `- ${escapeLine(note)}`),
  ];
}

/** A comparison with stored results has pairs of the rows that were suspect. */
function hasPairs({ rows }: Comparison): boolean {
  return rows.some((row) => row.recorded !== undefined || row.mode !== undefined);
}

function uncomparedItem({ heading, rows, reason }: UncomparedLine): string {
  const names = rows.map((row) => codeSpan(row)).join(", ");
  return `- ${heading}: ${names}${reason === undefined ? "" : `: ${escapeText(reason)}`}`;
}

function otherRows(comparison: Comparison, rows: readonly ComparedRow[]): string {
  const names = metricNames(comparison);
  const nameOf = rowNames(comparison);
  const paired = hasPairs(comparison);
  const grid = markdownGrid(
    [
      "Benchmark",
      "Verdict",
      ...names.flatMap((name) => [metricTitle(name), ...(isOpenIn(rows, name) ? ["minimum detectable"] : [])]),
      ...(paired ? ["Measured"] : []),
    ],
    rows.map((row) => [
      nameOf(row),
      verdictWord(row.verdict),
      ...names.flatMap((name) => {
        const metric = row.metrics[name];
        const cells = metric ? [changeCell(comparison, metric), detectableText(metric)] : [MISSING, MISSING];
        return isOpenIn(rows, name) ? cells : cells.slice(0, 1);
      }),
      ...(paired ? [costText(row)] : []),
    ]),
  );
  const notes = rowNotes(comparison, (row) => !isChange(row.verdict));
  return notes.length === 0 ? grid : `${grid}\n\n${notes.join("\n")}`;
}

function rowNotes(comparison: Comparison, which: (row: ComparedRow) => boolean): string[] {
  return notedRows(comparison, which).map(({ name, note }) => `- ${codeSpan(name)}: ${escapeText(note)}`);
}

function provenance(comparison: Comparison): string {
  return [`- ${escapeLine(`Base: ${baseLine(comparison)}.`)}`, ...methodItems(comparison)].join("\n");
}

/** How the verdicts were reached and from which files, as items of a list. */
export function methodItems(comparison: Comparison): string[] {
  const files = (comparison.runs ?? []).map(
    ({ source, startedAt, sha, leftOut }) =>
      `- ${codeSpan(source)}: ${escapeText([runDate(startedAt), sha, leftOut && `left out: ${leftOut}`].filter(Boolean).join(", "))}`,
  );
  return [...methodSentences(comparison).map((line) => `- ${escapeLine(line)}`), ...files];
}

/** For the terminal: the same without what is folded. */
export function comparisonText(comparison: Comparison, columns: number): string {
  const wrap = (text: string) => wrapText(plainText(text), columns, "  ");
  return [
    ...wrap(`${comparison.notComparable ? "" : "Compared with base: "}${headlineText(headline(comparison))}`),
    ...changedLines(comparison).flatMap((line) =>
      wrap(`- ${line.row}: ${line.verdict}, ${line.change} (${line.base} -> ${line.head})`),
    ),
    ...inconclusiveLines(comparison).flatMap(wrap),
    ...uncomparedLines(comparison).flatMap(({ heading, rows, reason }) =>
      wrap(`- ${heading}: ${rows.join(", ")}${reason === undefined ? "" : `: ${reason}`}`),
    ),
    ...notedRows(comparison, (row) => isChange(row.verdict)).flatMap(({ name, note }) => wrap(`- ${name}: ${note}`)),
    ...remarks(comparison).flatMap((note) => wrap(`- ${note}`)),
    ...wrap(`Base: ${baseLine(comparison)}.`),
    ...leftOutFiles(comparison).flatMap((line) => wrap(`- ${line}`)),
    ...[confirmedLine(comparison)].flatMap((line) => (line === undefined ? [] : wrap(`${line}.`))),
  ].join("\n");
}

/** With the largest minimum detectable change of their open metrics, where one is known: the reason why they are inconclusive. */
function inconclusiveLines(comparison: Comparison): string[] {
  const nameOf = rowNames(comparison);
  const known: string[] = [];
  const unknown: string[] = [];
  for (const row of comparison.rows.filter(({ verdict }) => verdict === "inconclusive")) {
    const open = Object.entries(row.metrics).filter(([, metric]) => metric.verdict === "inconclusive");
    const [largest] = open.toSorted(([, a], [, b]) => b.minimumDetectable - a.minimumDetectable);
    if (!largest) unknown.push(nameOf(row));
    else known.push(`${nameOf(row)}: ${metricTitle(largest[0])} ${detectableText(largest[1])}`);
  }
  return [
    ...(known.length === 0 ? [] : [`- Inconclusive, with minimum detectable changes: ${known.join("; ")}`]),
    ...(unknown.length === 0 ? [] : [`- Inconclusive, measured too few times for a figure: ${unknown.join("; ")}`]),
  ];
}

/** Stored results that were not used; where none could be, the headline says why. */
function leftOutFiles({ runs = [], notComparable }: Comparison): string[] {
  if (notComparable !== undefined) return [];
  return runs.flatMap(({ source, leftOut }) => (leftOut === undefined ? [] : [`${source} was left out: ${leftOut}`]));
}
