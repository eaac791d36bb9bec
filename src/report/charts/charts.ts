/** Results -> the charts of its sets, one for each table and metric that the set asks for. */

import { plural } from "../../messages/sentence.js";
import { METRIC_COLUMNS, type MetricColumn } from "../../results/metric-columns.js";
import type { CompletedCase, Results } from "../../results/schema.js";
import { DISTURBED_MARK, metricCell } from "../tables/metric-cell.js";
import { groupsOf, label, type Row, rowsOf, type SetInfo } from "../tables/rows.js";
import { MISSING } from "../text/format.js";
import { type Bar, barChart } from "./chart.js";
import { FOREST_STEMS, forestFiles } from "./forest-files.js";
import { METRIC_SCALES } from "./scales.js";

/** Where the charts are, from the report's folder. */
export const CHARTS_FOLDER = "charts";

export interface ChartFile {
  /** Name of the file in the charts' folder. */
  readonly name: string;
  readonly set: string;
  readonly group: string | undefined;
  /** `Requests per second`; written above the chart. */
  readonly heading: string;
  /** What the image says where it cannot be seen. */
  readonly alt: string;
  readonly svg: string;
}

/** Windows of one run differ by this much when the load generator waits for its last requests. */
const SAME_WINDOW_SEC = 0.5;

export function chartsOf(results: Results): ChartFile[] {
  const files: ChartFile[] = [];
  const names = new Map<string, number>(FOREST_STEMS.map((stem) => [stem, 1]));
  for (const set of results.sets) {
    for (const metric of set.charts ?? []) {
      for (const [group, rows] of groupsOf(rowsOf(set, results.cases))) {
        const name = freeName([set.name, group, metric], names);
        files.push({ ...chartOf(set, group, rows, metric), name, set: set.name, group });
      }
    }
  }
  return files;
}

/** Every file of the charts' folder: those of the sets, and the plot of all rows. */
export function chartFiles(results: Results): readonly Pick<ChartFile, "name" | "svg">[] {
  return [...chartsOf(results), ...forestFiles(results)];
}

function chartOf(set: SetInfo, group: string | undefined, rows: readonly Row[], metric: MetricColumn) {
  const heading = headingOf(metric, rows);
  const title = `${[set.title, group].filter(Boolean).join(", ")}: ${heading.charAt(0).toLowerCase()}${heading.slice(1)}`;
  const bars = rows.map((row) => barOf(row, metric));
  const bound = bars.some((bar) => bar.text.startsWith(LOWER_BOUND));
  const svg = barChart({
    title,
    unit: unitOf(metric),
    bars,
    first: METRIC_SCALES[metric].better === "higher" ? "highest" : "lowest",
    notes: [
      ...(bound ? [`${LOWER_BOUND} client-bound: the server could do more`] : []),
      ...(bars.some((bar) => bar.text.includes(SPREAD))
        ? [`${SPREAD} standard deviation between tenths of the window`]
        : []),
      ...(bars.some((bar) => bar.text.endsWith(DISTURBED_MARK))
        ? [`${DISTURBED_MARK.trim()} disturbed by other processes`]
        : []),
      ...(bars.some((bar) => bar.value === undefined) ? [`${MISSING}: failed or skipped`] : []),
    ],
  });
  return { heading, alt: title, svg };
}

const LOWER_BOUND = "≥";
const SPREAD = "±";

function barOf({ shown }: Row, metric: MetricColumn): Bar {
  if (shown.state !== "completed") return { label: label(shown), text: MISSING };
  return { label: label(shown), ...barFigure(metric, shown) };
}

/** The bar's length is the number beside it. */
export function barFigure(metric: MetricColumn, shown: CompletedCase): Pick<Bar, "text" | "value"> {
  const text = boundedCell(metric, shown);
  const value = Number.parseFloat(text.replace(LOWER_BOUND, ""));
  return { text, ...(Number.isFinite(value) ? { value } : {}) };
}

/** The number of requests of a client-bound row is a lower bound, like their rate. */
function boundedCell(metric: MetricColumn, shown: CompletedCase): string {
  const cell = metricCell(metric, shown);
  return metric === "requests" && shown.summary.clientBound ? `${LOWER_BOUND} ${cell}` : cell;
}

/** `Requests served in 60 seconds`, where all rows were measured for as long. */
export function headingOf(metric: MetricColumn, rows: readonly Row[]): string {
  if (metric === "rps") return "Requests per second";
  if (metric !== "requests") return METRIC_COLUMNS[metric];
  const seconds = rows.flatMap(({ shown }) =>
    shown.state === "completed" ? [shown.summary.requests / shown.summary.requestsPerSec] : [],
  );
  const [low, high] = [Math.min(...seconds), Math.max(...seconds)];
  const same = seconds.length > 0 && high - low <= SAME_WINDOW_SEC;
  return same ? `Requests served in ${plural(Math.round(low), "second")}` : "Requests served";
}

function unitOf(metric: MetricColumn): string {
  const { unit, better } = METRIC_SCALES[metric];
  return `${unit}, ${better} is better`;
}

/** A file name has room for 255 bytes; the rest is for a number and the suffix. */
const STEM_CHARACTERS = 200;

/**
 * Letters, digits and dashes of foreign names: nothing in them leads out of the folder.
 * @param names taken so far, with the number that was tried last for each
 */
function freeName(parts: readonly (string | undefined)[], names: Map<string, number>): string {
  const stem = parts
    .filter((part) => part !== undefined)
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, STEM_CHARACTERS);
  for (let count = (names.get(stem) ?? 0) + 1; ; count++) {
    const name = count === 1 ? stem : `${stem}-${count}`;
    names.set(stem, count);
    if (count > 1 && names.has(name)) continue;
    names.set(name, Math.max(1, names.get(name) ?? 0));
    return `${name}.svg`;
  }
}
