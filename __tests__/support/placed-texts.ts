/** A foreign text at every kind of place that a report has, and what is wrong with it there. */
import {
  codeBlock,
  codeSpan,
  escapeCell,
  escapeHtml,
  escapeLine,
  escapeProse,
  escapeText,
  logLines,
} from "../../src/report/text/escape.js";
import { harmsOf, renderGfm } from "./gfm.js";

/** Markdown, the tags that the report writes itself, and pieces of the HTML with how often they have to be in it. */
type Placed = readonly [markdown: string, own: readonly string[], pieces?: Readonly<Record<string, number>>];

export const CELL_TAGS: readonly string[] = ["table", "thead", "tbody", "tr", "th", "td", "strong", "code"];

const cells = (text: string) => `| ${escapeCell(text)} | **x${escapeCell(text)}x** | **${escapeCell(text)}x** |`;
const details = (text: string) => `<details>\n${text}\n\n</details>`;

export const PLACES = {
  line: (text: string): readonly Placed[] => [
    [`Title: ${escapeText(text)} end`, ["p", "code"], { "<p>": 1 }],
    [escapeLine(text), ["p", "code"]],
    [`- ${escapeLine(text)}`, ["ul", "li", "code"]],
    [`> **Warning:** ${escapeText(text)}`, ["blockquote", "p", "strong", "code"]],
  ],
  cell: (text: string): readonly Placed[] => [
    [`| A | B | C |\n| --- | --- | --- |\n${cells(text)}`, CELL_TAGS, { "<td": 3 }],
  ],
  code: (text: string): readonly Placed[] => [
    [`a ${codeSpan(text)} b`, ["p", "code"]],
    [details(`\n${codeBlock(logLines(text), "text")}`), ["details", "pre", "code"], { "</pre>": 1, "</details>": 1 }],
  ],
  html: (text: string): readonly Placed[] => [
    [
      details(`<summary>${escapeHtml(text)} end</summary>\n\ncontent`),
      ["details", "summary", "p", "code"],
      { "</summary>": 1, "<p>content</p>": 1 },
    ],
  ],
  prose: (text: string): readonly Placed[] => [[escapeProse(text), ["p", "br", "code"]]],
} as const;

/** None: the text is text, and changes nothing around it. */
export function wrongWith(all: readonly Placed[]): string[] {
  return all.flatMap(([markdown, own, pieces = {}]) => {
    const html = renderGfm(markdown);
    const found = Object.entries(pieces).map(([piece, times]) => ({ piece, times, is: html.split(piece).length - 1 }));
    const wrong = found.filter(({ times, is }) => is !== times);
    return [...harmsOf(html, own), ...wrong.map(({ piece, is }) => `${piece} is there ${is} times`)];
  });
}
