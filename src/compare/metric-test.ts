/** One metric of one row -> its effect at every look, and a p-value over all of them. */
import type { SelectedMetrics } from "../plan/selected-metrics.js";
import type { Pair } from "../results/comparison.js";
import type { Noise } from "./earlier-noise.js";
import { type Look, looksOf } from "./looks.js";
import type { PairedMetric } from "./metrics.js";
import { type PairLogs, rowLogs, weighed } from "./pairs.js";
import { agreeingPrior, moderatedScale, priorsOfOthers, type Scale, withUsualNoise } from "./prior.js";
import { type Effect, floorTest } from "./verdict.js";
import { type Centre, weightedCentre } from "./weighted.js";

/** Fewer pairs cannot show their spread. */
const CENTRE_PAIRS_MIN = 3;

export interface MeasuredRow {
  /** In the order of time, voided ones included. */
  readonly pairs: readonly Pair[];
  /** The load generator was the limit on one side. */
  readonly clientBound: boolean;
  /** No further pair follows. */
  readonly ended: boolean;
  /** Metrics that have a verdict; default: those of the report. */
  readonly selectedMetrics?: SelectedMetrics;
  /** From earlier runs on this machine; counts where the report has too few other rows. */
  readonly expectedNoise?: Noise | undefined;
}

interface Looked {
  readonly look: Look;
  readonly centre: Centre;
  readonly effect: Effect;
}

/** After the last look. */
export interface MetricTest<Row extends MeasuredRow = MeasuredRow> {
  readonly row: Row;
  readonly metric: PairedMetric;
  readonly logs: readonly PairLogs[];
  readonly prior: Scale | undefined;
  /** At least one. */
  readonly looks: readonly Looked[];
  readonly last: Looked;
  readonly effect: Effect;
  /** Over all looks. */
  readonly p: number;
}

/** The rows that have enough pairs for it. */
export function testsOf<Row extends MeasuredRow>(
  rows: readonly Row[],
  metric: PairedMetric,
  looks: readonly Look[],
): MetricTest<Row>[] {
  const centred = rows.flatMap((row) => {
    const logs = rowLogs(row.pairs, metric);
    const centres = looksOf(logs.length, row.ended, looks)
      .filter((look) => look.pairs >= CENTRE_PAIRS_MIN)
      .map((look) => ({ look, centre: centreOf(logs.slice(0, look.pairs), metric) }));
    const last = centres.at(-1);
    return last ? [{ row, logs, centres, last: last.centre }] : [];
  });
  const priors = priorsOfOthers(centred.map(({ last }) => last));
  return centred.flatMap(({ row, logs, centres, last: own }, i) => {
    const known = priors[i] ?? agreeingPrior(own, row.expectedNoise?.[metric.name]);
    const prior = withUsualNoise(own, known, usualNoise(logs, metric));
    const looked = centres.map(({ look, centre }) => ({ look, centre, effect: effectOf(centre, prior) }));
    const last = looked.at(-1);
    if (!last) return [];
    return [{ row, metric, logs, prior, looks: looked, last, effect: last.effect, p: sequentialP(looked, metric) }];
  });
}

/** It was fitted on pairs whose sides share their time. */
function usualNoise(logs: readonly PairLogs[], { usualNoise: usual }: PairedMetric): Scale | undefined {
  return logs.every(({ shared }) => shared) ? usual : undefined;
}

/** Of log(head / base). @param logs of at least two pairs */
export function centreOf(logs: readonly PairLogs[], metric: PairedMetric): Centre {
  return weightedCentre(logs.map((pair) => weighed(pair, metric)));
}

/** The scale is at least 1, because pairs that agree better than processes of the same code do may be luck. */
function effectOf(centre: Centre, prior: Scale | undefined): Effect {
  const { scale, df } = moderatedScale(centre, prior);
  return { logRatio: centre.mean, standardError: Math.sqrt(Math.max(1, scale) * centre.variance), df };
}

/**
 * The smallest weighted p-value of the looks that point where the last one does. 1 where the last effect is within the floor:
 * what an early look found, the later pairs did not.
 */
function sequentialP(looks: readonly Looked[], { margins, pFactor = 1 }: PairedMetric): number {
  const last = looks.at(-1)?.effect.logRatio ?? 0;
  if (Math.abs(last) <= margins.floor) return 1;
  const agreeing = looks.filter(({ effect }) => Math.sign(effect.logRatio) === Math.sign(last));
  return Math.min(1, ...agreeing.map(({ effect, look }) => pFactor * weightedP(effect, look, margins)));
}

function weightedP(effect: Effect, look: Look, margins: PairedMetric["margins"]): number {
  return floorTest(effect, margins) / look.weight;
}

/**
 * The p-value of the pairs after the look that first found the change: evidence that had no part in finding it. 1 where these
 * pairs are too few, or point the other way.
 * @param level of the look that found it
 */
export function confirmingP({ logs, looks, effect, metric, prior }: MetricTest, level: number): number {
  const sign = Math.sign(effect.logRatio);
  const found = looks.find(
    (one) => Math.sign(one.effect.logRatio) === sign && weightedP(one.effect, one.look, metric.margins) <= level,
  );
  const after = found ? logs.slice(found.look.pairs) : [];
  if (after.length < CENTRE_PAIRS_MIN) return 1;
  const later = effectOf(centreOf(after, metric), prior);
  return Math.sign(later.logRatio) === sign ? floorTest(later, metric.margins) : 1;
}
