/** A metric of a row as text: its name, its verdict, its change and its figures. */
import { metricNamed } from "../../compare/metric-named.js";
import type { ComparedRow, Comparison, MetricComparison, Verdict } from "../../results/comparison.js";
import { decimals, rate } from "../text/format.js";

const WORDS: Readonly<Record<Verdict, string>> = {
  worse: "worse",
  better: "better",
  "suspect-worse": "suspect: worse",
  "suspect-better": "suspect: better",
  unchanged: "unchanged",
  inconclusive: "inconclusive",
};

export function verdictWord(verdict: Verdict): string {
  return WORDS[verdict];
}

export function isChange(verdict: Verdict): boolean {
  return verdict !== "unchanged" && verdict !== "inconclusive";
}

export function metricTitle(name: string): string {
  return metricNamed(name)?.title ?? name;
}

/** The metrics that any row has, in the order of the first that has them. */
export function metricNames({ rows }: Comparison): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row.metrics)))];
}

/** The change of a metric in a table of rows; with its verdict where metrics were asked for. */
export function changeCell({ selectedMetrics }: Pick<Comparison, "selectedMetrics">, metric: MetricComparison): string {
  return selectedMetrics ? `${changeText(metric)} ${verdictWord(metric.verdict)}` : changeText(metric);
}

/** The interval of a change that has only just been found reaches further towards zero than away from it. */
const EVEN_MAX = 1.5;

/** `-3.1 % ±0.8 %`: the change, and half the width of its interval; or with both ends, `-3.1 % (-3.9 to -0.6 %)`, where half would mislead. */
export function changeText({ verdict, change, interval: [low, high] }: MetricComparison): string {
  const isUneven = change - low > EVEN_MAX * (high - change) || high - change > EVEN_MAX * (change - low);
  const ends = `(${signedPercent(low).replace(" %", "")} to ${signedPercent(high)})`;
  return `${signedPercent(change)} ${isChange(verdict) && isUneven ? ends : `±${percent((high - low) / 2)}`}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `+3.1 %`, `-3.1 %` */
export function signedPercent(share: number): string {
  return `${share < 0 ? "-" : "+"}${percent(Math.abs(share))}`;
}

/** A share. The scatter of a few pairs can give millions of percent: all that such a figure says is that nothing could be seen. */
const DETECTABLE_SHOWN_MAX = 10;

/** Whether any row has a metric of this name that was not decided: then its minimum detectable change says why. */
export function isOpenIn(rows: readonly ComparedRow[], name: string): boolean {
  return rows.some(({ metrics }) => metrics[name]?.verdict === "inconclusive");
}

/** The minimum detectable change, `4.2 %`, of a metric that was not decided; of others "". */
export function detectableText({ verdict, minimumDetectable }: MetricComparison): string {
  if (verdict !== "inconclusive") return "";
  return minimumDetectable > DETECTABLE_SHOWN_MAX
    ? `over ${percent(DETECTABLE_SHOWN_MAX).replace(".0", "")}`
    : percent(minimumDetectable);
}

/** Microseconds: a fast server answers within a few hundred of them. */
const MS_DECIMALS = 3;
/** Below this a whole number would hide a change. */
const FEW_DIGITS = 100;

/** `20153 req/s`; "" where there is none. */
export function figure(name: string, value: number | undefined): string {
  return value === undefined ? "" : `${bareFigure(name, value)} ${unitOf(name)}`.trim();
}

export function bareFigure(name: string, value: number): string {
  if (unitOf(name) === "ms") return decimals(value, MS_DECIMALS);
  // Base and head stand side by side: 17.02 → 17.60, with as many digits.
  return value < FEW_DIGITS ? value.toFixed(2) : rate(value);
}

function unitOf(name: string): string {
  return metricNamed(name)?.unit ?? "";
}
