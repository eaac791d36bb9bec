/** Bars of one table: a figure of every row, such as its throughput, with its spread, base beside head, and the rows that are not like the others. */

import type { ComparedRow } from "../../results/comparison.js";
import type { Row } from "../tables/rows.js";
import { MISSING, rate } from "../text/format.js";
import { verdictMark } from "./forest-view.js";
import { html, type Markup } from "./markup.js";
import type { BarFigure, Measure } from "./measure.js";
import { tickText } from "./pair-plot.js";
import {
  decoration,
  drawing,
  gridLines,
  line,
  linearScale,
  mark,
  rect,
  reuse,
  type Scale,
  shared,
  tickLabels,
  ticksOf,
} from "./plot.js";
import { filterAttributes, type RowKeys } from "./row-keys.js";

const HEIGHT = 24;
const BAR = 14;
const TOP = (HEIGHT - BAR) / 2;
const TICKS = 5;
/** Share of the width that the longest bar leaves for its spread and the arrow of a lower bound. */
const SPACE = 1.06;

export interface BarsOptions {
  readonly keys: RowKeys;
  /** How a row of this concurrency was compared. */
  readonly comparedOf: (id: string, connections: number) => ComparedRow | undefined;
}

/** A row as its chart calls it. */
interface NamedRow {
  readonly row: Row;
  readonly name: string;
}

export function barsView(
  named: readonly NamedRow[],
  title: string,
  measure: Measure,
  { keys, comparedOf }: BarsOptions,
): Markup {
  const bars = named.map(({ row, name }) => {
    const compared = comparedOf(row.id, row.shown.connections);
    const change = measure.compared === undefined ? undefined : compared?.metrics[measure.compared]?.change;
    return { row, name, compared, bar: barOf(row, measure, change) };
  });
  const highest = Math.max(
    0,
    ...bars.flatMap(({ bar }) => (bar ? [(bar.value ?? 0) * (1 + bar.spread), bar.base ?? 0] : [])),
  );
  const scale = linearScale(0, (highest || 1) * SPACE);
  const ticks = ticksOf(scale, TICKS);
  const grid = keys.newId("grid");
  const lines = bars.map(({ row, name, compared, bar }) => {
    const verdict = compared?.verdict ?? "";
    const glyph = compared ? html`${verdictMark(compared.verdict)} ` : "";
    return html`<li class="bar-row"${filterAttributes(keys.factsOf(row.id), verdict)}><span class="name">${glyph}${name}</span>${barView({ row, name }, bar, { scale, grid })}</li>\n`;
  });
  const drawn = bars.flatMap(({ bar }) => bar ?? []);
  return html`<figure class="bars"><figcaption>${title}: ${measure.words}. <span class="muted">${keyWords(drawn)}</span></figcaption>
${decoration("grid-definition", 0, [shared(grid, gridLines(scale, ticks, HEIGHT))])}<ol>${lines}</ol>
<div class="bar-row axis" aria-hidden="true"><span></span>${decoration("plot", 18, tickLabels(scale, ticks, 13, tickText))}<span></span></div></figure>`;
}

interface BarPlace {
  readonly scale: Scale;
  /** Id of the lines behind all bars of the chart. */
  readonly grid: string;
}

/** The bar of a row that was measured. */
interface Bar extends BarFigure {
  readonly spread: number;
  readonly disturbed: boolean;
  readonly base: number | undefined;
}

/** Base by the change of the verdict: a case's own figure is pooled in another way, and would put base on the wrong side. */
function barOf({ shown }: Row, { figureOf, spreadOf }: Measure, change: number | undefined): Bar | undefined {
  if (shown.state !== "completed") return undefined;
  const figure = figureOf(shown);
  const base = change === undefined || figure.value === undefined ? undefined : figure.value / (1 + change);
  return { ...figure, spread: spreadOf(shown), disturbed: shown.disturbed === true, base };
}

function barView({ row: { shown }, name }: NamedRow, bar: Bar | undefined, { scale, grid }: BarPlace): Markup {
  if (bar === undefined)
    return html`${decoration("plot missing", HEIGHT, [reuse(grid)])}<span class="figures">${MISSING}: ${shown.state}</span>`;
  const { text, base } = bar;
  const marks = [...(bar.isLowerBound ? ["client-bound"] : []), ...(bar.disturbed ? ["disturbed"] : [])];
  const said = [`${name}: ${text}`, ...marks, ...(base === undefined ? [] : [`base ${rate(base)}`])].join(", ");
  return html`${drawing("plot", HEIGHT, said, [reuse(grid), ...barMarks(bar, scale)])}<span class="figures">${text}${marks.length > 0 ? html` <i>${marks.join(", ")}</i>` : ""}</span>`;
}

function barMarks({ value, spread, isLowerBound, disturbed, base }: Bar, scale: Scale): Markup[] {
  if (value === undefined) return [];
  const kind = ["bar", ...(isLowerBound ? ["bound"] : []), ...(disturbed ? ["disturbed"] : [])].join(" ");
  const middle = HEIGHT / 2;
  const reach = value * spread;
  return [
    rect(kind, 0, scale.at(value), TOP, BAR),
    ...(reach > 0 ? [line("whisker", [scale.at(value - reach), middle], [scale.at(value + reach), middle])] : []),
    ...(isLowerBound ? [mark("more", scale.at(value), middle)] : []),
    ...(base === undefined ? [] : [line("base-tick", [scale.at(base), 1], [scale.at(base), HEIGHT - 1])]),
  ];
}

/** What the marks mean, of those that this chart has. */
function keyWords(bars: readonly Bar[]): string {
  return [
    ...(bars.some(({ spread }) => spread > 0)
      ? ["Line at the end: standard deviation of the throughput within the measurement."]
      : []),
    ...(bars.some(({ base }) => base !== undefined) ? ["Upright line: base."] : []),
    ...(bars.some(({ isLowerBound }) => isLowerBound)
      ? ["Open bar with an arrow: client-bound, the server could do more."]
      : []),
    ...(bars.some(({ disturbed }) => disturbed) ? ["Hatched: disturbed by other processes."] : []),
  ].join(" ");
}

interface BarPlace {
  readonly scale: Scale;
  /** Id of the lines behind all bars of the chart. */
  readonly grid: string;
}
