/**
 * Base against head, measured in pairs. A pair gives one logarithm of head over base per metric; a row's centre is their
 * weighted mean, tested against a floor at fixed numbers of pairs, and the rows and metrics of a report share one
 * false discovery rate. Pure: the same pairs give the same verdicts.
 */
import { groupBy } from "../group-by.js";
import { isTimed, isUsual, type SelectedMetrics, USUAL_METRICS } from "../plan/selected-metrics.js";
import type { ComparedRow } from "../results/comparison.js";
import type { FurtherMetrics } from "../results/further-metrics.js";
import { withConfirmations } from "./contradiction.js";
import { totalSec, validPairs } from "./counted-pairs.js";
import type { Noise } from "./earlier-noise.js";
import { countedMetric, type FurtherTest, furtherTests } from "./further-metrics/further-test.js";
import {
  furtherMetricsLeft,
  furtherNotes,
  furtherSec,
  type JudgedWitness,
  judgedWitness,
} from "./further-metrics/judged.js";
import { failedMeasurements } from "./further-metrics/problems.js";
import { alongsideTime, countedFrom, looksChanged } from "./further-metrics/suspects.js";
import { type IdleCpu, idleCpu, idleFields, idleNotes, isWorse, verdictDespiteIdle } from "./idle.js";
import { type Judged, judgedMetric } from "./judged-metric.js";
import { latencyNotes } from "./latency.js";
import { type MeasuredRow, type MetricTest, testsOf } from "./metric-test.js";
import { discoveriesAmong, type Levels, levelsOf } from "./multiplicity.js";
import { partlySlowerNote } from "./partly-slower.js";
import { metricsAt, type Precision, USUAL_PRECISION } from "./precision.js";
import {
  AGAINST_TIME,
  CLIENT_BOUND,
  disturbanceNotes,
  NO_THROUGHPUT,
  sharingNotes,
  TOO_FEW_PAIRS,
} from "./row-notes.js";
import { settledBy } from "./settled.js";
import { basis, rowVerdict } from "./verdict.js";

export interface PairedRow extends MeasuredRow {
  readonly id: string;
  readonly connections: number;
  readonly title: string;
  readonly notes: readonly string[];
  /** How head's scenario files start it otherwise than base's. */
  readonly started?: string | undefined;
  /** What was measured beside the pairs. */
  readonly furtherMetrics?: FurtherMetrics;
  /** Further rounds of these may follow. */
  readonly moreFurtherMetrics?: boolean;
  /** Its instructions can be counted, and are if it looks changed. */
  readonly countable?: boolean;
}

export interface JudgedRow {
  readonly compared: ComparedRow;
  /** Another pair could change its verdict. */
  readonly open: boolean;
  /** It looks changed, without enough evidence yet. */
  readonly suspicious: boolean;
  /** Of its own pairs. */
  readonly noise: Noise;
  /** Another round of these could change the verdict. */
  readonly openFurtherMetrics: readonly ("instructions" | "memory")[];
}

/**
 * @param rows of one report; each row's noise is moderated by that of the others
 * @param asked metrics that have a verdict; latency has one in every row that measured it
 */
export function judgePaired(
  rows: readonly PairedRow[],
  precision: Precision = USUAL_PRECISION,
  selectedMetrics: SelectedMetrics = USUAL_METRICS,
): JudgedRow[] {
  const judged = judgeRows(rows, precision, selectedMetrics);
  const mayClose = judged.map(({ open, unseen }, i) => unseen && !open && rows[i]?.ended === false);
  if (!mayClose.includes(true)) return judged;
  const atEnd = rows.map((row, i) => (mayClose[i] ? { ...row, ended: true } : row));
  const ended = judgeRows(atEnd, precision, selectedMetrics);
  return judged.map((one, i) => (mayClose[i] && ended[i]?.compared.undecided ? { ...one, open: true } : one));
}

interface OnceJudged extends JudgedRow {
  /** A metric has pairs after its last look. An ended row is judged with them too, so it may come out differently. */
  readonly unseen: boolean;
}

function judgeRows(rows: readonly PairedRow[], precision: Precision, selectedMetrics: SelectedMetrics): OnceJudged[] {
  const tests = metricsAt(precision).flatMap((metric) => testsOf(rows, metric, precision.looks));
  const timed = withConfirmations(tests).filter(({ test }) =>
    isSelected(test.metric, test.row.selectedMetrics ?? selectedMetrics),
  );
  const timedByRow = groupBy(timed, ({ test }) => test.row);
  const measured = rows.map((row) => {
    const ofTime = (timedByRow.get(row) ?? []).map(({ test }) => test);
    return { row, tests: testsOfFurtherMetrics(row, ofTime, row.selectedMetrics ?? selectedMetrics, precision) };
  });
  const all = [...timed.map(({ test }) => test), ...measured.flatMap((one) => one.tests)];
  const discoveries = discoveriesAmong<MetricTest | FurtherTest>(all);
  const levels = levelsOf(discoveries.size, all.length);
  return measured.map(({ row, tests: ofFurtherMetrics }) => {
    const judged = (timedByRow.get(row) ?? []).map((one) =>
      judgedMetric({ ...one, called: discoveries.has(one.test) }, levels),
    );
    const furtherMetrics = ofFurtherMetrics.map((test) => judgedWitness(test, discoveries.has(test), levels));
    return judgedRow(row, judged, furtherMetrics, levels, precision, row.selectedMetrics ?? selectedMetrics);
  });
}

