/** Any two runs, compared by the code of `compare`: the same verdicts, words and limits. */
import { compareStored } from "../../../compare/stored.js";
import type { Comparison } from "../../../results/comparison.js";
import { changedLines } from "../../comparison/changed-rows.js";
import { headline, headlineText } from "../../comparison/headline.js";
import {
  changeText,
  detectableText,
  isChange,
  isOpenIn,
  metricNames,
  metricTitle,
  verdictWord,
} from "../../comparison/metric-text.js";
import { notedRows, rowNames } from "../../comparison/row-names.js";
import { uncomparedLines } from "../../comparison/uncompared-lines.js";
import { fold, html, type Markup, NOTHING } from "../../html/markup.js";
import { resultsOfRun } from "../decode.js";
import { runLabel } from "../names.js";
import type { Rows } from "./rows.js";

interface Picked {
  readonly base: string;
  readonly head: string;
}

interface Picker {
  /** Ids of the runs; "" where nothing was picked. */
  readonly values: () => Picked;
  readonly apply: (picked: Picked) => void;
}

/** @param changed after each choice of the reader */
export function picker(rows: Rows, changed: () => void): Picker {
  const { runs } = rows.data;
  const place = document.querySelector("#compared");
  const [base, head] = ["base", "head"].map((name) =>
    document.querySelector<HTMLSelectElement>(`#pick [name=${name}]`),
  );
  const indexOf = (field: HTMLSelectElement | null | undefined) => runs.findIndex(({ id }) => id === field?.value);
  const show = () => {
    const [from, to] = [indexOf(base), indexOf(head)];
    if (place) place.innerHTML = (from < 0 || to < 0 ? NOTHING : compared(rows, from, to)).text;
  };
  for (const field of [base, head]) {
    field?.append(new Option("choose a run", ""));
    // The newest first.
    for (const run of [...runs].reverse()) field?.append(new Option(runLabel(run), run.id));
    field?.addEventListener("change", () => {
      show();
      changed();
    });
  }
  if (runs.length > 1) document.querySelector("#comparing")?.removeAttribute("hidden");
  return {
    values: () => ({ base: base?.value ?? "", head: head?.value ?? "" }),
    apply: (picked) => {
      for (const [field, id] of [
        [base, picked.base],
        [head, picked.head],
      ] as const) {
        if (!field) continue;
        field.value = id;
        // A link may name a run that this page does not have.
        if (field.selectedIndex < 0) field.value = "";
      }
      show();
    },
  };
}

function compared(rows: Rows, from: number, to: number): Markup {
  const [base, head] = [from, to].map((run) => resultsOfRun(rows.data, rows.all(), run));
  if (!base || !head) return NOTHING;
  const comparison = compareStored([{ source: "base", results: base }], head);
  return html`<p><b>${headlineText(headline(comparison))}</b></p>${changesTable(comparison)}${notes(comparison)}${others(comparison)}`;
}

function changesTable(comparison: Comparison): Markup {
  const lines = changedLines(comparison);
  if (lines.length === 0) return NOTHING;
  return html`<div class="scroll" role="region" aria-label="Table: changes between the two runs" tabindex="0"><table><thead><tr><th scope="col">Benchmark</th><th scope="col">Verdict</th><th scope="col">Change</th><th scope="col" class="number">Base</th><th scope="col" class="number">Head</th></tr></thead>
<tbody>${lines.map((line) => html`<tr><th scope="row">${line.row}</th><td>${line.verdict}</td><td>${line.change}</td><td class="number">${line.base}</td><td class="number">${line.head}</td></tr>`)}</tbody></table></div>`;
}

function notes(comparison: Comparison): Markup {
  const items = [
    ...uncomparedLines(comparison).map(
      ({ heading, rows, reason }) => `${heading}: ${rows.join(", ")}${reason === undefined ? "" : `: ${reason}`}`,
    ),
    ...notedRows(comparison, ({ verdict }) => isChange(verdict)).map(({ name, note }) => `${name}: ${note}`),
    ...(comparison.notes ?? []),
  ];
  return items.length === 0 ? NOTHING : html`<ul class="notes">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

function others(comparison: Comparison): Markup {
  const rest = comparison.rows.filter(({ verdict }) => !isChange(verdict));
  if (rest.length === 0) return NOTHING;
  const nameOf = rowNames(comparison);
  const metrics = metricNames(comparison);
  const lines = rest.map((row) => {
    const cells = metrics.map((name) => {
      const metric = row.metrics[name];
      const texts = metric ? [changeText(metric), detectableText(metric)] : ["N/A", "N/A"];
      return (isOpenIn(rest, name) ? texts : texts.slice(0, 1)).map((text) => html`<td class="number">${text}</td>`);
    });
    return html`<tr><th scope="row">${nameOf(row)}</th><td>${verdictWord(row.verdict)}</td>${cells}</tr>`;
  });
  const heads = metrics.map(
    (name) =>
      html`<th scope="col" class="number">${metricTitle(name)}</th>${isOpenIn(rest, name) ? html`<th scope="col" class="number">minimum detectable</th>` : NOTHING}`,
  );
  return fold(
    `The other benchmarks (${rest.length})`,
    html`<div class="scroll" role="region" aria-label="Table: the other benchmarks" tabindex="0"><table><thead><tr><th scope="col">Benchmark</th><th scope="col">Verdict</th>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`,
  );
}
