/** The form that filters the rows of a page. The page's script shows it: without that it would do nothing. */
import { html, type Markup, NOTHING } from "./markup.js";

/** Value and text. */
type Choice = readonly [string, string];

interface Filtered {
  readonly server: string;
  readonly interface: string;
}

/** @param verdict the title and the choices of the filter by verdict */
export function filterForm(
  rows: readonly Filtered[],
  verdict: { readonly title: string; readonly choices: readonly Choice[] },
): Markup {
  return html`<form id="controls" role="search" aria-label="Filter the benchmarks" hidden>
<label>Search <input type="search" name="q" autocomplete="off"></label>
${selection("server", "Server", different(rows.map(({ server }) => server)))}
${selection("interface", "Interface", different(rows.map((row) => row.interface)))}
${selection("verdict", verdict.title, verdict.choices)}
<button type="reset">Show all</button>
<p id="count" role="status"></p>
</form>`;
}

function different(texts: readonly string[]): Choice[] {
  return [...new Set(texts)].filter((text) => text !== "").map((text) => [text, text] as const);
}

/** Without a choice there is nothing to select. */
function selection(name: string, title: string, choices: readonly Choice[]): Markup {
  if (choices.length < 2) return NOTHING;
  return html`<label>${title} <select name="${name}"><option value="">all</option>${choices.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`;
}
