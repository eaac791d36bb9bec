/**
 * Change points of a series, as Apache Otava finds them (Fleming et al. 2023, "Hunter: Using Change Point Detection to Hunt
 * for Performance Regressions"): E-divisive in windows that overlap, with a t-test instead of permutations, so that the same
 * series gives the same answer; then the weakest points are removed until all that stay are significant.
 * Checked against PyPI apache-otava (scripts/fixtures/make-change-points.py).
 */
import { studentUpperTail } from "../compare/distributions.js";
import { bestSplit, type Candidate, type Distances, distancesOf } from "./e-divisive.js";
import { isOneLevel, momentsOf } from "./one-level.js";

export interface Rules {
  /** Two-sided; as Otava's --max-pvalue. */
  readonly maxP: number;
  /** Smallest difference of two levels, in the series' own unit: on logarithms. */
  readonly minDifference: number;
  /** Fewest items of a level. Otava has no such limit (1). */
  readonly minItems: number;
}

/** Otava's default for --window. */
const WINDOW = 50;
/** Candidates are found at a weaker level: removing a neighbour can make them significant. */
const FIRST_PASS = 10;

/** A new level begins at `index`. */
export interface LevelChange {
  readonly index: number;
  readonly p: number;
  /** Of the levels on both sides. */
  readonly before: Level;
  readonly after: Level;
}

interface Level {
  readonly start: number;
  readonly end: number;
  readonly mean: number;
}

export function levelChanges(values: readonly number[], rules: Rules): LevelChange[] {
  return changesThatPass(values, pointsOfOtava(values, rules), rules);
}

/** The points that Otava reports, without the fewest items of a level. */
export function pointsOfOtava(values: readonly number[], rules: Rules): number[] {
  return mergeAsOtava(values, split(values, rules.maxP * FIRST_PASS), rules);
}

/** Candidates of all windows, in order. */
function split(values: readonly number[], maxP: number): number[] {
  const found = new Set<number>();
  let start = 0;
  while (start < values.length) {
    const inWindow = splitWindow(values.slice(start, start + WINDOW), maxP).map((index) => start + index);
    for (const index of inWindow) found.add(index);
    start = Math.max(inWindow.at(-1) ?? 0, start + WINDOW / 2);
  }
  return [...found].sort((a, b) => a - b);
}

