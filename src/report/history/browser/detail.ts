/** A row, opened: its metrics large, its changes, and every figure as a table. */
import { METRICS } from "../../../history/record.js";
import { figure, verdictWord } from "../../comparison/metric-text.js";
import { verdictMark } from "../../html/forest-view.js";
import { fold, html, type Markup, NOTHING } from "../../html/markup.js";
import { capital } from "../../html/pair-plot.js";
import { signedPercent } from "../../html/shares.js";
import { CLIENT_BOUND, DISTURBED } from "../data.js";
import type { DecodedRow } from "../decode.js";
import { runLabel } from "../names.js";
import { trendChart } from "../trend.js";
import type { Rows } from "./rows.js";

interface Details {
  /** Anchor of the open row; "". */
  readonly value: () => string;
  readonly open: (key: string) => void;
  readonly toggle: (key: string) => void;
  /** Puts the open row's details below it again, after the rows were sorted or another part of the history was chosen. */
  readonly refresh: () => void;
}

/** @param from the first run that is shown */
export function details(rows: Rows, from: () => number): Details {
  let current = "";
  const place = document.createElement("tr");
  place.className = "detail";
  const close = () => {
    place.remove();
    document.querySelector(`#${current === "" ? "none" : current} a`)?.removeAttribute("aria-expanded");
    current = "";
  };
  const open = (key: string) => {
    close();
    const line = /^row-\d+$/.test(key) ? document.getElementById(key) : null;
    const index = Number(line?.dataset.row);
    const row = rows.decoded(index);
    if (!line || !row) return;
    current = key;
    place.innerHTML = html`<td colspan="5"><div class="inner">${detail(rows, index, row, from())}</div></td>`.text;
    line.after(place);
    line.querySelector("a")?.setAttribute("aria-expanded", "true");
  };
  return {
    value: () => current,
    open,
    toggle: (key) => (key === current ? close() : open(key)),
    refresh: () => {
      if (current !== "") open(current);
    },
  };
}

function detail({ data }: Rows, index: number, row: DecodedRow, from: number): Markup {
  const runs = data.runs.map((run, i) => ({
    label: runLabel(run),
    ...(run.release !== undefined && { release: run.release }),
    note: noteOf(row, i),
  }));
  const facts = data.rows[index];
  const charts = METRICS.map(
    ({ name, title, unit, better }) =>
      html`<h4>${capital(title)}, ${unit}, ${better === "higher" ? "more" : "less"} is better</h4>${trendChart({
        metric: name,
        title,
        values: row.figures[name],
        series: row.series,
        changes: row.changes.filter(({ metric }) => metric === name),
        runs,
        from,
        doubtful: (run) => (row.flags[run] ?? 0) !== 0,
        breaks: row.breaks.map(({ run }) => run),
      })}`,
  );
  const server = data.servers[row.server.findLast((one) => one >= 0) ?? 0];
  return html`<p class="muted"><code>${facts?.id}</code>, ${facts?.connections} connections, ${[server?.title, server?.version].filter(Boolean).join(" ")}</p>${charts}${changesOf(row, runs)}${breaksOf(row, runs)}${fold("Every figure", figuresTable(row, runs, from))}`;
}

interface Labelled {
  readonly label: string;
}

function noteOf({ flags, failures }: DecodedRow, run: number): string {
  const bits = flags[run] ?? 0;
  return [
    ...((bits & CLIENT_BOUND) !== 0 ? [", client-bound: its throughput is a lower bound"] : []),
    ...((bits & DISTURBED) !== 0 ? [", disturbed by other processes"] : []),
    ...(failures.has(run) ? [`, ${failures.get(run)} failed requests`] : []),
  ].join("");
}

function changesOf({ changes }: DecodedRow, runs: readonly Labelled[]): Markup {
  if (changes.length === 0) return NOTHING;
  const items = changes.map(({ metric, verdict, change, run, before, oldLevel, newLevel, runsBefore, runsAfter }) => {
    const title = METRICS.find(({ name }) => name === metric)?.title ?? metric;
    return html`<li>${verdictMark(verdict)} ${verdictWord(verdict)}: ${title} ${signedPercent(change)}, ${figure(metric, oldLevel)} to ${figure(metric, newLevel)}, after ${runs[before]?.label} and from ${runs[run]?.label} on (${runsBefore} and ${runsAfter} runs)</li>`;
  });
  return html`<h4>Changes of level</h4><ul class="notes">${items}</ul>`;
}

function breaksOf({ breaks }: DecodedRow, runs: readonly Labelled[]): Markup {
  if (breaks.length === 0) return NOTHING;
  const items = breaks.map(
    ({ run, what }, i) => html`<li>Break ${i + 1}, at ${runs[run]?.label}: ${what.join("; ")}</li>`,
  );
  return html`<h4>Breaks: measured in another way</h4><ul class="notes">${items}</ul>`;
}

function figuresTable(row: DecodedRow, runs: readonly Labelled[], from: number): Markup {
  const lines = runs.map((run, i) => {
    const missed = row.missed.get(i);
    const why = missed
      ? `${missed.failed ? "failed" : "skipped"}: ${missed.reason}`
      : noteOf(row, i).replace(/^, /, "");
    const cells = METRICS.map(({ name }) => html`<td class="number">${figure(name, row.figures[name][i])}</td>`);
    return i < from ? NOTHING : html`<tr><th scope="row">${run.label}</th>${cells}<td>${why}</td></tr>`;
  });
  return html`<div class="scroll" role="region" aria-label="Table: every figure" tabindex="0"><table><thead><tr><th scope="col">Run</th>${METRICS.map(({ title }) => html`<th scope="col" class="number">${capital(title)}</th>`)}<th scope="col">Notes</th></tr></thead><tbody>${lines.reverse()}</tbody></table></div>`;
}
