/** Every row with its trend, set by set; rows whose level changed last come first. */
import { type History, measuredOf, type RowHistory } from "../../history/model.js";
import { plural } from "../../messages/sentence.js";
import { figure, metricTitle } from "../comparison/metric-text.js";
import { verdictMark } from "../html/forest-view.js";
import { fold, html, type Markup, NOTHING } from "../html/markup.js";
import { signedPercent } from "../html/shares.js";
import { DISTURBED_MARK } from "../tables/metric-cell.js";
import type { HistoryKeys } from "./keys.js";
import { dayOf, timeOf } from "./names.js";
import { sparkline } from "./spark.js";
import { hasEnoughRuns, lastChange } from "./words.js";

/** Runs in a small drawing, until the reader chooses others. */
export const RUNS_SHOWN = 90;

/** With more rows than this, sets without a change are folded. */
const OPEN_ROWS = 60;

export function rowsView(history: History, keys: HistoryKeys): Markup {
  const bySet = new Map<string, RowHistory[]>();
  for (const row of history.rows) bySet.set(row.set, [...(bySet.get(row.set) ?? []), row]);
  return html`<section aria-labelledby="rows"><h2 id="rows">Every benchmark</h2>
<p class="muted">Throughput over the last ${plural(Math.min(RUNS_SHOWN, history.runs.length), "run")}, each benchmark on its own scale, which is at least 4 % high. A dashed line marks a change of level, a new colour a new way of measuring.</p>
${history.sets.map(({ name, title }) => {
  const rows = bySet.get(name) ?? [];
  if (rows.length === 0) return NOTHING;
  const open = history.rows.length <= OPEN_ROWS || rows.some(({ changes }) => changes.length > 0);
  const heading = html`<h3>${title}</h3> <span class="muted">${countsOf(rows)}</span>`;
  return html`<div class="set-fold" data-group>${fold(heading, setTable(title, rows, { history, keys }), open ? "open" : "closed")}</div>`;
})}
</section>`;
}

function countsOf(rows: readonly RowHistory[]): string {
  const changed = rows.filter(({ changes }) => changes.length > 0).length;
  return `${plural(rows.length, "benchmark")}${changed === 0 ? "" : `, ${changed} with a change of level`}`;
}

interface Drawing {
  readonly history: History;
  readonly keys: HistoryKeys;
}

function setTable(title: string, rows: readonly RowHistory[], drawing: Drawing): Markup {
  const newest = (row: RowHistory) => lastChange(row.changes)?.run ?? -1;
  const sorted = [...rows].sort((a, b) => newest(b) - newest(a));
  return html`<div class="scroll" role="region" aria-label="Table: ${title}" tabindex="0"><table class="sortable rows"><thead><tr><th scope="col">Benchmark</th><th scope="col" data-unsorted>Trend</th><th scope="col" class="number">Newest</th><th scope="col" class="number">Last change</th><th scope="col">Since</th></tr></thead>
<tbody>${sorted.map((row) => lineOf(row, drawing))}</tbody></table></div>`;
}

function lineOf(row: RowHistory, { history, keys }: Drawing): Markup {
  const change = lastChange(row.changes);
  const from = Math.max(0, history.runs.length - RUNS_SHOWN);
  const values = row.cases.map((one) => measuredOf(one)?.throughput);
  const changes = row.changes.filter(({ metric }) => metric === "throughput");
  const verdict = change?.verdict ?? "none";
  return html`<tr id="${keys.keyOf(row)}" data-row="${keys.indexOf(row)}" data-id="${row.id}" data-server="${row.server}" data-interface="${row.interface}" data-verdict="${verdict}"><th scope="row"><a href="#${keys.keyOf(row)}">${keys.nameInSetOf(row)}</a></th><td class="trend-cell">${sparkline({ values, series: row.series, changes }, from)}</td><td class="number">${newestFigure(row, history)}</td>${changeCells(row, history)}</tr>\n`;
}

function newestFigure({ cases }: RowHistory, { runs }: History): Markup {
  const run = cases.length - 1;
  const one = cases[run];
  if (one === undefined) return html`<span class="none">not in the newest run</span>`;
  const measured = measuredOf(one);
  if (measured === undefined)
    return html`<span class="none">${one.outcome.state} on ${dayOf(runs[run]?.startedAt ?? "")}</span>`;
  const text = figure("throughput", measured.throughput);
  if (text === "") return html`<span class="none">no figure</span>`;
  return html`${`${measured.clientBound ? "≥ " : ""}${text}${measured.disturbed ? DISTURBED_MARK : ""}`}`;
}

function changeCells(row: RowHistory, { runs }: History): Markup {
  const change = lastChange(row.changes);
  if (change === undefined)
    return html`<td class="number none"></td><td class="since none">${hasEnoughRuns(row) ? "no change found" : "too few runs"}</td>`;
  const run = runs[change.run];
  const what = change.metric === "throughput" ? NOTHING : html` (${metricTitle(change.metric)})`;
  const version = run?.version ? `, ${run.version.tag}` : "";
  return html`<td class="number">${signedPercent(change.change)} ${verdictMark(change.verdict)}</td><td class="since">${run ? timeOf(run.startedAt) : NOTHING}${version}${what}</td>`;
}
