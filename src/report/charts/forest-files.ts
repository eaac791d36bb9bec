/**
 * The forest plot as files for a README or release notes: one for light and one for dark pages, because an image cannot see the
 * page's theme. `<picture>` chooses between them.
 */

import { isSuspect } from "../../compare/verdict.js";
import { plural } from "../../messages/sentence.js";
import type { Verdict } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { resultsHeadline } from "../comparison/headline.js";
import { isChange, verdictWord } from "../comparison/metric-text.js";
import { type ForestRow, forestOf } from "../html/forest.js";
import { figures, forestTicks, sizeTick } from "../html/forest-view.js";
import { linearScale, type Scale } from "../html/plot.js";
import { rowKeys } from "../html/row-keys.js";
import { THEMES } from "../html/style.js";
import { plainText } from "../text/escape.js";
import { fitText, wrapText } from "../text/width.js";
import { escapeXml } from "./xml.js";

type Theme = keyof typeof THEMES;

interface ForestFile {
  /** Name of the file in the charts' folder. */
  readonly name: string;
  readonly svg: string;
}

const THEME_NAMES: readonly Theme[] = ["light", "dark"];
export const FOREST_STEMS: readonly string[] = THEME_NAMES.map((theme) => `comparison-${theme}`);

/** User units; the viewBox scales them. */
const WIDTH = 1040;
const MARGIN = 20;
const NAME_AT = MARGIN;
const PLOT = { from: 270, to: 610 } as const;
const FIGURES_AT = 626;
const ROW = 26;
const LINE = 24;
const AXIS = 30;
const NAME_COLUMNS = 36;
const FIGURE_COLUMNS = 48;
const HEADLINE_COLUMNS = 104;
/** A picture of more rows is no longer looked at: the page has all of them. */
const ROWS = 40;

/** None where nothing was compared. */
export function forestFiles(results: Results): ForestFile[] {
  const { comparison } = results;
  if (!comparison || comparison.rows.length === 0) return [];
  const { groups, reach } = forestOf(comparison, rowKeys(results));
  const all = groups.flatMap(({ shown, folded }) => [...shown, ...folded]);
  const kept = new Set(
    [...all].sort((a, b) => Number(isChange(b.verdict)) - Number(isChange(a.verdict))).slice(0, ROWS),
  );
  const drawn = groups.flatMap(({ set, shown, folded }) => {
    const rows = [...shown, ...folded].filter((row) => kept.has(row));
    return rows.length === 0 ? [] : [{ set, rows }];
  });
  const picture: Picture = {
    headline: resultsHeadline(results).verdict,
    groups: drawn,
    left: all.length - kept.size,
    reach,
  };
  return THEME_NAMES.map((theme) => ({ name: `comparison-${theme}.svg`, svg: draw(picture, theme) }));
}

interface Picture {
  readonly headline: string;
  readonly groups: readonly { readonly set: string; readonly rows: readonly ForestRow[] }[];
  /** Rows that are not drawn. */
  readonly left: number;
  readonly reach: number;
}

