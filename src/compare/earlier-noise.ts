/** What earlier runs on the same machine say about a row's noise. Pure. */
import { METRICS, type PairedMetric } from "./metrics.js";
import { priorOf, type Scale } from "./prior.js";

type MetricName = PairedMetric["name"];

/** By metric: how noisy a row's pairs were. */
export type Noise = Readonly<Partial<Record<MetricName, Scale>>>;

/** A row of an earlier run. */
export interface EarlierRow {
  /** Which row it was (`pairKey`). */
  readonly key: string;
  readonly noise: Noise;
}

/** Fewer runs of the row itself say less than runs of all rows. */
const OWN_MIN = 4;

/** The noise to expect of a row: from its own earlier runs, or from all rows while it has too few. */
export function expectedNoise(earlier: readonly EarlierRow[], key: string): Noise {
  const own = earlier.filter((row) => row.key === key);
  const rows = own.length >= OWN_MIN ? own : earlier;
  const expected: Partial<Record<MetricName, Scale>> = {};
  for (const { name } of METRICS) {
    const prior = priorOf(rows.flatMap(({ noise }) => noise[name] ?? []));
    if (prior) expected[name] = prior;
  }
  return expected;
}
