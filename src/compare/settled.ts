/** Whether further pairs could change the verdict of a row. */
import type { SelectedMetrics } from "../plan/selected-metrics.js";
import type { Verdict } from "../results/comparison.js";
import type { JudgedWitness } from "./further-metrics/judged.js";
import type { IdleCpu } from "./idle.js";
import { isHidden, isSmall, type Judged } from "./judged-metric.js";
import { firstLook, lastLook, secondLook } from "./looks.js";
import type { Levels } from "./multiplicity.js";
import type { PartlySlower } from "./partly-slower.js";
import type { Precision } from "./precision.js";
import { floorTest, isChangeNoWorse } from "./verdict.js";

/**
 * A row with a p-value up to this gets more pairs before it is reported as unchanged. In simulations of one-row reports 0.3
 * instead of 0.1 called fewer true 3 % unchanged (0.2 instead of 0.3 % beside a neighbour), for three seconds more of an unchanged row.
 */
const SUSPICION = 0.3;

export interface Settled {
  /** A further pair could change the verdict, if there is to be one. */
  readonly wantsMore: boolean;
  /** It looks changed, without enough evidence yet. */
  readonly suspicious: boolean;
  /** It was asked for, and has no test although the row has pairs for one. */
  readonly lacksThroughput: boolean;
}

export interface SettledBy {
  /** That count. */
  readonly pairs: number;
  readonly own: readonly Judged[];
  readonly furtherMetrics: readonly JudgedWitness[];
  readonly idle: IdleCpu | undefined;
}

export function settledBy(
  { pairs, own, furtherMetrics, idle }: SettledBy,
  levels: Levels,
  { looks }: Precision,
  selectedMetrics: SelectedMetrics,
): Settled {
  const sure = own.some(({ test }) => test.p <= levels.sure);
  const isIdleOpen = idle?.inDoubt === true;
  const suspicious = isIdleOpen || (!sure && own.some(isSuspicious));
  const lacksThroughput =
    pairs >= firstLook(looks) && selectedMetrics.includes("throughput") && !own.some(isOfThroughput);
  const isNoWorse = !lacksThroughput && own.every(isShownNoWorse);
  const isProven = pairs >= secondLook(looks) && isProvenByFurtherMetric(furtherMetrics, isNoWorse, levels);
  const settled = !isIdleOpen && (sure || isProven || (!suspicious && !lacksThroughput && own.every(isSettled)));
  const wantsMore = pairs < firstLook(looks) || (pairs < lastLook(looks) && !settled);
  return { wantsMore, suspicious, lacksThroughput };
}

/**
 * Nothing outweighs `worse`: further pairs only show how much of it is in the time. `better` stands once no time may be worse by as much as
 * the margin.
 */
function isProvenByFurtherMetric(
  furtherMetrics: readonly JudgedWitness[],
  isNoWorse: boolean,
  { sure }: Levels,
): boolean {
  const isSure = (verdict: Verdict) =>
    furtherMetrics.some(({ test, comparison }) => comparison.verdict === verdict && test.p <= sure);
  return isSure("worse") || (isNoWorse && isSure("better"));
}

function isShownNoWorse({ test: { effect, metric, last }, partly }: Judged): boolean {
  return !mayBeHidden(partly) && isChangeNoWorse(effect, metric, last.look.equivalenceLevel);
}

function isOfThroughput({ test: { metric } }: Judged): boolean {
  return metric.name === "throughput";
}

function isSuspicious({ test, partly }: Judged): boolean {
  return mayBeHidden(partly) || floorTest(test.effect, test.metric.margins) <= SUSPICION;
}

/** Slices that the centre does not show may cost more in head. */
function mayBeHidden(partly: PartlySlower | undefined): boolean {
  return partly?.state === "possible" && partly.hidden;
}

/** More pairs could change nothing: it has a verdict, or something that more pairs do not change keeps it from one. */
function isSettled({ test, comparison, partly }: Judged): boolean {
  if (comparison.verdict !== "inconclusive") return true;
  return (test.metric.boundByClient && test.row.clientBound) || (isHidden(partly) && isSmall(test));
}
