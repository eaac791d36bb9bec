/** Metrics that are not timed: when they are tested, and which changes matter. */
import { type Look, looksAt } from "../looks.js";
import type { Margins } from "../metrics.js";
import type { Precision } from "../precision.js";

export interface FurtherMetric {
  readonly name: "instructions" | "memoryPeak" | "memoryGrowth";
  /** In the middle of a sentence. */
  readonly title: string;
  readonly unit: string;
  readonly better: "lower";
  readonly margins: Margins;
  /** Numbers of rounds (processes of both sides) at which it is tested. */
  readonly looks: readonly Look[];
}

/** A round takes some 8 s for both sides on two CPUs. */
const COUNT_LOOKS = looksAt({ 2: 0.2, 3: 0.2, 5: 0.2, 8: 0.2, 12: 0.2 }, 0.014);

/** A pair takes some 15 s: the first test is after 45 s. */
const MEMORY_LOOKS = looksAt({ 3: 0.6, 5: 0.4 }, 0.03);

export const INSTRUCTIONS: FurtherMetric = {
  name: "instructions",
  title: "instructions per request",
  unit: "instructions",
  better: "lower",
  margins: { floor: Math.log1p(0.002), equivalence: 0.01 },
  looks: COUNT_LOOKS,
};

/** Few rounds: what these leave open is open for other reasons. */
const SUSPECT_LOOKS = looksAt({ 2: 0.4, 3: 0.3, 5: 0.3 }, 0.022);

/**
 * Of a row that is counted because it looks changed. A change has to be half as large as those that the run looks for: which rows look changed
 * is partly luck, and a row must not be worse by luck for a change that nobody looks for.
 */
export function instructionsOfSuspects({ margins: { equivalence } }: Precision): FurtherMetric {
  return { ...INSTRUCTIONS, margins: { floor: Math.log1p(equivalence / 2), equivalence }, looks: SUSPECT_LOOKS };
}

const MEMORY = {
  better: "lower",
  margins: { floor: Math.log1p(0.01), equivalence: 0.05 },
  looks: MEMORY_LOOKS,
} as const;

export const MEMORY_PEAK: FurtherMetric = { name: "memoryPeak", title: "peak memory", unit: "MiB", ...MEMORY };

/** Its change is that of the memory after 100,000 further requests. */
export const MEMORY_GROWTH: FurtherMetric = {
  name: "memoryGrowth",
  title: "memory growth",
  unit: "MiB per 100,000 requests",
  ...MEMORY,
};

export const FURTHER_METRICS: readonly FurtherMetric[] = [INSTRUCTIONS, MEMORY_PEAK, MEMORY_GROWTH];
