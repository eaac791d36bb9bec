import { describe, expect, it } from "vitest";
import {
  escapeCell,
  escapeHtml,
  escapeProse,
  escapeText,
  logLines,
  logSafe,
  plainText,
} from "../../../src/report/text/escape.js";
import { proseOf, renderGfm } from "../../support/gfm.js";
import { HOSTILE, randomTexts, SHA } from "../../support/hostile.js";
import { PLACES, wrongWith } from "../../support/placed-texts.js";

describe.each([...HOSTILE, ...randomTexts(50, 7)])("%j", (text) => {
  it.each(Object.entries(PLACES))("is text, and stays in its place: %s", (_, place) => {
    expect(wrongWith(place(text))).toEqual([]);
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

  it("keeps the identifier of a run whole", () => {
    const id = "cc34aa9a-4b91-497d-a143-b4f929f597da";
    expect(escapeText(`run ${id}`)).toBe(`run \`${id}\``);
  });

  it("leaves numbers and words that are no commit", () => {
    expect(escapeText("1234567 requests, effaced, 12:30:45, v2.8.0-g12")).toBe(
      "1234567 requests, effaced, 12:30:45, v2.8.0-g12",
    );
  });

  it("leaves no picture, and times as they are", () => {
    expect(escapeText("a :tada: b :+1::100: 12:30:45 c:d")).toBe("a :\u200Btada: b :\u200B+1::\u200B100: 12:30:45 c:d");
    expect(escapeHtml(":tada:")).toBe(":\u200Btada:");
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
