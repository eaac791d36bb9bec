/** The line above the headline of a release's page. */
import { html, type Markup, NOTHING } from "../html/markup.js";
import type { Release } from "./notes.js";

/** @param index address of the page that lists all releases, relative to this one */
export function releaseLead({ tag, previous }: Release, index?: string): Markup {
  const compared = previous === undefined ? NOTHING : html` compared with ${previous}`;
  const all = index === undefined ? NOTHING : html` · ${indexLink(index)}`;
  return html`Benchmarks of ${tag}${compared}${all}`;
}

/** @param index address of the page that lists all releases, relative to the page with the link */
export function indexLink(index: string): Markup {
  return html`<a href="${index}">All releases</a>`;
}
