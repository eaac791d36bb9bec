/**
 * Base against head, measured in pairs. A pair gives one logarithm of head over base per metric; a row's centre is their
 * weighted mean, tested against a floor at fixed numbers of pairs, and the rows and metrics of a report share one
 * false discovery rate. Pure: the same pairs give the same verdicts.
 */
import type { ComparedRow, MetricComparison, Pair } from "../results/comparison.js";
import { type ConfirmedTest, withConfirmations } from "./contradiction.js";
import { idleCpu, idleFields, idleNotes, isWorse, verdictDespiteIdle } from "./idle.js";
import { intervalLevel } from "./intervals.js";
import { latencyNotes } from "./latency.js";
import { firstLook, lastLook } from "./looks.js";
import { type MeasuredRow, type MetricTest, testsOf } from "./metric-test.js";
import { benjaminiHochberg } from "./multiplicity.js";
import { type PartlySlower, partlySlower, partlySlowerNote } from "./partly-slower.js";
import { metricsAt, type Precision, USUAL_PRECISION } from "./precision.js";
import { disturbedSec, isValid, otherLoad } from "./slices.js";
import {
  direction,
  floorTest,
  isEquivalent,
  LEVEL,
  minimumDetectable,
  relativeInterval,
  rowVerdict,
  STRICT_LEVEL,
} from "./verdict.js";

/** Notes of a row. */
export const CLIENT_BOUND = "client-bound: its throughput is a lower bound";
export const TOO_FEW_PAIRS = "too few pairs for a verdict";

/** A row with a p-value up to this gets more pairs before it is reported as unchanged. */
const SUSPICION = 0.1;
const US_PER_SEC = 1e6;

export interface PairedRow extends MeasuredRow {
  readonly id: string;
  readonly connections: number;
  readonly title: string;
  readonly notes: readonly string[];
}

export interface JudgedRow {
  readonly compared: ComparedRow;
  /** Another pair could change its verdict. */
  readonly open: boolean;
  /** It looks changed, without enough evidence yet. */
  readonly suspicious: boolean;
}

/** A metric of a row within its report. */
interface Tested extends ConfirmedTest<PairedRow> {
  /** Its p-value counts as a discovery. */
  readonly called: boolean;
}

interface Judged extends Tested {
  readonly comparison: MetricComparison;
  readonly partly: PartlySlower | undefined;
}

/** What p-values have to reach. */
interface Levels {
  /** Whatever other rows come to. */
  readonly sure: number;
  /** For one further discovery in the report. */
  readonly next: number;
}

/** @param rows of one report; each row's noise is moderated by that of the others */
export function judgePaired(rows: readonly PairedRow[], precision: Precision = USUAL_PRECISION): JudgedRow[] {
  const tests = metricsAt(precision).flatMap((metric) => testsOf(rows, metric, precision.looks));
  const tested = calledChanged(withConfirmations(tests));
  const levels = levelsOf(tested);
  const byRow = new Map<PairedRow, Tested[]>(rows.map((row) => [row, []]));
  for (const one of tested) byRow.get(one.test.row)?.push(one);
  return rows.map((row) => {
    const own = byRow.get(row) ?? [];
    const called = own.filter((one) => one.called).length;
    const judged = own.map((one) => judgedMetric(one, levels, intervalLevel(one.called, called, own.length)));
    return judgedRow(row, judged, levels, precision);
  });
}

function calledChanged(confirmed: readonly ConfirmedTest<PairedRow>[]): Tested[] {
  const adjusted = benjaminiHochberg(confirmed.map(({ test }) => test.p));
  return confirmed.map((one, i) => ({
    ...one,
    called: one.test.p <= STRICT_LEVEL && (adjusted[i] ?? 1) <= LEVEL,
  }));
}

function levelsOf(tested: readonly Tested[]): Levels {
  const found = tested.filter(({ called }) => called).length;
  const share = LEVEL / Math.max(1, tested.length);
  return {
    sure: Math.min(STRICT_LEVEL, share),
    next: Math.min(STRICT_LEVEL, share * Math.min(found + 1, tested.length)),
  };
}

