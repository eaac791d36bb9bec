/** Anchors and names of the rows of a history. Names from a results file never become ids. */
import type { History, RowHistory } from "../../history/model.js";
import { rowNamer, rowNamerInSet } from "../text/row-names.js";

export interface HistoryKeys {
  readonly runs: History["runs"];
  readonly keyOf: (row: RowHistory) => string;
  readonly indexOf: (row: RowHistory) => number;
  readonly nameOf: (row: RowHistory) => string;
  readonly nameInSetOf: (row: RowHistory) => string;
}

export function historyKeys({ rows, runs }: History): HistoryKeys {
  const index = new Map(rows.map((row, i) => [row, i]));
  const indexOf = (row: RowHistory) => index.get(row) ?? 0;
  const keyOf = (row: RowHistory) => `row-${indexOf(row)}`;
  return { runs, indexOf, keyOf, nameOf: rowNamer(rows), nameInSetOf: rowNamerInSet(rows) };
}
