/** The comparison as a reader needs it, in plain text: Markdown and the terminal draw the same parts. */
import { IDLE_LIMIT } from "../../compare/idle.js";
import { metricNamed } from "../../compare/metric-named.js";
import { PAIRED_METRICS } from "../../compare/metrics.js";
import { type FailedWitness, failedWitnesses } from "../../compare/witnesses/problems.js";
import type { ComparedRow, Comparison, MetricComparison, UncomparedRow, Verdict } from "../../results/comparison.js";
import { decimals, duration, plural, rate, runDate } from "../text/format.js";
import { type NamedRow, rowNamer } from "../text/row-names.js";

/** One metric of a row. */
export interface ChangedLine {
  readonly row: string;
  readonly verdict: string;
  /** `CPU per request +12.1% ±4.0%` */
  readonly change: string;
  readonly base: string;
  readonly head: string;
  /** `20.83 → 26.03 µs` */
  readonly figures: string;
  /** `4.1%` */
  readonly detectable: string;
  /** `8 pairs, 36 s`, of a row that was measured in pairs. */
  readonly cost?: string;
}

/** A row that changed, and the metrics in which it did. */
export interface ChangedRow {
  readonly name: string;
  readonly verdict: Verdict;
  readonly lines: readonly ChangedLine[];
}

/** Rows that were not compared, or not in everything, for the same reason. */
export interface UncomparedLine {
  readonly kind: UncomparedRow["kind"];
  readonly heading: string;
  readonly rows: readonly string[];
  readonly reason?: string;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  worse: "worse",
  better: "better",
  "suspect-worse": "suspect: worse",
  "suspect-better": "suspect: better",
  unchanged: "unchanged",
  inconclusive: "inconclusive",
};

const KINDS: Readonly<Record<UncomparedRow["kind"], string>> = {
  "failed-in-head": "Failed in head only",
  "failed-in-base": "Failed in base only",
  "not-comparable": "Not comparable",
  removed: "Only in base",
  new: "Only in head",
  unmeasured: "Not measured in head",
  voided: "Void",
  "cannot-have-changed": "Identical on both sides, not measured",
};

export function verdictWord(verdict: Verdict): string {
  return WORDS[verdict];
}

/** The verdict in one line. */
export function headline(comparison: Comparison): string {
  const { rows, notComparable } = comparison;
  if (notComparable && rows.length === 0) return `Not comparable with base: ${notComparable.join(" / ")}.`;
  return `${[verdictPart(comparison), ...failingParts(comparison)].join("; ")}.`;
}

/** Of the headline: how many rows are not right in head. */
export function failingParts({ rows, apart = [] }: Comparison): string[] {
  const failing = apart.filter((row) => row.kind === "failed-in-head").length;
  const voided = apart.filter((row) => row.kind === "voided").length;
  const beside = rows.filter((row) => failedWitnesses(row).some(({ side }) => side === "head")).length;
  return [
    ...(failing > 0 ? [`${plural(failing, "row")} failed in head only`] : []),
    ...(beside > 0 ? [`${plural(beside, "row")} failed in head while instructions or memory were measured`] : []),
    ...(voided > 0 ? [`${plural(voided, "row")} void, because base's files changed`] : []),
  ];
}

function noRows({ apart = [], controls = [] }: Comparison): string {
  const same = controls.length > 0 || apart.some((row) => row.kind === "cannot-have-changed");
  const others = apart.some((row) => row.kind !== "cannot-have-changed" && row.kind !== "removed");
  return same && !others ? "All rows are identical on both sides" : "No row was measured in base and head";
}

function verdictPart(comparison: Comparison): string {
  const { rows } = comparison;
  if (rows.length === 0) return noRows(comparison);
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  const changed = (["worse", "suspect-worse", "better", "suspect-better"] as const).flatMap((verdict) =>
    count(verdict) > 0 ? [`${count(verdict)} ${SAID[verdict]}`] : [],
  );
  const rest = (["unchanged", "inconclusive"] as const).flatMap((verdict) =>
    count(verdict) > 0 ? [`${count(verdict)} ${verdict}`] : [],
  );
  if (changed.length > 0) return `Of ${plural(rows.length, "row")}: ${[...changed, ...rest].join(", ")}`;
  return `${withoutChange(rows)}: ${rest.join(", ")}`;
}

/** What can be said where no row changed. */
export function withoutChange(rows: Comparison["rows"]): string {
  const isOpen = rows.every(({ verdict }) => verdict === "inconclusive");
  return isOpen ? "No row could be decided" : `No change found in ${plural(rows.length, "row")}`;
}

