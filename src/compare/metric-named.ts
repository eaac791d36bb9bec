/** Any metric by the name that results files have. */

import { FURTHER_METRICS } from "./further-metrics/further-metrics.js";
import { type Margins, PAIRED_METRICS } from "./metrics.js";
import { metricsAt, type Precision, USUAL_PRECISION } from "./precision.js";

export interface NamedMetric {
  readonly name: string;
  /** In the middle of a sentence. */
  readonly title: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  readonly margins: Margins;
}

/** Undefined: another version of server-bench wrote it. */
export function metricNamed(name: string, precision: Precision = USUAL_PRECISION): NamedMetric | undefined {
  return [...metricsAt(precision), ...FURTHER_METRICS].find((metric) => metric.name === name);
}

/** Of all metrics that this version knows. */
export const METRIC_NAMES: readonly string[] = [...PAIRED_METRICS, ...FURTHER_METRICS].map(({ name }) => name);
