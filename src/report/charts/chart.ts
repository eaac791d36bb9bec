/** Values -> one bar chart as a self-contained SVG: readable in light and dark, on a phone, and by a screen reader. */
import { plainText } from "../text/escape.js";
import { fitText } from "../text/width.js";
import { escapeXml } from "./xml.js";

export interface Bar {
  readonly label: string;
  /** Length of the bar; undefined where there is no figure. */
  readonly value?: number;
  /** The value as it is written beside the bar. */
  readonly text: string;
}

export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** Which end of the values comes first: the better one. */
  readonly first: "highest" | "lowest";
  /** Below the bars: what a mark means. */
  readonly notes?: readonly string[];
}

/** User units; the viewBox scales them. At 320 px the text is still 10 px high. */
const WIDTH = 480;
const MARGIN = 16;
const LENGTH = WIDTH - 2 * MARGIN;
const HEAD = 58;
const ROW = 42;
const NOTE = 19;
/** Characters of a line at the widest of the usual fonts. */
const LINE_COLUMNS = 50;
const NOTE_COLUMNS = 62;

/** Colours with a contrast of 4.5:1 and more for text, on the chart's own background: an image cannot know the page's. */
const STYLE = [
  "text{font:15px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1f2328}",
  ".title{font-size:17px;font-weight:600}.muted{font-size:13px;fill:#59636e}.value{text-anchor:end;font-weight:600}",
  ".ground{fill:#fff}.track{fill:#eaeef2}.bar{fill:#0969da}",
  "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.muted{fill:#9198a1}",
  ".ground{fill:#0d1117}.track{fill:#21262d}.bar{fill:#4493f8}}",
].join("");

/** Bars from zero, the better ones first; what has no figure comes last. */
export function barChart({ title, unit, bars, first, notes = [] }: BarChart): string {
  const sorted = [...bars].sort((a, b) => rank(a, first) - rank(b, first));
  const longest = Math.max(0, ...bars.map((bar) => bar.value ?? 0));
  const notesAt = HEAD + sorted.length * ROW + 8;
  const height = notesAt + notes.length * NOTE + (notes.length > 0 ? 8 : 0);
  const spoken = sorted.map((bar) => `${plainText(bar.label)}: ${plainText(bar.text)}`).join("; ");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(`Bar chart, ${unit}. ${spoken}.`)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>`,
    textAt(MARGIN, 27, "title", fitText(plainText(title), LINE_COLUMNS - 4)),
    textAt(MARGIN, 46, "muted", fitText(plainText(unit), NOTE_COLUMNS)),
    ...sorted.map((bar, i) => barRow(bar, HEAD + i * ROW, longest)),
    ...notes.map((note, i) => textAt(MARGIN, notesAt + i * NOTE + 12, "muted", fitText(plainText(note), NOTE_COLUMNS))),
    "</svg>",
    "",
  ].join("\n");
}

function rank({ value }: Bar, first: BarChart["first"]): number {
  if (value === undefined) return Number.MAX_VALUE;
  return first === "highest" ? -value : value;
}

function barRow({ label, value, text }: Bar, top: number, longest: number): string {
  const shown = plainText(text);
  const length = value === undefined || longest === 0 ? 0 : (value / longest) * LENGTH;
  return [
    "<g>",
    textAt(MARGIN, top + 17, "", fitText(plainText(label), LINE_COLUMNS - shown.length - 2)),
    textAt(WIDTH - MARGIN, top + 17, "value", shown),
    `<rect class="track" x="${MARGIN}" y="${top + 24}" width="${LENGTH}" height="10" rx="2"/>`,
    ...(length > 0
      ? [`<rect class="bar" x="${MARGIN}" y="${top + 24}" width="${round(length)}" height="10" rx="2"/>`]
      : []),
    "</g>",
  ].join("");
}

function textAt(x: number, y: number, kind: string, content: string): string {
  return `<text x="${x}" y="${y}"${kind === "" ? "" : ` class="${kind}"`}>${escapeXml(content)}</text>`;
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}
