/**
 * Change points of many series together. Each series alone finds a change in noise now and then; a page of hundreds of series
 * would always show some. The series are tested together at a false discovery rate (Benjamini and Hochberg 1995), by the chance
 * of each one's strongest change. The changes within a series that passes are tested at the rate of the series that passed
 * (Benjamini and Bogomolov 2014). Without random numbers: the same runs give the same changes.
 */
import { studentUpperTail } from "../compare/distributions.js";
import { benjaminiHochberg } from "../compare/multiplicity.js";
import { changesThatPass, type LevelChange, type Rules } from "./change-points.js";

/** Of the series that a history reports as changed, at most this share did not change. */
const FALSE_DISCOVERY_RATE = 0.05;
/**
 * Share of runs that something else on the machine can have slowed without a counter reporting it. A level of three such runs in a
 * row is no rarity among ninety runs.
 */
const UNSEEN_DISTURBANCES = 0.1;

export interface Series {
  /** As this series alone shows them. */
  readonly found: readonly LevelChange[];
  /** Read only where changes were found. */
  readonly values: readonly number[];
  /** That each change has to keep. */
  readonly rules: Rules;
}

/** @returns for each series the changes that stay. One series alone keeps all. */
export function changesAmong(series: readonly Series[]): (readonly LevelChange[])[] {
  if (series.length < 2) return series.map(({ found }) => found);
  const adjusted = benjaminiHochberg(series.map(strongest));
  const passed = adjusted.filter((p) => p <= FALSE_DISCOVERY_RATE).length;
  const level = (FALSE_DISCOVERY_RATE * passed) / series.length;
  return series.map((one, i) => ((adjusted[i] ?? 1) <= FALSE_DISCOVERY_RATE ? confirm(one, level) : []));
}

function strongest({ values, found }: Series): number {
  return Math.min(1, ...found.map((change) => chanceOf(change, values)));
}

/** Removes the weakest change until all pass. Without it the levels on its sides are one, and the changes beside it are others. */
function confirm({ values, found, rules }: Series, level: number): readonly LevelChange[] {
  let changes = found;
  for (;;) {
    const chances = changes.map((change) => chanceOf(change, values));
    const weakest = chances.indexOf(Math.max(...chances));
    if ((chances[weakest] ?? 0) <= level) return changes;
    changes = changesThatPass(
      values,
      changes.filter((_, i) => i !== weakest).map(({ index }) => index),
      rules,
    );
  }
}

/**
 * How likely noise shows such a change somewhere in the series, about. The t-test's p-value is of one split that was chosen
 * beforehand; this one was searched for among all places and lengths. A short level can also be a few disturbed runs.
 */
function chanceOf({ before, after }: LevelChange, values: readonly number[]): number {
  const [left, right] = [values.slice(before.start, before.end), values.slice(after.start, after.end)];
  const places = (values.length * values.length) / (left.length + right.length);
  const disturbed = values.length * UNSEEN_DISTURBANCES ** Math.min(left.length, right.length);
  return Math.min(1, places * tTest(left, right) + disturbed);
}

/** Student's t-test, two-sided, with the variances of samples; Otava's are those of populations. */
function tTest(left: readonly number[], right: readonly number[]): number {
  const df = left.length + right.length - 2;
  const [a, b] = [squares(left), squares(right)];
  const pooled = (a.sum + b.sum) / df;
  const difference = Math.abs(a.mean - b.mean);
  if (pooled === 0) return difference === 0 ? 1 : 0;
  return 2 * studentUpperTail(difference / Math.sqrt(pooled * (1 / left.length + 1 / right.length)), df);
}

function squares(values: readonly number[]): { readonly mean: number; readonly sum: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, sum: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) };
}
