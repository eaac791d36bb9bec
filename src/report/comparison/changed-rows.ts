/** The rows that changed and the control rows, in plain text: Markdown, the page and the terminal show the same lines. */
import { duration } from "../../messages/duration.js";
import { plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison, MetricComparison, Verdict } from "../../results/comparison.js";
import {
  bareFigure,
  changeText,
  detectableText,
  figure,
  isChange,
  metricTitle,
  percent,
  verdictWord,
} from "./metric-text.js";
import { rowNames } from "./row-names.js";

/** One metric of a row. */
export interface ChangedLine {
  readonly row: string;
  readonly verdict: string;
  /** `CPU per request +12.1 % ±4.0 %`; of a metric that was not decided with its minimum detectable change. */
  readonly change: string;
  readonly base: string;
  readonly head: string;
  /** `20.83 → 26.03 µs` */
  readonly figures: string;
  /** `8 pairs, 36 s`, of a row that was measured in pairs. */
  readonly cost?: string;
}

/** A row that changed, and the metrics in which it did. */
export interface ChangedRow {
  readonly name: string;
  readonly verdict: Verdict;
  readonly lines: readonly ChangedLine[];
}

/** The metrics that changed, worse before better, larger changes first. */
export function changedLines(comparison: Comparison): ChangedLine[] {
  const nameOf = rowNames(comparison);
  return [
    ...comparison.rows.flatMap((row) => idleLine(nameOf(row), row)),
    ...changes(comparison).map(({ row, name, metric }) => changedLine(nameOf(row), row, name, metric)),
  ];
}

/** The same, the metrics of a row together. */
export function changedRows(comparison: Comparison): ChangedRow[] {
  const nameOf = rowNames(comparison);
  const byRow = new Map<ComparedRow, ChangedLine[]>();
  for (const row of comparison.rows) {
    const lines = idleLine(nameOf(row), row);
    if (lines.length > 0) byRow.set(row, lines);
  }
  for (const { row, name, metric } of changes(comparison)) {
    const lines = byRow.get(row) ?? [];
    lines.push(changedLine(nameOf(row), row, name, metric));
    byRow.set(row, lines);
  }
  return [...byRow].map(([row, lines]) => ({ name: nameOf(row), verdict: row.verdict, lines }));
}

interface Change {
  readonly row: ComparedRow;
  readonly name: string;
  readonly metric: MetricComparison;
}

/** A changed row shows the verdict of each metric where metrics were asked for, and where it was counted because it looked changed. */
function changes({ rows, selectedMetrics }: Comparison): Change[] {
  const changed = rows.flatMap((row) =>
    Object.entries(row.metrics)
      .filter(([, metric]) => isChange(metric.verdict) || ((selectedMetrics ?? row.basis) && isChange(row.verdict)))
      .map(([name, metric]) => ({ row, name, metric })),
  );
  const group = (verdict: Verdict) => (isChange(verdict) ? (verdict.endsWith("worse") ? 0 : 1000) : 2000);
  const rank = ({ verdict, change }: MetricComparison) => group(verdict) - Math.abs(change);
  return changed.sort((a, b) => rank(a.metric) - rank(b.metric));
}

function changedLine(name: string, row: ComparedRow, metricName: string, metric: MetricComparison): ChangedLine {
  const base = figure(metricName, metric.base);
  const head = figure(metricName, metric.head);
  return {
    row: name,
    verdict: verdictWord(metric.verdict),
    change: [metricTitle(metricName), changeText(metric), detectableBrackets(metric)].filter(Boolean).join(" "),
    base,
    head,
    figures: [metric.base === undefined ? "" : bareFigure(metricName, metric.base), head].filter(Boolean).join(" → "),
    ...((row.recorded || row.mode) && { cost: costText(row) }),
  };
}

function detectableBrackets(metric: MetricComparison): string {
  const detectable = detectableText(metric);
  return detectable === "" ? "" : `(minimum detectable ${detectable})`;
}

/** The CPU that head uses while it has no load, where it makes the row worse. */
function idleLine(name: string, row: ComparedRow): ChangedLine[] {
  if (!row.idleCpu?.worse) return [];
  const { base, head } = row.idleCpu;
  return [
    {
      row: name,
      verdict: verdictWord("worse"),
      change: `CPU while idle +${percent(head - base)} of a CPU`,
      base: percent(base),
      head: percent(head),
      figures: `${percent(base)} → ${percent(head)}`,
      ...((row.recorded || row.mode) && { cost: costText(row) }),
    },
  ];
}

/** What the row's verdict cost. Of a row without pairs: "", or what it has instead where other rows have pairs. */
export function costText(row: Pick<ComparedRow, "recorded" | "seconds" | "mode" | "instructions" | "memory">): string {
  const { recorded, seconds, mode, instructions, memory } = row;
  if (recorded) {
    const counts = instructions?.state === "measured" ? [plural(instructions.rounds.length, "counted pair")] : [];
    const samples = memory?.state === "measured" ? [plural(memory.pairs.length, "pair with memory sampled")] : [];
    const beside = [...counts, ...samples];
    const pairs = recorded.length > 0 || beside.length === 0 ? [plural(recorded.length, "pair")] : [];
    return [...pairs, ...beside, duration(seconds)].join(", ");
  }
  return mode === "artifact" ? "stored results" : "";
}

const BEYOND_NOISE = "It changed by more than noise: something that was not compared differs between the sides.";

/** The rows that are identical on both sides, and what they show. */
export function controlLines(comparison: Comparison): string[] {
  const { controls = [] } = comparison;
  const nameOf = rowNames(comparison);
  return controls.map((row) => {
    const changes = Object.entries(row.metrics).map(([name, metric]) => `${metricTitle(name)} ${changeText(metric)}`);
    const shown = changes.length > 0 ? changes.join(", ") : "too few pairs";
    const cost = costText(row);
    return `Control, identical on both sides: ${nameOf(row)}: ${shown}${cost === "" ? "" : ` (${cost})`}. ${row.beyondNoise ? BEYOND_NOISE : "Its change is the noise of this run."}`;
  });
}