const SAID = {
  worse: "worse",
  better: "better",
  "suspect-worse": "suspected to be worse",
  "suspect-better": "suspected to be better",
} as const;

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

/** Where metrics were asked for, a changed row shows the verdict of each of them. */
function changes({ rows, asked }: Comparison): Change[] {
  const changed = rows.flatMap((row) =>
    Object.entries(row.metrics)
      .filter(([, metric]) => isChange(metric.verdict) || (asked && isChange(row.verdict)))
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
    change: `${metricTitle(metricName)} ${changeText(metric)}`,
    base,
    head,
    figures: [metric.base === undefined ? "" : bareFigure(metricName, metric.base), head].filter(Boolean).join(" → "),
    detectable: detectableText(metric),
    ...((row.recorded || row.mode) && { cost: costText(row) }),
  };
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
      detectable: percent(IDLE_LIMIT),
      ...((row.recorded || row.mode) && { cost: costText(row) }),
    },
  ];
}

/** What the row's verdict cost. Of a row without pairs: "", or what it has instead where other rows have pairs. */
export function costText(row: Pick<ComparedRow, "recorded" | "seconds" | "mode" | "instructions" | "memory">): string {
  const { recorded, seconds, mode, instructions, memory } = row;
  if (recorded) {
    const counts = instructions?.state === "measured" ? [plural(instructions.rounds.length, "counted pair")] : [];
    const samples = memory?.state === "measured" ? [plural(memory.pairs.length, "sampled pair")] : [];
    const beside = [...counts, ...samples];
    const pairs = recorded.length > 0 || beside.length === 0 ? [plural(recorded.length, "pair")] : [];
    return [...pairs, ...beside, duration(seconds)].join(", ");
  }
  return mode === "artifact" ? "stored results" : "";
}

/** The rows that are identical on both sides, and what they show. */
export function controlLines(comparison: Comparison): string[] {
  const { controls = [] } = comparison;
  const nameOf = rowNames(comparison);
  return controls.map((row) => {
    const changes = Object.entries(row.metrics).map(([name, metric]) => `${metricTitle(name)} ${changeText(metric)}`);
    const shown = changes.length > 0 ? changes.join(", ") : "too few pairs";
    const cost = costText(row);
    return `Control row, identical on both sides: ${nameOf(row)}: ${shown}${cost === "" ? "" : ` (${cost})`}. Its change is the noise of this run.`;
  });
}

export function isChange(verdict: Verdict): boolean {
  return verdict !== "unchanged" && verdict !== "inconclusive";
}

/** The metrics that any row has, in the order of the first that has them. */
export function metricNames({ rows }: Comparison): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row.metrics)))];
}

export function metricTitle(name: string): string {
  return metricNamed(name)?.title ?? name;
}

/** How latency was compared, where it was. */
export function latencyMethod(comparison: Comparison): string[] {
  const shown = new Set(metricNames(comparison));
  const metrics = PAIRED_METRICS.filter(({ name, percentile }) => percentile !== undefined && shown.has(name));
  if (metrics.length === 0) return [];
  const margins = metrics.map(
    ({ percentile, margins: { floor, equivalence } }) =>
      `${percentile} beyond ${percent(Math.expm1(floor))}, with ±${percent(equivalence)} for "unchanged"`,
  );
  return [
    `Latency is measured in separate slices at one fixed rate, the same for both sides and all pairs: 60% of base's throughput, or what the row asks for with \`rate\`, and less where the load generator cannot send as much. It counts from the moment when a request is due: queueing behind a slow request counts (no coordinated omission). Slices are cut into windows just long enough for the percentile, and a pair gives the ratio of the lowest windows. This leaves out interference by other processes, and also stalls that come less than once a window. A change is reported for ${margins.join("; ")}.`,
  ];
}

/** The change of a metric in a table of rows; with its verdict where metrics were asked for. */
export function changeCell({ asked }: Pick<Comparison, "asked">, metric: MetricComparison): string {
  return asked ? `${changeText(metric)} ${verdictWord(metric.verdict)}` : changeText(metric);
}

