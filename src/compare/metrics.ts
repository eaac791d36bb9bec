/** The metrics of a row: where they are read from, which direction is good, and how noisy they are. */
import type { SelectedMetrics } from "../plan/selected-metrics.js";
import type { ProfileName, Summary } from "../results/schema.js";
import type { Scale } from "./prior.js";

/** Which changes are large enough to matter, and which are small enough to be none. By metric: some are noisier. */
export interface Margins {
  /** On logarithms: changes up to it do not matter, and identical servers show them. */
  readonly floor: number;
  /** Relative: a smaller change, up or down, counts as unchanged. */
  readonly equivalence: number;
}

export const USUAL_MARGINS: Margins = { floor: Math.log1p(0.005), equivalence: 0.03 };

/** A metric that pairs are compared by. */
export interface PairedMetric {
  readonly name: "throughput" | "cpuPerRequest" | "latencyP50" | "latencyP99" | "startupTime" | "startupMemory";
  /** In the middle of a sentence. */
  readonly title: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  /** Where the load generator was the limit, the figure is more the generator's than the server's. */
  readonly boundByClient: boolean;
  readonly margins: Margins;
  /** Of slices at a fixed rate; undefined: of the closed loops. */
  readonly percentile?: "p50" | "p99";
  /** Of the start of the server; undefined: of its slices. */
  readonly ofStart?: "seconds" | "memoryMiB";
  /** Standard deviation of the logarithm of one pair that no neighbour disturbed. */
  readonly pairSd: number;
  /**
   * What interference adds to a pair whose sides share their time: for each unit of the standard error of its slices' log ratios. Undefined:
   * the metric has no such pairs. Fitted by maximum likelihood (t distribution, 5 degrees of freedom) on the 320 trial pairs of
   * the recording 2026-11-23-together-trial (evaluation/README.md, "Earlier recordings"), half of them beside a neighbour: the ratio of this figure to `pairSd`, which
   * stays what the quietest rows have. The share of CPU time that other processes took added nothing there.
   */
  readonly ofSpread?: number;
  /**
   * How noisy rows usually are, in units of what their slices let expect. In 36 recorded rows of one machine
   * (2026-11-23-together: four servers, half of the rows beside a neighbour) the scales differed no more than those of
   * equally noisy rows would. Other machines may differ, so it counts as little as eight earlier runs of the row.
   */
  readonly usualNoise?: Scale;
  /**
   * Its p-value counts this many times; default: once. The floor keeps identical rows far from a changed throughput or CPU time, but a p99 beside a neighbour differs
   * from pair to pair by 10 to 50 %, and the floor is 2 %. So with p50 and p99 more rows would be false than with two metrics.
   */
  readonly pFactor?: number;
}

/** A primary metric, which every case has. */
export interface Metric extends PairedMetric {
  readonly name: "throughput" | "cpuPerRequest";
  /** Undefined where the case has no figure that a ratio can be made of. */
  readonly of: (summary: Summary) => number | undefined;
  /**
   * Standard deviation of the logarithm of one run, used until a history shows it. From measured comparisons of a server
   * with itself, the noisy ones of them, divided by sqrt(2) for one side. Standard and thorough: fresh processes and several
   * slices, 5.5 % throughput and 1.9 % CPU per request; quick: one 1 s slice, 11 % and 4.1 %.
   */
  readonly usualSd: Readonly<Record<ProfileName, number>>;
}

function positive(value: number): number | undefined {
  return value > 0 ? value : undefined;
}

const USUAL_NOISE_DF = 8;

export const METRICS: readonly Metric[] = [
  {
    name: "throughput",
    title: "throughput",
    unit: "req/s",
    better: "higher",
    of: (summary) => positive(summary.requestsPerSec),
    boundByClient: true,
    margins: USUAL_MARGINS,
    pairSd: 0.012,
    ofSpread: 1,
    usualNoise: { scale: 1.15, df: USUAL_NOISE_DF },
    usualSd: { quick: 0.078, standard: 0.039, thorough: 0.039 },
  },
  {
    name: "cpuPerRequest",
    title: "CPU per request",
    unit: "µs",
    better: "lower",
    of: (summary) => positive(summary.cpuPerRequestUs),
    boundByClient: false,
    margins: USUAL_MARGINS,
    pairSd: 0.008,
    ofSpread: 0.75,
    usualNoise: { scale: 1.85, df: USUAL_NOISE_DF },
    usualSd: { quick: 0.029, standard: 0.0135, thorough: 0.0135 },
  },
];

/** The primary metrics that a verdict was asked for. */
export function primaryMetrics(selectedMetrics: SelectedMetrics): readonly Metric[] {
  return METRICS.filter(({ name }) => selectedMetrics.includes(name === "cpuPerRequest" ? "cpu" : name));
}

const LATENCY_P_FACTOR = 2;

/** At a fixed rate, where a row asks for it; in a closed loop latency is the connections over the throughput. */
const LATENCY_METRICS: readonly PairedMetric[] = [
  {
    name: "latencyP50",
    title: "latency p50",
    unit: "ms",
    better: "lower",
    boundByClient: true,
    percentile: "p50",
    margins: { floor: Math.log1p(0.01), equivalence: 0.05 },
    pairSd: 0.03,
    pFactor: LATENCY_P_FACTOR,
  },
  {
    name: "latencyP99",
    title: "latency p99",
    unit: "ms",
    better: "lower",
    boundByClient: true,
    percentile: "p99",
    margins: { floor: Math.log1p(0.02), equivalence: 0.1 },
    pairSd: 0.04,
    pFactor: LATENCY_P_FACTOR,
  },
];

/** Of the start, where a row asks for it. The sides start one after the other. */
const START_METRICS: readonly PairedMetric[] = [
  {
    name: "startupTime",
    title: "time to the first answer",
    unit: "s",
    better: "lower",
    boundByClient: false,
    ofStart: "seconds",
    margins: { floor: Math.log1p(0.02), equivalence: 0.1 },
    pairSd: 0.04,
  },
  {
    name: "startupMemory",
    title: "memory after the start",
    unit: "MiB",
    better: "lower",
    boundByClient: false,
    ofStart: "memoryMiB",
    margins: { floor: Math.log1p(0.01), equivalence: 0.05 },
    // As of a pair's peak memory.
    pairSd: 0.006,
  },
];

/** Whether the metric is read from the slices in a closed loop. */
export function isOfClosedLoops({ percentile, ofStart }: Pick<PairedMetric, "percentile" | "ofStart">): boolean {
  return percentile === undefined && ofStart === undefined;
}

export const PAIRED_METRICS: readonly PairedMetric[] = [...METRICS, ...LATENCY_METRICS, ...START_METRICS];
