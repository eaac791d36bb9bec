/** What changed: a card for each changed row, with its metrics, its pairs and the command that measures it again. */

import { plural } from "../../messages/sentence.js";
import type { ComparedRow, MetricComparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { costText } from "../comparison/changed-rows.js";
import { decidingMetric } from "../comparison/deciding.js";
import { headline, headlineText, withoutChange } from "../comparison/headline.js";
import { detectableText, figure, isChange, metricTitle, percent, verdictWord } from "../comparison/metric-text.js";
import { remarks } from "../comparison/remarks.js";
import { rowNames } from "../comparison/row-names.js";
import { uncomparedLines } from "../comparison/uncompared-lines.js";
import type { Origin } from "../repeat/origin.js";
import { repeatRows } from "../repeat/repeat.js";
import type { Trust } from "../trust/trust.js";
import { verdictMark } from "./forest-view.js";
import { fold, html, type Markup, NOTHING, preformatted } from "./markup.js";
import { capital, pairPlot } from "./pair-plot.js";
import { filterAttributes, type RowKeys } from "./row-keys.js";
import { intervalText, signedPercent } from "./shares.js";

export interface ChangesOptions {
  readonly keys: RowKeys;
  readonly trust: Trust;
  readonly origin?: Origin;
}

/** More cards than this are folded. */
const CARDS_SHOWN = 12;
/** With more than this, only the first ones have plots and commands: a page has to stay small. */
const DETAILED = 60;

type Compared = Results & { readonly comparison: NonNullable<Results["comparison"]> };

export function changesView(results: Compared, options: ChangesOptions): Markup {
  const { comparison } = results;
  const changed = comparison.rows.filter(({ verdict }) => isChange(verdict)).sort((a, b) => size(b) - size(a));
  const nameOf = rowNames(comparison);
  const cards = changed.map((row, i) => card({ results, row, name: nameOf(row), detailed: i < DETAILED }, options));
  const more = cards.slice(CARDS_SHOWN);
  return html`<section aria-labelledby="changed">
<h2 id="changed">What changed</h2>
${cards.length === 0 ? html`<p>${unchangedText(comparison)}</p>` : NOTHING}
${cards.slice(0, CARDS_SHOWN)}
${more.length === 0 ? NOTHING : fold(plural(more.length, "more changed benchmark"), more)}
${changed.length > DETAILED ? html`<p class="muted">The first ${DETAILED} benchmarks are shown with their pairs; results.json has those of all benchmarks.</p>` : NOTHING}
${remarksView(comparison)}
</section>`;
}

/** Nothing changed, or nothing could be decided or compared. */
function unchangedText(comparison: Compared["comparison"]): string {
  const { rows } = comparison;
  return rows.length === 0 ? headlineText(headline(comparison)) : `${withoutChange(rows)}.`;
}

/** Worse before better, larger changes first. */
function size(row: ComparedRow): number {
  const deciding = decidingMetric(row);
  const change = deciding.kind === "metric" ? Math.abs(deciding.metric.change) : 0;
  return (row.verdict.endsWith("worse") ? 1e6 : 0) + change;
}

interface Card {
  readonly results: Compared;
  readonly row: ComparedRow;
  readonly name: string;
  readonly detailed: boolean;
}

function card({ results, row, name, detailed }: Card, { keys, trust, origin }: ChangesOptions): Markup {
  const facts = keys.factsOf(row.id);
  const where = [keys.setOf(row.id), facts.server, facts.interface].filter(Boolean).join(" · ");
  const metrics = Object.entries(row.metrics);
  const plots = detailed ? metrics.map(([metric]) => pairPlot(row, name, metric)) : [];
  const command = detailed && trust.kind === "own" ? commandOf(results, row, origin) : NOTHING;
  return html`<article class="card ${row.verdict}" id="${keys.cardOf(row)}"${filterAttributes(facts, row.verdict)}>
<h3>${verdictMark(row.verdict)} <a href="#${keys.keyOf(row.id)}">${name}</a> <span class="verdict ${row.verdict}">${verdictWord(row.verdict)}</span></h3>
<p class="muted">${[where, costText(row)].filter(Boolean).join(" · ")}</p>
${metricTable(metrics, name)}
${idleLine(row)}
${noteList(row.notes ?? [])}
<div class="plots">${plots}</div>
${command}
</article>
`;
}

const HEADINGS = ["Metric", "Base", "Head", "Change", "95 % interval"];

function metricTable(metrics: readonly (readonly [string, MetricComparison])[], name: string): Markup {
  if (metrics.length === 0) return NOTHING;
  const detectable = metrics.some(([, of]) => detectableText(of) !== "") ? ["Minimum detectable"] : [];
  const lines = metrics.map(([metric, of]) => {
    const cells = [
      figure(metric, of.base),
      figure(metric, of.head),
      signedPercent(of.change),
      intervalText(of),
      ...detectable.map(() => detectableText(of)),
    ];
    return html`<tr><th scope="row">${capital(metricTitle(metric))}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}<td>${verdictWord(of.verdict)}</td></tr>`;
  });
  const headings = [...HEADINGS, ...detectable];
  const head = headings.map(
    (heading, i) => html`<th scope="col"${i > 0 ? html` class="number"` : NOTHING}>${heading}</th>`,
  );
  return html`<div class="scroll" role="region" aria-label="Metrics of ${name}" tabindex="0"><table><thead><tr>${head}<th scope="col">Verdict</th></tr></thead><tbody>${lines}</tbody></table></div>`;
}

function idleLine({ idleCpu }: ComparedRow): Markup {
  if (!idleCpu?.worse) return NOTHING;
  return html`<p>CPU while idle: ${percent(idleCpu.base)} of a CPU in base, ${percent(idleCpu.head)} in head.</p>`;
}

function noteList(notes: readonly string[]): Markup {
  return notes.length === 0 ? NOTHING : html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

function commandOf(results: Results, { id }: ComparedRow, origin: Origin | undefined): Markup {
  const repeats = repeatRows(results, [id], { origin, heading: "To measure this benchmark again:" });
  return fold(
    "Command to measure it again",
    repeats.map(
      ({ heading, lines }) => html`<div class="command" data-copy><p>${heading}</p>${preformatted(lines)}</div>`,
    ),
  );
}

/** Rows that were not compared, what the other rows have notes on, and the noise that control rows show. */
function remarksView(comparison: Compared["comparison"]): Markup {
  const nameOf = rowNames(comparison);
  const uncompared = uncomparedLines(comparison).map(
    ({ heading, rows, reason }) =>
      html`<li>${heading}: ${rows.join(", ")}${reason === undefined ? "" : `: ${reason}`}</li>`,
  );
  const others = remarks(comparison).map((line) => html`<li>${line}</li>`);
  const noted = comparison.rows.filter(({ verdict, notes = [] }) => !isChange(verdict) && notes.length > 0);
  const notes = noted.flatMap((row) => (row.notes ?? []).map((note) => html`<li>${nameOf(row)}: ${note}</li>`));
  const direct = [...uncompared, ...others];
  return html`${direct.length === 0 ? NOTHING : html`<ul class="notes">${direct}</ul>`}${
    noted.length === 0
      ? NOTHING
      : fold(
          `Notes on ${plural(noted.length, "unchanged or inconclusive benchmark")}`,
          html`<ul class="notes">${notes}</ul>`,
        )
  }`;
}
