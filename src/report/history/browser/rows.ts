/** The rows of the page and their small drawings. */
import type { MetricName } from "../../../history/record.js";
import { plural } from "../../../messages/sentence.js";
import type { HistoryData } from "../data.js";
import { type DecodedRow, decodeRow } from "../decode.js";
import { sparkline } from "../spark.js";

export interface Rows {
  readonly data: HistoryData;
  readonly decoded: (index: number) => DecodedRow | undefined;
  /** All, in the order of data.rows. */
  readonly all: () => readonly DecodedRow[];
}

export function rowsOf(data: HistoryData): Rows {
  const known: (DecodedRow | undefined)[] = [];
  const decoded = (index: number) => {
    const row = data.rows[index];
    if (row && known[index] === undefined) known[index] = decodeRow(row, data);
    return known[index];
  };
  return {
    data,
    decoded,
    all: () => data.rows.flatMap((_, i) => decoded(i) ?? []),
  };
}

/** First run of the window that the reader chose. @param last `30`, `90` or `all` */
export function firstRun({ runs }: HistoryData, last: string): number {
  return last === "all" ? 0 : Math.max(0, runs.length - Number(last));
}

export function drawSparks({ data, decoded }: Rows, metric: MetricName, from: number): void {
  for (const line of document.querySelectorAll<HTMLElement>("tr[data-row]")) {
    const row = decoded(Number(line.dataset.row));
    const cell = line.querySelector(".trend-cell");
    if (!row || !cell) continue;
    const changes = row.changes.filter((change) => change.metric === metric);
    cell.innerHTML = sparkline({ values: row.figures[metric], series: row.series, changes }, from).text;
  }
  const about = document.querySelector("#rows + p");
  const title = metric === "throughput" ? "Throughput" : "CPU per request";
  if (about)
    about.textContent = `${title}${about.textContent?.replace(/^.*? over the last \d+ runs?/, ` over the last ${plural(data.runs.length - from, "run")}`)}`;
}