/** `-3.1% ±0.8%`: the change, and half the width of its interval. */
export function changeText({ change, interval: [low, high] }: MetricComparison): string {
  return `${change < 0 ? "-" : "+"}${percent(Math.abs(change))} ±${percent((high - low) / 2)}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** A share. The scatter of a few pairs can give millions of percent: all that such a figure says is that nothing could be seen. */
const DETECTABLE_SHOWN_MAX = 10;

/** The minimum detectable change, `4.2%`. */
export function detectableText({ minimumDetectable }: MetricComparison, shown = percent): string {
  return minimumDetectable > DETECTABLE_SHOWN_MAX
    ? `over ${shown(DETECTABLE_SHOWN_MAX).replace(".0", "")}`
    : shown(minimumDetectable);
}

function unitOf(name: string): string {
  return metricNamed(name)?.unit ?? "";
}

/** Microseconds: a fast server answers within a few hundred of them. */
const MS_DECIMALS = 3;
/** Below this a whole number would hide a change. */
const FEW_DIGITS = 100;

function bareFigure(name: string, value: number): string {
  if (unitOf(name) === "ms") return decimals(value, MS_DECIMALS);
  // Base and head stand side by side: 17.02 → 17.60, with as many digits.
  return value < FEW_DIGITS ? value.toFixed(2) : rate(value);
}

/** `20153 req/s`; "" where there is none. */
export function figure(name: string, value: number | undefined): string {
  return value === undefined ? "" : `${bareFigure(name, value)} ${unitOf(name)}`.trim();
}

/** Names for the rows of a comparison, also for those without a verdict. */
export function rowNames(comparison: Comparison): (row: NamedRow) => string {
  return rowNamer(namedRows(comparison));
}

export function namedRows({ rows, controls = [], apart = [] }: Comparison): readonly NamedRow[] {
  return [...rows, ...controls, ...apart];
}

/** The notes of some rows, one by one. */
export function notedRows(
  comparison: Comparison,
  which: (row: ComparedRow) => boolean,
): { readonly name: string; readonly note: string }[] {
  const nameOf = rowNames(comparison);
  return comparison.rows.filter(which).flatMap((row) => (row.notes ?? []).map((note) => ({ name: nameOf(row), note })));
}

/** Rows without a verdict, or without one on a metric that failed; those with the same reason in one line. */
export function uncomparedLines(comparison: Comparison): UncomparedLine[] {
  const nameOf = rowNames(comparison);
  const lines = new Map<string, Omit<UncomparedLine, "rows"> & { readonly rows: string[] }>();
  const add = (row: NamedRow, line: Omit<UncomparedLine, "rows">): void => {
    const key = JSON.stringify([line.heading, line.reason]);
    const found = lines.get(key) ?? { ...line, rows: [] };
    found.rows.push(nameOf(row));
    lines.set(key, found);
  };
  for (const row of comparison.apart ?? []) {
    const { kind } = row;
    // The heading says already that it failed.
    const reason = kind.startsWith("failed-in-") ? row.reason?.replace(/^failed: /, "") : row.reason;
    add(row, { kind, heading: KINDS[kind], ...(reason !== undefined && { reason }) });
  }
  for (const row of comparison.rows) for (const failed of failedWitnesses(row)) add(row, failedLine(failed));
  return [...lines.values()];
}

function failedLine({ kind, side, reason }: FailedWitness): Omit<UncomparedLine, "rows"> {
  const meanwhile = kind === "memory" ? "memory was sampled" : "instructions were counted";
  return { kind: `failed-in-${side}`, heading: `Failed in ${side} while ${meanwhile}`, reason };
}

/** The base: `base: 3 stored runs, newest Thu 30 Jan 2025, 02:28, commit 0f3c2a9d5b7e on main, AMD Ryzen (2 CPUs)`. */
export function baseLine({ mode, base, storedBase = {}, rows }: Comparison): string {
  if (mode === "mixed") {
    const stored = rows.filter((row) => row.mode === "artifact").length;
    const lines = [baseLine({ mode: "paired", base, rows }), baseLine({ mode: "artifact", base: storedBase, rows })];
    return lines.join(`; for ${plural(stored, "row")}: `);
  }
  const { runs = "1", newest, sha, ref, folder, uncommitted, machine, fingerprint } = base;
  const facts = [
    mode === "paired" ? "measured in this run" : plural(Number(runs), "stored run"),
    newest === undefined ? undefined : `${runs === "1" ? "of" : "newest of"} ${runDate(newest)}`,
    folder === undefined ? undefined : `folder ${folder}`,
    sha === undefined ? undefined : `commit ${sha.slice(0, SHA_DIGITS)}${ref === undefined ? "" : ` on ${ref}`}`,
    uncommitted === undefined ? undefined : "with uncommitted changes",
    machine,
    fingerprint === undefined ? undefined : `fingerprint ${fingerprint}`,
  ];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

/** The base of the pairs that confirmed suspect rows; undefined where none was confirmed. */
export function confirmedLine({ confirmedWith }: Comparison): string | undefined {
  if (confirmedWith === undefined) return undefined;
  const base = baseLine({ mode: "paired", base: confirmedWith, rows: [] });
  return `Rows that looked changed against the stored results were measured again, in pairs with base (${base})`;
}

/** Enough to distinguish commits. */
const SHA_DIGITS = 12;
