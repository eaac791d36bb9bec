/** Which row gets the next pair: time goes to rows whose verdict is still open, and a budget bounds it. */
import { firstLook, lastLook } from "./looks.js";
import { type Precision, USUAL_PRECISION } from "./precision.js";

export interface Candidate {
  readonly id: string;
  /** Pairs that count, and all that were measured. */
  readonly pairs: number;
  readonly measured: number;
  /** What its next pair is expected to take. */
  readonly pairSec: number;
  readonly open: boolean;
  readonly suspicious: boolean;
}

interface Time {
  readonly elapsedSec: number;
  /** For all rows together; undefined: as long as rows are open. */
  readonly limitSec?: number;
}

/** Pairs of a row, void ones included: a machine on which every second pair is void will not become quiet. */
export function measuredMax({ looks }: Precision): number {
  return 2 * lastLook(looks);
}

/**
 * Rows get their first pairs in turn, so that a slow minute is shared by all. Then suspicious rows come before the other
 * open ones, and those with the fewest pairs first. No pair is begun that would end after the limit, and a row only where its
 * first pairs fit beside those of the rows that are begun. Where these no longer fit, because pairs became slower, the rows that
 * have most of them are finished first. Undefined: no further pair.
 */
export function nextRow(
  candidates: readonly Candidate[],
  { elapsedSec, limitSec = Number.POSITIVE_INFINITY }: Time,
  precision: Precision = USUAL_PRECISION,
): string | undefined {
  const pairsMin = firstLook(precision.looks);
  const leftSec = limitSec - elapsedSec;
  const missingSec = ({ pairs, pairSec }: Candidate) => Math.max(0, pairsMin - pairs) * pairSec;
  const able = candidates.filter(
    ({ open, measured, pairSec }) => open && measured < measuredMax(precision) && leftSec > 0 && pairSec <= leftSec,
  );
  const isWaiting = ({ pairs, measured }: Candidate) => pairs < pairsMin && measured < 2 * pairsMin;
  const begun = able.filter(({ measured }) => measured > 0);
  const waiting = begun.filter(isWaiting);
  const reservedSec = waiting.reduce((sum, row) => sum + missingSec(row), 0);
  if (reservedSec > leftSec) {
    const first = mostPairs(waiting.filter((row) => missingSec(row) <= leftSec));
    if (first) return first.id;
  } else {
    const unbegun = able.filter((row) => row.measured === 0 && reservedSec + missingSec(row) <= leftSec);
    const first = fewestPairs([...waiting, ...unbegun]);
    if (first) return first.id;
  }
  return (fewestPairs(begun.filter(({ suspicious }) => suspicious)) ?? fewestPairs(begun))?.id;
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
