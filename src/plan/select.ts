/** `interfaces`, `interfaces/rsgi-bytes`, `vs-*`, `interfaces/*-echo` -> the rows they name. */
import picomatch from "picomatch";
import { InputError } from "../errors.js";
import { unknownName } from "./nearest.js";
import type { PlannedSet } from "./types.js";

/** At the end of the message for a set that is not there. */
export const OWN_SET_HINT = "; if it is a set of your own, give its folder with --scenarios DIR (input: scenarios-dir)";

/** Commas separate too, for inputs that are one string. */
export function splitSelectors(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(/[,\s]+/)).filter((value) => value !== "");
}

/**
 * Sets in their own order, each with the rows that were asked for.
 * @throws InputError for a selector that names nothing, with the nearest right name.
 */
export function selectSets(sets: readonly PlannedSet[], selectors: readonly string[]): PlannedSet[] {
  const wanted = new Set<string>();
  for (const selector of selectors) for (const id of matching(sets, selector)) wanted.add(id);
  return sets
    .map((set) => ({ ...set, rows: set.rows.filter((row) => wanted.has(row.id)) }))
    .filter((set) => set.rows.length > 0);
}

/** Whether a selector can name rows of this set; none names every set. */
export function namesSet(selectors: readonly string[], set: string): boolean {
  if (selectors.length === 0) return true;
  return selectors.some((selector) => matcher(selector.split("/")[0] ?? "")(set));
}

/** Whether a selector names the row; none names every row. */
export function namesRow(selectors: readonly string[], id: string): boolean {
  if (selectors.length === 0) return true;
  const [set = ""] = id.split("/");
  return selectors.some((selector) => matcher(selector)(selector.includes("/") ? id : set));
}

function matcher(selector: string): (name: string) => boolean {
  return /[*?[{!]/.test(selector) ? picomatch(selector) : (name) => name === selector;
}

function matching(sets: readonly PlannedSet[], selector: string): string[] {
  const ofRow = selector.includes("/");
  const matches = matcher(selector);
  const found = sets.flatMap((set) =>
    !ofRow && matches(set.name)
      ? set.rows.map((row) => row.id)
      : set.rows.filter((row) => ofRow && matches(row.id)).map((row) => row.id),
  );
  if (found.length > 0) return found;
  const [setName = ""] = selector.split("/");
  const set = ofRow ? sets.find((candidate) => candidate.name === setName) : undefined;
  if (set)
    throw new InputError(
      unknownName(
        "row",
        selector,
        set.rows.map((row) => row.id),
      ),
    );
  const names = sets.map((candidate) => candidate.name);
  throw new InputError(`${unknownName("scenario set", setName, names)}${OWN_SET_HINT}`);
}