function draw({ headline, groups, left, reach }: Picture, theme: Theme): string {
  const scale = linearScale(-reach, reach);
  const lines = wrapText(plainText(headline), HEADLINE_COLUMNS, "");
  const parts: string[] = lines.map((line, i) => text("headline", NAME_AT, 34 + i * LINE, line));
  let top = 34 + lines.length * LINE;
  parts.push(text("muted", PLOT.from, top, "← worse"), text("muted end", PLOT.to, top, "better →"));
  top += 10;
  const plotTop = top;
  const rows: string[] = [];
  for (const { set, rows: of } of groups) {
    if (groups.length > 1) {
      rows.push(text("set", NAME_AT, top + 19, fitText(plainText(set), NAME_COLUMNS)));
      top += ROW;
    }
    for (const row of of) {
      rows.push(rowOf(row, top, scale));
      top += ROW;
    }
  }
  const ticks = forestTicks(reach);
  const x = (share: number) => across(scale, Math.log1p(share));
  parts.push(
    ...ticks.map((share) => line(share === 0 ? "zero" : "grid", [x(share), plotTop], [x(share), top])),
    ...rows,
    ...ticks.map((share) => text("muted middle", x(share), top + 18, sizeTick(share))),
  );
  const note = "Change from base to head with its 95 % interval. Unchanged benchmarks surely lie inside the band.";
  const more = left > 0 ? ` ${plural(left, "more benchmark")} not drawn.` : "";
  parts.push(text("muted", NAME_AT, top + AXIS + 18, note + more));
  const height = top + AXIS + 34;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(headline)}</title>`,
    `<desc id="desc">${escapeXml(groups.flatMap(({ rows: of }) => of.map(spoken)).join("; "))}.</desc>`,
    `<style>${styleOf(theme)}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function rowOf(row: ForestRow, top: number, scale: Scale): string {
  const { effect, verdict, name } = row;
  const middle = top + ROW / 2;
  const said = fitText(plainText(`${verdictWord(verdict)} ${figures(row)}`), FIGURE_COLUMNS);
  const words = [
    text("", NAME_AT, middle + 5, fitText(plainText(name), NAME_COLUMNS)),
    text(isChange(verdict) ? "strong" : "muted", FIGURES_AT, middle + 5, said),
  ];
  if (!effect) return words.join("");
  const within = (value: number) => across(scale, Math.min(scale.high, Math.max(scale.low, value)));
  const [low, high] = [within(effect.low), within(effect.high)];
  const [left, right] = [within(-effect.margin), within(effect.margin)];
  const band = `<rect class="band" x="${round(left)}" y="${top}" width="${round(right - left)}" height="${ROW}"/>`;
  return [
    band,
    line("zero", [across(scale, 0), top], [across(scale, 0), top + ROW]),
    line(`interval ${kindOf(verdict)}`, [low, middle], [high, middle]),
    shape(verdict, within(effect.at), middle),
    ...words,
  ].join("");
}

function across(scale: Scale, value: number): number {
  return PLOT.from + (scale.at(value) / 100) * (PLOT.to - PLOT.from);
}

function kindOf(verdict: Verdict): string {
  return verdict.replace("suspect-", "");
}

/** As on the page: each verdict has a shape and a colour; suspected ones are open. */
const SHAPES: Readonly<Record<string, string>> = {
  worse: "M-6-5H6L0 6Z",
  better: "M-6 5H6L0-6Z",
  unchanged: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
  inconclusive: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z",
};

function shape(verdict: Verdict, x: number, y: number): string {
  const open = isSuspect(verdict) || verdict === "inconclusive" ? " open" : "";
  return `<path class="mark ${kindOf(verdict)}${open}" transform="translate(${round(x)} ${y})" d="${SHAPES[kindOf(verdict)] ?? SHAPES.unchanged}"/>`;
}

function spoken(row: ForestRow): string {
  return `${plainText(row.name)}: ${verdictWord(row.verdict)}, ${plainText(figures(row))}`;
}

function styleOf(theme: Theme): string {
  const of = (name: string) => THEMES[theme].get(name) ?? "currentColor";
  return [
    `text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:${of("text")}}`,
    ".headline{font-size:17px;font-weight:600}.set,.strong{font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}",
    `.muted{fill:${of("muted")}}.ground{fill:${of("ground")}}.band{fill:${of("band")}}.grid{stroke:${of("line")}}.zero{stroke:${of("text")}}`,
    ".interval,.mark{stroke-width:2}",
    ...[
      ["worse", "worse"],
      ["better", "better"],
      ["unchanged", "neutral"],
      ["inconclusive", "neutral"],
    ].map(([kind, name]) => `.${kind}{fill:${of(name ?? "")};stroke:${of(name ?? "")}}`),
    `.open{fill:${of("ground")}}`,
  ].join("");
}

function line(kind: string, [x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): string {
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

function text(kind: string, x: number, y: number, content: string): string {
  return `<text x="${round(x)}" y="${y}"${kind === "" ? "" : ` class="${kind}"`}>${escapeXml(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
