/**
 * Base against head, measured in pairs. A pair gives one logarithm of head over base per metric; a row's centre is their
 * weighted mean, tested against a floor at fixed numbers of pairs, and the rows and metrics of a report share one
 * false discovery rate. Pure: the same pairs give the same verdicts.
 */
import type { ComparedRow, MetricComparison, Pair } from "../results/comparison.js";
import { idleCpu, idleFields, idleNotes, isWorse, verdictDespiteIdle } from "./idle.js";
import { latencyNotes } from "./latency.js";
import { type Look, looksOf, PAIRS_MAX, PAIRS_MIN } from "./looks.js";
import { PAIRED_METRICS, type PairedMetric } from "./metrics.js";
import { mean } from "./moderated.js";
import { benjaminiHochberg } from "./multiplicity.js";
import { isValid, otherLoad, type PairLogs, rowLogs } from "./pairs.js";
import {
  direction,
  type Effect,
  floorTest,
  isEquivalent,
  LEVEL,
  minimumDetectable,
  relativeInterval,
  rowVerdict,
} from "./verdict.js";
import { type Centre, type Weighed, weightedCentre } from "./weighted.js";

/** Notes of a row. */
export const CLIENT_BOUND = "client-bound: its throughput is a lower bound";
export const TOO_FEW_PAIRS = "too few pairs for a verdict";

/** Fewer pairs cannot show their spread. */
const CENTRE_PAIRS_MIN = 3;
/**
 * The error of a pair as a share of its spread. Fitted on 520 recorded pairs: where the median slice is 10 % worse than
 * the best one, the pair's ratio has a standard deviation of 4 %.
 */
const SPREAD_SHARE = 0.4;
/** The rows together count as much as five pairs of a row. */
const PRIOR_DF = 4;
/** A row with a p-value up to this gets more pairs before it is reported as unchanged. */
const SUSPICION = 0.1;

export interface PairedRow {
  readonly id: string;
  readonly connections: number;
  readonly title: string;
  /** In the order of time, voided ones included. */
  readonly pairs: readonly Pair[];
  /** The load generator was the limit on one side. */
  readonly clientBound: boolean;
  /** No further pair follows: the time ran out, or too many pairs were void. */
  readonly ended: boolean;
  readonly notes: readonly string[];
}

export interface JudgedRow {
  readonly compared: ComparedRow;
  /** Another pair could change its verdict. */
  readonly open: boolean;
  /** It looks changed, without enough evidence yet. */
  readonly suspicious: boolean;
}

/** One metric of one row, after its last look. */
interface Test {
  readonly row: PairedRow;
  readonly metric: PairedMetric;
  readonly logs: readonly PairLogs[];
  readonly looks: readonly { readonly effect: Effect; readonly look: Look }[];
  readonly effect: Effect;
  /** Over all looks. */
  readonly p: number;
}

/** @param rows of one report; they share one estimate of the noise */
export function judgePaired(rows: readonly PairedRow[]): JudgedRow[] {
  const tests = PAIRED_METRICS.flatMap((metric) => testsOf(rows, metric));
  const adjusted = benjaminiHochberg(tests.map((test) => test.p));
  const found = adjusted.filter((q) => q <= LEVEL).length;
  // The level that one further discovery would have to reach.
  const level = (LEVEL * Math.min(found + 1, tests.length)) / Math.max(1, tests.length);
  const byRow = new Map<PairedRow, Judged[]>(rows.map((row) => [row, []]));
  for (const [i, test] of tests.entries())
    byRow.get(test.row)?.push({ test, comparison: metricComparison(test, (adjusted[i] ?? 1) <= LEVEL, level) });
  return rows.map((row) => {
    const own = byRow.get(row) ?? [];
    const sure = own.some(({ test }) => test.p <= LEVEL / tests.length);
    const suspicious = own.some(({ test }) => floorTest(test.effect, test.metric.margins) <= SUSPICION) && !sure;
    const settled = sure || (!suspicious && own.every(isSettled));
    return { compared: comparedRow(row, own), open: isOpen(row, settled), suspicious };
  });
}

function testsOf(rows: readonly PairedRow[], metric: PairedMetric): Test[] {
  const found = rows.flatMap((row) => {
    const logs = rowLogs(row.pairs, metric);
    const centres = looksOf(logs.length, row.ended)
      .filter((look) => look.pairs >= CENTRE_PAIRS_MIN)
      .map((look) => ({
        look,
        centre: weightedCentre(logs.slice(0, look.pairs).map((pair) => weighed(pair, metric))),
      }));
    return centres.length > 0 ? [{ row, logs, centres }] : [];
  });
  const scale = commonScale(found.flatMap(({ centres }) => centres.at(-1)?.centre ?? []));
  return found.flatMap(({ row, logs, centres }) => {
    const looks = centres.map(({ look, centre }) => ({ look, effect: moderated(centre, scale) }));
    const last = looks.at(-1);
    return last ? [{ row, metric, logs, looks, effect: last.effect, p: sequentialP(looks, last.effect, metric) }] : [];
  });
}

