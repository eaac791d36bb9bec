/** Judged rows -> the comparison of a run that measured in pairs. */

import { isUsual, type SelectedMetrics, USUAL_METRICS } from "../plan/selected-metrics.js";
import type { ComparedRow, Comparison, UncomparedRow } from "../results/comparison.js";
import { detectOf, type Precision, USUAL_PRECISION } from "./precision.js";

interface PairedReport {
  readonly base: Readonly<Record<string, string>>;
  readonly rows: readonly ComparedRow[];
  /** Rows that are identical on both sides, as they were judged. */
  readonly controls: readonly ComparedRow[];
  readonly uncompared: readonly UncomparedRow[];
  readonly command: readonly string[];
  readonly precision?: Precision;
  readonly selectedMetrics?: SelectedMetrics;
  readonly notes?: readonly string[];
}

export function comparePaired({
  base,
  rows,
  controls,
  uncompared,
  command,
  precision = USUAL_PRECISION,
  selectedMetrics = USUAL_METRICS,
  notes = [],
}: PairedReport): Comparison {
  const detect = detectOf(precision);
  const alarmed = controls.filter(isAlarmed);
  const said = [...notes, ...doubtsOf(alarmed)];
  return {
    mode: "paired",
    base: { ...base },
    rows: [...rows],
    ...(!isUsual(selectedMetrics) && { selectedMetrics: [...selectedMetrics] }),
    ...(detect !== undefined && { detect }),
    ...(controls.length > 0 && { controls: controls.map(withoutVerdict) }),
    notCompared: [...uncompared],
    ...(said.length > 0 && { notes: said }),
    command: [...command],
  };
}

function isAlarmed({ verdict }: ComparedRow): boolean {
  return verdict === "worse" || verdict === "better";
}

function doubtsOf(alarmed: readonly ComparedRow[]): string[] {
  if (alarmed.length === 0) return [];
  return [
    `The control (${alarmed.map(({ title, id }) => title ?? id).join(", ")}) seems to have changed, although it is identical on both sides: the machine was too unsteady for these verdicts, or the sides differ in something that git does not know.`,
  ];
}

/** A control has no part in a verdict. */
function withoutVerdict(row: ComparedRow): ComparedRow {
  const metrics: ComparedRow["metrics"] = {};
  for (const [name, metric] of Object.entries(row.metrics)) metrics[name] = { ...metric, verdict: "inconclusive" };
  return { ...row, verdict: "inconclusive", metrics, ...(isAlarmed(row) && { beyondNoise: true }) };
}
