/** A row's trend in the size of a word. Node draws it for the page, and the browser for another part of the history. */
import type { ChangePoint } from "../../history/model.js";
import { html, Markup, NOTHING } from "../html/markup.js";

export interface Trend {
  /** By run. */
  readonly values: readonly (number | undefined)[];
  /** By run: values of the same series are joined. */
  readonly series: readonly number[];
  /** Of this metric. */
  readonly changes: readonly ChangePoint[];
}

/** Half pixels: whole numbers are short, and still fine enough. */
const WIDTH = 360;
const HEIGHT = 64;
const MARGIN = 5;
/** Noise alone must not look like a change: the scale is at least so high, on logarithms. */
const LEAST_SPAN = 0.04;
/** Colours of the style that no verdict has, by number. */
const COLOURS = [0, 2, 3, 4, 7] as const;

/** The class of a series: it is the same in every part of the history. */
export function colourOf(series: number): string {
  return `s${COLOURS[series % COLOURS.length] ?? 0}`;
}

/** @param from index of the first run that is shown */
export function sparkline({ values, series, changes }: Trend, from: number): Markup {
  const points = values
    .slice(from)
    .flatMap((value, i) => (value === undefined ? [] : [{ run: from + i, log: Math.log(value) }]));
  const last = points.at(-1);
  if (last === undefined) return NOTHING;
  const runs = Math.max(1, values.length - 1 - from);
  const x = (run: number) => MARGIN + Math.round(((run - from) / runs) * (WIDTH - 2 * MARGIN));
  const y = verticalScale(points.map(({ log }) => log));
  const bySeries = new Map<number, { run: number; log: number }[]>();
  for (const point of points) {
    const key = series[point.run] ?? 0;
    const known = bySeries.get(key);
    if (known) known.push(point);
    else bySeries.set(key, [point]);
  }
  const lines = [...bySeries].map(
    ([key, of]) =>
      `<path class="${colourOf(key)}${of.length === 1 ? " lone" : ""}" d="${pathOf(of.map(({ run, log }) => [x(run), y(log)]))}"/>`,
  );
  const marks = changes
    .filter(({ run }) => run >= from)
    .map(({ run, verdict }) => `<path class="${verdict}" d="M${x(run)} 0v${HEIGHT}"/>`);
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${new Markup(marks.join("") + lines.join(""))}<circle cx="${x(last.run)}" cy="${y(last.log)}" r="5"/></svg>`;
}

function verticalScale(logs: readonly number[]): (log: number) => number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const log of logs) {
    if (log < low) low = log;
    if (log > high) high = log;
  }
  const missing = Math.max(0, LEAST_SPAN - (high - low)) / 2;
  const span = high - low + 2 * missing;
  return (log) => MARGIN + Math.round((1 - (log - low + missing) / span) * (HEIGHT - 2 * MARGIN));
}

/** Relative moves: two short numbers for each point. A point alone is a line without a length, which shows as a dot. */
function pathOf(points: readonly (readonly [number, number])[]): string {
  let [atX, atY] = [0, 0];
  const path = points
    .map(([x, y], i) => {
      const move = i === 0 ? `M${x} ${y}` : `${i === 1 ? "l" : " "}${x - atX} ${y - atY}`;
      [atX, atY] = [x, y];
      return move.replace(/ -/g, "-");
    })
    .join("");
  return points.length === 1 ? `${path}h0` : path;
}
