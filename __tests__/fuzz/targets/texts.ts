/** Foreign texts in Markdown, HTML and a terminal: the text can be read, and does nothing. */
import * as fc from "fast-check";
import { plainLine } from "../../../src/actions/context.js";
import { escapeText, plainText } from "../../../src/report/text/escape.js";
import { link } from "../../../src/report/text/link.js";
import { markdownGrid } from "../../../src/report/text/markdown.js";
import { fitText, textWidth, wrapText } from "../../../src/report/text/width.js";
import { harmsOf, proseOf, renderGfm, tablesOf } from "../../support/gfm.js";
import { CELL_TAGS, PLACES, wrongWith } from "../../support/placed-texts.js";
import { hold, holdNone, type Target } from "../target.js";
import { hostileText } from "../texts.js";

/** What a reader sees of a text, without what was added to keep GitHub from linking it. */
function visible(text: string): string {
  return text.replaceAll("\u200B", "").replace(/\s+/g, " ").trim();
}

function checkLine(text: string): void {
  holdNone(wrongWith(PLACES.line(text)));
  // Commits are code, which prose leaves out.
  const html = renderGfm(`Title: ${escapeText(text)} end`).replaceAll(/<\/?code>/g, "");
  const shown = visible(proseOf(html));
  hold(shown === visible(`Title: ${plainText(text)} end`), `a reader sees another text: ${JSON.stringify(shown)}`);
}

function checkCell(text: string): void {
  holdNone(wrongWith(PLACES.cell(text)));
  const grid = renderGfm(markdownGrid([text, "b"], [[text, text]]));
  holdNone(harmsOf(grid, CELL_TAGS));
  const [table = []] = tablesOf(grid);
  hold(table.length === 2 && table.every((cells) => cells.length === 2), "a text changes the table around it");
}

function checkLink(text: string): void {
  for (const address of [text, `https://a.b/${text}`, `https:${text}`]) {
    const html = renderGfm(`x ${link("label", address)} y`);
    holdNone(harmsOf(html, ["p", "a"]));
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);
    hold(hrefs.length <= 1 && hrefs.every((href) => /^https?:/.test(href)), "a link of another kind");
    hold(visible(proseOf(html)) === "x label y", "an address shows beside its label");
  }
}

/** Of C0, C1 and what changes the direction of text. */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function checkTerminal(text: string): void {
  hold(!ACTIVE.test(plainText(text)), "a control character is left");
  const line = plainLine(text);
  hold(!/^\s*::|##\[/.test(line) && !ACTIVE.test(line), "a line of the log is a workflow command");
  // A character is never broken; one with a mark that takes a column can be three wide.
  const widest = Math.max(0, ...[...graphemes.segment(plainText(text))].map(({ segment }) => textWidth(segment)));
  for (const columns of [1, 7, 40]) {
    hold(textWidth(fitText(plainText(text), columns)) <= columns, `wider than ${columns} columns`);
    const lines = wrapText(plainText(text), columns, "");
    hold(
      lines.every((one) => textWidth(one) <= Math.max(columns, widest)),
      `a line is wider than ${columns} columns`,
    );
    hold(
      visible(lines.join(" ")).replaceAll(" ", "") === visible(plainText(text)).replaceAll(" ", ""),
      "wrapping loses text",
    );
  }
}

const CHECKS: Readonly<Record<string, { readonly share: number; check(text: string): void }>> = {
  line: { share: 14, check: checkLine },
  cell: { share: 12, check: checkCell },
  code: { share: 8, check: (text) => holdNone(wrongWith(PLACES.code(text))) },
  html: { share: 8, check: (text) => holdNone(wrongWith(PLACES.html(text))) },
  prose: { share: 8, check: (text) => holdNone(wrongWith(PLACES.prose(text))) },
  link: { share: 6, check: checkLink },
  terminal: { share: 8, check: checkTerminal },
};

const texts = fc.oneof(
  hostileText,
  fc.tuple(hostileText, hostileText).map(([a, b]) => a + b),
);

export const textTargets: readonly Target[] = Object.entries(CHECKS).map(([name, { share, check }]) => ({
  name: `text-${name}`,
  share,
  // UTF-16, so that halves of characters stay.
  inputs: texts.map((text) => Buffer.from(text, "utf16le")),
  check: (input) => check(input.toString("utf16le")),
}));
