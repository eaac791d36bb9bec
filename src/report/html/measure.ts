/** What the bars of a chart show: the throughput, or a column that the set asks a chart for. */
import type { MetricColumn } from "../../results/metric-columns.js";
import type { CompletedCase } from "../../results/schema.js";
import { barFigure, headingOf } from "../charts/charts.js";
import { METRIC_SCALES } from "../charts/scales.js";
import type { Row } from "../tables/rows.js";
import { rate } from "../text/format.js";
import { throughputOf, throughputWords } from "./throughput.js";

export interface Measure {
  /** `requests per second, more is better` */
  readonly words: string;
  readonly figureOf: (shown: CompletedCase) => BarFigure;
  /** Relative spread of the figure. */
  readonly spreadOf: (shown: CompletedCase) => number;
  /** The metric of a comparison that has the change from base. */
  readonly compared?: string;
}

export interface BarFigure {
  /** Beside the bar. */
  readonly text: string;
  /** Length of the bar; undefined where there is no figure. */
  readonly value?: number;
  /** The load generator limited it: the server could do more. */
  readonly isLowerBound: boolean;
}

export function throughputMeasure(rows: readonly Row[]): Measure {
  return {
    words: `${throughputWords(rows)}, more is better`,
    figureOf: (shown) => {
      const [value, isLowerBound] = [throughputOf(shown), shown.summary.clientBound];
      return { text: `${isLowerBound ? "≥ " : ""}${rate(value)}`, value, isLowerBound };
    },
    spreadOf: ({ spread = 0 }) => spread,
    compared: "throughput",
  };
}

export function columnMeasure(column: MetricColumn, rows: readonly Row[]): Measure {
  const heading = headingOf(column, rows);
  const { unit, better } = METRIC_SCALES[column];
  // The heading of the number of requests has its unit.
  const what = column === "requests" ? heading : `${heading} in ${unit}`;
  return {
    words: `${what.charAt(0).toLowerCase()}${what.slice(1)}, ${better === "higher" ? "more" : "less"} is better`,
    figureOf: (shown) => {
      const figure = barFigure(column, shown);
      return { ...figure, isLowerBound: figure.text.startsWith("≥") };
    },
    spreadOf: () => 0,
  };
}
