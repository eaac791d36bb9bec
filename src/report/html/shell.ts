/** What every page has: one file that loads nothing, and runs no script but its own. */
import { createHash } from "node:crypto";
import { escapeMarkup, html, Markup } from "./markup.js";

interface Page {
  readonly title: string | Markup;
  readonly style: string;
  /** Undefined: the page has none. */
  readonly script?: string;
  /** Further elements of the head. */
  readonly head?: Markup;
  readonly body: Markup;
  /** Elements between the body and its script. */
  readonly data?: Markup;
}

export function pageText({ title, style, script, head, body, data }: Page): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${head ? html`${head}\n` : ""}<style>${new Markup(style)}</style>
</head>
<body>
${body}
${data ? html`${data}\n` : ""}${script === undefined ? "" : html`<script>${new Markup(script)}</script>\n`}</body>
</html>
`;
  return page.text;
}

/** Without a script, nothing may run at all: `default-src` covers scripts. */
function policy(style: string, script: string | undefined): string {
  return [
    "default-src 'none'",
    `style-src ${sha256(style)}`,
    ...(script === undefined ? [] : [`script-src ${sha256(script)}`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function sha256(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Keeps a number and its unit on one line. */
export function unbroken(text: string): Markup {
  return new Markup(escapeMarkup(text).replaceAll(" %", "&nbsp;%"));
}
