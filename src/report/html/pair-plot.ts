/** Every pair of a row as two joined dots, so that a reader sees what the verdict is made of. */

import { furtherRounds } from "../../compare/further-metrics/figures.js";
import { metricNamed } from "../../compare/metric-named.js";
import { PAIRED_METRICS } from "../../compare/metrics.js";
import { rowLogs } from "../../compare/pairs.js";
import { plural } from "../../messages/sentence.js";
import type { ComparedRow } from "../../results/comparison.js";
import { decimals, rate } from "../text/format.js";
import { html, type Markup, NOTHING } from "./markup.js";
import { drawing, gridLines, line, linearScale, mark, tickLabels, ticksOf } from "./plot.js";

const LINE = 15;
const TOP = 4;
const AXIS = 22;
const TICKS = 4;
/** Share of the span that stays free at both ends. */
const PADDING = 0.08;

/** The figures of a pair, in the metric's unit. */
interface PairFigures {
  readonly base: number;
  readonly head: number;
}

/** In the order of time; empty for a row or a metric without pairs. */
export function pairFigures(row: ComparedRow, name: string): readonly PairFigures[] {
  const { recorded = [] } = row;
  const metric = PAIRED_METRICS.find((one) => one.name === name);
  if (!metric) return furtherRounds(row, name);
  // CPU seconds per request in the file, µs on the page.
  const factor = name === "cpuPerRequest" ? 1e6 : 1;
  return rowLogs(recorded, metric).map(({ base, head }) => ({
    base: Math.exp(base) * factor,
    head: Math.exp(head) * factor,
  }));
}

/** @param row as it is called @param name of the metric */
export function pairPlot(row: ComparedRow, rowName: string, name: string): Markup {
  const metric = metricNamed(name);
  const pairs = pairFigures(row, name);
  if (!metric || pairs.length === 0) return NOTHING;
  const values = pairs.flatMap(({ base, head }) => [base, head]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const space = (high - low || high || 1) * PADDING;
  const scale = linearScale(low - space, high + space);
  const ticks = ticksOf(scale, TICKS);
  const height = TOP + pairs.length * LINE;
  const up = pairs.filter(({ base, head }) => head > base).length;
  const counted = `In ${up} of ${plural(pairs.length, "pair")} head has the higher figure.`;
  const caption = `${capital(metric.title)} of each pair, in ${metric.unit}; ${metric.better} is better.`;
  return html`<figure class="pairs"><figcaption>${caption} <span class="key">${keyMark("base")} base ${keyMark("head")} head</span></figcaption>${drawing(
    "plot",
    height + AXIS,
    `${rowName}: ${caption} ${counted}`,
    [
      ...gridLines(scale, ticks, height),
      ...pairs.flatMap(({ base, head }, i) => {
        const y = TOP + (i + 0.5) * LINE;
        return [
          line("join", [scale.at(base), y], [scale.at(head), y]),
          mark("base", scale.at(base), y),
          mark("head", scale.at(head), y),
        ];
      }),
      ...tickLabels(scale, ticks, height + 16, tickText),
    ],
  )}</figure>`;
}

function keyMark(side: "base" | "head"): Markup {
  return html`<svg class="glyph" viewBox="-8 -8 16 16" aria-hidden="true"><use href="#m-${side}"/></svg>`;
}

/** `20153`, `49.4` */
export function tickText(value: number): string {
  return value >= 1000 ? rate(value) : decimals(value, 3);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
