/** The comparison -> what the forest plot draws: every row as a point with its interval, better to the right. */
import type { ComparedRow, Comparison, Verdict } from "../../results/comparison.js";
import { type Deciding, decidingMetric } from "../comparison/deciding.js";
import { isChange } from "../comparison/metric-text.js";
import { namedRows } from "../comparison/row-names.js";
import { rowNamerInSet } from "../text/row-names.js";
import type { RowFacts, RowKeys } from "./row-keys.js";

export interface ForestRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly verdict: Verdict;
  readonly facts: RowFacts;
  readonly deciding: Deciding;
  /** Logarithms of head over base, with the sign that makes better positive; absent without a metric. */
  readonly effect?: Effect;
}

interface Effect {
  readonly at: number;
  readonly low: number;
  readonly high: number;
  /** Of a change that is unchanged, to both sides. */
  readonly margin: number;
}

export interface ForestGroup {
  readonly set: string;
  /** The rows that a reader sees first: all of a short plot, else those that changed and the extremes. */
  readonly shown: readonly ForestRow[];
  readonly folded: readonly ForestRow[];
}

export interface Forest {
  readonly groups: readonly ForestGroup[];
  /** The axis reaches so far to both sides, in logarithms. */
  readonly reach: number;
}

/** A plot with more rows folds its sets. */
const ROWS_UNFOLDED = 40;
/** Of a folded set, the rows at each end that stay visible. */
const EXTREMES = 1;
/** Fewer rows are not worth a fold. */
const FOLDED_MIN = 3;
/** The axis never ends closer to zero: a plot of tiny changes must not look dramatic. */
const REACH_MIN = Math.log1p(0.06);
/** Twice as fast, or half: values beyond are drawn at the edge, with an arrow. */
const REACH_MAX = Math.LN2;
/** This share of the intervals fits the axis. */
const FITTING = 0.95;

export function forestOf(comparison: Comparison, keys: RowKeys): Forest {
  const nameOf = rowNamerInSet(namedRows(comparison));
  const rows = comparison.rows.map((row): ForestRow => {
    const deciding = decidingMetric(row, comparison);
    const effect = effectOf(deciding);
    return {
      id: row.id,
      key: isChange(row.verdict) ? keys.cardOf(row) : keys.keyOf(row.id),
      name: nameOf(row),
      verdict: row.verdict,
      facts: keys.factsOf(row.id),
      deciding,
      ...(effect && { effect }),
    };
  });
  const bySet = new Map<string, ForestRow[]>();
  for (const row of rows) {
    const set = keys.setOf(row.id);
    const known = bySet.get(set);
    if (known) known.push(row);
    else bySet.set(set, [row]);
  }
  const folds = rows.length > ROWS_UNFOLDED;
  return { groups: [...bySet].map(([set, of]) => groupOf(set, of, folds)), reach: reachOf(rows) };
}

function effectOf(deciding: Deciding): Effect | undefined {
  if (deciding.kind !== "metric") return undefined;
  const { metric, higherIsBetter, margin } = deciding;
  const log = (share: number) => Math.log1p(Math.max(share, -0.999)) * (higherIsBetter ? 1 : -1);
  const ends = metric.interval.map(log);
  return { at: log(metric.change), low: Math.min(...ends), high: Math.max(...ends), margin: Math.log1p(margin) };
}

/** Worst first. */
function groupOf(set: string, rows: readonly ForestRow[], folds: boolean): ForestGroup {
  const sorted = [...rows].sort((a, b) => (a.effect?.at ?? 0) - (b.effect?.at ?? 0));
  if (!folds) return { set, shown: sorted, folded: [] };
  const extremes = new Set([...sorted.slice(0, EXTREMES), ...sorted.slice(-EXTREMES)]);
  const stays = (row: ForestRow) => isChange(row.verdict) || extremes.has(row);
  if (sorted.filter((row) => !stays(row)).length < FOLDED_MIN) return { set, shown: sorted, folded: [] };
  return { set, shown: sorted.filter(stays), folded: sorted.filter((row) => !stays(row)) };
}

function reachOf(rows: readonly ForestRow[]): number {
  const ends = rows.flatMap(({ effect }) => (effect ? [Math.max(Math.abs(effect.low), Math.abs(effect.high))] : []));
  const changes = rows.flatMap(({ effect, verdict }) =>
    effect && isChange(verdict) ? [Math.abs(effect.low), Math.abs(effect.high)] : [],
  );
  ends.sort((a, b) => a - b);
  const usual = ends[Math.min(ends.length - 1, Math.ceil(FITTING * ends.length) - 1)] ?? 0;
  return 1.05 * Math.min(REACH_MAX, Math.max(REACH_MIN, usual, ...changes));
}

/** How many of each verdict, in words: `1 worse, 22 unchanged`. */
export function verdictCounts(
  rows: readonly Pick<ComparedRow, "verdict">[],
  word: (verdict: Verdict) => string,
): string {
  const counts = new Map<Verdict, number>();
  for (const { verdict } of rows) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].map(([verdict, count]) => `${count} ${word(verdict)}`).join(", ");
}