function judgedRow(row: PairedRow, own: readonly Judged[], levels: Levels, { looks }: Precision): JudgedRow {
  const sure = own.some(({ test }) => test.p <= levels.sure);
  const suspicious = !sure && own.some(isSuspicious);
  const settled = sure || (!suspicious && own.every(isSettled));
  const pairs = validPairs(row);
  const open = !row.ended && (pairs < firstLook(looks) || (pairs < lastLook(looks) && !settled));
  return { compared: comparedRow(row, own), open, suspicious };
}

function isSuspicious({ test, partly }: Judged): boolean {
  const hidden = partly?.state === "possible" && partly.hidden;
  return hidden || floorTest(test.effect, test.metric.margins) <= SUSPICION;
}

/** More pairs could change nothing: it has a verdict, or something that more pairs do not change keeps it from one. */
function isSettled({ test: { metric, row, effect }, comparison, partly }: Judged): boolean {
  if (comparison.verdict !== "inconclusive") return true;
  return (metric.boundByClient && row.clientBound) || (isHidden(partly) && isEquivalent(effect, metric.margins));
}

/** The best slices do not show what head's other slices cost. */
function isHidden(partly: PartlySlower | undefined): boolean {
  return partly !== undefined && partly.state === "found" && partly.hidden;
}

function judgedMetric(tested: Tested, { next }: Levels, intervalError: number): Judged {
  const { test, called, unconfirmed } = tested;
  const { effect, metric, row, last, p } = test;
  const partly = metric.percentile === undefined ? partlySlower(row.pairs, metric) : undefined;
  const mayBeUnchanged = unconfirmed === undefined && !isHidden(partly) && !(metric.boundByClient && row.clientBound);
  const unchanged = mayBeUnchanged && isEquivalent(effect, metric.margins);
  const { pairs, weight } = last.look;
  const comparison: MetricComparison = {
    verdict: called ? direction(metric, effect.logRatio) : unchanged ? "unchanged" : "inconclusive",
    change: Math.expm1(effect.logRatio),
    interval: relativeInterval(effect, intervalError),
    p,
    minimumDetectable: minimumDetectable(effect, next * weight, metric),
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

/** Number of pairs that count. */
export function validPairs({ pairs }: Pick<PairedRow, "pairs">): number {
  return pairs.filter(isValid).length;
}

function comparedRow(row: PairedRow, own: readonly Judged[]): ComparedRow {
  const metrics: ComparedRow["metrics"] = {};
  const idle = idleCpu(row.pairs);
  const withdrawn: string[] = [];
  for (const { test, comparison } of own) {
    const verdict = verdictDespiteIdle(comparison.verdict, test.effect, test.metric, idle);
    if (verdict !== comparison.verdict) withdrawn.push(test.metric.title);
    metrics[test.metric.name] = { ...comparison, verdict };
  }
  const notes = [
    ...row.notes,
    ...idleNotes(idle, withdrawn),
    ...own.flatMap(({ unconfirmed }) => unconfirmed ?? []),
    ...own.flatMap(({ test, partly }) =>
      partly?.state === "found" ? [partlySlowerNote(test.metric.title, partly)] : [],
    ),
    ...latencyNotes(row.pairs, row.clientBound),
    ...(row.clientBound ? [CLIENT_BOUND] : []),
    ...disturbanceNotes(row.pairs),
    ...(own.length === 0 ? [TOO_FEW_PAIRS] : []),
  ];
  return {
    id: row.id,
    connections: row.connections,
    title: row.title,
    verdict: isWorse(idle) ? "worse" : rowVerdict(metrics),
    metrics,
    ...idleFields(idle),
    clientBound: row.clientBound,
    ...(notes.length > 0 && { notes }),
    seconds: totalSec(row.pairs),
    recorded: [...row.pairs],
  };
}

function disturbanceNotes(pairs: readonly Pair[]): string[] {
  const load = otherLoad(pairs);
  const voided = pairs.length - validPairs({ pairs });
  const disturbed = disturbedSec(pairs);
  return [
    ...(disturbed > 0
      ? [`the machine was disturbed for ${disturbed.toFixed(0)} s of ${totalSec(pairs).toFixed(0)} s`]
      : []),
    ...(voided > 0 ? [`${voided} of ${pairs.length} pairs do not count: other load on the machine`] : []),
    ...(load === undefined
      ? []
      : [`other processes took ${(load * 100).toFixed(0)} % of the CPU time during the pairs`]),
  ];
}

function totalSec(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { seconds }) => sum + seconds, 0);
}
