/** Why rows are inconclusive, and what would decide them, in sentences for the top of a report. */
import { measuredMax } from "../../compare/budget.js";
import { totalSec, validPairs } from "../../compare/counted-pairs.js";
import { lastLook } from "../../compare/looks.js";
import { PAIRED_METRICS } from "../../compare/metrics.js";
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
  const open = rows.filter(({ verdict }) => verdict === "inconclusive");
  const pairsOfRows = open.flatMap((row) => (isOpenInPairs(row) ? [row.recorded ?? []] : []));
  return [
    ...disturbedWhileStored(open),
    ...disturbedInPairs(pairsOfRows.flat()),
    ...tooFewPairs(pairsOfRows, precisionFor(detect)),
  ];
}

const TIMED = new Set<string>(PAIRED_METRICS.map(({ name }) => name));

/** Whether more pairs could decide it. */
function isOpenInPairs({ metrics, recorded = [] }: ComparedRow): boolean {
  const isOpen = ([name, { verdict }]: [string, ComparedRow["metrics"][string]]) =>
    TIMED.has(name) && verdict === "inconclusive";
  return recorded.length > 0 && Object.entries(metrics).some(isOpen);
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

/** Where the budget ended first. A row with too many void pairs would get no more with a larger one. */
function tooFewPairs(pairsOfRows: readonly (readonly Pair[])[], precision: Precision): string[] {
  const most = lastLook(precision.looks);
  const short = pairsOfRows.filter((pairs) => validPairs(pairs) < most && pairs.length < measuredMax(precision));
  if (short.length === 0) return [];
  const sec = short.reduce((sum, pairs) => sum + ((most - validPairs(pairs)) * totalSec(pairs)) / pairs.length, 0);
  return [
    `${plural(short.length, "inconclusive row")} got fewer than ${most} pairs, because time ran out. The others take about ${duration(sec)}: raise the budget.`,
  ];
}
