/** The comparison as a reader needs it, in plain text: Markdown and the terminal draw the same parts. */
import { METRICS } from "../compare/metrics.js";
import type { ApartRow, ComparedRow, Comparison, MetricComparison, Verdict } from "../results/comparison.js";
import { duration, plural, rate, runDate } from "./format.js";
import { label } from "./rows.js";

export interface ChangedLine {
  readonly row: string;
  readonly verdict: string;
  /** `CPU per request +12.1% ±4.0%` */
  readonly change: string;
  readonly base: string;
  readonly head: string;
  readonly smallest: string;
  /** `8 pairs, 36 s`, of a row that was measured in pairs. */
  readonly cost?: string;
}

/** Rows with the same thing to say. */
export interface ApartLine {
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

const KINDS: Readonly<Record<ApartRow["kind"], string>> = {
  "failed-in-head": "Failed in head only",
  "failed-in-base": "Failed in base only",
  "not-comparable": "Not comparable",
  removed: "Only in base",
  new: "Only in head",
  unmeasured: "Not measured in head",
  "cannot-have-changed": "Cannot have changed and not measured",
};

export function verdictWord(verdict: Verdict): string {
  return WORDS[verdict];
}

/** The verdict in one line. */
export function headline(comparison: Comparison): string {
  const { rows, apart = [], notComparable } = comparison;
  if (notComparable && rows.length === 0) return `Not comparable with base: ${notComparable.join(" / ")}.`;
  const failing = apart.filter((row) => row.kind === "failed-in-head").length;
  const parts = [verdictPart(comparison), ...(failing > 0 ? [`${plural(failing, "row")} failed in head only`] : [])];
  return `${parts.join("; ")}.`;
}

function noRows({ apart = [], controls = [] }: Comparison): string {
  const same = controls.length > 0 || apart.some((row) => row.kind === "cannot-have-changed");
  return same ? "No row can have changed" : "No row was measured in base and head";
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
  return `No change found in ${plural(rows.length, "row")}: ${rest.join(", ")}`;
}

const SAID = {
  worse: "worse",
  better: "better",
  "suspect-worse": "suspected to be worse",
  "suspect-better": "suspected to be better",
} as const;

/** The metrics that changed, the bad news first, the larger change first. */
export function changedLines({ rows }: Comparison): ChangedLine[] {
  const changed = rows.flatMap((row) =>
    Object.entries(row.metrics)
      .filter(([, metric]) => isChange(metric.verdict))
      .map(([name, metric]) => ({ row, name, metric })),
  );
  const rank = ({ verdict, change }: MetricComparison) => (verdict.endsWith("worse") ? 0 : 1000) - Math.abs(change);
  return changed
    .sort((a, b) => rank(a.metric) - rank(b.metric))
    .map(({ row, name, metric }) => ({
      row: rowName(row),
      verdict: verdictWord(metric.verdict),
      change: `${metricTitle(name)} ${changeText(metric)}`,
      base: figure(name, metric.base),
      head: figure(name, metric.head),
      smallest: percent(metric.minimumDetectable),
      ...(row.recorded && { cost: costText(row) }),
    }));
}

/** What the row's verdict took; "" where base was measured at another time. */
export function costText({ recorded, seconds }: Pick<ComparedRow, "recorded" | "seconds">): string {
  return recorded ? `${plural(recorded.length, "pair")}, ${duration(seconds)}` : "";
}

/** What the rows show that are the same on both sides. */
export function controlLines({ controls = [] }: Comparison): string[] {
  return controls.map((row) => {
    const changes = Object.entries(row.metrics).map(([name, metric]) => `${metricTitle(name)} ${changeText(metric)}`);
    const shown = changes.length > 0 ? changes.join(", ") : "too few pairs";
    return `Control, the same on both sides: ${rowName(row)}: ${shown} (${costText(row)}). This is the noise of this run.`;
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
  return METRICS.find((metric) => metric.name === name)?.title ?? name;
}

/** `-3.1% ±0.8%`: the change, and half the width of its interval. */
export function changeText({ change, interval: [low, high] }: MetricComparison): string {
  return `${change < 0 ? "-" : "+"}${percent(Math.abs(change))} ±${percent((high - low) / 2)}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function figure(name: string, value: number | undefined): string {
  const unit = METRICS.find((metric) => metric.name === name)?.unit ?? "";
  return value === undefined ? "" : `${rate(value)} ${unit}`.trim();
}

/** `RSGI bytes (c256)` */
export function rowName({ id, title, connections }: Pick<ComparedRow, "id" | "title" | "connections">): string {
  const name = title ?? id;
  return connections === undefined ? name : label({ title: name, connections });
}

/** Rows without a speed verdict; those with the same reason in one line. */
export function apartLines({ apart = [] }: Comparison): ApartLine[] {
  const lines = new Map<string, ApartLine>();
  for (const row of apart) {
    const key = JSON.stringify([row.kind, row.reason]);
    const rows = [...(lines.get(key)?.rows ?? []), rowName(row)];
    lines.set(key, { heading: KINDS[row.kind], rows, ...(row.reason !== undefined && { reason: row.reason }) });
  }
  return [...lines.values()];
}

/** What base is: `base: 3 stored runs, newest Thu 30 Jan 2025, 02:28, commit 0f3c2a9d5b7e on main, AMD Ryzen (2 CPUs)`. */
export function baseLine({ mode, base }: Comparison): string {
  const { runs = "1", newest, sha, ref, folder, machine, fingerprint } = base;
  const facts = [
    mode === "paired" ? "measured in this run" : plural(Number(runs), "stored run"),
    newest === undefined ? undefined : `${runs === "1" ? "of" : "newest of"} ${runDate(newest)}`,
    folder === undefined ? undefined : `folder ${folder}`,
    sha === undefined ? undefined : `commit ${sha.slice(0, SHA_DIGITS)}${ref === undefined ? "" : ` on ${ref}`}`,
    machine,
    fingerprint === undefined ? undefined : `fingerprint ${fingerprint}`,
  ];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

/** Enough to tell commits apart. */
const SHA_DIGITS = 12;
