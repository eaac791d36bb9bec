/** The sets: the tables of report.md as real tables, each with the charts that fit it. */

import { plural } from "../../messages/sentence.js";
import type { ComparedRow } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { withNewLogs } from "../tables/notes.js";
import { groupsOf, rowsOf, type SetInfo } from "../tables/rows.js";
import type { Column, Note, Table, TableRow } from "../tables/table.js";
import { tablesOf } from "../tables/tables.js";
import { logLines } from "../text/escape.js";
import type { BarsOptions } from "./bars.js";
import { fold, html, type Markup, NOTHING, preformatted, prose } from "./markup.js";
import { filterAttributes, type RowKeys } from "./row-keys.js";
import { chartsView } from "./set-charts.js";

export function setsView(results: Results, keys: RowKeys): Markup {
  const compared = new Map((results.comparison?.rows ?? []).map((row) => [rowName(row.id, row.connections), row]));
  const comparedOf = (id: string, connections: number) => compared.get(rowName(id, connections));
  const drawing: SetDrawing = { keys, comparedOf, anchored: new Set(), logs: new Map(), verdicts: verdictsOf(results) };
  const state = results.comparison ? "closed" : "open";
  return html`<section aria-labelledby="sets"><h2 id="sets">Sets</h2>${results.sets.map((set) =>
    fold(
      html`<h3>${set.title}</h3> <span class="muted">${plural(rowsOf(set, results.cases).length, "benchmark")}</span>`,
      setView(set, results, drawing),
      state,
    ),
  )}</section>`;
}

function rowName(id: string, connections: number | undefined): string {
  return JSON.stringify([id, connections]);
}

function verdictsOf({ comparison }: Results): ReadonlyMap<string, ComparedRow["verdict"]> {
  return new Map((comparison?.rows ?? []).map(({ id, verdict }) => [id, verdict]));
}

interface SetDrawing extends BarsOptions {
  /** Rows whose anchor exists: a row with several lines has one. */
  readonly anchored: Set<string>;
  /** Logs that earlier sets show. */
  readonly logs: Map<string, string>;
  /** By row id. */
  readonly verdicts: ReadonlyMap<string, ComparedRow["verdict"]>;
}

function setView(set: SetInfo, results: Results, drawing: SetDrawing): Markup {
  const tables = tablesOf(set, results.cases).map((table) => withNewLogs(table, set.title, drawing.logs));
  const groups = groupsOf(rowsOf(set, results.cases));
  return html`<div class="set">${prose(set.description ?? "")}${prose(set.methodology.join(" "))}
${tables.map(
  (table) =>
    html`${table.heading === undefined ? NOTHING : html`<h4>${table.heading}</h4>`}${tableView(table, set, drawing)}${chartsView(set, table.heading, groups.get(table.heading) ?? [], drawing)}`,
)}${tables.length === 0 ? html`<p>No benchmark of this set was measured.</p>` : NOTHING}</div>`;
}

function tableView({ heading, columns, rows, notes }: Table, set: SetInfo, drawing: SetDrawing): Markup {
  const name = [set.title, heading].filter(Boolean).join(", ");
  const numbers = numberColumns(columns, rows);
  const head = columns.map(
    (column, i) => html`<th scope="col"${numbers[i] ? html` class="number"` : NOTHING}>${column.heading}</th>`,
  );
  return html`<div class="scroll" role="region" aria-label="Table: ${name}" tabindex="0"><table class="sortable"><thead><tr>${head}</tr></thead>
<tbody>${rows.map((row) => lineOf(row, { columns, numbers }, drawing))}</tbody></table></div>${notesView(notes)}`;
}

/** Which columns are aligned to the right. */
function numberColumns(columns: readonly Column[], rows: readonly TableRow[]): boolean[] {
  return columns.map(({ kind }, i) => {
    if (kind !== "knob") return kind !== "label";
    return rows.every(({ cells }) => /^\d*$/.test(cells[i] ?? ""));
  });
}

function lineOf(
  { cells, bold, id, state }: TableRow,
  { columns, numbers }: { readonly columns: readonly Column[]; readonly numbers: readonly boolean[] },
  { keys, anchored, verdicts }: SetDrawing,
): Markup {
  const anchor = anchored.has(id) ? NOTHING : html` id="${keys.keyOf(id)}"`;
  anchored.add(id);
  const kinds = [...(bold ? ["best"] : []), ...(state === "completed" ? [] : ["missing"])].join(" ");
  const content = cells.map((cell, i) => {
    const column = columns[i];
    if (column?.kind === "label") return html`<th scope="row">${cell}</th>`;
    return numbers[i] ? html`<td class="number">${cell}</td>` : html`<td>${cell}</td>`;
  });
  return html`<tr${anchor}${kinds === "" ? NOTHING : html` class="${kinds}"`}${filterAttributes(keys.factsOf(id), verdicts.get(id) ?? "")}>${content}</tr>\n`;
}

function notesView(notes: readonly Note[]): Markup {
  if (notes.length === 0) return NOTHING;
  const items = notes.map(({ rows, text, log }) => {
    const lines = log === undefined ? [] : logLines(log);
    const names = rows.length === 0 ? "" : html`<b>${rows.join(", ")}</b>: `;
    return html`<li>${names}${text}${lines.length === 0 ? NOTHING : fold("Last lines of its log", preformatted(lines))}</li>`;
  });
  return html`<ul class="notes">${items}</ul>`;
}
