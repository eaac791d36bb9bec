/** Why rows are inconclusive, and what would decide them, in sentences for the top of a report. */
import { measuredMax } from "../../compare/budget.js";
import { totalSec, validPairs } from "../../compare/counted-pairs.js";
import { lastLook } from "../../compare/looks.js";
import { FINE_PRECISION, type Precision, precisionFor, USUAL_PRECISION } from "../../compare/precision.js";
import { DISTURBED } from "../../compare/row-notes.js";
import { disturbedSec } from "../../compare/slices.js";
import { duration } from "../../messages/duration.js";
import { plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison, Pair } from "../../results/comparison.js";

/** Below this share of the time a disturbance is not the reason. */
const DISTURBED_SHARE = 0.25;

const AGAIN = "Measure again while it is quiet.";

export function openReasons({ rows, detect }: Comparison): string[] {
  const precision = precisionFor(detect);
  const open = rows.filter(({ verdict }) => verdict === "inconclusive");
  const whole = open.filter((row) => isWhole(pairsOf(row), precision));
  const short = open.filter((row) => row.undecided === true && !whole.includes(row));
  const disturbed = disturbedInPairs([...whole, ...short].flatMap(pairsOf));
  return [
    ...disturbedWhileStored(open),
    ...disturbed,
    ...(disturbed.length === 0 ? tooNoisy(open, precision) : []),
    ...tooFewPairs(short.map(pairsOf), precision),
  ];
}

function pairsOf({ recorded = [] }: ComparedRow): readonly Pair[] {
  return recorded;
}

/** It has the pairs of the last look, or so many void ones that it gets no more. */
function isWhole(pairs: readonly Pair[], precision: Precision): boolean {
  return validPairs(pairs) >= lastLook(precision.looks) || pairs.length >= measuredMax(precision);
}

function disturbedWhileStored(open: readonly ComparedRow[]): string[] {
  const count = open.filter(({ notes = [] }) => notes.includes(DISTURBED)).length;
  if (count === 0) return [];
  return [
    `Other processes disturbed the machine while head of ${plural(count, "inconclusive benchmark")} was measured. ${AGAIN}`,
  ];
}

function disturbedInPairs(pairs: readonly Pair[]): string[] {
  const [disturbed, all] = [disturbedSec(pairs), totalSec(pairs)];
  if (!Number.isFinite(all) || all === 0 || disturbed / all < DISTURBED_SHARE) return [];
  return [
    `The machine was disturbed for ${duration(disturbed)} of the ${duration(all)} that the inconclusive benchmarks took. ${AGAIN}`,
  ];
}

/** Rows that got all of their pairs. Only where CPU time is open can counted instructions show more. */
function tooNoisy(open: readonly ComparedRow[], precision: Precision): string[] {
  const most = lastLook(precision.looks);
  const noisy = open.filter(
    (row) => row.metrics.cpuPerRequest?.verdict === "inconclusive" && validPairs(pairsOf(row)) === most,
  );
  if (noisy.length === 0) return [];
  const isFine = precision !== USUAL_PRECISION;
  const counts = noisy.every(({ metrics }) => metrics.instructions !== undefined);
  const ways = [
    ...(isFine ? [] : [`up to ${lastLook(FINE_PRECISION.looks)} pairs (detect 1)`]),
    ...(counts ? [] : ["instruction counts (metrics throughput,cpu,instructions)"]),
  ];
  const remedy = ways.length === 0 ? "on a quieter machine" : `with ${ways.join(" or ")}`;
  return [
    `${plural(noisy.length, "inconclusive benchmark")} got all ${most} pairs, and these differ too much. Smaller changes show ${remedy}.`,
  ];
}

/** The budget ended first. */
function tooFewPairs(rows: readonly (readonly Pair[])[], precision: Precision): string[] {
  const most = lastLook(precision.looks);
  const missing = rows.flatMap((pairs) => missingSec(pairs, precision) ?? []);
  const sec = missing.reduce((sum, one) => sum + one, 0);
  if (missing.length === 0 || !Number.isFinite(sec)) return [];
  return [
    `${plural(missing.length, "inconclusive benchmark")} got fewer than ${most} pairs. The missing ones take about ${duration(sec)}: raise the budget.`,
  ];
}

/** Until it has the pairs of the last look, with as many void ones as so far. Undefined: before that it gets no more. */
function missingSec(pairs: readonly Pair[], precision: Precision): number | undefined {
  const valid = validPairs(pairs);
  const further = ((lastLook(precision.looks) - valid) * pairs.length) / valid;
  return pairs.length + further <= measuredMax(precision) ? (further * totalSec(pairs)) / pairs.length : undefined;
}
