/** Renders as GitHub does, and looks at what came out. */
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

export function renderGfm(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

/** Names of all tags in the HTML, sorted, each once. */
export function tagsOf(html: string): string[] {
  return [...new Set([...html.matchAll(/<\/?([a-zA-Z][\w-]*)/g)].map((match) => match[1] ?? ""))].sort();
}

/** Per table: the cells of its rows, as text. */
export function tablesOf(html: string): string[][][] {
  return [...html.matchAll(/<table>.*?<\/table>/gs)].map(([table]) =>
    [...table.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map((cell) => textOf(cell[1] ?? "")),
    ),
  );
}

/** Text that GitHub looks through for mentions and references: what stands outside of code. */
export function proseOf(html: string): string {
  return textOf(html.replace(/<(code|pre)>.*?<\/\1>/gs, " "));
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
