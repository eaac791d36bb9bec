/**
 * Head against stored base files. They were measured at another time, so a change is `suspect` at most. A row's head is
 * compared with the prediction interval of its base runs; the report's rows and metrics share one false discovery rate.
 */
import { isUsual, type SelectedMetrics, USUAL_METRICS } from "../plan/selected-metrics.js";
import { answerDifferences } from "../results/answer-notes.js";
import type { ComparedRow, Comparison, MetricComparison, UncomparedRow, Verdict } from "../results/comparison.js";
import { isFromPairs } from "../results/from-pairs.js";
import type { CompletedCase, Results } from "../results/schema.js";
import {
  type Anchor,
  type AnchorChoice,
  addedVariance,
  chooseAnchor,
  type Drift,
  driftOf,
  isTooLarge,
  logOf,
} from "./anchor.js";
import { shareText } from "./comparable.js";
import { type Answered, failureNotes, totalOf } from "./failures.js";
import { chooseRuns, type History, type Matched, matchRows, type StoredRun } from "./history.js";
import { type Metric, primaryMetrics } from "./metrics.js";
import { mean, type Observed, predictionEffect, priorVariance } from "./moderated.js";
import { benjaminiHochberg } from "./multiplicity.js";
import { CLIENT_BOUND, DISTURBED } from "./row-notes.js";
import {
  direction,
  type Effect,
  floorTest,
  isEquivalent,
  LEVEL,
  minimumDetectable,
  relativeChange,
  relativeInterval,
  rowVerdict,
} from "./verdict.js";

export interface StoredOptions extends Partial<AnchorChoice> {
  /** Whether head was asked for this row; default: for every row of its sets. */
  readonly inScope?: (id: string) => boolean;
  /** Metrics that get a verdict. */
  readonly selectedMetrics?: SelectedMetrics;
  /** The command that repeats the comparison. */
  readonly command?: readonly string[];
}

/** @param base one file, or a history; the newest comparable ones count */
export function compareStored(base: readonly StoredRun[], head: Results, options: StoredOptions = {}): Comparison {
  const { selectedMetrics = USUAL_METRICS } = options;
  const metrics = primaryMetrics(selectedMetrics);
  const history = chooseRuns(base, head);
  const common = {
    mode: "artifact" as const,
    base: describeBase(history),
    ...(!isUsual(selectedMetrics) && { selectedMetrics: [...selectedMetrics] }),
    runs: [...history.all],
    ...(options.command && { command: [...options.command] }),
  };
  if (history.runs.length === 0) {
    return { ...common, rows: [], notComparable: refusals(history) };
  }
  const { matched, uncompared } = matchRows(history.runs, head, options.inScope ?? (() => true));
  const { anchors = [], tested = [], isOwnApp = () => false } = options;
  const anchor = chooseAnchor(matched, { anchors, tested, isOwnApp });
  const drifts = new Map(metrics.map((metric) => [metric, driftOf(anchor, metric)]));
  const rows = matched.filter((row) => !anchor.rows.includes(row));
  const tests = testsOf(rows, head, drifts);
  return {
    ...common,
    rows: judge(rows, tests, metrics),
    notCompared: sorted(uncompared),
    ...(anchor.rows.length > 0 && { anchor: describeAnchor(anchor, drifts) }),
    notes: notesOf(history, head, anchor, drifts, tests),
  };
}

/** A reason that all files share stands there once. */
function refusals({ all }: History): string[] {
  const reasons = new Set(all.map((run) => run.leftOut ?? "not used"));
  return reasons.size === 1 ? [...reasons] : all.map(({ source, leftOut }) => `${source}: ${leftOut ?? "not used"}`);
}

/** One metric of one row. */
interface Test {
  readonly row: Matched;
  readonly metric: Metric;
  readonly effect: Effect & { readonly sd: number };
  readonly observed: Observed;
  readonly p: number;
  /** The drift is too large for a verdict, or head was disturbed. */
  readonly voided: boolean;
}

