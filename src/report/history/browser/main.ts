/**
 * What script adds to the page of a history: large drawings, other parts of the history, any two runs compared, sorting, filters,
 * and the state in the address. `npm run build` bundles it into script.generated.ts.
 */
import { addDownload } from "../../html/browser/actions.js";
import { filters } from "../../html/browser/filters.js";
import { openAround, openForPrint } from "../../html/browser/folds.js";
import { sorting } from "../../html/browser/sorting.js";
import { readState, writeState } from "../../html/browser/state.js";
import type { HistoryData } from "../data.js";
import { details } from "./detail.js";
import { picker } from "./pick.js";
import { drawSparks, firstRun, rowsOf } from "./rows.js";

const data: HistoryData = JSON.parse(document.querySelector("#page-data")?.textContent ?? "{}");
const rows = rowsOf(data);
const view = document.querySelector<HTMLFormElement>("#view");

function field(name: string): HTMLSelectElement | null {
  return document.querySelector(`#view [name=${name}]`);
}

const initial = { last: field("last")?.value ?? "all", metric: "throughput" };
const shown = { ...initial };
const from = () => firstRun(data, field("last")?.value ?? "all");

const detail = details(rows, from);
const sort = sorting(() => {
  detail.refresh();
  save();
});
const filter = filters(() => {
  showMatches();
  save();
});
const pick = picker(rows, () => save());

function save(): void {
  const { last, metric } = shown;
  writeState({
    ...filter.values(),
    ...pick.values(),
    sort: sort.value(),
    row: detail.value(),
    last: last === initial.last ? "" : last,
    metric: metric === initial.metric ? "" : metric,
  });
}

/** Opens the sets that have rows which match. */
function showMatches(): void {
  if (Object.values(filter.values()).every((value) => value === "")) return;
  for (const fold of document.querySelectorAll<HTMLDetailsElement>(".set-fold:not(.filtered) > details"))
    fold.open = true;
}

/** Draws again only what the reader chose: the page comes with its first drawings. */
function draw(): void {
  const [last, metric] = [field("last")?.value ?? "all", field("metric")?.value ?? "throughput"];
  if (last === shown.last && metric === shown.metric) return;
  Object.assign(shown, { last, metric });
  drawSparks(rows, metric === "cpuPerRequest" ? metric : "throughput", from());
  detail.refresh();
}

function restore(): void {
  const state = readState();
  for (const name of ["last", "metric"] as const) {
    const select = field(name);
    if (!select) continue;
    select.value = state[name] ?? initial[name];
    // A link may come from another page.
    if (select.selectedIndex < 0) select.value = initial[name];
  }
  draw();
  filter.apply(state);
  showMatches();
  sort.apply(state.sort ?? "");
  pick.apply({ base: state.base ?? "", head: state.head ?? "" });
  const row = state.row ?? location.hash.slice(1);
  detail.open(row);
  openAround(row);
}

view?.removeAttribute("hidden");
view?.addEventListener("submit", (event) => event.preventDefault());
view?.addEventListener("input", () => {
  draw();
  save();
});
addEventListener("hashchange", restore);
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#row-"]') : null;
  const row = link?.getAttribute("href")?.slice(1);
  if (row === undefined) return;
  event.preventDefault();
  const own = link?.closest("tr")?.id === row;
  if (own) detail.toggle(row);
  else {
    detail.open(row);
    openAround(row);
  }
  save();
});
openForPrint();
addDownload();
restore();
