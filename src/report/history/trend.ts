/** One metric of one row over its runs, large: levels, releases, and where the way of measuring changed. */
import { figure } from "../comparison/metric-text.js";
import { html, type Markup, NOTHING } from "../html/markup.js";
import { drawing, label, line, linearScale, mark, pct, type Scale, ticksOf } from "../html/plot.js";
import { signedPercent } from "../html/shares.js";
import { colourOf, type Trend } from "./spark.js";

interface TrendRun {
  readonly label: string;
  readonly release?: string;
  /** Shown on hover, behind its figure. */
  readonly note: string;
}

interface TrendChart extends Trend {
  readonly metric: string;
  readonly title: string;
  readonly runs: readonly TrendRun[];
  readonly from: number;
  /** By run: a lower bound, or disturbed. */
  readonly doubtful: (run: number) => boolean;
  /** Runs in which a new way of measuring began, numbered as in the text below. */
  readonly breaks: readonly number[];
}

const TOP = 22;
const PLOT = 190;
const BOTTOM = 22;
const HEIGHT = TOP + PLOT + BOTTOM;
const TICKS = 5;
/** Percent of the width that a label needs. */
const LABEL_SPACE = 16;
/** Lines through more points than this have no dots: they would hide the line. */
const DOTS = 200;

export function trendChart(chart: TrendChart): Markup {
  const { values, series, from, runs, metric } = chart;
  const shown = values.flatMap((value, run) => (value === undefined || run < from ? [] : [{ run, value }]));
  if (shown.length === 0) return html`<p>No figure in these runs.</p>`;
  const across = linearScale(from - 0.5, runs.length - 0.5);
  const down = verticalScale(shown.map(({ value }) => value));
  const y = (value: number) => TOP + PLOT - (down.at(value) / 100) * PLOT;
  const ticks = ticksOf(down, TICKS);
  const joined = linesOf(shown, series).map(([a, b, key]) =>
    line(colourOf(key), [across.at(a.run), y(a.value)], [across.at(b.run), y(b.value)]),
  );
  const dots = shown.map(({ run, value }) => {
    const kind = `dot ${colourOf(series[run] ?? 0)}${chart.doubtful(run) ? " doubtful" : ""}`;
    const text = `${runs[run]?.label ?? ""}: ${figure(metric, value)}${runs[run]?.note ?? ""}`;
    const radius = shown.length > DOTS ? 1.5 : 3;
    return html`<circle class="${kind}" cx="${pct(across.at(run))}" cy="${Math.round(y(value) * 10) / 10}" r="${radius}"><title>${text}</title></circle>`;
  });
  return drawing(
    "plot trend",
    HEIGHT,
    `${chart.title}: ${figure(metric, shown[0]?.value)} in ${runs[shown[0]?.run ?? 0]?.label}, ${figure(metric, shown.at(-1)?.value)} in ${runs[shown.at(-1)?.run ?? 0]?.label}`,
    [
      ...ticks.flatMap((tick) => [
        line("grid", [0, y(tick)], [100, y(tick)]),
        label("tick start halo", 0, y(tick) - 3, tick.toLocaleString("en")),
      ]),
      ...releaseLines(chart, across),
      ...breakLines(chart, across),
      ...joined,
      ...dots,
      ...levelsOf(chart, across, y),
      ...runLabels(chart, across),
    ],
  );
}

function verticalScale(values: readonly number[]): Scale {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  // As in the small drawings: noise alone must not look like a change.
  const room = Math.max(0.08 * (high - low), (0.04 * high - (high - low)) / 2);
  return linearScale(low - room, high + room);
}

interface Point {
  readonly run: number;
  readonly value: number;
}

/** Neighbours of the same series. */
function linesOf(points: readonly Point[], series: readonly number[]): (readonly [Point, Point, number])[] {
  const last = new Map<number, Point>();
  return points.flatMap((point) => {
    const key = series[point.run] ?? 0;
    const before = last.get(key);
    last.set(key, point);
    return before ? [[before, point, key] as const] : [];
  });
}

function releaseLines({ runs, from }: TrendChart, across: Scale): Markup[] {
  let free = 0;
  return runs.flatMap(({ release }, run) => {
    if (release === undefined || run < from) return [];
    const at = across.at(run);
    const hasRoom = at >= free;
    if (hasRoom) free = at + LABEL_SPACE;
    return [
      line("release", [at, TOP - 6], [at, TOP + PLOT]),
      hasRoom ? label(anchorAt("tick", at), at, TOP - 10, release) : NOTHING,
    ];
  });
}

function breakLines({ breaks, from }: TrendChart, across: Scale): Markup[] {
  return breaks.flatMap((run, i) => {
    if (run < from) return [];
    const at = across.at(run - 0.5);
    return [
      line("break", [at, TOP], [at, TOP + PLOT]),
      label(anchorAt("tick halo", at), at, TOP + PLOT - 4, `break ${i + 1}`),
    ];
  });
}

/** The level before and after each change, with the size of the change. */
function levelsOf(
  { changes, series, from, values }: TrendChart,
  across: Scale,
  y: (value: number) => number,
): Markup[] {
  return changes.flatMap((change, i) => {
    const own = (other: (typeof changes)[number] | undefined) => other?.series === change.series;
    const earlier = changes.slice(0, i).findLast(own);
    const later = changes.slice(i + 1).find(own);
    const first = earlier?.run ?? series.indexOf(change.series);
    const end = later?.before ?? lastOf(series, values, change.series);
    if (end < from) return [];
    const level = (start: number, stop: number, value: number) =>
      line("level", [across.at(Math.max(from, start)), y(value)], [across.at(stop), y(value)]);
    const at = across.at(change.run);
    return [
      ...(change.before >= from && !earlier ? [level(first, change.before, change.oldLevel)] : []),
      level(change.run, end, change.newLevel),
      ...(change.run >= from
        ? [
            mark(change.verdict, at, Math.round(y(change.newLevel))),
            label(
              anchorAt("tick halo strong", at),
              at,
              Math.max(TOP + 10, y(change.newLevel) - 12),
              signedPercent(change.change),
            ),
          ]
        : []),
    ];
  });
}

function lastOf(series: readonly number[], values: readonly (number | undefined)[], key: number): number {
  for (let run = series.length - 1; run >= 0; run -= 1)
    if (series[run] === key && values[run] !== undefined) return run;
  return 0;
}

/** First, middle and last run. */
function runLabels({ runs, from }: TrendChart, across: Scale): Markup[] {
  const last = runs.length - 1;
  const shown = [...new Set(last - from < 4 ? [from, last] : [from, Math.round((from + last) / 2), last])];
  return shown.map((run) => {
    const kind = run === last ? "tick end" : run === from ? "tick start" : "tick middle";
    const at = run === last ? 100 : run === from ? 0 : across.at(run);
    return label(kind, at, HEIGHT - 5, runs[run]?.label ?? "");
  });
}

function anchorAt(kind: string, at: number): string {
  if (at < 8) return `${kind} start`;
  return at > 92 ? `${kind} end` : kind;
}
