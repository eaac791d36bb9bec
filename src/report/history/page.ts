/** The history -> index.html: one file that needs no network, and that can be read without script. */

import { changesOf } from "../../history/change-words.js";
import { type History, MIN_RUNS } from "../../history/model.js";
import type { Repository } from "../../history/repository.js";
import { plural } from "../../messages/sentence.js";
import { embeddedJson } from "../html/data.js";
import { filterForm } from "../html/filter-form.js";
import { fold, html, Markup, NOTHING } from "../html/markup.js";
import { DEFINITIONS } from "../html/plot.js";
import { pageText } from "../html/shell.js";
import { changesTable } from "./changes.js";
import { historyData } from "./data.js";
import { historyKeys } from "./keys.js";
import { dayOf } from "./names.js";
import { RUNS_SHOWN, rowsView } from "./rows.js";
import { HISTORY_SCRIPT } from "./script.generated.js";
import { HISTORY_STYLE } from "./style.js";
import { historyHeadline } from "./words.js";

interface HistoryPageOptions {
  readonly repository?: Repository;
  readonly toolVersion: string;
  /** A link above the headline. */
  readonly lead?: Markup;
}

export function renderHistory(history: History, { repository, toolVersion, lead }: HistoryPageOptions): string {
  const keys = historyKeys(history);
  const headline = historyHeadline(history);
  return pageText({
    title: headline,
    style: HISTORY_STYLE,
    script: HISTORY_SCRIPT,
    head: html`<link rel="alternate" type="application/atom+xml" title="Changes of level" href="feed.atom">`,
    body: html`${DEFINITIONS}
<header>
<p class="muted">History of benchmarks${lead ? html` · ${lead}` : NOTHING}</p>
<h1>${headline}.</h1>
${facts(history)}
</header>
<main>
${leftOutView(history)}
${changed(history, repository, keys)}
${comparing()}
${controls(history)}
${rowsView(history, keys)}
${methodView(history)}
<section aria-labelledby="data"><h2 id="data">Data</h2>
<p><a href="history.json">history.json</a> has every figure, <a href="feed.atom">feed.atom</a> the changes of level for a feed reader, and <a href="badge.json">badge.json</a> the state for a badge. They are in the same folder.</p>
<p><button type="button" id="download" hidden>Download the figures of this page (JSON)</button></p>
</section>
</main>
<footer class="muted"><p>Made by server-bench ${toolVersion}.</p></footer>`,
    data: html`<script type="application/json" id="page-data">${new Markup(embeddedJson(JSON.stringify(historyData(history, repository))))}</script>`,
  });
}

function facts({ runs, rows, machines, order, leftOut }: History): Markup {
  const days = runs.map(({ startedAt }) => startedAt).sort((a, b) => Date.parse(a) - Date.parse(b));
  const [first, last] = [dayOf(days[0] ?? ""), dayOf(days.at(-1) ?? "")];
  const shown = [
    plural(runs.length, "run"),
    first === last ? first : `${first} to ${last}`,
    plural(rows.length, "benchmark"),
    machines.length === 1 ? machineName(machines[0]) : `${machines.length} ways of measuring`,
    order === "version" ? "in the order of versions" : "in the order of time",
    ...(leftOut.length > 0 ? [`${plural(leftOut.length, "file")} left out`] : []),
  ];
  return html`<ul class="facts">${shown.map((fact) => html`<li>${fact}</li>`)}</ul>`;
}

function machineName(facts: History["machines"][number] | undefined): string {
  return `${facts?.["CPU model"] ?? "unknown"}, ${facts?.CPUs ?? "?"} CPUs`;
}

/** Every given file that was left out is listed. */
function leftOutView({ leftOut }: History): Markup {
  if (leftOut.length === 0) return NOTHING;
  const items = leftOut.map(({ source, reason }) => html`<li><code>${source}</code>: ${reason}</li>`);
  return html`<div class="warning">${fold(html`<b>Left out:</b> ${plural(leftOut.length, "file")}, with the reasons`, html`<ul class="notes">${items}</ul>`, leftOut.length <= 3 ? "open" : "closed")}</div>`;
}

function changed(history: History, repository: Repository | undefined, keys: ReturnType<typeof historyKeys>): Markup {
  const changes = changesOf(history, repository);
  if (changes.length > 0) return changesTable(changes, keys);
  return html`<section aria-labelledby="changed"><h2 id="changed">What changed</h2><p>No change of level was found. A benchmark needs ${MIN_RUNS} runs that were measured alike.</p></section>`;
}

/** Shown by the script: without it they would do nothing. */
function comparing(): Markup {
  return html`<section id="comparing" aria-labelledby="two-runs" hidden><h2 id="two-runs">Compare two runs</h2>
<form id="pick"><label>Base <select name="base"></select></label><label>Head <select name="head"></select></label></form>
<div id="compared" role="status"></div></section>`;
}

function controls({ rows, runs }: History): Markup {
  const verdicts = [...new Set(rows.flatMap(({ changes }) => changes.map(({ verdict }) => verdict)))];
  const words = { "suspect-worse": "last for the worse", "suspect-better": "last for the better" };
  const choices: (readonly [string, string])[] = verdicts.map((verdict) => [verdict, words[verdict]]);
  if (choices.length > 0) choices.push(["none", "none"]);
  const spans = [30, RUNS_SHOWN].filter((count) => count < runs.length);
  return html`<form id="view" aria-label="What the trends show" hidden>
<label>Runs <select name="last">${spans.map((count) => html`<option value="${count}"${count === RUNS_SHOWN ? new Markup(" selected") : NOTHING}>last ${count}</option>`)}<option value="all"${runs.length <= RUNS_SHOWN ? new Markup(" selected") : NOTHING}>all ${runs.length}</option></select></label>
<label>Metric <select name="metric"><option value="throughput">throughput</option><option value="cpuPerRequest">CPU per request</option></select></label>
</form>
${filterForm(rows, { title: "Change of level", choices })}`;
}

function methodView({ machines, runs, tested }: History): Markup {
  return html`<section aria-labelledby="method"><h2 id="method">How to read it</h2>
<p>Points are joined where the machine, kernel, Python, load generator, CPU split, profile, version of server-bench and the benchmark's own settings are the same. Where one of them changes, a new line begins, and no level is compared across it.</p>
<p>A change of level is found as in Apache Otava: E-divisive with a t-test on logarithms at p below 0.001, with at least three runs on each side, at least ${MIN_RUNS} runs that were measured alike, and a size beyond 0.5 %. Disturbed runs do not count, nor does the throughput of client-bound ones, which is a lower bound.</p>
<p>${heldBackText(tested)}</p>
<p>A level is the geometric mean of its runs. The page rounds single figures to 0.05 %.</p>
${machines.map((facts, i) => fold(`Way of measuring ${i + 1}: ${machineName(facts)}, ${plural(runs.filter(({ machine }) => machine === i).length, "run")}`, html`<dl>${Object.entries(facts).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`))}
</section>`;
}

/** @returns two sentences, of which the second is about this history */
function heldBackText({ series, heldBack }: History["tested"]): string {
  const rule =
    "Noise alone looks like a change now and then. With more series this happens more often. A benchmark has two: throughput and CPU per request. All series are tested together, so that about 1 in 20 of those that are reported did not change.";
  if (series === 0) return rule;
  const held = heldBack === 0 ? "none was" : `${heldBack} ${heldBack === 1 ? "was" : "were"}`;
  return `${rule} Of ${series} series here, ${held} left out because so many series show such a change by chance.`;
}
