/** Runs -> the history of every row: its points, where its way of measuring changed, and where its level did. */
import { differingWords } from "../compare/comparable.js";
import { direction } from "../compare/verdict.js";
import { type LevelChange, levelChanges, type Rules } from "./change-points.js";
import { chooseRuns, type LeftOut, type RunOrder } from "./choose.js";
import { changesAmong } from "./correction.js";
import {
  type CaseConfig,
  type CaseRecord,
  type Facts,
  METRICS,
  type Measured,
  type Metric,
  type MetricName,
  measuringFacts,
  type RunFacts,
  type RunRecord,
  type SetTitle,
} from "./record.js";

/** A judgement of Otava's authors: at this level a change is worth a person's time. */
const MAX_P = 0.001;
/** A level needs so many runs. */
const MIN_RUNS_PER_LEVEL = 3;
/** With fewer runs measured alike there are no change points. */
export const MIN_RUNS = 10;

export interface History {
  readonly order: RunOrder;
  readonly runs: readonly HistoryRun[];
  /** Every different way in which the runs were measured. */
  readonly machines: readonly Facts[];
  readonly sets: readonly SetTitle[];
  /** In the order of the newest run that has them. */
  readonly rows: readonly RowHistory[];
  readonly leftOut: readonly LeftOut[];
  readonly tested: Tested;
}

/** Series are a row's metric over runs that were measured alike. */
interface Tested {
  /** Those with enough runs. */
  readonly series: number;
  /** Those that show a change alone, but not among so many. */
  readonly heldBack: number;
}

interface HistoryRun extends RunFacts {
  /** Index in `machines`. */
  readonly machine: number;
}

export interface RowHistory {
  readonly id: string;
  readonly connections: number;
  /** Of the newest run that has the row, as the three after it. */
  readonly title: string;
  readonly set: string;
  readonly server: string;
  readonly interface: string;
  /** By run; undefined where the run does not have the row. */
  readonly cases: readonly (CaseRecord | undefined)[];
  /** By run: points of the same series were measured alike, and are joined. -1: nothing was measured. */
  readonly series: readonly number[];
  readonly breaks: readonly Break[];
  /** In the order of the runs. */
  readonly changes: readonly ChangePoint[];
}

/** From here on the row was measured in a way that no earlier run has. */
interface Break {
  readonly run: number;
  /** The last run before it that measured the row. */
  readonly before: number;
  /** `kernel: 6.8.0-51, then 6.8.0-52` */
  readonly what: readonly string[];
}

/** The level of a metric changed between two runs. They were measured on different days: this is a suspicion. */
export interface ChangePoint {
  readonly metric: MetricName;
  readonly verdict: "suspect-worse" | "suspect-better";
  /** The first run of the new level. */
  readonly run: number;
  /** The last run of the old level. */
  readonly before: number;
  readonly series: number;
  /** Geometric means. */
  readonly oldLevel: number;
  readonly newLevel: number;
  /** Relative. */
  readonly change: number;
  readonly p: number;
  readonly runsBefore: number;
  readonly runsAfter: number;
}

export function historyOf(given: readonly RunRecord[], unreadable: readonly LeftOut[] = []): History {
  const { runs, order, leftOut } = chooseRuns(given);
  const machines = new Map<string, { readonly index: number; readonly facts: Facts }>();
  const machineOf = (run: RunRecord) => {
    const facts = measuringFacts(run);
    const key = JSON.stringify(facts);
    const known = machines.get(key) ?? { index: machines.size, facts };
    machines.set(key, known);
    return known.index;
  };
  const history: readonly HistoryRun[] = runs.map((run) => {
    const { cases: _, sets: __, parts: ___, shard: ____, ...facts } = run;
    return { ...facts, machine: machineOf(run) };
  });
  const facts = [...machines.values()].map((one) => one.facts);
  const rows = casesByRow(runs).map((cases) => rowWithoutChanges(cases, history, facts));
  const { changes, tested } = changesIn(rows);
  return {
    order,
    runs: history,
    machines: facts,
    sets: setsOf(runs),
    rows: rows.map((row, i) => ({ ...row, changes: (changes[i] ?? []).sort((a, b) => a.run - b.run) })),
    leftOut: [...unreadable, ...leftOut],
    tested,
  };
}

