/** The first page of the published folder: all releases, newest first. Readable without script, like their pages. */

import { plural } from "../../messages/sentence.js";
import { html, type Markup, NOTHING } from "../html/markup.js";
import { pageText, unbroken } from "../html/shell.js";
import { STYLE } from "../html/style.js";
import { runDate } from "../text/format.js";

export interface ListedRelease {
  readonly tag: string;
  readonly previous: string | undefined;
  /** Relative to the index; undefined where the page is gone. */
  readonly href: string | undefined;
  readonly measuredAt: string;
  readonly machine: string;
  readonly headline: string;
  readonly rows: number;
  /** Of the rows; undefined in lists of an earlier form, whose `rows` are the compared ones. */
  readonly notCompared: number | undefined;
  readonly verdicts:
    | { readonly worse: number; readonly better: number; readonly unchanged: number; readonly inconclusive: number }
    | undefined;
}

interface IndexOptions {
  /** `owner/name`, where it is known. */
  readonly project?: string;
  /** Folder of the history, relative to the index; undefined where there is none. */
  readonly history?: string;
}

/** @param releases newest first */
export function renderSiteIndex(releases: readonly ListedRelease[], { project, history }: IndexOptions = {}): string {
  const title = project === undefined ? "Benchmarks of all releases" : `Benchmarks of all releases of ${project}`;
  return pageText({
    title,
    style: STYLE,
    ...(history !== undefined && {
      head: html`<link rel="alternate" type="application/atom+xml" title="Changes of level" href="${history}/feed.atom">`,
    }),
    body: html`<header>
<h1>${title}</h1>
<p>Each release was compared with the one before it. The two sides of a benchmark were measured side by side, on one machine, in one run. Figures of different releases come from different days and machines, so they are not compared here.</p>
${history === undefined ? NOTHING : html`<p><a href="${history}/index.html">History of every benchmark over all releases</a>, with breaks where the machine or a tool changed.</p>\n`}</header>
<main>
<div class="scroll" role="region" aria-label="Releases" tabindex="0">
<table>
<thead><tr><th scope="col">Release</th><th scope="col">Compared with</th><th scope="col">Measured (UTC)</th>${NUMBERS.map((name) => html`<th scope="col" class="number">${name}</th>`)}<th scope="col">Machine</th></tr></thead>
<tbody>
${releases.map(rowOf)}
</tbody>
</table>
</div>
<section aria-labelledby="results"><h2 id="results">What each release changed</h2>
<ul class="notes">${releases.map(({ tag, headline, href }) => html`<li>${pageLink(tag, href)}: ${unbroken(headline)}</li>`)}</ul>
</section>
</main>
<footer class="muted"><p>${plural(releases.length, "release")}. Made by server-bench; <a href="releases.json">releases.json</a> has this list as data.</p></footer>`,
  });
}

const NUMBERS = ["Total", "Worse", "Better", "Unchanged", "Inconclusive", "Not compared"];

function rowOf({ tag, href, previous, measuredAt, machine, ...counted }: ListedRelease): Markup {
  const counts = countsOf(counted).map((count) => html`<td class="number">${count}</td>`);
  return html`<tr><th scope="row">${pageLink(tag, href)}</th><td>${previous ?? "nothing"}</td><td>${runDate(measuredAt)}</td>${counts}<td>${machine}</td></tr>
`;
}

/** Empty cells where nothing was compared: a zero would be a claim. */
function countsOf({ rows, verdicts, notCompared }: Pick<ListedRelease, "rows" | "verdicts" | "notCompared">) {
  const counts = verdicts && [verdicts.worse, verdicts.better, verdicts.unchanged, verdicts.inconclusive];
  const compared = counts?.some((count) => count > 0) ? counts : ["", "", "", ""];
  return [rows || "", ...compared, notCompared ?? ""];
}

function pageLink(tag: string, href: string | undefined): Markup {
  return href === undefined ? html`${tag} (its page is gone)` : html`<a href="${href}">${tag}</a>`;
}
