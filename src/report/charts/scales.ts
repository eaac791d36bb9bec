/** The unit and the direction of each column: a new column does not compile without them. */
import type { MetricColumn } from "../../results/metric-columns.js";

interface Scale {
  readonly unit: string;
  readonly better: "higher" | "lower";
}

const MILLISECONDS: Scale = { unit: "milliseconds", better: "lower" };
const MESSAGES: Scale = { unit: "messages per second", better: "higher" };

export const METRIC_SCALES: Readonly<Record<MetricColumn, Scale>> = {
  requests: { unit: "requests", better: "higher" },
  rps: { unit: "requests per second", better: "higher" },
  mean: MILLISECONDS,
  max: MILLISECONDS,
  failures: { unit: "failed requests", better: "lower" },
  "mean-ms": MILLISECONDS,
  p50: MILLISECONDS,
  p60: MILLISECONDS,
  p70: MILLISECONDS,
  p75: MILLISECONDS,
  p80: MILLISECONDS,
  p90: MILLISECONDS,
  p95: MILLISECONDS,
  p99: MILLISECONDS,
  "p99.9": MILLISECONDS,
  p100: MILLISECONDS,
  "first-byte": MILLISECONDS,
  "mb-per-sec": { unit: "megabytes per second", better: "higher" },
  memory: { unit: "MiB", better: "lower" },
  startup: { unit: "seconds", better: "lower" },
  "startup-memory": { unit: "MiB", better: "lower" },
  "idle-memory": { unit: "KiB for each idle connection", better: "lower" },
  "ws-send": MESSAGES,
  "ws-receive": MESSAGES,
  "ws-combined": MESSAGES,
};
