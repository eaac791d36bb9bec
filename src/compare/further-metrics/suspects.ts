/**
 * Rows that look changed after several looks, and that their pairs have not decided. Their instructions are counted where that is possible, because
 * other load and a server's own unsteadiness change time far more than work. Counts decide such a row only if they point where time
 * does: a row that does more work in less time is not worse.
 */
import type { MetricTest } from "../metric-test.js";
import { isOfClosedLoops } from "../metrics.js";
import type { Precision } from "../precision.js";
import { direction, STRICT_LEVEL } from "../verdict.js";
import type { FurtherTest } from "./further-test.js";

/** From this test of the pairs on. Earlier ones leave too many rows open that the next pairs decide. */
const COUNTED_FROM_LOOK = 3;

/** Pairs after which a row that looks changed is counted. */
export function countedFrom({ looks }: Precision): number {
  return looks[COUNTED_FROM_LOOK]?.pairs ?? Number.POSITIVE_INFINITY;
}

/** A change of half of the size that is looked for. */
export function looksChanged(timed: readonly MetricTest[]): boolean {
  const largest = largestOf(timed);
  return (
    largest !== undefined && Math.abs(largest.effect.logRatio) >= Math.log1p(largest.metric.margins.equivalence / 2)
  );
}

/** The same test; without evidence where its counts point another way than the larger change of time. */
export function alongsideTime(test: FurtherTest, timed: readonly MetricTest[]): FurtherTest {
  const largest = largestOf(timed);
  const agrees =
    largest !== undefined &&
    direction(largest.metric, largest.effect.logRatio) === direction(test.metric, test.effect.logRatio);
  return agrees ? test : { ...test, p: 1, ...(test.p <= STRICT_LEVEL && { againstTime: true }) };
}

/** Latency and the like say nothing about work. */
function largestOf(timed: readonly MetricTest[]): MetricTest | undefined {
  return timed
    .filter(({ metric }) => isOfClosedLoops(metric))
    .reduce<MetricTest | undefined>(
      (largest, test) =>
        largest === undefined || Math.abs(test.effect.logRatio) > Math.abs(largest.effect.logRatio) ? test : largest,
      undefined,
    );
}