type Drifts = ReadonlyMap<Metric, Drift | undefined>;

function testsOf(rows: readonly Matched[], head: Results, drifts: Drifts): Test[] {
  return [...drifts].flatMap(([metric, drift]) => {
    const found = rows.flatMap((row) => {
      const observed = observe(row, metric, drift);
      return observed ? [{ row, observed }] : [];
    });
    const usual = metric.usualSd[head.run.profile] ** 2 * (1 + (drift ? addedVariance(drift.rows) : 0));
    const prior = priorVariance(
      usual,
      found.map(({ observed }) => observed),
    );
    return found.map(({ row, observed }) => {
      const effect = predictionEffect(observed, prior);
      return {
        row,
        metric,
        effect,
        observed,
        p: floorTest(effect, metric.margins),
        voided: isTooLarge(drift) || row.head.disturbed === true,
      };
    });
  });
}

/** Base's figures as they would have been in head's run, with the drift added. */
function observe(
  { head, base }: Pick<Matched, "head" | "base">,
  metric: Metric,
  drift: Drift | undefined,
): Observed | undefined {
  const logs = base.flatMap((result, run) => {
    const log = logOf(metric, result);
    return log === undefined ? [] : [log + (drift?.shifts[run] ?? 0)];
  });
  const own = logOf(metric, head);
  return own === undefined || logs.length === 0 ? undefined : { base: logs, head: own };
}

function judge(rows: readonly Matched[], tests: readonly Test[], metrics: readonly Metric[]): ComparedRow[] {
  const adjusted = benjaminiHochberg(tests.map((test) => (test.voided ? 1 : test.p)));
  const found = adjusted.filter((q) => q <= LEVEL).length;
  // The level that one further discovery would have to reach.
  const level = (LEVEL * Math.min(found + 1, tests.length)) / tests.length;
  const byRow = new Map<Matched, [string, MetricComparison][]>();
  for (const [i, test] of tests.entries()) {
    const suspect = (adjusted[i] ?? 1) <= LEVEL;
    byRow.set(test.row, [...(byRow.get(test.row) ?? []), [test.metric.name, metricComparison(test, suspect, level)]]);
  }
  return rows.map((row) => {
    const { head, base } = row;
    const compared = Object.fromEntries(byRow.get(row) ?? []);
    const notes = rowNotes(head, base, metrics);
    return {
      id: head.id,
      connections: head.connections,
      title: head.title,
      verdict: rowVerdict(compared),
      metrics: compared,
      clientBound: isClientBound(row),
      seconds: head.wallSec,
      ...(notes.length > 0 && { notes }),
    };
  });
}

function metricComparison(test: Test, suspect: boolean, level: number): MetricComparison {
  const { effect, observed, p } = test;
  const interval = relativeInterval(effect);
  return {
    verdict: verdictOf(test, suspect),
    change: relativeChange(effect.logRatio),
    interval,
    p,
    minimumDetectable: minimumDetectable(effect, level, test.metric),
    pairs: observed.base.length,
    base: Math.exp(mean(observed.base)),
    head: Math.exp(observed.head),
    sd: effect.sd,
  };
}

function verdictOf(test: Test, suspect: boolean): Verdict {
  const { metric, row, effect, voided } = test;
  if (voided) return "inconclusive";
  if (suspect) return direction(metric, effect.logRatio) === "better" ? "suspect-better" : "suspect-worse";
  // Two lower bounds may be equal where the servers are not.
  if (metric.boundByClient && isClientBound(row)) return "inconclusive";
  return isEquivalent(effect, metric.margins, LEVEL) ? "unchanged" : "inconclusive";
}

function isClientBound({ head, base }: Pick<Matched, "head" | "base">): boolean {
  return [head, ...base].some((result) => result?.summary.clientBound);
}

