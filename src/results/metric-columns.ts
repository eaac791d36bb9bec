/** The columns of figures that a set's tables can have: name in files -> heading. */
export const METRIC_COLUMNS = {
  requests: "Total requests",
  rps: "RPS",
  mean: "avg latency",
  max: "max latency",
  failures: "Failures",
  "mean-ms": "Time per request (ms)",
  p50: "50%",
  p60: "60%",
  p70: "70%",
  p75: "75%",
  p80: "80%",
  p90: "90%",
  p95: "95%",
  p99: "99%",
  "p99.9": "99.9%",
  p100: "100%",
  "first-byte": "First byte (ms)",
  "mb-per-sec": "MB/s",
  memory: "Peak memory (MiB)",
  startup: "Start (s)",
  "startup-memory": "Memory after start (MiB)",
  "idle-memory": "KiB per idle connection",
  "ws-send": "Send throughput",
  "ws-receive": "Receive throughput",
  "ws-combined": "Combined throughput",
} as const;
export type MetricColumn = keyof typeof METRIC_COLUMNS;

export const METRIC_COLUMN_NAMES = Object.keys(METRIC_COLUMNS) as readonly MetricColumn[];
