/** The rows of a comparison as readers know them. */
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import { type NamedRow, rowNamer } from "../text/row-names.js";

/** Names for the rows of a comparison, also for those without a verdict. */
export function rowNames(comparison: Comparison): (row: NamedRow) => string {
  return rowNamer(namedRows(comparison));
}

export function namedRows({ rows, controls = [], notCompared = [] }: Comparison): readonly NamedRow[] {
  return [...rows, ...controls, ...notCompared];
}

/** The notes of some rows, one by one. */
export function notedRows(
  comparison: Comparison,
  which: (row: ComparedRow) => boolean,
): { readonly name: string; readonly note: string }[] {
  const nameOf = rowNames(comparison);
  return comparison.rows.filter(which).flatMap((row) => (row.notes ?? []).map((note) => ({ name: nameOf(row), note })));
}
