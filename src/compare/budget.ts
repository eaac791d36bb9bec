/** Which row gets the next pair: time goes to rows whose verdict is still open, and a budget bounds it. */
import { firstLook, lastLook } from "./looks.js";
import { type Precision, USUAL_PRECISION } from "./precision.js";

export interface Candidate {
  readonly id: string;
  /** Pairs that count, and all that were measured. */
  readonly pairs: number;
  readonly measured: number;
  readonly open: boolean;
  readonly suspicious: boolean;
}

interface Time {
  readonly elapsedSec: number;
  /** For all rows together; undefined: as long as rows are open. */
  readonly limitSec?: number;
  /** What a pair takes on average. */
  readonly pairSec: number;
}

/** Pairs of a row, void ones included: a machine on which every second pair is void will not become quiet. */
export function measuredMax({ looks }: Precision): number {
  return 2 * lastLook(looks);
}

/**
 * Rows get their first pairs in turn, so that a slow minute is shared by all. Then suspicious rows come before the other
 * open ones, and those with the fewest pairs first. A row is begun only while the budget has room for its first pairs
 * beside those of the rows that are begun. One row always gets them: the one that has most of them where the budget ends. Undefined: no
 * further pair.
 */
export function nextRow(
  candidates: readonly Candidate[],
  time: Time,
  precision: Precision = USUAL_PRECISION,
): string | undefined {
  const pairsMin = firstLook(precision.looks);
  const able = candidates.filter(({ open, measured }) => open && measured < measuredMax(precision));
  const waiting = able.filter(({ pairs, measured }) => pairs < pairsMin && measured < 2 * pairsMin);
  const begun = candidates.filter(({ measured }) => measured > 0);
  if (isOver(time) && begun.every(({ pairs }) => pairs < pairsMin))
    return mostPairs(waiting.filter(({ measured }) => measured > 0))?.id;
  const first = fewestPairs(waiting.filter((row) => row.measured > 0 || mayBegin(begun, time, pairsMin)));
  if (first && !isOver(time)) return first.id;
  if (time.limitSec !== undefined && time.elapsedSec + time.pairSec > time.limitSec) return undefined;
  const rest = able.filter(({ measured }) => measured > 0);
  return (fewestPairs(rest.filter(({ suspicious }) => suspicious)) ?? fewestPairs(rest))?.id;
}

/** Whether the budget has room for the first pairs of one more row. */
function mayBegin(begun: readonly Candidate[], time: Time, pairsMin: number): boolean {
  const { elapsedSec, limitSec, pairSec } = time;
  if (limitSec === undefined) return true;
  if (begun.length === 0) return !isOver(time);
  const reserved = begun.reduce((sum, { pairs, open }) => sum + (open ? Math.max(0, pairsMin - pairs) : 0), 0);
  return elapsedSec + (reserved + pairsMin) * pairSec <= limitSec;
}

function isOver({ elapsedSec, limitSec }: Time): boolean {
  return limitSec !== undefined && elapsedSec >= limitSec;
}

function mostPairs([first, ...others]: readonly Candidate[]): Candidate | undefined {
  return first && others.reduce((best, candidate) => (candidate.pairs > best.pairs ? candidate : best), first);
}

function fewestPairs(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) => (best === undefined || candidate.measured < best.measured ? candidate : best),
    undefined,
  );
}
