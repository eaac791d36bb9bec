/** The primary metrics of a row: what is read from a case, which direction is good, and how noisy it is. */
import type { ProfileName } from "../plan/types.js";
import type { Summary } from "../results/schema.js";

export interface Metric {
  readonly name: "throughput" | "cpuPerRequest";
  /** In the middle of a sentence. */
  readonly title: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  /** Undefined where the case has no figure that a ratio can be made of. */
  readonly of: (summary: Summary) => number | undefined;
  /** The figure is a lower bound where the load generator was the limit. */
  readonly boundByClient: boolean;
  /**
   * Standard deviation of the logarithm of one run, until a history tells. From the measured comparisons of a server
   * with itself, at their noisy end, divided by sqrt(2) for one side. Standard and thorough: fresh processes and several
   * slices, 5.5 % throughput and 1.9 % CPU per request; quick: one 1 s slice, 11 % and 4.1 %.
   */
  readonly usualSd: Readonly<Record<ProfileName, number>>;
}

function positive(value: number): number | undefined {
  return value > 0 ? value : undefined;
}

export const METRICS: readonly Metric[] = [
  {
    name: "throughput",
    title: "throughput",
    unit: "req/s",
    better: "higher",
    of: (summary) => positive(summary.requestsPerSec),
    boundByClient: true,
    usualSd: { quick: 0.078, standard: 0.039, thorough: 0.039 },
  },
  {
    name: "cpuPerRequest",
    title: "CPU per request",
    unit: "µs",
    better: "lower",
    of: (summary) => positive(summary.cpuPerRequestUs),
    boundByClient: false,
    usualSd: { quick: 0.029, standard: 0.0135, thorough: 0.0135 },
  },
];
