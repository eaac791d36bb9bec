/**
 * How the rows that changed went in the last runs of base: one line of text each, because GitHub shows no drawings in a comment.
 * A reader sees whether a row jumps about anyway.
 */
import { type History, historyOf, measuredOf, type RowHistory } from "../../history/model.js";
import { METRICS, type MetricName, Recorder } from "../../history/record.js";
import { plural } from "../../messages/sentence.js";
import type { ComparedRow } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { decidingMetric } from "../comparison/deciding.js";
import { figure, isChange, metricTitle } from "../comparison/metric-text.js";
import { rowNames } from "../comparison/row-names.js";
import { codeSpan } from "../text/escape.js";
import type { Section } from "../text/fit-to-limit.js";
import { folded } from "../text/markdown.js";
import { ORDER, shortName } from "./lists.js";

/** Runs of base, at most; head is the tenth point. */
export const RECENT_RUNS = 9;
/** Two runs are no trend. */
const FEWEST = 3;
const ROWS = 10;
const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** @param recent stored results of base, in any order */
export function recentSection(results: Results, recent: readonly Results[]): Section {
  const { comparison } = results;
  const changed = (comparison?.rows ?? []).filter(({ verdict }) => isChange(verdict)).slice(0, ROWS);
  if (!comparison || changed.length === 0 || recent.length < FEWEST) return { text: "" };
  const recorder = new Recorder();
  const records = [...recent, results].map((one, i) => recorder.record(String(i), one));
  const history = historyOf(records);
  const nameOf = rowNames(comparison);
  const lines = changed.flatMap((row) => lineOf(row, nameOf(row), history, results.run.id) ?? []);
  if (lines.length === 0) return { text: "" };
  const summary = `Recent runs of base: ${plural(lines.length, "benchmark")}`;
  return {
    text: folded(summary, [EXPLAINED, lines.join("\n")].join("\n\n")),
    shorter: [{ order: ORDER.recent, text: "", leftOut: "recent runs of base" }],
  };
}

const EXPLAINED =
  "Stored runs of the base branch with the same settings and machine, oldest first. The bars span at least the size of the change.";

function lineOf(row: ComparedRow, name: string, history: History, headId: string): string | undefined {
  const deciding = decidingMetric(row);
  const metric = METRICS.find((one) => deciding.kind === "metric" && one.name === deciding.name);
  const found = history.rows.find(({ id, connections }) => id === row.id && connections === row.connections);
  if (deciding.kind !== "metric" || !metric || !found) return undefined;
  const head = history.runs.findIndex(({ id }) => id === headId);
  const { base, ofHead } = pointsOf(found, head, metric.name);
  if (base.length < FEWEST) return undefined;
  const signs = signsOf([...base, ...ofHead], Math.abs(deciding.metric.change));
  const [low, high] = [Math.min(...base), Math.max(...base)];
  const shown = `${codeSpan(signs.slice(0, base.length).join(""))}, ${range(metric.name, low, high)}`;
  const then =
    ofHead[0] === undefined ? "" : `; head ${codeSpan(signs.at(-1) ?? "")}, ${figure(metric.name, ofHead[0])}`;
  return `- ${codeSpan(shortName(name))}, ${metricTitle(metric.name)}: ${shown}${then}`;
}

/** `19812 to 20411 req/s` */
function range(metric: MetricName, low: number, high: number): string {
  const [from, to] = [figure(metric, low), figure(metric, high)];
  const unit = to.slice(to.lastIndexOf(" "));
  return from === to ? to : `${from.endsWith(unit) ? from.slice(0, -unit.length) : from} to ${to}`;
}

/** Of the runs that were measured as the newest one of base. @param head index of the run that is compared */
function pointsOf({ cases, series }: RowHistory, head: number, metric: MetricName) {
  const usable = cases.flatMap((one, run) => {
    const measured = measuredOf(one);
    const value = measured?.disturbed ? undefined : measured?.[metric];
    return value === undefined ? [] : [{ run, value }];
  });
  const newest = usable.findLast(({ run }) => run !== head)?.run;
  const alike = usable.filter(({ run }) => newest !== undefined && series[run] === series[newest]);
  return {
    base: alike.flatMap(({ run, value }) => (run === head ? [] : [value])).slice(-RECENT_RUNS),
    ofHead: alike.flatMap(({ run, value }) => (run === head ? [value] : [])),
  };
}

/** @param change relative: smaller differences than this look small */
function signsOf(values: readonly number[], change: number): string[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const middle = (low + high) / 2;
  const span = Math.max(high - low, change * middle);
  return values.map((value) => {
    const share = span === 0 ? 0.5 : (value - middle) / span + 0.5;
    return BLOCKS[Math.round(share * (BLOCKS.length - 1))] ?? "";
  });
}
