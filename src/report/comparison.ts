/** The comparison's section: the verdict in one line, the rows that changed, and everything else folded. */
import { LOOKS } from "../compare/looks.js";
import { FLOOR, LEVEL } from "../compare/verdict.js";
import type { ComparedRow, Comparison } from "../results/comparison.js";
import {
  type ApartLine,
  apartLines,
  baseLine,
  changedLines,
  changeText,
  controlLines,
  costText,
  headline,
  isChange,
  metricNames,
  metricTitle,
  percent,
  rowName,
  verdictWord,
} from "./comparison-view.js";
import { codeBlock, codeSpan, escapeLine, escapeText, plainText } from "./escape.js";
import { MISSING, runDate, shellLine } from "./format.js";
import { folded, markdownGrid } from "./markdown.js";
import { wrapText } from "./width.js";

/** For report.md. */
export function comparisonMarkdown(comparison: Comparison): string {
  const changed = changedLines(comparison);
  const paired = comparison.mode === "paired";
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
      ...apartLines(comparison).map(apartItem),
      ...rowNotes(comparison.rows.filter((row) => isChange(row.verdict))),
      ...[...controlLines(comparison), ...(comparison.notes ?? [])].map((note) => `- ${escapeLine(note)}`),
    ].join("\n"),
    others.length === 0 ? "" : folded(`The other rows (${others.length})`, otherRows(comparison, others)),
    folded("How this was compared", provenance(comparison)),
  ];
  return blocks.filter(Boolean).join("\n\n");
}

function apartItem({ heading, rows, reason }: ApartLine): string {
  const names = rows.map((row) => codeSpan(row)).join(", ");
  return `- ${heading}: ${names}${reason === undefined ? "" : `: ${escapeText(reason)}`}`;
}

function otherRows(comparison: Comparison, rows: readonly ComparedRow[]): string {
  const names = metricNames(comparison);
  const paired = comparison.mode === "paired";
  const grid = markdownGrid(
    [
      "Row",
      "Verdict",
      ...names.flatMap((name) => [metricTitle(name), "smallest visible"]),
      ...(paired ? ["Measured"] : []),
    ],
    rows.map((row) => [
      rowName(row),
      verdictWord(row.verdict),
      ...names.flatMap((name) => {
        const metric = row.metrics[name];
        return metric ? [changeText(metric), percent(metric.minimumDetectable)] : [MISSING, MISSING];
      }),
      ...(paired ? [costText(row)] : []),
    ]),
  );
  const notes = rowNotes(rows);
  return notes.length === 0 ? grid : `${grid}\n\n${notes.join("\n")}`;
}

function rowNotes(rows: readonly ComparedRow[]): string[] {
  return rows.flatMap((row) => (row.notes ?? []).map((note) => `- ${codeSpan(rowName(row))}: ${escapeText(note)}`));
}

function provenance(comparison: Comparison): string {
  const { anchor, runs = [], command } = comparison;
  const day = Object.entries(anchor?.day ?? {}).map(
    ([name, shift]) => `${metricTitle(name)} ${shift < 0 ? "-" : "+"}${percent(Math.abs(shift))}`,
  );
  const items = [
    `Base: ${baseLine(comparison)}.`,
    ...(anchor
      ? [
          `Control: ${anchor.servers.join(", ")} (${anchor.rows.join(", ")}), the same in all runs. Against base the day shows ${day.join(", ")}; base's figures are given for head's day.`,
        ]
      : []),
    ...METHODS[comparison.mode],
  ].map((line) => `- ${escapeLine(line)}`);
  const files = runs.map(
    ({ source, startedAt, sha, leftOut }) =>
      `- ${codeSpan(source)}: ${escapeText([runDate(startedAt), sha, leftOut && `left out: ${leftOut}`].filter(Boolean).join(", "))}`,
  );
  const again = command ? [codeBlock([shellLine(command.map((word) => plainText(word)))], "sh")] : [];
  return [[...items, ...files].join("\n"), ...again].join("\n\n");
}

const RULE = `Changes beyond ${percent(Math.expm1(FLOOR))} are called at a false discovery rate of ${percent(LEVEL)} over all rows and metrics; "unchanged" needs an interval within ±3%. ± is half of the 95% interval; the smallest visible change is the one for the worse that would have been seen four times in five.`;

const METHODS: Readonly<Record<Comparison["mode"], readonly string[]>> = {
  artifact: [
    RULE,
    "Each row is compared with the prediction interval of its base runs. Runs of another day prove nothing: a change is a suspicion, to be confirmed by measuring base and head side by side.",
  ],
  paired: [
    `Base and head run side by side in pairs: both servers are started afresh together, warmed up, and loaded in short slices in turn, the order flipped from pair to pair. A pair gives the ratio of the best slices; a row is the 20 % trimmed mean of its pairs. Slices during which the hypervisor or other processes took more CPU time than in the pair's median slice (5 and 15 percentage points more) do not count.`,
    `A row is looked at after ${LOOKS.map((look) => look.pairs).join(", ")} pairs and ends when it is told; the looks share its error.`,
    RULE,
  ],
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
    ...apartLines(comparison).flatMap(({ heading, rows, reason }) =>
      wrap(`- ${heading}: ${rows.join(", ")}${reason === undefined ? "" : `: ${reason}`}`),
    ),
    ...comparison.rows
      .filter((row) => isChange(row.verdict))
      .flatMap((row) => (row.notes ?? []).flatMap((note) => wrap(`- ${rowName(row)}: ${note}`))),
    ...[...controlLines(comparison), ...(comparison.notes ?? [])].flatMap((note) => wrap(`- ${note}`)),
    ...wrap(`Base: ${baseLine(comparison)}.`),
  ].join("\n");
}
