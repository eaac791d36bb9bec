/**
 * Axes, marks and lines as SVG. All charts of the page are made of these. Across, places are percent of the width, so that a chart
 * fits a phone and a large screen without script; down, they are pixels, or percent where a drawing grows with its row. Colours
 * come from classes, for light and dark.
 *
 * Hand-written, because a chart here is a list of HTML rows with one small drawing each, whose labels move above the
 * drawings on a phone. Observable Plot draws one picture of fixed width, with its own style element, and adds 690 KB to
 * the bundle.
 */
import { html, Markup } from "./markup.js";

/** Maps values to percent of the width. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly at: (value: number) => number;
}

export function linearScale(low: number, high: number): Scale {
  const span = high - low || 1;
  return { low, high, at: (value) => ((value - low) / span) * 100 };
}

/** Round numbers within the scale, about `count` of them. */
export function ticksOf({ low, high }: Pick<Scale, "low" | "high">, count: number): number[] {
  const step = tickStep((high - low) / count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (!Number.isFinite(step) || step <= 0) return [];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** 1, 2 or 5 times a power of ten, not below the given step. */
function tickStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const factor = [1, 2, 5, 10].find((one) => one * power >= atLeast - 1e-12) ?? 10;
  return factor * power;
}

export function pct(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}

/** Pixels, or a share of the drawing's height. */
type Down = number | `${number}%`;

/** A shape from the page's definitions. */
export function mark(shape: string, x: number, y: Down): Markup {
  return html`<use href="#m-${shape}" x="${pct(x)}" y="${y}"/>`;
}

export function line(kind: string, [x1, y1]: readonly [number, Down], [x2, y2]: readonly [number, Down]): Markup {
  return html`<line class="${kind}" x1="${pct(x1)}" y1="${round(y1)}" x2="${pct(x2)}" y2="${round(y2)}"/>`;
}

/** Percent across, pixels down. */
export type Point = readonly [number, number];

export function rect(kind: string, x1: number, x2: number, y: number, height: Down): Markup {
  return html`<rect class="${kind}" x="${pct(Math.min(x1, x2))}" y="${y}" width="${pct(Math.abs(x2 - x1))}" height="${height}"/>`;
}

export function label(kind: string, x: number, y: number, text: string): Markup {
  return html`<text class="${kind}" x="${pct(x)}" y="${y}">${text}</text>`;
}

/** A drawing as wide as its place. @param title shown on hover, and read by a screen reader */
export function drawing(kind: string, height: number, title: string, content: readonly Markup[]): Markup {
  return html`<svg class="${kind}" height="${height}" role="img"><title>${title}</title>${content}</svg>`;
}

/** For a drawing whose content is also in the text beside it. */
export function decoration(kind: string, height: number, content: readonly Markup[]): Markup {
  return html`<svg class="${kind}" height="${height}" aria-hidden="true">${content}</svg>`;
}

/** Lines that every row of a chart has: written once, because a page can have a thousand rows. */
export function shared(id: string, content: readonly Markup[]): Markup {
  return html`<defs><g id="${id}">${content}</g></defs>`;
}

export function reuse(id: string): Markup {
  return html`<use href="#${id}"/>`;
}

/** Tick labels below a chart; the outer ones stay inside. */
export function tickLabels(
  scale: Scale,
  ticks: readonly number[],
  y: number,
  text: (tick: number) => string,
): Markup[] {
  return ticks.map((tick) => {
    const at = scale.at(tick);
    const anchor = at < 4 ? "tick start" : at > 96 ? "tick end" : "tick";
    return label(anchor, at, y, text(tick));
  });
}

export function gridLines(scale: Scale, ticks: readonly number[], height: number): Markup[] {
  return ticks.map((tick) => line("grid", [scale.at(tick), 0], [scale.at(tick), height]));
}

function round(value: Down): Down {
  return typeof value === "number" ? Math.round(value * 10) / 10 : value;
}

/** Each verdict has a shape and a colour (Okabe and Ito 2008): colour alone carries no meaning. */
export const DEFINITIONS: Markup = new Markup(
  [
    '<svg class="definitions" width="0" height="0" aria-hidden="true"><defs>',
    '<path id="m-worse" class="worse" d="M-6-5H6L0 6Z"/>',
    '<path id="m-suspect-worse" class="worse open" d="M-6-5H6L0 6Z"/>',
    '<path id="m-better" class="better" d="M-6 5H6L0-6Z"/>',
    '<path id="m-suspect-better" class="better open" d="M-6 5H6L0-6Z"/>',
    '<circle id="m-unchanged" class="unchanged" r="4"/>',
    '<circle id="m-inconclusive" class="inconclusive" r="4.5"/>',
    '<circle id="m-base" class="base" r="4"/><circle id="m-head" class="head" r="4"/>',
    '<path id="m-left" class="beyond" d="M7-4 0 0 7 4Z"/><path id="m-right" class="beyond" d="M-7-4 0 0-7 4Z"/>',
    '<path id="m-more" class="more" d="M-1-6 7 0-1 6Z"/>',
    '<path id="m-s0" d="M-4-4H4V4H-4Z"/><circle id="m-s1" r="4"/><path id="m-s2" d="M0-5 5 4H-5Z"/><path id="m-s3" d="M0-6 5 0 0 6-5 0Z"/>',
    '<path id="m-s4" d="M0 5 5-4H-5Z"/><path id="m-s5" d="M-1.5-5h3v3.5H5v3H1.5V5h-3V1.5H-5v-3h3.5Z"/><path id="m-s6" d="M-5-2H5V2H-5Z"/><path id="m-s7" d="M-2-5H2V5H-2Z"/>',
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="3" height="6"/></pattern>',
    "</defs></svg>",
  ].join(""),
);
