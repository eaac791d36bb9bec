import { describe, expect, it } from "vitest";
import {
  codeBlock,
  codeSpan,
  escapeCell,
  escapeHtml,
  escapeLine,
  escapeProse,
  escapeText,
  logLines,
  logSafe,
  plainText,
} from "../../../src/report/text/escape.js";
import { proseOf, renderGfm, tagsOf } from "../../support/gfm.js";
import { expectHarmless, HOSTILE, randomTexts, SHA } from "../../support/hostile.js";

describe.each([...HOSTILE, ...randomTexts(50, 7)])("%j", (text) => {
  it("is plain text within a line", () => {
    const html = renderGfm(`Title: ${escapeText(text)} end`);
    expectHarmless(html, ["p", "code"]);
    expect(html.match(/<p>/g)).toHaveLength(1);
  });

  it("is plain text at the start of a line", () => {
    expectHarmless(renderGfm(escapeLine(text)), ["p", "code"]);
    expectHarmless(renderGfm(`- ${escapeLine(text)}`), ["ul", "li", "code"]);
    expectHarmless(renderGfm(`> **Warning:** ${escapeText(text)}`), ["blockquote", "p", "strong", "code"]);
  });

  it("stays in its cell", () => {
    const html = renderGfm(`| A | B |\n| --- | --- |\n| ${escapeCell(text)} | **${escapeCell(text)}x** |`);
    expectHarmless(html, ["table", "thead", "tbody", "tr", "th", "td", "strong", "code"]);
    expect(html.match(/<td>/g)).toHaveLength(2);
  });

  it("stays in its code", () => {
    expectHarmless(renderGfm(`a ${codeSpan(text)} b`), ["p", "code"]);
    const html = renderGfm(`<details>\n\n${codeBlock(logLines(text), "text")}\n\n</details>`);
    expect(tagsOf(html)).toEqual(["code", "details", "pre"]);
    expect(html.match(/<\/details>/g)).toHaveLength(1);
  });

  it("stays in the summary of a fold", () => {
    const html = renderGfm(`<details>\n<summary>${escapeHtml(text)} end</summary>\n\ncontent\n\n</details>`);
    expectHarmless(html, ["details", "summary", "p", "code"]);
    expect(html.match(/<\/summary>/g)).toHaveLength(1);
    expect(html).toContain("<p>content</p>");
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

  it("keeps a commit whole, as code", () => {
    expect(escapeText(`at ${SHA} on main`)).toBe(`at \`${SHA}\` on main`);
    expect(escapeText("[0f3c2a9d]")).toBe("[`0f3c2a9d`]");
  });

  it("leaves numbers and words that are no commit", () => {
    expect(escapeText("1234567 requests, effaced, 12:30:45, v2.8.0-g12")).toBe(
      "1234567 requests, effaced, 12:30:45, v2.8.0-g12",
    );
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

describe("plainText of a huge text", () => {
  it("takes no time", () => {
    const started = process.cpuUsage();
    for (const piece of ["x", "\u001b[", "\u001b[;a", "\u0301", "`", "@a "]) escapeText(piece.repeat(1_000_000));
    // Microseconds.
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it("builds no towers", () => {
    expect(plainText(`e${"\u0301".repeat(99)}x`)).toBe(`e${"\u0301".repeat(4)}x`);
  });
});

describe("logSafe", () => {
  it("leaves no workflow command in a line", () => {
    expect(logSafe("a ##[error]b")).toBe("a # #[error]b");
  });
});

describe("logLines", () => {
  it("keeps the last lines and their indentation", () => {
    const log = `${Array.from({ length: 50 }, (_, i) => `  line ${i}`).join("\n")}\n\n`;
    expect(logLines(log, 2)).toEqual(["  line 48", "  line 49"]);
  });
});
