/** The forest plot: one line of HTML per row, with a drawing in it. */

import { isSuspect } from "../../compare/verdict.js";
import { plural } from "../../messages/sentence.js";
import { verdictWord } from "../comparison/metric-text.js";
import { type Forest, type ForestGroup, type ForestRow, verdictCounts } from "./forest.js";
import { fold, html, type Markup, NOTHING } from "./markup.js";
import {
  decoration,
  drawing,
  label,
  line,
  linearScale,
  mark,
  rect,
  reuse,
  type Scale,
  shared,
  ticksOf,
} from "./plot.js";
import { filterAttributes } from "./row-keys.js";
import { intervalText, signedPercent } from "./shares.js";

/** Of a line of the list, in pixels. A name of two lines makes it higher; the drawing fills it, so that the bands of neighbours touch. */
const HEIGHT = 28;
const MIDDLE = "50%";
const BOTTOM = "100%";
const TICKS = 8;

export function forestView({ groups, reach }: Forest): Markup {
  if (groups.length === 0) return NOTHING;
  const scale = linearScale(-reach, reach);
  const ticks = forestTicks(reach);
  return html`<section class="forest" aria-labelledby="all-rows">
<h2 id="all-rows">Every benchmark</h2>
<p class="muted">Change from base to head, with its 95 % interval. Better is to the right, also for metrics of which less is better. A benchmark is unchanged if its change surely lies inside the shaded band and is not proven.</p>
${legend(groups.some(({ shown }) => shown.some(({ verdict }) => isSuspect(verdict))))}
${axis(scale, ticks, grid(scale, ticks))}
${groups.map((group) => groupView(group, scale))}
${axis(scale, ticks)}
</section>`;
}

/** Percent of the width that a label such as "10 %" needs on a phone. */
const TICK_SPACE = 15;

/** Nearer to an end a label would stand out of a narrow page. */
const EDGE = 4;

/** Changes with a line and a label: zero, and round ones that have room, the same to both sides as far as both go. */
export function forestTicks(reach: number): number[] {
  const scale = linearScale(-reach, reach);
  const at = (share: number) => scale.at(Math.log1p(share));
  // On a scale of logarithms +5 % is nearer to zero than -5 %, and the axis ends at +22 % where it begins at -18 %.
  const sizes = ticksOf({ low: Math.expm1(-reach), high: Math.expm1(reach) }, TICKS).filter(
    (share) => share > 0 && at(share) <= 100 - EDGE,
  );
  const kept: number[] = [];
  for (const size of sizes) if (at(size) - at(kept.at(-1) ?? 0) >= TICK_SPACE) kept.push(size);
  const below = kept.filter((size) => size < 1 && at(-size) >= EDGE);
  return [...below.map((size) => -size).reverse(), 0, ...kept];
}

const LEGEND = ["worse", "better", "unchanged", "inconclusive"] as const;

/** Suspected rows are never folded. */
function legend(suspected: boolean): Markup {
  const items = LEGEND.map((verdict) => html`<li>${verdictMark(verdict)} ${verdict}</li>`);
  return html`<ul class="legend">${items}${suspected ? html`<li>${verdictMark("suspect-worse")}${verdictMark("suspect-better")} suspected</li>` : NOTHING}</ul>`;
}

/** The verdict's shape for the middle of a text. */
export function verdictMark(verdict: string): Markup {
  return html`<svg class="glyph" viewBox="-8 -8 16 16" aria-hidden="true"><use href="#m-${verdict}"/></svg>`;
}

function axis(scale: Scale, ticks: readonly number[], definitions = NOTHING): Markup {
  const texts = ticks.map((share) => {
    return label("tick", scale.at(Math.log1p(share)), 26, sizeTick(share));
  });
  const ends = [label("end-word start", 0, 10, "← worse"), label("end-word end", 100, 10, "better →")];
  return html`<div class="forest-row axis" aria-hidden="true"><span></span>${decoration("plot", 32, [definitions, ...ends, ...texts])}<span></span></div>`;
}

/** `5 %`: the words at both ends name the direction. A sign would contradict a row such as "CPU per request −7.6 %", which is better. */
export function sizeTick(share: number): string {
  return share === 0 ? "0" : `${Number((Math.abs(share) * 100).toPrecision(3))} %`;
}

function groupView({ set, shown, folded }: ForestGroup, scale: Scale): Markup {
  const rows = (of: readonly ForestRow[]) => html`<ol>${of.map((row) => rowView(row, scale))}</ol>`;
  const rest =
    folded.length === 0
      ? NOTHING
      : fold(`${plural(folded.length, "more benchmark")}: ${verdictCounts(folded, verdictWord)}`, rows(folded));
  return html`<div class="forest-set" data-group><h3>${set}</h3>${rows(shown)}${rest}</div>`;
}

function rowView(row: ForestRow, scale: Scale): Markup {
  const words = figures(row);
  const link = html`<a href="#${row.key}">${row.name}</a>`;
  const said = `${row.name}: ${verdictWord(row.verdict)}, ${words}`;
  return html`<li class="forest-row"${filterAttributes(row.facts, row.verdict)}><span class="name">${link}</span>${drawing("plot", HEIGHT, said, content(row, scale))}<span class="figures"><b class="${row.verdict}">${verdictWord(row.verdict)}</b> ${words}</span></li>\n`;
}

export function figures({ deciding }: ForestRow): string {
  if (deciding.kind === "idle") return "more CPU while idle";
  if (deciding.kind === "none") return "no metric";
  const size = `${signedPercent(deciding.metric.change)} (${intervalText(deciding.metric)})`;
  return deciding.name === "throughput" ? size : `${size} ${deciding.title}`;
}

/** In the drawing of the upper axis; the rows repeat it. */
const GRID = "forest-grid";

function grid(scale: Scale, ticks: readonly number[]): Markup {
  return shared(
    GRID,
    ticks.map((share) => {
      const at = scale.at(Math.log1p(share));
      return line(share === 0 ? "zero" : "grid", [at, 0], [at, BOTTOM]);
    }),
  );
}

function content({ effect, verdict }: ForestRow, scale: Scale): Markup[] {
  if (!effect) return [reuse(GRID), mark(verdict, 50, MIDDLE)];
  const within = (value: number) => Math.min(scale.high, Math.max(scale.low, value));
  const [low, high] = [within(effect.low), within(effect.high)];
  return [
    rect("band", scale.at(within(-effect.margin)), scale.at(within(effect.margin)), 0, BOTTOM),
    reuse(GRID),
    line(`interval ${verdict}`, [scale.at(low), MIDDLE], [scale.at(high), MIDDLE]),
    ...(effect.low < scale.low ? [mark("left", 0, MIDDLE)] : []),
    ...(effect.high > scale.high ? [mark("right", 100, MIDDLE)] : []),
    mark(verdict, scale.at(within(effect.at)), MIDDLE),
  ];
}