/** A pair's ratio and its variance: two processes of the same code differ, and a neighbour adds to that. */
function weighed({ base, head, spread }: PairLogs, { pairSd }: PairedMetric): Weighed {
  return { logRatio: head - base, variance: pairSd ** 2 + (SPREAD_SHARE * spread) ** 2 };
}

/** How much more the rows' pairs differ than expected; at least 1, because a small spread may be luck. */
function commonScale(centres: readonly Centre[]): number {
  const df = centres.reduce((sum, centre) => sum + centre.df, 0);
  const squares = centres.reduce((sum, centre) => sum + centre.df * centre.scale, 0);
  return Math.max(1, df > 0 ? squares / df : 1);
}

/** A row's scale, moved towards the common one (limma: Smyth 2004). */
function moderated({ mean: logRatio, variance, scale, df }: Centre, common: number): Effect {
  const shrunk = (PRIOR_DF * common + df * scale) / (PRIOR_DF + df);
  return { logRatio, standardError: Math.sqrt(shrunk * variance), df: PRIOR_DF + df };
}

/** The smallest weighted p-value of the looks that point where the last one does. */
function sequentialP(looks: Test["looks"], last: Effect, { margins }: PairedMetric): number {
  const agreeing = looks.filter(({ effect }) => Math.sign(effect.logRatio) === Math.sign(last.logRatio));
  return Math.min(1, ...agreeing.map(({ effect, look }) => floorTest(effect, margins) / look.weight));
}

function metricComparison(test: Test, significant: boolean, level: number): MetricComparison {
  const { effect, metric, logs, looks, row, p } = test;
  const interval = relativeInterval(effect);
  const unchanged = isEquivalent(effect, metric.margins) && !(metric.boundByClient && row.clientBound);
  const { pairs, weight } = looks.at(-1)?.look ?? { pairs: 0, weight: 1 };
  const scale = metric.name === "cpuPerRequest" ? US_PER_SEC : 1;
  return {
    verdict: significant ? direction(metric, effect.logRatio) : unchanged ? "unchanged" : "inconclusive",
    change: Math.expm1(effect.logRatio),
    interval,
    p,
    minimumDetectable: minimumDetectable(effect, level * weight, metric),
    pairs,
    base: scale * Math.exp(mean(logs.map(({ base }) => base))),
    head: scale * Math.exp(mean(logs.map(({ head }) => head))),
    sd: effect.standardError * Math.sqrt(pairs),
  };
}

const US_PER_SEC = 1e6;

interface Judged {
  readonly test: Test;
  readonly comparison: MetricComparison;
}

/** It has a verdict, or so much noise that even all pairs would give none. */
function isSettled({ test, comparison }: Judged): boolean {
  if (comparison.verdict !== "inconclusive") return true;
  if (test.metric.boundByClient && test.row.clientBound) return true;
  const [low, high] = comparison.interval;
  return ((high - low) / 2) * Math.sqrt(comparison.pairs / PAIRS_MAX) > test.metric.margins.equivalence;
}

function isOpen(row: PairedRow, settled: boolean): boolean {
  if (row.ended) return false;
  const pairs = validPairs(row);
  if (pairs < PAIRS_MIN) return true;
  return pairs < PAIRS_MAX && !settled;
}

/** Number of pairs that count. */
export function validPairs({ pairs }: Pick<PairedRow, "pairs">): number {
  return pairs.filter(isValid).length;
}

function comparedRow(row: PairedRow, judged: readonly Judged[]): ComparedRow {
  const metrics: ComparedRow["metrics"] = {};
  const idle = idleCpu(row.pairs);
  const withdrawn: string[] = [];
  for (const { test, comparison } of judged) {
    const verdict = verdictDespiteIdle(comparison.verdict, test.effect, test.metric, idle);
    if (verdict !== comparison.verdict) withdrawn.push(test.metric.title);
    metrics[test.metric.name] = { ...comparison, verdict };
  }
  const load = otherLoad(row.pairs);
  const voided = row.pairs.length - validPairs(row);
  const notes = [
    ...row.notes,
    ...idleNotes(idle, withdrawn),
    ...latencyNotes(row.pairs, row.clientBound),
    ...(row.clientBound ? [CLIENT_BOUND] : []),
    ...(voided > 0 ? [`${voided} of ${row.pairs.length} pairs do not count: other load on the machine`] : []),
    ...(load === undefined
      ? []
      : [`other processes took ${(load * 100).toFixed(0)} % of the CPU time during the pairs`]),
    ...(judged.length === 0 ? [TOO_FEW_PAIRS] : []),
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
    seconds: row.pairs.reduce((sum, pair) => sum + pair.seconds, 0),
    recorded: [...row.pairs],
  };
}
