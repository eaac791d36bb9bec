/** HTML as a value: what is interpolated is text, unless it is markup that was made here. */
import { inBlanks, plainText } from "../text/escape.js";

/** Markup of ours, with foreign text escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Content = Markup | string | number | undefined | readonly Content[];

/** A template whose values are escaped, for the content of elements and for quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = strings[0] ?? "";
  values.forEach((value, i) => {
    text += markupOf(value) + (strings[i + 1] ?? "");
  });
  return new Markup(text);
}

export const NOTHING = new Markup("");

function markupOf(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escapeMarkup(content);
  return content.map(markupOf).join("");
}

/** One line of foreign text, without control and direction characters; for content and quoted attributes. */
export function escapeMarkup(text: string): string {
  const plain = plainText(text);
  return /[&<>"']/.test(plain) ? plain.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark) : plain;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Lines of a log or of commands, which keep their breaks and indentation. */
export function preformatted(lines: readonly string[]): Markup {
  const shown = lines.map((line) => (/^[ \t]*/.exec(line)?.[0] ?? "") + escapeMarkup(line));
  return new Markup(`<pre tabindex="0"><code>${shown.join("\n")}</code></pre>`);
}

/** `code` in backticks as code, as in the texts of scenario files; paragraphs at empty lines. */
export function prose(text: string): Markup {
  const paragraphs = text.split(/\n[ \t]*\n/).filter((part) => part.trim() !== "");
  return html`${paragraphs.map((part) => html`<p>${part.split("\n").map((line, i) => (i === 0 ? inline(line) : html`<br>${inline(line)}`))}</p>`)}`;
}

/** A line in which backticks mark code. */
export function inline(line: string): Markup {
  const parts = plainText(line).split(/(`[^`]+`)/);
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part.slice(1, -1)}</code>` : spaced(part)))}`;
}

/** A number and its unit stay on one line. */
const UNIT = /(\d) (?=(?:%|s|ms|µs|min|[KM]i?B)(?!\w))/g;

/** Keeps the blanks at both ends, which separate text from code. */
function spaced(part: string): Markup {
  const { before, middle, after } = inBlanks(part);
  return new Markup(`${before && " "}${escapeMarkup(middle).replace(UNIT, "$1&nbsp;")}${after && " "}`);
}

/** A fold for what few readers need. */
export function fold(summary: Content, content: Content, state: "open" | "closed" = "closed"): Markup {
  return html`<details${state === "open" ? new Markup(" open") : ""}><summary>${summary}</summary>${content}</details>`;
}
