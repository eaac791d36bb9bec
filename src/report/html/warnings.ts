/** What a reader must know before any figure: who measured, what is missing, why nothing was compared. */

import { plural } from "../../messages/sentence.js";
import type { Results } from "../../results/schema.js";
import { reportWarnings } from "../markdown/report.js";
import { type Trust, trustSentence, type Withheld, withheldSentence } from "../trust/trust.js";
import { fold, html, inline, type Markup, NOTHING } from "./markup.js";

/** More warnings than this are folded. */
const WARNINGS_SHOWN = 5;

export function warningsView(results: Results, trust: Trust, withheld: Withheld): Markup {
  const banner = trustSentence(trust);
  const left = withheldSentence(withheld, "`results.json`");
  const { nothingToCompare } = results.run;
  const warnings = reportWarnings(results).map((warning) => html`<p class="warning"><b>Warning:</b> ${warning}</p>`);
  const more = warnings.slice(WARNINGS_SHOWN);
  return html`${banner === "" ? NOTHING : html`<p class="warning"><b>${banner}</b></p>`}${left === "" ? NOTHING : html`<p class="warning">${inline(left)}</p>`}${
    nothingToCompare ? html`<p class="warning"><b>Nothing to compare with:</b> ${nothingToCompare.reason}</p>` : NOTHING
  }${warnings.slice(0, WARNINGS_SHOWN)}${more.length === 0 ? NOTHING : fold(plural(more.length, "more warning"), more)}${missingView(results)}`;
}

/** The planned rows that no shard measured. */
function missingView({ run: { missing = [] } }: Results): Markup {
  if (missing.length === 0) return NOTHING;
  const items = missing.map(
    ({ shard, reason, rows }) =>
      html`<li>Shard ${shard}: ${reason}${rows.length === 0 ? "" : `: ${rows.join(", ")}`}</li>`,
  );
  const count = missing.reduce((sum, { rows }) => sum + rows.length, 0);
  return fold(`Not measured: ${plural(count, "benchmark")}`, html`<ul class="notes">${items}</ul>`);
}