/** The newest title counts; a set that newer runs do not have comes last. */
function setsOf(runs: readonly RunRecord[]): SetTitle[] {
  const sets = new Map<string, SetTitle>();
  for (const run of [...runs].reverse()) for (const set of run.sets) if (!sets.has(set.name)) sets.set(set.name, set);
  return [...sets.values()];
}

function casesByRow(runs: readonly RunRecord[]): (CaseRecord | undefined)[][] {
  const rows = new Map<string, (CaseRecord | undefined)[]>();
  for (const [run, { cases }] of [...runs.entries()].reverse()) {
    for (const one of cases) {
      const key = `${one.connections} ${one.id}`;
      const row = rows.get(key) ?? Array.from({ length: runs.length }, () => undefined);
      row[run] = one;
      rows.set(key, row);
    }
  }
  return [...rows.values()];
}

type RowWithoutChanges = Omit<RowHistory, "changes">;

function rowWithoutChanges(
  cases: readonly (CaseRecord | undefined)[],
  runs: readonly HistoryRun[],
  machines: readonly Facts[],
): RowWithoutChanges {
  const newest = cases.findLast((one) => one !== undefined);
  if (newest === undefined) throw new Error("a row without a case");
  const { series, breaks } = seriesOf(cases, runs, machines);
  return {
    id: newest.id,
    connections: newest.connections,
    title: newest.title,
    set: newest.set,
    server: newest.server.title,
    interface: newest.config.interface,
    cases,
    series,
    breaks,
  };
}

function seriesOf(cases: readonly (CaseRecord | undefined)[], runs: readonly HistoryRun[], machines: readonly Facts[]) {
  const known: { readonly machine: number; readonly config: CaseConfig }[] = [];
  const breaks: Break[] = [];
  let before = -1;
  const series = cases.map((one, run) => {
    const machine = runs[run]?.machine;
    if (one?.outcome.state !== "measured" || machine === undefined) return -1;
    // Equal configurations are one object.
    const found = known.findIndex((other) => other.machine === machine && other.config === one.config);
    if (found < 0) {
      if (before >= 0) {
        const earlier = cases[before]?.config ?? one.config;
        const facts = machines[runs[before]?.machine ?? machine] ?? {};
        const what = [...differences(facts, machines[machine] ?? {}), ...configDifferences(earlier, one.config)];
        breaks.push({ run, before, what });
      }
      known.push({ machine, config: one.config });
    }
    before = run;
    return found < 0 ? known.length - 1 : found;
  });
  return { series, breaks };
}

function configDifferences(before: CaseConfig, after: CaseConfig): string[] {
  if (!before.load || !after.load)
    return differences(configFacts(before, before.load?.join(" ")), configFacts(after, after.load?.join(" ")));
  const [earlier, later] = differingWords(before.load, after.load);
  return differences(configFacts(before, earlier), configFacts(after, later));
}

function configFacts({ server, interface: name, python, knobs }: CaseConfig, load: string | undefined): Facts {
  return {
    server,
    interface: name,
    ...(python !== undefined && { "Python of the benchmark": python }),
    ...Object.fromEntries(Object.entries(knobs).map(([knob, value]) => [`knob ${knob}`, String(value)])),
    ...(load !== undefined && { load }),
  };
}

/** The fingerprint is made of the other facts: it is named where nothing else differs. */
function differences(before: Facts, after: Facts): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => before[name] !== after[name]);
  const named = differing.length > 1 ? differing.filter((name) => name !== "fingerprint") : differing;
  return named.map((name) => `${name}: ${before[name] ?? "none"}, then ${after[name] ?? "none"}`);
}

