/** Bars of one table: throughput of every row, with its spread, base beside head, and the rows that are not like the others. */

import type { ComparedRow } from "../../results/comparison.js";
import type { CompletedCase } from "../../results/schema.js";
import type { Row } from "../tables/rows.js";
import { MISSING, rate } from "../text/format.js";
import { verdictMark } from "./forest-view.js";
import { html, type Markup } from "./markup.js";
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
import { throughputOf, throughputWords } from "./throughput.js";

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

export function barsView(named: readonly NamedRow[], title: string, { keys, comparedOf }: BarsOptions): Markup {
  const rows = named.map(({ row }) => row);
  const bars = named.map(({ row, name }) => {
    const compared = comparedOf(row.id, row.shown.connections);
    return { row, name, compared, base: baseOf(row, compared) };
  });
  const highest = Math.max(
    0,
    ...bars.flatMap(({ row: { shown }, base }) =>
      shown.state === "completed" ? [throughputOf(shown) * (1 + (shown.spread ?? 0)), base ?? 0] : [],
    ),
  );
  const scale = linearScale(0, (highest || 1) * SPACE);
  const ticks = ticksOf(scale, TICKS);
  const grid = keys.newId("grid");
  const lines = bars.map(({ row, name, compared, base }) => {
    const verdict = compared?.verdict ?? "";
    const glyph = compared ? html`${verdictMark(compared.verdict)} ` : "";
    return html`<li class="bar-row"${filterAttributes(keys.factsOf(row.id), verdict)}><span class="name">${glyph}${name}</span>${barOf({ row, name }, base, { scale, grid })}</li>\n`;
  });
  const words = throughputWords(rows);
  return html`<figure class="bars"><figcaption>${title}: ${words}, more is better. <span class="muted">${keyWords(
    rows,
    bars.some(({ base }) => base !== undefined),
  )}</span></figcaption>
${decoration("grid-definition", 0, [shared(grid, gridLines(scale, ticks, HEIGHT))])}<ol>${lines}</ol>
<div class="bar-row axis" aria-hidden="true"><span></span>${decoration("plot", 18, tickLabels(scale, ticks, 13, tickText))}<span></span></div></figure>`;
}

/** By the change of the verdict: a case's own throughput is pooled in another way, and would put base on the wrong side. */
function baseOf({ shown }: Row, compared: ComparedRow | undefined): number | undefined {
  const change = compared?.metrics.throughput?.change;
  return change === undefined || shown.state !== "completed" ? undefined : throughputOf(shown) / (1 + change);
}

interface BarPlace {
  readonly scale: Scale;
  /** Id of the lines behind all bars of the chart. */
  readonly grid: string;
}

function barOf({ row: { shown }, name }: NamedRow, base: number | undefined, { scale, grid }: BarPlace): Markup {
  if (shown.state !== "completed")
    return html`${decoration("plot missing", HEIGHT, [reuse(grid)])}<span class="figures">${MISSING}: ${shown.state}</span>`;
  const value = throughputOf(shown);
  const text = `${shown.summary.clientBound ? "≥ " : ""}${rate(value)}`;
  const marks = [...(shown.summary.clientBound ? ["client-bound"] : []), ...(shown.disturbed ? ["disturbed"] : [])];
  const said = [`${name}: ${text}`, ...marks, ...(base === undefined ? [] : [`base ${rate(base)}`])].join(", ");
  return html`${drawing("plot", HEIGHT, said, [reuse(grid), ...barMarks(shown, value, base, scale)])}<span class="figures">${text}${marks.length > 0 ? html` <i>${marks.join(", ")}</i>` : ""}</span>`;
}

function barMarks(shown: CompletedCase, value: number, base: number | undefined, scale: Scale): Markup[] {
  const kind = ["bar", ...(shown.summary.clientBound ? ["bound"] : []), ...(shown.disturbed ? ["disturbed"] : [])].join(
    " ",
  );
  const middle = HEIGHT / 2;
  const reach = value * (shown.spread ?? 0);
  return [
    rect(kind, 0, scale.at(value), TOP, BAR),
    ...(reach > 0 ? [line("whisker", [scale.at(value - reach), middle], [scale.at(value + reach), middle])] : []),
    ...(shown.summary.clientBound ? [mark("more", scale.at(value), middle)] : []),
    ...(base === undefined ? [] : [line("base-tick", [scale.at(base), 1], [scale.at(base), HEIGHT - 1])]),
  ];
}

/** What the marks mean, of those that this chart has. */
function keyWords(rows: readonly Row[], compared: boolean): string {
  const completed = rows.flatMap(({ shown }) => (shown.state === "completed" ? [shown] : []));
  return [
    ...(completed.some(({ spread = 0 }) => spread > 0)
      ? ["Line at the end: standard deviation of the throughput within the measurement."]
      : []),
    ...(compared ? ["Upright line: base."] : []),
    ...(completed.some(({ summary }) => summary.clientBound)
      ? ["Open bar with an arrow: client-bound, the server could do more."]
      : []),
    ...(completed.some(({ disturbed }) => disturbed) ? ["Hatched: disturbed by other processes."] : []),
  ].join(" ");
}
