/** Several changes of a row -> what they come to: its newest level beside the one before the first of them. */
import { direction } from "../compare/verdict.js";
import { changesThatPass } from "./change-points.js";
import { type ChangePoint, pointsOf, type RowHistory, rulesOf } from "./model.js";
import { METRICS, type Metric } from "./record.js";

/** "none": no level changed. "back": the changes cancel each other. */
export type NetChange = "worse" | "better" | "back" | "none";

/** Worse where any metric is worse. @param from the first run whose changes count */
export function netChange(row: RowHistory, from: number): NetChange {
  const changes = row.changes.filter(({ run }) => run >= from);
  if (changes.length === 0) return "none";
  const verdicts = METRICS.flatMap((metric) => {
    const logRatio = netLogRatio(row, metric, changes);
    return Math.abs(logRatio) > metric.margins.floor ? [direction(metric, logRatio)] : [];
  });
  if (verdicts.includes("worse")) return "worse";
  return verdicts.includes("better") ? "better" : "back";
}

/** Levels are compared only where they were measured alike; the ratios of several such stretches are multiplied. */
function netLogRatio(row: RowHistory, metric: Metric, changes: readonly ChangePoint[]): number {
  const ofMetric = changes.filter((change) => change.metric === metric.name);
  const stretches = [...new Set(ofMetric.map(({ series }) => series))];
  return stretches.reduce((sum, index) => {
    const [first, ...later] = ofMetric.filter(({ series }) => series === index);
    return first === undefined ? sum : sum + stretchLogRatio(row, metric, first, later.at(-1));
  }, 0);
}

/** 0 where the two levels differ no more than noise does. */
function stretchLogRatio(row: RowHistory, metric: Metric, first: ChangePoint, last: ChangePoint | undefined): number {
  if (last === undefined) return Math.log(first.newLevel / first.oldLevel);
  const { runs, values } = pointsOf(row.cases, row.series, first.series, metric);
  const [end, start] = [runs.indexOf(first.run), runs.indexOf(last.run)];
  const before = values.slice(end - first.runsBefore, end);
  const after = values.slice(start, start + last.runsAfter);
  const passes = changesThatPass([...before, ...after], [before.length], rulesOf(metric)).length > 0;
  return passes ? Math.log(last.newLevel / first.oldLevel) : 0;
}
