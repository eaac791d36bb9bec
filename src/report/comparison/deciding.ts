/** The metric that decided a row's verdict: the one that the page draws and names first. */

import { countedMetric } from "../../compare/further-metrics/further-test.js";
import { metricNamed } from "../../compare/metric-named.js";
import { USUAL_MARGINS } from "../../compare/metrics.js";
import { precisionFor } from "../../compare/precision.js";
import { USUAL_METRICS } from "../../plan/selected-metrics.js";
import type { ComparedRow, Comparison, MetricComparison } from "../../results/comparison.js";
import { metricTitle } from "./metric-text.js";

export type Deciding =
  | {
      readonly kind: "metric";
      readonly name: string;
      readonly title: string;
      readonly metric: MetricComparison;
      /** Relative: a smaller change, up or down, counts as unchanged. */
      readonly margin: number;
      readonly higherIsBetter: boolean;
    }
  /** CPU that head uses without load, and no metric that changed. */
  | { readonly kind: "idle" }
  | { readonly kind: "none" };

/**
 * The first metric with the row's verdict, in the order of the row; else its first metric.
 * @param comparison that the row is of
 */
export function decidingMetric(
  { verdict, metrics, idleCpu }: ComparedRow,
  { selectedMetrics, detect }: Pick<Comparison, "selectedMetrics" | "detect"> = {},
): Deciding {
  const named = Object.entries(metrics);
  const deciding = named.find(([, metric]) => metric.verdict === verdict);
  if (deciding === undefined && idleCpu?.worse) return { kind: "idle" };
  const [name, metric] = deciding ?? named[0] ?? [];
  if (name === undefined || metric === undefined) return { kind: "none" };
  const precision = precisionFor(detect);
  const known =
    name === "instructions" ? countedMetric(selectedMetrics ?? USUAL_METRICS, precision) : metricNamed(name, precision);
  return {
    kind: "metric",
    name,
    title: metricTitle(name),
    metric,
    margin: (known?.margins ?? USUAL_MARGINS).equivalence,
    higherIsBetter: known?.better === "higher",
  };
}
