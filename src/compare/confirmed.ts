/** Rows that look changed against stored results -> their verdicts from pairs of base and head. */
import type { ComparedRow, Comparison, MetricComparison } from "../results/comparison.js";
import { METRICS } from "./metrics.js";
import { pairKey } from "./sides.js";
import { isSuspect } from "./verdict.js";

export type Confirmed =
  | { readonly state: "paired"; readonly row: ComparedRow }
  /** Both sides are identical: the change is drift of the machine. */
  | { readonly state: "cannot-have-changed"; readonly reason: string }
  | { readonly state: "not-confirmed"; readonly reason: string };

interface Confirmations {
  /** By `pairKey`. */
  readonly rows: ReadonlyMap<string, Confirmed>;
  /** What they were measured in pairs with. */
  readonly base?: Readonly<Record<string, string>>;
  /** The margin of the pairs, where it is not the usual one. */
  readonly detect?: number;
  /** Why none could be measured; it is reported once instead of for every row. */
  readonly trouble?: string;
}

/** The suspect rows of a stored comparison, the smallest p-value first. */
export function suspectRows({ rows }: Comparison): ComparedRow[] {
  const least = ({ metrics }: ComparedRow) =>
    Math.min(...Object.values(metrics).flatMap((metric) => (isSuspect(metric.verdict) ? [metric.p] : [])));
  return rows.filter((row) => isSuspect(row.verdict)).sort((a, b) => least(a) - least(b));
}

/** The stored comparison with the verdicts of the pairs instead of the suspicions. */
export function confirmRows(stored: Comparison, { rows, base, detect, trouble }: Confirmations): Comparison {
  const runs = Number(stored.base.runs ?? 1) === 1 ? "run" : "runs";
  const confirmed = stored.rows.map((row) => {
    const found = isSuspect(row.verdict) ? rows.get(pairKey(row)) : undefined;
    return found ? confirmRow(row, found, runs, trouble) : row;
  });
  const paired = confirmed.some(({ confirmation }) => confirmation?.state === "paired");
  const notes = [
    ...(stored.notes ?? []),
    ...(trouble === undefined ? [] : [`Suspected benchmarks could not be measured in pairs: ${trouble}`]),
  ];
  return {
    ...stored,
    rows: confirmed,
    ...(paired && base && { confirmedWith: { ...base } }),
    ...(paired && detect !== undefined && { detect }),
    ...(notes.length > 0 && { notes }),
  };
}

function confirmRow(row: ComparedRow, found: Confirmed, runs: string, trouble: string | undefined): ComparedRow {
  const suspected = `suspected against the stored ${runs} (${effects(row)})`;
  if (found.state === "paired") {
    const notes = [`${suspected}, then measured in pairs`, ...(found.row.notes ?? [])];
    return { ...found.row, notes, confirmation: { state: "paired", suspected: row.metrics } };
  }
  if (found.state === "cannot-have-changed") {
    const notes = [...(row.notes ?? []), `${suspected}, but it cannot have changed: ${found.reason}`];
    const metrics = Object.fromEntries(
      Object.entries(row.metrics).map(([name, metric]) => [name, unsuspected(metric)]),
    );
    return { ...row, verdict: "inconclusive", metrics, notes, confirmation: { state: "cannot-have-changed" } };
  }
  const { reason } = found;
  const notes = [...(row.notes ?? []), ...(reason === trouble ? [] : [`not confirmed in pairs: ${reason}`])];
  return { ...row, ...(notes.length > 0 && { notes }), confirmation: { state: "not-confirmed", reason } };
}

function unsuspected(metric: MetricComparison): MetricComparison {
  return isSuspect(metric.verdict) ? { ...metric, verdict: "inconclusive" } : metric;
}

/** `throughput -20.1 %, CPU per request +25.0 %` */
function effects({ metrics }: ComparedRow): string {
  return Object.entries(metrics)
    .filter(([, metric]) => isSuspect(metric.verdict))
    .map(([name, { change }]) => {
      const title = METRICS.find((metric) => metric.name === name)?.title ?? name;
      return `${title} ${change < 0 ? "-" : "+"}${(Math.abs(change) * 100).toFixed(1)} %`;
    })
    .join(", ");
}