function rowNotes(head: CompletedCase, base: Matched["base"], metrics: readonly Metric[]): string[] {
  const before = totalOf(base.flatMap((result) => (result ? [answeredIn(result)] : [])));
  return [
    ...(isClientBound({ head, base }) ? [CLIENT_BOUND] : []),
    ...(head.disturbed ? [DISTURBED] : []),
    ...failureNotes(before, answeredIn(head)),
    ...(head.rateShare === undefined ? [] : [atShare(head.rateShare)]),
    ...answerDifferences(base.at(-1)?.answers ?? [], head.answers ?? []),
    ...metrics
      .filter((metric) => observe({ head, base }, metric, undefined) === undefined)
      .map(({ title }) => `no ${title} was recorded`),
  ];
}

/** In pairs, a summary has the requests of slices alone, and the failures of all. */
function answeredIn(result: CompletedCase): Answered {
  const parts = isFromPairs(result) ? result.slices : [result.summary];
  return totalOf(parts.map(({ requests, failures }) => ({ requests, failed: failures.total })));
}

function atShare(share: number): string {
  const percent = shareText(share).replace("%", " %");
  return `requests came at ${percent} of each run's own maximum: throughput shows how this maximum changed, and CPU per request is that at this rate`;
}

/** The kinds that need attention come first. */
const ORDER: readonly UncomparedRow["kind"][] = [
  "failed-in-head",
  "failed-in-base",
  "not-comparable",
  "removed",
  "new",
  "unmeasured",
];

function sorted(rows: readonly UncomparedRow[]): UncomparedRow[] {
  return [...rows].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function describeBase({ runs, all }: History): Record<string, string> {
  const results = runs.at(-1)?.results;
  if (!results) return { runs: "0", files: String(all.length) };
  const { run, environment } = results;
  return {
    runs: String(runs.length),
    newest: run.startedAt,
    ...(run.git && { sha: run.git.sha }),
    ...(run.git?.ref !== undefined && { ref: run.git.ref }),
    ...(run.git?.uncommitted && { uncommitted: "yes" }),
    machine: `${environment.cpuModel}, ${environment.cpus} CPUs`,
    fingerprint: environment.fingerprint,
  };
}

function describeAnchor({ rows, servers }: Anchor, drifts: Drifts): NonNullable<Comparison["anchor"]> {
  const day = [...drifts].flatMap(([metric, drift]) =>
    drift ? [[metric.name, relativeChange(mean(drift.shifts))]] : [],
  );
  return {
    servers: [...servers],
    rows: rows.map(({ head }) => `${head.id} (c${head.connections})`),
    day: Object.fromEntries(day),
  };
}

/** Where a named anchor was refused, a note before this one says why. */
function withoutAnchor({ notes }: Anchor): string {
  const cause = notes.length > 0 ? "Without an anchor, " : "No anchor was measured in all runs: ";
  return `${cause}a slower machine looks like a slower server.`;
}

function notesOf(history: History, head: Results, anchor: Anchor, drifts: Drifts, tests: readonly Test[]): string[] {
  const tools = new Set([...history.runs.map(({ results }) => results), head].map(({ run }) => run.tool.version));
  const usual = [...drifts.keys()].map(
    ({ title, usualSd }) => `${(usualSd[head.run.profile] * 100).toFixed(1)} % for ${title}`,
  );
  return [
    ...anchor.notes,
    ...[...drifts].flatMap(([{ title }, drift]) =>
      isTooLarge(drift)
        ? [`The anchor's ${title} changed by more than a fifth: the machine drifted too much for a verdict on it.`]
        : [],
    ),
    ...(anchor.rows.length === 0 && tests.length > 0 ? [withoutAnchor(anchor)] : []),
    ...(history.runs.length === 1
      ? [`One base run cannot show how much runs differ: standard deviations of ${usual.join(" and ")} are assumed.`]
      : []),
    ...(tools.size > 1
      ? [`The files were written by different versions of server-bench: ${[...tools].join(", ")}.`]
      : []),
  ];
}
