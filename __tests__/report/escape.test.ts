import { describe, expect, it } from "vitest";
import {
  codeBlock,
  codeSpan,
  escapeCell,
  escapeLine,
  escapeProse,
  escapeText,
  logLines,
  plainText,
} from "../../src/report/escape.js";
import { proseOf, renderGfm, tagsOf } from "../support/gfm.js";

const HOSTILE = [
  "a | b || c \\| d",
  "first\nsecond\r\n\n# heading\n- item",
  "<script>alert(1)</script><img src=x onerror=y>",
  "</details></table><!-- open",
  "``` `tick` ~~~",
  "@octocat @org/team and a@b.example",
  "#123 org/repo#9 GH-77",
  "https://evil.example http://a.b www.evil.example",
  "[link](https://evil.example) ![image](x) [a][b] [a]: https://evil.example",
  "**bold** _under_ __init__ ~~gone~~ *",
  "&lt;b&gt; &#64;octocat &amp;",
  "\u001b[31mred\u001b[0m \u202Eoverride \u0000 \u2028 line",
  "[^1] [x] - [ ] todo",
  "\\",
  "`",
  "日本語 🐎 é",
  "| --- | --- |",
  "---",
  "===",
  "> quote",
  "1. one",
  "    indented",
];

/** No tag of the text's own, no link, no mention, no reference. */
function expectHarmless(html: string, own: readonly string[]): void {
  expect(tagsOf(html).filter((tag) => !own.includes(tag))).toEqual([]);
  const prose = proseOf(html);
  expect(prose).not.toMatch(/@\w/);
  expect(prose).not.toMatch(/#\d|GH-\d/i);
  expect(prose).not.toMatch(/:\/\/|www\./i);
}

describe.each(HOSTILE)("%j", (text) => {
  it("is plain text within a line", () => {
    const html = renderGfm(`Title: ${escapeText(text)} end`);
    expectHarmless(html, ["p"]);
    expect(html.match(/<p>/g)).toHaveLength(1);
  });

  it("is plain text at the start of a line", () => {
    expectHarmless(renderGfm(escapeLine(text)), ["p"]);
    expectHarmless(renderGfm(`- ${escapeLine(text)}`), ["ul", "li"]);
    expectHarmless(renderGfm(`> **Warning:** ${escapeText(text)}`), ["blockquote", "p", "strong"]);
  });

  it("stays in its cell", () => {
    const html = renderGfm(`| A | B |\n| --- | --- |\n| ${escapeCell(text)} | **${escapeCell(text)}x** |`);
    expectHarmless(html, ["table", "thead", "tbody", "tr", "th", "td", "strong"]);
    expect(html.match(/<td>/g)).toHaveLength(2);
  });

  it("stays in its code", () => {
    expectHarmless(renderGfm(`a ${codeSpan(text)} b`), ["p", "code"]);
    const html = renderGfm(`<details>\n\n${codeBlock(logLines(text), "text")}\n\n</details>`);
    expect(tagsOf(html)).toEqual(["code", "details", "pre"]);
    expect(html.match(/<\/details>/g)).toHaveLength(1);
  });

  it("is prose with code and breaks at most", () => {
    expectHarmless(renderGfm(escapeProse(text)), ["p", "br", "code"]);
  });
});

describe("escapeText", () => {
  it.each(["RSGI bytes (c256)", "HTTP/1 [GET] (c256)", "response_str", "AMD Ryzen 7 5700X @ Ubuntu 24.04", "R&D 1.5%"])(
    "leaves %j as it is",
    (text) => expect(escapeText(text)).toBe(text),
  );

  it("renders back to the text itself", () => {
    const text = "a*b* _c_ [d](e) <f> `g` ~h~ $i$ \\j & k | l";
    expect(proseOf(renderGfm(escapeText(text))).trim()).toBe(text);
  });

  it("clips long cells", () => {
    expect([...escapeCell("x".repeat(5000))]).toHaveLength(100);
  });
});

describe("escapeProse", () => {
  it("keeps code, line breaks and paragraphs", () => {
    expect(escapeProse("Using `response_str`.\nA *new* line.\n\nAnother `a|b` one.")).toBe(
      "Using `response_str`.    \nA \\*new\\* line.\n\nAnother `a|b` one.",
    );
  });
});

describe("plainText", () => {
  it("drops terminal codes and joins lines", () => {
    expect(plainText("\u001b]0;title\u0007a\u001b[1m b\u001b[0m\n\tc\u202E\u200B")).toBe("a b c");
  });

  it("keeps joined emoji and replaces halves of characters", () => {
    expect(plainText("👩‍💻 \uD800")).toBe("👩‍💻 \uFFFD");
  });
});

describe("logLines", () => {
  it("keeps the last lines and their indentation", () => {
    const log = `${Array.from({ length: 50 }, (_, i) => `  line ${i}`).join("\n")}\n\n`;
    expect(logLines(log, 2)).toEqual(["  line 48", "  line 49"]);
  });
});
