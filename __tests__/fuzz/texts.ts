/** Texts that try to be more than text: in Markdown, HTML, YAML, a terminal and a log of GitHub Actions. */
import * as fc from "fast-check";

const SHA = "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3";

const PIECES: readonly string[] = [
  ..."`*_~|<>[]()!#@&$\\/:.;,-+=^%{}'\"?0aZ9 \t\n\r",
  ..."\0\x07\b\x1b\x7f\x85\u00a0\u00ad\u200b\u200d\u202e\u2028\u2029\u2066\ufeff\u0301\ud800\udc00",
  ...[
    "</details>",
    "<details>",
    "</summary>",
    "<script>",
    "<img src=x>",
    "<!--",
    "-->",
    "]]>",
    "<?php",
    "<!A",
    "</td>",
  ],
  ...["https://a.b", "http://", "www.", "www.a.b", "ftp://a.b", "mailto:a@b.c", "xmpp:a@b.c", "a@b.example", "GH-1"],
  ...[
    "@octocat",
    "@org/team",
    "#1",
    "org/repo#9",
    "org/repo@0f3c2a9",
    SHA,
    SHA.slice(0, 7),
    "&#64;",
    "&commat;",
    "&lt;b&gt;",
  ],
  ...[
    "```",
    "~~~",
    "``",
    "---",
    "***",
    "===",
    "| --- |",
    "|",
    "\\|",
    "1. ",
    "1) ",
    "- ",
    "> ",
    "# ",
    "    ",
    "\t",
    "- [ ] ",
  ],
  ...[
    "[a](b)",
    "![a](b)",
    "[a][b]",
    "[a]: b",
    "[^1]",
    "[^1]: x",
    "[!NOTE]",
    "$x$",
    "$$",
    "$`",
    ":tada:",
    "::error::x",
    "##[error]",
  ],
  ...[
    "\u001b[31m",
    "\u001b]0;t\u0007",
    "\u001b]8;;http://a\u0007",
    "\u009b31m",
    "\u001bP",
    "🐎",
    "👩‍💻",
    "日本",
    "é",
    "ǅ",
    "İ",
    "ß",
  ],
  ...["\r\n", "\n\n", "__init__", "a_b", "**a**", "~~a~~", "*", "_"],
];

/** Joined from pieces that mean something, and from any characters. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    arbitrary: fc.array(fc.constantFrom(...PIECES), { minLength: 0, maxLength: 24 }).map((pieces) => pieces.join("")),
    weight: 40,
  },
  { arbitrary: fc.string({ unit: "binary", maxLength: 40 }), weight: 10 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...PIECES), fc.integer({ min: 50, max: 3000 }))
      .map(([piece, times]) => piece.repeat(times)),
    weight: 1,
  },
);
