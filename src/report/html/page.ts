/** Results -> index.html: one file that needs no network, and that can be read without script. */

import type { Results } from "../../results/schema.js";
import { resultsHeadline } from "../comparison/headline.js";
import { isChange, verdictWord } from "../comparison/metric-text.js";
import type { RowStacks } from "../profile/files.js";
import { FLAME_STYLE, profilesView } from "../profile/html.js";
import type { Origin } from "../repeat/origin.js";
import { furtherTable, isUntimed } from "../tables/further-table.js";
import { claimsOf } from "../trust/claims.js";
import type { Trust } from "../trust/trust.js";
import { factsLine, methodView } from "./about.js";
import { changesView } from "./changes.js";
import { embeddedJson, pageData } from "./data.js";
import { filterForm } from "./filter-form.js";
import { forestOf } from "./forest.js";
import { forestView } from "./forest-view.js";
import { html, Markup, NOTHING } from "./markup.js";
import { DEFINITIONS } from "./plot.js";
import { type RowKeys, rowKeys } from "./row-keys.js";
import { PAGE_SCRIPT } from "./script.generated.js";
import { setsView } from "./sets.js";
import { pageText, unbroken } from "./shell.js";
import { STYLE } from "./style.js";
import { warningsView } from "./warnings.js";

export interface PageOptions {
  /** Default: own results. */
  readonly trust?: Trust;
  readonly origin?: Origin;
  /** Name of the results file beside the page. Default: results.json. */
  readonly resultsFile?: string;
  /** The line above the headline. Default: what is measured. */
  readonly lead?: Markup;
  /** Of the rows that were sampled, for flame graphs. */
  readonly rowStacks?: ReadonlyMap<string, RowStacks>;
}

const LEAD = html`Benchmarks of Python web servers`;

export function renderPage(
  given: Results,
  { trust = { kind: "own" }, origin, lead, rowStacks = new Map(), resultsFile = "results.json" }: PageOptions = {},
): string {
  const { results, withheld } = claimsOf(given, trust);
  const keys = rowKeys(results);
  const about = { trust, ...(origin && { origin }) };
  const { comparison } = results;
  const { verdict, rest } = resultsHeadline(results);
  return pageText({
    title: titleOf(lead, verdict),
    style: results.profiles ? STYLE + FLAME_STYLE.replace(/\n/g, "") : STYLE,
    script: PAGE_SCRIPT,
    body: html`${DEFINITIONS}
<header>
<p class="muted">${lead ?? LEAD}</p>
<h1>${unbroken(verdict)}</h1>${rest === "" ? NOTHING : html`\n<p>${unbroken(rest)}</p>`}
${factsLine(results, about)}
</header>
<main>
${warningsView(results, trust, withheld)}
${filters(results, keys)}
${comparison ? html`${forestView(forestOf(comparison, keys))}${changesView({ ...results, comparison }, { keys, ...about })}` : NOTHING}
${profilesView({ profiles: results.profiles ?? [], stacks: rowStacks })}
${furtherView(results)}
${isUntimed(results) ? NOTHING : setsView(results, keys)}
${methodView(results, about)}
<section aria-labelledby="data"><h2 id="data">Data</h2>
<p>The figures of this page are embedded as JSON. <code>${resultsFile}</code>, next to this page, has every slice.</p>
<p><button type="button" id="download" hidden>Download the figures (JSON)</button></p>
</section>
</main>
<footer class="muted"><p>Made by server-bench ${results.run.tool.version}.</p></footer>`,
    data: html`<script type="application/json" id="page-data">${new Markup(embeddedJson(pageData(results)))}</script>`,
  });
}

/** What a given lead says in words comes first; its link is for the page alone. */
function titleOf(lead: Markup | undefined, headline: string): string | Markup {
  if (lead === undefined) return headline;
  const [words = ""] = /^[^<]*/.exec(lead.text) ?? [];
  return html`${new Markup(words.replace(/ · $/, ""))}: ${headline}`;
}

function furtherView(results: Results): Markup {
  const table = furtherTable(results);
  if (!table) return NOTHING;
  const head = table.headings.map(
    (heading, i) => html`<th scope="col"${i > 0 ? html` class="number"` : NOTHING}>${heading}</th>`,
  );
  const lines = table.rows.map(
    ([name = "", ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`,
  );
  const notes = table.notes.map((note) => html`<li>${note}</li>`);
  return html`<section aria-labelledby="furtherMetrics"><h2 id="furtherMetrics">${table.title}</h2>
<div class="scroll" role="region" aria-label="Table: ${table.title}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table></div>
${notes.length === 0 ? NOTHING : html`<ul class="notes">${notes}</ul>`}</section>`;
}

function filters(results: Results, keys: RowKeys): Markup {
  const compared = results.comparison?.rows ?? [];
  const ids = new Set([...results.cases, ...compared].map(({ id }) => id));
  const facts = [...ids].map((id) => keys.factsOf(id));
  const verdicts = [...new Set(compared.map(({ verdict }) => verdict))].sort(
    (a, b) => Number(isChange(b)) - Number(isChange(a)),
  );
  const choices = verdicts.map((verdict) => [verdict, verdictWord(verdict)] as const);
  return filterForm(facts, { title: "Verdict", choices });
}
