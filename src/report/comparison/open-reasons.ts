/** Why rows are inconclusive, and what would decide them, in sentences for the top of a report. */
import { measuredMax } from "../../compare/budget.js";
import { totalSec, validPairs } from "../../compare/counted-pairs.js";
import { lastLook } from "../../compare/looks.js";
import { type Precision, precisionFor } from "../../compare/precision.js";
import { disturbedSec } from "../../compare/slices.js";
import { DISTURBED } from "../../compare/stored.js";
import { duration } from "../../messages/duration.js";
import { plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison, Pair } from "../../results/comparison.js";

/** Below this share of the time a disturbance is not the reason. */
const DISTURBED_SHARE = 0.25;

const AGAIN = "Measure again while it is quiet.";

export function openReasons({ rows, detect }: Comparison): string[] {
  const precision = precisionFor(detect);
  const open = rows.filter(({ verdict }) => verdict === "inconclusive");
  const short = open.filter((row) => row.undecided === true && isMeasurable(pairsOf(row), precision));
  const whole = open.filter((row) => validPairs(pairsOf(row)) >= lastLook(precision.looks));
  return [
    ...disturbedWhileStored(open),
    ...disturbedInPairs([...short, ...whole].flatMap(pairsOf)),
    ...tooFewPairs(short.map(pairsOf), precision),
  ];
}

function pairsOf({ recorded = [] }: ComparedRow): readonly Pair[] {
  return recorded;
}

/** A row with too many void pairs would get no more of them in a longer time. */
function isMeasurable(pairs: readonly Pair[], precision: Precision): boolean {
  return pairs.length > 0 && pairs.length < measuredMax(precision);
}

function disturbedWhileStored(open: readonly ComparedRow[]): string[] {
  const count = open.filter(({ notes = [] }) => notes.includes(DISTURBED)).length;
  if (count === 0) return [];
  return [
    `Other processes disturbed the machine while head of ${plural(count, "inconclusive row")} was measured. ${AGAIN}`,
  ];
}

function disturbedInPairs(pairs: readonly Pair[]): string[] {
  const [disturbed, all] = [disturbedSec(pairs), totalSec(pairs)];
  if (all === 0 || disturbed / all < DISTURBED_SHARE) return [];
  return [
    `The machine was disturbed for ${duration(disturbed)} of the ${duration(all)} that the inconclusive rows took. ${AGAIN}`,
  ];
}

function tooFewPairs(rows: readonly (readonly Pair[])[], { looks }: Precision): string[] {
  if (rows.length === 0) return [];
  const most = lastLook(looks);
  const sec = rows.reduce((sum, pairs) => sum + ((most - validPairs(pairs)) * totalSec(pairs)) / pairs.length, 0);
  return [
    `${plural(rows.length, "inconclusive row")} got fewer than ${most} pairs. The missing ones take about ${duration(sec)}: raise the budget.`,
  ];
}
