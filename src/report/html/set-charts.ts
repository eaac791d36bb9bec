/** The charts of one table: which ones fit its rows, and what they draw. */
import { METRIC_COLUMNS, type MetricColumn } from "../../results/metric-columns.js";
import type { LatencyMs } from "../../results/schema.js";
import { label, type Row, type SetInfo } from "../tables/rows.js";
import { type BarsOptions, barsView } from "./bars.js";
import { linesView, type Series } from "./lines.js";
import { html, type Markup, NOTHING } from "./markup.js";
import { columnMeasure, throughputMeasure } from "./measure.js";
import { throughputOf, throughputWords } from "./throughput.js";

/** With fewer percentile columns a line shows nothing that the table does not. */
const PERCENTILES_MIN = 3;

/** Columns that the first chart shows, whether the set asks for it or not. */
const THROUGHPUT: readonly MetricColumn[] = ["rps", "ws-combined"];

export function chartsView(
  set: SetInfo,
  heading: string | undefined,
  rows: readonly Row[],
  options: BarsOptions,
): Markup {
  if (rows.length === 0) return NOTHING;
  const title = heading ?? set.title;
  const percentiles = set.columns.filter(isPercentile);
  const ladder = connectionsLadder(rows) ?? knobLadder(set, rows);
  const named = namedRows(set, rows);
  const throughput =
    ladder === undefined ? barsView(named, title, throughputMeasure(rows), options) : ladderLines(ladder, title, rows);
  const others = (set.charts ?? [])
    .filter((column) => !THROUGHPUT.includes(column))
    .map((column) => barsView(named, title, columnMeasure(column, rows), options));
  return html`<div class="charts">${throughput}${others}${percentiles.length >= PERCENTILES_MIN ? percentileLines(rows, title, percentiles) : NOTHING}</div>`;
}

/** Throughput at steps of something: of connections, processes or threads. */
interface Ladder {
  readonly across: string;
  readonly steps: readonly number[];
  readonly series: readonly Series[];
}

/** With fewer steps bars say the same. */
const STEPS_MIN = 3;

function connectionsLadder(rows: readonly Row[]): Ladder | undefined {
  const points = rows.flatMap(({ id, cases }) =>
    cases.map((result) => ({ series: id, name: result.title, step: result.connections, result })),
  );
  return ladderOf("connections", points);
}

/** Of the knob with the most steps. */
function knobLadder(set: SetInfo, rows: readonly Row[]): Ladder | undefined {
  const knobs = Object.entries(set.knobColumns);
  const ladders = knobs.flatMap(([heading, knob]) => {
    const others = knobs.filter(([, other]) => other !== knob);
    const points = rows.flatMap(({ shown }) => {
      const step = Number(shown.knobs[knob] ?? Number.NaN);
      const rest = others.map(([title, other]) => `${title} ${shown.knobs[other] ?? ""}`.trim());
      const name = [shown.title, ...rest].join(", ");
      return Number.isFinite(step) ? [{ series: name, name, step, result: shown }] : [];
    });
    return points.length < rows.length ? [] : (ladderOf(heading, points) ?? []);
  });
  return ladders.sort((a, b) => b.steps.length - a.steps.length)[0];
}

interface LadderPoint {
  readonly series: string;
  readonly name: string;
  readonly step: number;
  readonly result: Row["shown"];
}

/** Undefined where there are few steps, or where most series have one point. */
function ladderOf(across: string, points: readonly LadderPoint[]): Ladder | undefined {
  const steps = [...new Set(points.map(({ step }) => step))].sort((a, b) => a - b);
  const series = new Map<string, { readonly name: string; readonly byStep: Map<number, number> }>();
  for (const { series: key, name, step, result } of points) {
    const one = series.get(key) ?? { name, byStep: new Map<number, number>() };
    if (result.state === "completed") one.byStep.set(step, throughputOf(result));
    series.set(key, one);
  }
  const drawn = [...series.values()];
  const long = drawn.filter(({ byStep }) => byStep.size >= STEPS_MIN).length;
  if (steps.length < STEPS_MIN || 2 * long < drawn.length) return undefined;
  const best = ({ byStep }: (typeof drawn)[number]) => Math.max(0, ...byStep.values());
  // A chart has room for a few: the fastest come first.
  drawn.sort((a, b) => best(b) - best(a));
  return {
    across,
    steps,
    series: drawn.map(({ name, byStep }) => ({ name, values: steps.map((step) => byStep.get(step)) })),
  };
}

function ladderLines({ across, steps, series }: Ladder, title: string, rows: readonly Row[]): Markup {
  return linesView({
    title: `${title}: ${throughputWords(rows)} by ${across.toLowerCase()}, more is better.`,
    places: steps.map(String),
    across: across.toLowerCase(),
    series,
    order: "speed",
  });
}

/** Rows that share a title are distinguished by their knobs. */
function namedRows(set: SetInfo, rows: readonly Row[]) {
  const counts = new Map<string, number>();
  for (const { shown } of rows) counts.set(shown.title, (counts.get(shown.title) ?? 0) + 1);
  return rows.map((row) => {
    const name = label(row.shown);
    const knobs = Object.entries(set.knobColumns).map(([heading, knob]) =>
      `${heading} ${row.shown.knobs[knob] ?? ""}`.trim(),
    );
    return { row, name: (counts.get(row.shown.title) ?? 0) > 1 ? [name, ...knobs].join(", ") : name };
  });
}

type Percentile = Extract<MetricColumn, `p${number}`>;

function isPercentile(column: MetricColumn): column is Percentile {
  return /^p\d/.test(column);
}

function percentileLines(rows: readonly Row[], title: string, columns: readonly Percentile[]): Markup {
  const series = rows.flatMap(({ shown }): Series[] =>
    shown.state === "completed"
      ? [{ name: label(shown), values: columns.map((column) => percentile(column, shown.summary.latencyMs)) }]
      : [],
  );
  return linesView({
    title: `${title}: latency by percentile, in ms; less is better.`,
    places: columns.map((column) => METRIC_COLUMNS[column]),
    across: "share of the requests that were answered in this time",
    series,
    order: "table",
  });
}

function percentile(column: Percentile, ms: LatencyMs): number | undefined {
  if (column === "p99.9") return ms.p999;
  return column === "p100" ? ms.max : ms[column];
}
