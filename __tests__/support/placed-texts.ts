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

interface Placed {
  readonly markdown: string;
  /** Tags that the report writes itself. */
  readonly own: readonly string[];
  /** Pieces of the HTML, and how often they have to be in it. */
  readonly pieces?: Readonly<Record<string, number>>;
}

export const CELL_TAGS: readonly string[] = ["table", "thead", "tbody", "tr", "th", "td", "strong", "code"];

export const PLACES = {
  line: (text: string): readonly Placed[] => [
    { markdown: `Title: ${escapeText(text)} end`, own: ["p", "code"], pieces: { "<p>": 1 } },
    { markdown: escapeLine(text), own: ["p", "code"] },
    { markdown: `- ${escapeLine(text)}`, own: ["ul", "li", "code"] },
    { markdown: `> **Warning:** ${escapeText(text)}`, own: ["blockquote", "p", "strong", "code"] },
  ],
  cell: (text: string): readonly Placed[] => [
    {
      markdown: `| A | B | C |\n| --- | --- | --- |\n| ${escapeCell(text)} | **x${escapeCell(text)}x** | **${escapeCell(text)}x** |`,
      own: CELL_TAGS,
      pieces: { "<td": 3 },
    },
  ],
  code: (text: string): readonly Placed[] => [
    { markdown: `a ${codeSpan(text)} b`, own: ["p", "code"] },
    {
      markdown: `<details>\n\n${codeBlock(logLines(text), "text")}\n\n</details>`,
      own: ["details", "pre", "code"],
      pieces: { "</pre>": 1, "</details>": 1 },
    },
  ],
  html: (text: string): readonly Placed[] => [
    {
      markdown: `<details>\n<summary>${escapeHtml(text)} end</summary>\n\ncontent\n\n</details>`,
      own: ["details", "summary", "p", "code"],
      pieces: { "</summary>": 1, "<p>content</p>": 1 },
    },
  ],
  prose: (text: string): readonly Placed[] => [{ markdown: escapeProse(text), own: ["p", "br", "code"] }],
} as const;

/** None: the text is text, and changes nothing around it. */
export function wrongWith(all: readonly Placed[]): string[] {
  return all.flatMap(({ markdown, own, pieces = {} }) => {
    const html = renderGfm(markdown);
    const counts = Object.entries(pieces).map(
      ([piece, times]) => [piece, html.split(piece).length - 1, times] as const,
    );
    return [
      ...harmsOf(html, own),
      ...counts.flatMap(([piece, found, times]) => (found === times ? [] : [`${piece} is there ${found} times`])),
    ];
  });
}