/** Splits the most different stretches first, until one split is not significant. */
function splitWindow(values: readonly number[], maxP: number): number[] {
  const moments = momentsOf(values);
  if (isOneLevel(moments, 0, values.length, maxP)) return [];
  const distances = distancesOf(values);
  const found: number[] = [];
  const known = new Map<string, Candidate | undefined>();
  for (;;) {
    if (stretches(found, values.length).every(({ start, end }) => isOneLevel(moments, start, end, maxP))) return found;
    const next = strongest(stretches(found, values.length), distances, known);
    if (next === undefined) return found;
    const { start, end, candidate } = next;
    const p = tTest(values.slice(start, candidate.index), values.slice(candidate.index, end));
    if (!(p <= maxP)) return found;
    found.push(candidate.index);
    found.sort((a, b) => a - b);
  }
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

function stretches(ends: readonly number[], length: number): Stretch[] {
  return [...ends, length].map((end, i) => ({ start: ends[i - 1] ?? 0, end }));
}

/** @param known splits of stretches that did not change since they were asked for */
function strongest(of: readonly Stretch[], distances: Distances, known: Map<string, Candidate | undefined>) {
  let best: (Stretch & { readonly candidate: Candidate }) | undefined;
  for (const stretch of of) {
    const key = `${stretch.start} ${stretch.end}`;
    if (!known.has(key)) known.set(key, bestSplit(distances, stretch.start, stretch.end));
    const candidate = known.get(key);
    if (candidate && (best === undefined || candidate.q > best.candidate.q)) best = { ...stretch, candidate };
  }
  return best;
}

/**
 * Removes the least significant point, then the smallest one, until every point passes. Like Otava it tests again only the
 * points at and after the removed one: the point before it keeps the figures of its shorter level, so that both find the same
 * points.
 */
function mergeAsOtava(values: readonly number[], candidates: readonly number[], rules: Rules): number[] {
  let changes = changesAt(values, candidates);
  for (;;) {
    const weakest = leastSignificant(changes, rules) ?? smallest(changes, rules);
    if (weakest === undefined) return changes.map(({ index }) => index);
    const at = changes.indexOf(weakest);
    const kept = changes.filter((change) => change !== weakest);
    const again = changesAt(
      values,
      kept.map(({ index }) => index),
    );
    changes = kept.map((change, i) => (i === at || i === at + 1 ? (again[i] ?? change) : change));
  }
}

/** The same with all figures up to date, and with levels that are long enough. A point that fails here is not reported. */
export function changesThatPass(values: readonly number[], points: readonly number[], rules: Rules): LevelChange[] {
  const kept = [...points];
  for (;;) {
    const changes = changesAt(values, kept);
    const weakest = shortest(changes, rules) ?? leastSignificant(changes, rules) ?? smallest(changes, rules);
    if (weakest === undefined) return changes;
    kept.splice(kept.indexOf(weakest.index), 1);
  }
}

/** @param indexes first items of the new levels, in order */
export function changesAt(values: readonly number[], indexes: readonly number[]): LevelChange[] {
  const levels = stretches(indexes, values.length).map((stretch) => ({ ...stretch, mean: meanOf(values, stretch) }));
  return levels.slice(1).flatMap((after, i) => {
    const before = levels[i];
    if (before === undefined) return [];
    const p = tTest(values.slice(before.start, before.end), values.slice(after.start, after.end));
    return [{ index: after.start, p, before, after }];
  });
}

function meanOf(values: readonly number[], { start, end }: Stretch): number {
  let sum = 0;
  for (let i = start; i < end; i += 1) sum += values[i] ?? 0;
  return sum / (end - start);
}

/** Of the points beside a level with too few items, the less significant one. */
function shortest(changes: readonly LevelChange[], { minItems }: Rules): LevelChange | undefined {
  const isShort = ({ start, end }: Level) => end - start < minItems;
  return largest(
    changes.filter(({ before, after }) => isShort(before) || isShort(after)),
    ({ p }) => p,
  );
}

function leastSignificant(changes: readonly LevelChange[], { maxP }: Rules): LevelChange | undefined {
  return largest(
    changes.filter(({ p }) => !(p < maxP)),
    ({ p }) => p,
  );
}

function smallest(changes: readonly LevelChange[], { minDifference }: Rules): LevelChange | undefined {
  const size = ({ before, after }: LevelChange) => Math.abs(after.mean - before.mean);
  return largest(
    changes.filter((change) => !(size(change) > minDifference)),
    (change) => -size(change),
  );
}

/** The first of them, where several are equal. */
function largest(changes: readonly LevelChange[], of: (change: LevelChange) => number): LevelChange | undefined {
  return changes.reduce<LevelChange | undefined>(
    (best, change) => (best === undefined || of(change) > of(best) ? change : best),
    undefined,
  );
}

/**
 * Two-sided p-value of Student's t-test with a common variance. As in Otava, the variances are those of a population (divided by
 * the number of items), which makes the test a little more ready to see a change in short series.
 */
function tTest(left: readonly number[], right: readonly number[]): number {
  const [n, m] = [left.length, right.length];
  const df = n + m - 2;
  if (n === 0 || m === 0 || df <= 0) return 1;
  const [a, b] = [moments(left), moments(right)];
  const pooled = ((n - 1) * a.variance + (m - 1) * b.variance) / df;
  const difference = Math.abs(a.mean - b.mean);
  if (difference === 0) return 1;
  if (pooled === 0) return 0;
  return 2 * studentUpperTail(difference / Math.sqrt(pooled * (1 / n + 1 / m)), df);
}

function moments(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length };
}
