/**
 * Makes foreign text (titles, versions, reasons, logs, warnings) harmless: it can be read and does nothing else.
 * Everything that is not written in this folder goes through here.
 */
import { stripVTControlCharacters } from "node:util";

/** Code points of a table cell; a longer title breaks the table on a phone. */
const CELL_LIMIT = 100;
/** Code points of a reason or a warning; the log has the rest. */
const PROSE_LIMIT = 2000;
/** Lines of a log, and code points of each. */
const LOG_LINES = 30;
const LOG_LINE_LIMIT = 300;
/** Times the code points that are shown: the rest of a huge text is not processed, so that it costs no time. */
const RAW_SHARE = 8;

/** Invisible, and enough to keep GitHub from seeing a mention, an issue or a link. */
const BREAK = "\u200B";

/** One line without terminal codes, control and direction characters. For terminals, and the first step for Markdown. */
export function plainText(text: string, limit = PROSE_LIMIT): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  return clip(
    stripVTControlCharacters(text.slice(0, RAW_SHARE * limit))
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
      // Format characters reorder or hide text; the joiner holds emoji together.
      .replace(/(?!\u200D)\p{Cf}/gu, "")
      // A tower of accents would be drawn over the lines above.
      .replace(/(\p{M}{4})\p{M}+/gu, "$1")
      .replace(/\p{Cs}/gu, "\uFFFD")
      .trim(),
    limit,
  );
}

/** Printable ASCII with single spaces inside: nearly every text, and much faster to recognise than to rewrite. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** At most `limit` code points, the last one an ellipsis. */
function clip(text: string, limit: number): string {
  // Never fewer units than code points.
  if (text.length <= limit) return text;
  const points = [...text];
  return points.length > limit ? `${points.slice(0, limit - 1).join("")}…` : text;
}

/** One line of plain Markdown text, for the middle of a line. */
export function escapeText(text: string, limit = PROSE_LIMIT): string {
  return plainText(text, limit).replace(MARKED, (mark, offset: number, whole: string) => {
    if (mark === "<") return "&lt;";
    if (mark === ">") return "&gt;";
    if (mark === "&") return "&amp;";
    if (mark.length > 3) return mark.replace(SHA, "`$&`");
    // Within a word an underscore means nothing.
    if (mark === "_") return [whole[offset - 1], whole[offset + 1]].every(isWordCharacter) ? mark : "\\_";
    return /^([@#:]|www|gh-)$/i.test(mark) ? mark + BREAK : `\\${mark}`;
  });
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/**
 * GitHub links a word of 7 to 40 hexadecimal digits to the commit and shortens it; as code it stays whole, and can be copied. The
 * identifier of a run has two such words: it becomes one piece of code.
 */
const SHA = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/gi;

/** The colon before the name of a picture. Of numbers two are names; any other one may be the minutes of a time. */
const EMOJI = /:(?!\d+:)(?=[a-z0-9_+-]+:)|:(?=(?:100|1234):)/i;

/**
 * What means something to GitHub's Markdown. `[GET]` alone means nothing, and stays readable: a link would need a
 * parenthesis, a bracket or a colon after it. `www`, `GH-1` and `://` become links, `@` and `#1` mentions, `:tada:` a picture.
 */
const MARKED = new RegExp(
  [
    /\[[A-Za-z0-9 ]{2,}\](?![([:])|[\\`*~|$<>[\]_]|&(?=#?\w+;)|@(?=[\w.-]|$)|#(?=\d|$)|:(?=\/\/)|www(?=\.|$)|GH-(?=\d|$)/,
    EMOJI,
    SHA,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/** A table cell. */
export function escapeCell(text: string): string {
  return escapeText(text, CELL_LIMIT);
}

/** Text that starts a line: no heading, list, quote or rule. */
export function escapeLine(text: string, limit = PROSE_LIMIT): string {
  return escapeText(text, limit)
    .replace(/^[-+=#:]/, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

/** For HTML of our own, a `<summary>`: Markdown means nothing there, but GitHub still looks for mentions and links. */
export function escapeHtml(text: string, limit = CELL_LIMIT): string {
  return plainText(text, limit)
    .replace(/@(?=[\w.-]|$)|#(?=\d|$)|:(?=\/\/)|www(?=\.|$)|GH-(?=\d|$)/gi, `$&${BREAK}`)
    .replace(new RegExp(EMOJI, "gi"), `$&${BREAK}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(SHA, "<code>$&</code>");
}

/** A runner takes `##[...]` for a command anywhere in a line. */
export function logSafe(line: string): string {
  return line.replaceAll("##[", "# #[");
}

/** Lines as an author wrote them: `code` stays code, a line break stays one, an empty line parts paragraphs. */
export function escapeProse(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.split("\n").map(proseLine).filter(Boolean).join("    \n"))
    .filter(Boolean)
    .join("\n\n");
}

function proseLine(line: string): string {
  const parts = plainText(line).split(/(`[^`]+`)/);
  return parts
    .map((part, i) => {
      if (i % 2 === 1) return codeSpan(part.slice(1, -1));
      const { before, middle, after } = inBlanks(part);
      return before + (i === 0 ? escapeLine(middle) : escapeText(middle)) + after;
    })
    .join("");
}

/** A text, and the blanks around it. */
export function inBlanks(part: string): { readonly before: string; readonly middle: string; readonly after: string } {
  const middle = part.trim();
  const start = part.length - part.trimStart().length;
  return { before: part.slice(0, start), middle, after: part.slice(start + middle.length) };
}

/** Inline code; not for table cells. */
export function codeSpan(text: string, limit = CELL_LIMIT): string {
  const plain = plainText(text, limit);
  const fence = "`".repeat(longestRun(plain) + 1);
  const pad = /^`|`$/.test(plain) || plain === "" ? " " : "";
  return `${fence}${pad}${plain}${pad}${fence}`;
}

/** A fenced block of lines that no line of it can close. */
export function codeBlock(lines: readonly string[], language: "text" | "sh"): string {
  const fence = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [`${fence}${language}`, ...lines, fence].join("\n");
}

/** The last lines of a log, each without control characters, indentation kept. */
export function logLines(log: string, count = LOG_LINES): string[] {
  const lines = log.split("\n").map((line) => (/^[ \t]*/.exec(line)?.[0] ?? "") + plainText(line, LOG_LINE_LIMIT));
  while (lines.length > 0 && lines.at(-1)?.trim() === "") lines.pop();
  return lines.slice(-count);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