function testsOfFurtherMetrics(
  { furtherMetrics = {}, moreFurtherMetrics }: PairedRow,
  timed: readonly MetricTest[],
  selectedMetrics: SelectedMetrics,
  precision: Precision,
): readonly FurtherTest[] {
  const tests = furtherTests(furtherMetrics, !moreFurtherMetrics, selectedMetrics, precision);
  return isUsual(selectedMetrics) ? tests.map((test) => alongsideTime(test, timed)) : tests;
}

/** Latency has a verdict in every row that measured it: a scenario file may ask for it too. */
function isSelected({ name }: MetricTest["metric"], selectedMetrics: SelectedMetrics): boolean {
  if (name === "throughput") return selectedMetrics.includes("throughput");
  return name !== "cpuPerRequest" || selectedMetrics.includes("cpu");
}

function judgedRow(
  row: PairedRow,
  own: readonly Judged[],
  furtherMetrics: readonly JudgedWitness[],
  levels: Levels,
  precision: Precision,
  selectedMetrics: SelectedMetrics,
): OnceJudged {
  const idle = idleCpu(row.pairs);
  const pairs = validPairs(row.pairs);
  const settled = settledBy({ pairs, own, furtherMetrics, idle }, levels, precision, selectedMetrics);
  const { suspicious, lacksThroughput } = settled;
  const wantsMore = isTimed(selectedMetrics) && settled.wantsMore;
  const open = !row.ended && wantsMore;
  const undecided = row.ended && wantsMore;
  const isSuspect =
    open && row.countable === true && pairs >= countedFrom(precision) && looksChanged(own.map(({ test }) => test));
  const counts =
    selectedMetrics.includes("instructions") || isSuspect ? countedMetric(selectedMetrics, precision) : undefined;
  const openFurtherMetrics = row.moreFurtherMetrics
    ? furtherMetricsLeft(row.furtherMetrics ?? {}, furtherMetrics, levels.sure, { selectedMetrics, counts })
    : [];
  const compared = comparedRow(row, { own, furtherMetrics, idle, lacksThroughput, undecided });
  const unseen = own.some(({ test: { logs, last } }) => logs.length > last.look.pairs);
  return { compared, open, suspicious, openFurtherMetrics, noise: noiseOf(own), unseen };
}

function noiseOf(own: readonly Judged[]): Noise {
  const scales = own.map(({ test: { metric, last } }) => {
    const { scale, df } = last.centre;
    return [metric.name, { scale, df }] as const;
  });
  return Object.fromEntries(scales);
}

interface JudgedOf {
  readonly own: readonly Judged[];
  readonly furtherMetrics: readonly JudgedWitness[];
  readonly idle: IdleCpu | undefined;
  /** It was asked for, and has no test although the row has pairs for one. */
  readonly lacksThroughput: boolean;
  readonly undecided: boolean;
}

function comparedRow(row: PairedRow, { own, furtherMetrics, idle, lacksThroughput, undecided }: JudgedOf): ComparedRow {
  const metrics: ComparedRow["metrics"] = {};
  const withdrawn: string[] = [];
  for (const { test, comparison } of own) {
    const verdict = verdictDespiteIdle(comparison.verdict, test.effect, test.metric, test.last.look, idle);
    if (verdict !== comparison.verdict) withdrawn.push(test.metric.title);
    metrics[test.metric.name] = { ...comparison, verdict };
  }
  for (const { test, comparison } of furtherMetrics) metrics[test.metric.name] = comparison;
  const shown = isWorse(idle) ? "worse" : rowVerdict(metrics);
  const verdict = lacksThroughput && shown === "unchanged" ? "inconclusive" : shown;
  const notes = [
    ...(row.started === undefined ? [] : [`started differently: ${row.started}`]),
    ...row.notes,
    ...idleNotes(idle, withdrawn),
    ...own.flatMap(({ unconfirmed }) => unconfirmed ?? []),
    ...own.flatMap(({ test, partly }) =>
      partly?.state === "found" ? [partlySlowerNote(test.metric.title, partly)] : [],
    ),
    ...latencyNotes(row.pairs, row.clientBound),
    ...(row.clientBound ? [CLIENT_BOUND] : []),
    ...sharingNotes(row.pairs),
    ...(lacksThroughput ? [NO_THROUGHPUT] : []),
    ...disturbanceNotes(row.pairs),
    ...furtherNotes(row.furtherMetrics ?? {}),
    ...(furtherMetrics.some(({ test }) => test.againstTime) ? [AGAINST_TIME] : []),
    ...(own.length + furtherMetrics.length + failedMeasurements(row.furtherMetrics ?? {}).length === 0
      ? [TOO_FEW_PAIRS]
      : []),
  ];
  return {
    id: row.id,
    connections: row.connections,
    title: row.title,
    verdict,
    ...(row.furtherMetrics && { basis: basis(metrics, verdict) }),
    metrics,
    ...idleFields(idle),
    clientBound: row.clientBound,
    ...(undecided && { undecided }),
    ...(row.started !== undefined && { started: row.started }),
    ...(notes.length > 0 && { notes }),
    seconds: totalSec(row.pairs) + furtherSec(row.furtherMetrics ?? {}),
    recorded: [...row.pairs],
    ...(row.expectedNoise && Object.keys(row.expectedNoise).length > 0 && { expectedNoise: row.expectedNoise }),
    ...row.furtherMetrics,
  };
}
