/**
 * What script adds to the page: sorting, filters, the state in the address, copying and download. `npm run build` bundles it into
 * script.generated.ts. Without it the page has all its content and none of these controls.
 */
import { addCopyButtons, addDownload } from "./actions.js";
import { filters } from "./filters.js";
import { openAround, openForPrint } from "./folds.js";
import { sorting } from "./sorting.js";
import { readState, writeState } from "./state.js";

const sort = sorting(() => save());
const filter = filters(() => save());

function save(): void {
  writeState({ ...filter.values(), sort: sort.value(), row: readState().row ?? "" });
}

function restore(): void {
  const state = readState();
  filter.apply(state);
  sort.apply(state.sort ?? "");
  openAround(state.row ?? location.hash.slice(1));
}

addEventListener("hashchange", restore);
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  const row = link?.getAttribute("href")?.slice(1);
  if (row === undefined) return;
  event.preventDefault();
  writeState({ ...filter.values(), sort: sort.value(), row });
  openAround(row);
});
openForPrint();
addCopyButtons();
addDownload();
restore();
