/** Which changes a report looks for, and what it spends on each row. */
import { FINE_LOOKS, LOOKS, type Look } from "./looks.js";
import { isOfClosedLoops, type Margins, PAIRED_METRICS, type PairedMetric, USUAL_MARGINS } from "./metrics.js";

export interface Precision {
  readonly looks: readonly Look[];
  /** Of throughput and CPU per request; latency is noisier and keeps its own. */
  readonly margins: Margins;
}

/** For changes of 3 %: up to 65 s a row, where the sides share their time. */
export const USUAL_PRECISION: Precision = { looks: LOOKS, margins: USUAL_MARGINS };

/** For changes of 1 %: some three minutes a row at most, where the sides share their time. The floor stays, because builds of the same code are not known to differ by less. */
export const FINE_PRECISION: Precision = {
  looks: FINE_LOOKS,
  margins: { ...USUAL_MARGINS, equivalence: 0.01 },
};

/** The metrics of pairs with these margins. */
export function metricsAt({ margins }: Precision): PairedMetric[] {
  return PAIRED_METRICS.map((metric) => (isOfClosedLoops(metric) ? { ...metric, margins } : metric));
}

/** @param detect smallest relative change to look for; undefined: the usual one */
export function precisionFor(detect: number | undefined): Precision {
  if (detect === undefined || detect >= USUAL_MARGINS.equivalence) return USUAL_PRECISION;
  return { ...FINE_PRECISION, margins: { ...USUAL_MARGINS, equivalence: detect } };
}

/** What a comparison stores of it. Undefined: the usual one. */
export function detectOf(precision: Precision): number | undefined {
  return precision === USUAL_PRECISION ? undefined : precision.margins.equivalence;
}

export function detectPercent({ margins }: Precision): number {
  return Number((margins.equivalence * 100).toFixed(2));
}

/** Pairs of an unchanged row on a quiet machine. */
export function usualPairs({ margins }: Precision): number {
  return margins.equivalence < 0.02 ? 50 : 9;
}
