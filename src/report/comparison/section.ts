/** The comparison's section: the verdict in one line, the rows that changed, and everything else folded. */

import { LOOKS } from "../../compare/looks.js";
import { USUAL_MARGINS } from "../../compare/metrics.js";
import { LEVEL } from "../../compare/verdict.js";
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import { codeBlock, codeSpan, escapeLine, escapeText, plainText } from "../text/escape.js";
import { MISSING, runDate, shellLine } from "../text/format.js";
import { folded, markdownGrid } from "../text/markdown.js";
import { wrapText } from "../text/width.js";
import {
  baseLine,
  changedLines,
  changeText,
  confirmedLine,
  controlLines,
  costText,
  headline,
  isChange,
  latencyMethod,
  metricNames,
  metricTitle,
  notedRows,
  percent,
  rowNames,
  type UncomparedLine,
  uncomparedLines,
  verdictWord,
} from "./view.js";

/** For report.md. */
export function comparisonMarkdown(comparison: Comparison): string {
  const changed = changedLines(comparison);
  const paired = hasPairs(comparison);
  const others = comparison.rows.filter((row) => !isChange(row.verdict));
  const blocks = [
    "## Compared with base",
    `**${escapeText(headline(comparison))}**`,
    changed.length === 0
      ? ""
      : markdownGrid(
          ["Row", "Verdict", "Change", "Base", "Head", "Smallest visible change", ...(paired ? ["Measured"] : [])],
          changed.map((line) => [
            ...[line.row, line.verdict, line.change, line.base, line.head, line.smallest],
            ...(paired ? [line.cost ?? ""] : []),
          ]),
        ),
    [
      ...uncomparedLines(comparison).map(apartItem),
      ...rowNotes(comparison, (row) => isChange(row.verdict)),
      ...[...controlLines(comparison), ...(comparison.notes ?? [])].map((note) => `- ${escapeLine(note)}`),
    ].join("\n"),
    others.length === 0 ? "" : folded(`The other rows (${others.length})`, otherRows(comparison, others)),
    folded("How this was compared", provenance(comparison)),
  ];
  return blocks.filter(Boolean).join("\n\n");
}

/** Stored results have them of the rows that were suspect. */
function hasPairs({ mode, confirmedWith }: Comparison): boolean {
  return mode !== "artifact" || confirmedWith !== undefined;
}

function apartItem({ heading, rows, reason }: UncomparedLine): string {
  const names = rows.map((row) => codeSpan(row)).join(", ");
  return `- ${heading}: ${names}${reason === undefined ? "" : `: ${escapeText(reason)}`}`;
}

function otherRows(comparison: Comparison, rows: readonly ComparedRow[]): string {
  const names = metricNames(comparison);
  const nameOf = rowNames(comparison);
  const paired = hasPairs(comparison);
  const grid = markdownGrid(
    [
      "Row",
      "Verdict",
      ...names.flatMap((name) => [metricTitle(name), "smallest visible"]),
      ...(paired ? ["Measured"] : []),
    ],
    rows.map((row) => [
      nameOf(row),
      verdictWord(row.verdict),
      ...names.flatMap((name) => {
        const metric = row.metrics[name];
        return metric ? [changeText(metric), percent(metric.minimumDetectable)] : [MISSING, MISSING];
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
  const { command } = comparison;
  const items = [`- ${escapeLine(`Base: ${baseLine(comparison)}.`)}`, ...methodItems(comparison)];
  const again = command ? [codeBlock([shellLine(command.map((word) => plainText(word)))], "sh")] : [];
  return [items.join("\n"), ...again].join("\n\n");
}

/** How the verdicts came about and from which files, as items of a list. */
export function methodItems(comparison: Comparison): string[] {
  const { mode, anchor, runs = [] } = comparison;
  const confirmed = confirmedLine(comparison);
  const day = Object.entries(anchor?.day ?? {}).map(
    ([name, shift]) => `${metricTitle(name)} ${shift < 0 ? "-" : "+"}${percent(Math.abs(shift))}`,
  );
  const items = [
    ...(anchor
      ? [
          `Control: ${anchor.servers.join(", ")} (${anchor.rows.join(", ")}), the same in all runs. Against base the day shows ${day.join(", ")}; base's figures are given for head's day.`,
        ]
      : []),
    ...METHODS[mode],
    ...latencyMethod(comparison),
    ...(confirmed === undefined ? [] : [`${confirmed}.`, ...PAIRS]),
  ].map((line) => `- ${escapeLine(line)}`);
  const files = runs.map(
    ({ source, startedAt, sha, leftOut }) =>
      `- ${codeSpan(source)}: ${escapeText([runDate(startedAt), sha, leftOut && `left out: ${leftOut}`].filter(Boolean).join(", "))}`,
  );
  return [...items, ...files];
}

const RULE = `Changes beyond ${percent(Math.expm1(USUAL_MARGINS.floor))} are called at a false discovery rate of ${percent(LEVEL)} over all rows and metrics; "unchanged" needs two one-sided tests, at 5% each, to say that the change is smaller than 3%. ± is half of the 95% interval; the smallest visible change is the one for the worse that would have been seen four times in five.`;

/** Of rows that were measured in pairs. */
const PAIRS: readonly string[] = [
  `Base and head run side by side in pairs: both servers are started afresh together, warmed up, and loaded in short slices in turn, the order flipped from pair to pair. A pair gives the ratio of the best slices, and counts the less the more the slices of one process differ; a row is the weighted mean of its pairs. Slices during which the hypervisor or other processes took more CPU time than in the pair's median slice (5 and 15 percentage points more) do not count.`,
  `A row is looked at after ${LOOKS.map((look) => look.pairs).join(", ")} pairs and ends when it is told; the looks share its error.`,
];

const STORED =
  "Each row is compared with the prediction interval of its base runs. Runs of another day prove nothing: a change is a suspicion, to be confirmed by measuring base and head side by side.";

const METHODS: Readonly<Record<Comparison["mode"], readonly string[]>> = {
  artifact: [RULE, STORED],
  paired: [...PAIRS, RULE],
  mixed: [...PAIRS, RULE, `Rows without pairs are compared with stored results. ${STORED}`],
};

/** For the terminal: the same without what is folded. */
export function comparisonText(comparison: Comparison, columns: number): string {
  const wrap = (text: string) => wrapText(plainText(text), columns, "  ");
  return [
    ...wrap(comparison.notComparable ? headline(comparison) : `Compared with base: ${headline(comparison)}`),
    ...changedLines(comparison).flatMap((line) =>
      wrap(
        `- ${line.row}: ${line.verdict}, ${line.change} (${line.base} -> ${line.head}; smallest visible ${line.smallest})`,
      ),
    ),
    ...uncomparedLines(comparison).flatMap(({ heading, rows, reason }) =>
      wrap(`- ${heading}: ${rows.join(", ")}${reason === undefined ? "" : `: ${reason}`}`),
    ),
    ...notedRows(comparison, (row) => isChange(row.verdict)).flatMap(({ name, note }) => wrap(`- ${name}: ${note}`)),
    ...[...controlLines(comparison), ...(comparison.notes ?? [])].flatMap((note) => wrap(`- ${note}`)),
    ...wrap(`Base: ${baseLine(comparison)}.`),
    ...[confirmedLine(comparison)].flatMap((line) => (line === undefined ? [] : wrap(`${line}.`))),
  ].join("\n");
}
