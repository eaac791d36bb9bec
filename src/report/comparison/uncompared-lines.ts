/** The rows that have no verdict, or none on a metric that failed, by reason. */
import { type FailedMeasurement, failedMeasurements } from "../../compare/further-metrics/problems.js";
import type { Comparison, UncomparedRow } from "../../results/comparison.js";
import type { NamedRow } from "../text/row-names.js";
import { rowNames } from "./row-names.js";

/** Rows that were not compared, or not in everything, for the same reason. */
export interface UncomparedLine {
  readonly kind: UncomparedRow["kind"];
  readonly heading: string;
  readonly rows: readonly string[];
  readonly reason?: string;
}

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
  for (const row of comparison.notCompared ?? []) {
    const { kind } = row;
    // The heading says already that it failed.
    const reason = kind.startsWith("failed-in-") ? row.reason?.replace(/^failed: /, "") : row.reason;
    add(row, { kind, heading: KINDS[kind], ...(reason !== undefined && { reason }) });
  }
  for (const row of comparison.rows) for (const failed of failedMeasurements(row)) add(row, failedLine(failed));
  return [...lines.values()];
}

function failedLine({ kind, side, reason }: FailedMeasurement): Omit<UncomparedLine, "rows"> {
  const meanwhile = kind === "memory" ? "memory was sampled" : "instructions were counted";
  return { kind: `failed-in-${side}`, heading: `Failed in ${side} while ${meanwhile}`, reason };
}
