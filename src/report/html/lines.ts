/** Lines over a few places in order: percentiles, or throughput over connections. */
import { html, type Markup, NOTHING } from "./markup.js";
import { tickText } from "./pair-plot.js";
import { drawing, label, line, mark, type Point, pct, ticksOf } from "./plot.js";

export interface Series {
  readonly name: string;
  /** One for each place; undefined where there is no figure. */
  readonly values: readonly (number | undefined)[];
}

export interface LineChart {
  readonly title: string;
  readonly places: readonly string[];
  /** What the places are: `connections`. */
  readonly across: string;
  /** The first ones are drawn, as many as have distinct colours. */
  readonly series: readonly Series[];
  /** What the series are ordered by. */
  readonly order: "speed" | "table";
}

/** Distinct colours and shapes. */
const SERIES_MAX = 8;
const HEIGHT = 240;
const TOP = 18;
const BOTTOM = 40;
const TICKS = 4;
/** Values that differ by more are drawn on a logarithmic axis. */
const LOG_RATIO = 20;

export function linesView({ title, places, across, series, order }: LineChart): Markup {
  const drawn = series.slice(0, SERIES_MAX);
  const values = drawn.flatMap((one) => one.values.filter((value) => value !== undefined));
  if (values.length === 0) return NOTHING;
  const scale = verticalScale(values);
  const x = (i: number) => ((i + 0.5) / places.length) * 100;
  const lines = drawn.map(({ values: of }, s) => {
    const points = of.flatMap((value, i): Point[] => (value === undefined ? [] : [[x(i), scale.at(value)]]));
    const segments = points.slice(1).map((point, i) => line("", points[i] ?? point, point));
    return html`<g class="s${s}">${segments}${points.map(([at, y]) => mark(`s${s}`, at, Math.round(y * 10) / 10))}</g>`;
  });
  const caption = [
    title,
    ...(scale.logarithmic ? ["Logarithmic axis."] : []),
    ...(series.length > drawn.length
      ? [
          `The ${order === "speed" ? `${drawn.length} fastest` : `first ${drawn.length}`} of ${series.length} benchmarks are drawn.`,
        ]
      : []),
  ].join(" ");
  const key = drawn.map(
    ({ name }, s) =>
      html`<li><svg class="glyph s${s}" viewBox="-8 -8 16 16" aria-hidden="true"><use href="#m-s${s}"/></svg> ${name}</li>`,
  );
  const content = [
    ...scale.ticks.flatMap((tick) => [
      line("grid", [0, scale.at(tick)], [100, scale.at(tick)]),
      label("tick start", 0, scale.at(tick) - 4, tickText(tick)),
    ]),
    ...lines,
    ...places.map((place, i) => html`<text class="tick" x="${pct(x(i))}" y="${HEIGHT - BOTTOM + 18}">${place}</text>`),
    label("tick", 50, HEIGHT - 4, across),
  ];
  return html`<figure class="lines"><figcaption>${caption}</figcaption>${drawing("plot", HEIGHT, `${title} The table has the figures.`, content)}<ul class="legend">${key}</ul></figure>`;
}

interface VerticalScale {
  readonly logarithmic: boolean;
  readonly ticks: readonly number[];
  /** Pixels from the top. */
  readonly at: (value: number) => number;
}

function verticalScale(values: readonly number[]): VerticalScale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const height = HEIGHT - TOP - BOTTOM;
  const down = (share: number) => Math.round((TOP + (1 - share) * height) * 10) / 10;
  if (low > 0 && high / low > LOG_RATIO) {
    const [from, to] = [Math.floor(Math.log10(low)), Math.log10(high)];
    const ticks = Array.from({ length: Math.floor(to) - from + 1 }, (_, i) => 10 ** (from + i));
    return { logarithmic: true, ticks, at: (value) => down((Math.log10(value) - from) / (to - from)) };
  }
  const top = high || 1;
  return { logarithmic: false, ticks: ticksOf({ low: 0, high: top }, TICKS), at: (value) => down(value / top) };
}
