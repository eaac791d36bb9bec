/** Latencies one by one -> the figures of a slice. */
import type { LatencyMs } from "../../results/schema.js";

/**
 * Exact percentiles by oha's own definition (its src/result_data.rs): the sorted latencies at index floor(p / 100 * n).
 * @param latenciesMs in milliseconds, in any order; @returns undefined where there are none
 */
export function latencyOf(latenciesMs: readonly number[]): LatencyMs | undefined {
  const sorted = Float64Array.from(latenciesMs).sort();
  const max = sorted.at(-1);
  if (max === undefined) return undefined;
  const percentile = (p: number): number => sorted[Math.floor((p / 100) * sorted.length)] ?? max;
  return {
    mean: sorted.reduce((sum, one) => sum + one, 0) / sorted.length,
    p50: percentile(50),
    p60: percentile(60),
    p70: percentile(70),
    p75: percentile(75),
    p80: percentile(80),
    p90: percentile(90),
    p95: percentile(95),
    p99: percentile(99),
    max,
  };
}
