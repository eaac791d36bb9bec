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

/** GitHub makes them active outside of code: mentions, issues, addresses, pictures, commits. */
const ACTIVE: readonly (readonly [string, RegExp])[] = [
  ["a mention", /@\w/],
  ["an issue", /#\d|GH-\d/i],
  ["an address", /:\/\/|www\./i],
  // The renderer here has no pictures.
  ["a picture", /:(?:(?!\d+:)[a-z0-9_+-]+|100|1234):/i],
  ["a commit", /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/i],
];

/** What foreign text became besides text; none: it is harmless. @param own tags that the report writes itself */
export function harmsOf(html: string, own: readonly string[]): string[] {
  const tags = tagsOf(html).filter((tag) => !own.includes(tag));
  // Micromark writes an attribute for every address that it links: an attribute can hold no other.
  const linked = !own.includes("a") && /<[a-z][^>]* (?:href|src)=/.test(html);
  const prose = proseOf(html);
  return [
    ...tags.map((tag) => `<${tag}>`),
    ...(linked ? ["an address in an attribute"] : []),
    ...ACTIVE.flatMap(([what, pattern]) => (pattern.test(prose) ? [`${what}: ${pattern.exec(prose)?.[0]}`] : [])),
  ];
}

const VOID = new Set(["br", "hr", "img", "input", "source"]);

/** Tags that are not closed in order; none: all are. */
export function unbalanced(html: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, end, name = ""] of html.matchAll(/<(\/?)([a-zA-Z][\w-]*)[^>]*>/g)) {
    if (VOID.has(name)) continue;
    if (end === "") open.push(name);
    else if (open.pop() !== name) wrong.push(`</${name}> closes another tag`);
  }
  return [...wrong, ...open.map((name) => `<${name}> stays open`)];
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