/** The figure of a metric that counts for levels; undefined for one that others disturbed, or that is a lower bound. */
function steadyFigure({ name, boundByClient }: Metric, one: CaseRecord | undefined): number | undefined {
  const measured = measuredOf(one);
  if (measured === undefined || measured.disturbed || (boundByClient && measured.clientBound)) return undefined;
  return measured[name];
}

export function measuredOf(one: CaseRecord | undefined): Measured | undefined {
  return one?.outcome.state === "measured" ? one.outcome : undefined;
}

/** A row's metric over runs that were measured alike. */
interface MetricSeries {
  readonly row: number;
  readonly metric: Metric;
  /** In the row's `series`. */
  readonly index: number;
  /** As the series alone shows them. */
  readonly found: readonly LevelChange[];
  /** Runs that count; none where nothing was found: a history of a thousand rows has to fit the memory. */
  readonly runs: readonly number[];
  /** Logarithms, by those runs. */
  readonly values: readonly number[];
  readonly rules: Rules;
}

/** By row. All series of the history are tested together. */
function changesIn(rows: readonly RowWithoutChanges[]) {
  const all = rows.flatMap((row, i) => {
    const indexes = [...new Set(row.series)].filter((index) => index >= 0);
    return METRICS.flatMap((metric) => indexes.flatMap((index) => metricSeries(row, i, metric, index) ?? []));
  });
  const kept = changesAmong(all);
  const changes: ChangePoint[][] = rows.map(() => []);
  all.forEach((series, i) => {
    changes[series.row]?.push(...(kept[i] ?? []).map((change) => changePoint(series, change)));
  });
  const heldBack = all.filter(({ found }, i) => found.length > 0 && kept[i]?.length === 0).length;
  return { changes, tested: { series: all.length, heldBack } };
}

/** What a change of a metric's level must pass. */
export function rulesOf({ margins }: Metric): Rules {
  return { maxP: MAX_P, minDifference: margins.floor, minItems: MIN_RUNS_PER_LEVEL };
}

/** Undefined with too few runs. @param index in the row's `series` */
function metricSeries(
  { cases, series }: RowWithoutChanges,
  row: number,
  metric: Metric,
  index: number,
): MetricSeries | undefined {
  const { runs, values } = pointsOf(cases, series, index, metric);
  if (runs.length < MIN_RUNS) return undefined;
  const rules = rulesOf(metric);
  const found = levelChanges(values, rules);
  if (found.length === 0) return { row, metric, index, found, runs: [], values: [], rules };
  return { row, metric, index, found, runs, values, rules };
}

/** Logarithms of the runs that count. A loop: a history of a thousand rows has a million points. */
export function pointsOf(
  cases: RowHistory["cases"],
  series: readonly number[],
  index: number,
  metric: Metric,
): Pick<MetricSeries, "runs" | "values"> {
  const runs: number[] = [];
  const values: number[] = [];
  for (let run = 0; run < cases.length; run += 1) {
    const value = series[run] === index ? steadyFigure(metric, cases[run]) : undefined;
    if (value === undefined) continue;
    runs.push(run);
    values.push(Math.log(value));
  }
  return { runs, values };
}

function changePoint({ metric, index: series, runs }: MetricSeries, change: LevelChange): ChangePoint {
  const { index: at, p, before, after } = change;
  const logRatio = after.mean - before.mean;
  return {
    metric: metric.name,
    verdict: direction(metric, logRatio) === "worse" ? "suspect-worse" : "suspect-better",
    run: runs[at] ?? 0,
    before: runs[at - 1] ?? 0,
    series,
    oldLevel: Math.exp(before.mean),
    newLevel: Math.exp(after.mean),
    change: Math.expm1(logRatio),
    p,
    runsBefore: before.end - before.start,
    runsAfter: after.end - after.start,
  };
}
