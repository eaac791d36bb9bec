/** Texts that try to be more than text in GitHub's Markdown, and a check that they are not. */
import { expect } from "vitest";
import { harmsOf, unbalanced } from "./gfm.js";
import { seeded } from "./noise.js";

export const SHA = "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3";

export const HOSTILE: readonly string[] = [
  "a | b || c \\| d",
  "first\nsecond\r\n\n# heading\n- item",
  "<script>alert(1)</script><img src=x onerror=y>",
  "</details></table><!-- open",
  "</summary></details><details open><summary>",
  "<!-- server-bench -->",
  "``` `tick` ~~~",
  "```\n</details>\n```",
  "@octocat @org/team and a@b.example mailto:a@b.example",
  "#123 org/repo#9 GH-77 (#1)",
  "https://evil.example http://a.b www.evil.example ftp://evil.example",
  "[link](https://evil.example) ![image](x) [a][b] [a]: https://evil.example",
  `${SHA} 0f3c2a9 octo/app@${SHA} [0f3c2a9d] ${SHA.toUpperCase()} (0f3c2a9)`,
  "**bold** _under_ __init__ ~~gone~~ *",
  "$x^2$ $$y$$ $`z`$",
  "&lt;b&gt; &#64;octocat &commat;octocat &amp;",
  "\u001b[31mred\u001b[0m \u202Eoverride \u0000 \u2028 line \u2066isolate",
  "[^1] [x] - [ ] todo [!WARNING]",
  "\\",
  "`",
  "日本語 🐎 é",
  `tower ${"\u0301".repeat(50)}`,
  "| --- | --- |",
  "---",
  "===",
  "> quote",
  "1. one",
  "    indented",
  "\t",
  "",
];

const PIECES = [
  ..."`*_~|<>[]()!#@&$\\/:.;-+=\n\r\t \u202E\u200D\u0301'\"0a",
  ...["</details>", "<details>", "https://", "www.", "GH-1", "@octocat", "#1", "&#64;", SHA, "<!--", "```", "🐎"],
];

/** The same ones every time. */
export function randomTexts(count: number, seed: number): string[] {
  const random = seeded(seed);
  const piece = () => PIECES[Math.floor(random() * PIECES.length)] ?? "";
  return Array.from({ length: count }, () => Array.from({ length: 1 + Math.floor(random() * 30) }, piece).join(""));
}

/** No tag, link, mention or reference that comes from the text. @param own tags that the report writes itself */
export function expectHarmless(html: string, own: readonly string[]): void {
  expect(harmsOf(html, own)).toEqual([]);
}

/** Every tag that is opened is closed, in order. */
export function expectBalanced(html: string): void {
  expect(unbalanced(html)).toEqual([]);
}
