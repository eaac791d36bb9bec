/** The table of what changed: the first thing that a reader looks for. */
import type { ChangeWords } from "../../history/change-words.js";
import { plural } from "../../messages/sentence.js";
import { figure, verdictWord } from "../comparison/metric-text.js";
import { verdictMark } from "../html/forest-view.js";
import { html, type Markup, NOTHING } from "../html/markup.js";
import { signedPercent } from "../html/shares.js";
import type { HistoryKeys } from "./keys.js";
import { timeOf } from "./names.js";

/** More would make the page heavy; history.json has all. */
const SHOWN = 200;

export function changesTable(changes: readonly ChangeWords[], keys: HistoryKeys): Markup {
  const shown = changes.slice(0, SHOWN);
  return html`<section aria-labelledby="changed"><h2 id="changed">What changed</h2>
<p class="muted">Runs of different days prove nothing: each line is a suspicion, until both sides are measured in pairs (<code>run --base</code>).</p>
<div class="scroll" role="region" aria-label="Table: What changed" tabindex="0"><table class="sortable changes"><thead><tr>${HEADINGS.map(([name, kind]) => html`<th scope="col"${kind === "number" ? html` class="number"` : NOTHING}>${name}</th>`)}</tr></thead>
<tbody>${shown.map((words) => line(words, keys))}</tbody></table></div>
${changes.length > SHOWN ? html`<p>These are the newest ${SHOWN} of ${plural(changes.length, "change")}. <a href="history.json">history.json</a> has all of them.</p>` : NOTHING}
</section>`;
}

const HEADINGS = [
  ["Benchmark", "text"],
  ["Change", "number"],
  ["Metric", "text"],
  ["Verdict", "text"],
  ["Levels", "number"],
  ["First seen", "text"],
  ["Commits, and what else changed", "text"],
] as const;

function line({ row, change, metric, range, address, cautions }: ChangeWords, keys: HistoryKeys): Markup {
  const run = keys.runs[change.run];
  const runs = `${plural(change.runsBefore, "run")} before, ${change.runsAfter} after`;
  const levels = `${figure(change.metric, change.oldLevel)} → ${figure(change.metric, change.newLevel)}`;
  const commits = address === undefined ? html`${range}` : html`<a href="${address}" rel="noreferrer">${range}</a>`;
  return html`<tr><th scope="row"><a href="#${keys.keyOf(row)}">${keys.nameOf(row)}</a></th><td class="number">${signedPercent(change.change)}</td><td>${metric}</td><td>${verdictMark(change.verdict)} ${verdictWord(change.verdict)}</td><td class="number">${levels}</td><td>${run ? timeOf(run.startedAt) : NOTHING}</td><td class="range">${commits}<small>${runs}</small>${cautions.map((caution) => html`<small>${caution}</small>`)}</td></tr>\n`;
}
