/** What a run can judge, as the user names it. */
export const METRIC_CHOICES = ["throughput", "cpu", "latency", "instructions", "memory"] as const;
export type MetricChoice = (typeof METRIC_CHOICES)[number];
