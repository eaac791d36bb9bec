/** A metric of a row within its report: its verdict, and the figures that the verdict rests on. */
import type { MetricComparison } from "../results/comparison.js";
import type { ConfirmedTest } from "./contradiction.js";
import { changeInterval } from "./intervals.js";
import type { MeasuredRow, MetricTest } from "./metric-test.js";
import { isOfClosedLoops } from "./metrics.js";
import type { Levels } from "./multiplicity.js";
import { type PartlySlower, partlySlower } from "./partly-slower.js";
import { direction, isEquivalent, minimumDetectable, relativeChange } from "./verdict.js";

const US_PER_SEC = 1e6;

/** A metric of a row within its report. */
interface Tested extends ConfirmedTest<MeasuredRow> {
  /** Its p-value counts as a discovery. */
  readonly called: boolean;
}

export interface Judged extends Tested {
  readonly comparison: MetricComparison;
  readonly partly: PartlySlower | undefined;
}

export function judgedMetric(tested: Tested, { next, reached }: Levels): Judged {
  const { test, called, unconfirmed } = tested;
  const { effect, metric, row, last, p } = test;
  const partly = isOfClosedLoops(metric) ? partlySlower(row.pairs, metric) : undefined;
  const mayBeUnchanged = unconfirmed === undefined && !isHidden(partly) && !(metric.boundByClient && row.clientBound);
  const unchanged = mayBeUnchanged && isSmall(test);
  const { pairs, weight } = last.look;
  const share = weight / (metric.pFactor ?? 1);
  const comparison: MetricComparison = {
    verdict: called ? direction(metric, effect.logRatio) : unchanged ? "unchanged" : "inconclusive",
    change: relativeChange(effect.logRatio),
    interval: changeInterval(effect, called ? { margins: metric.margins, level: reached * share } : undefined),
    p,
    minimumDetectable: minimumDetectable(effect, next * share, metric),
    pairs,
    ...figuresOf(test),
    sd: effect.standardError * Math.sqrt(pairs),
  };
  return { ...tested, comparison, partly };
}

/** Means with the weights of the centre, so that head over base is the change. */
function figuresOf({ metric, logs, last, effect }: MetricTest): { readonly base: number; readonly head: number } {
  const base = last.centre.weights.reduce((sum, share, i) => sum + share * (logs[i]?.base ?? 0), 0);
  const unit = metric.name === "cpuPerRequest" ? US_PER_SEC : 1;
  return { base: unit * Math.exp(base), head: unit * Math.exp(base + effect.logRatio) };
}

/** The change is shown to be smaller than the metric's margin. */
export function isSmall({ effect, metric: { margins }, last: { look } }: MetricTest): boolean {
  return isEquivalent(effect, margins, look.equivalenceLevel);
}

/** The best slices do not show what head's other slices cost. */
export function isHidden(partly: PartlySlower | undefined): boolean {
  return partly !== undefined && partly.state === "found" && partly.hidden;
}
