/** Which row gets the next pair: the time goes where a verdict still hangs on it. */
import { PAIRS_MAX, PAIRS_MIN } from "./looks.js";

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
  /** What a pair has taken on average. */
  readonly pairSec: number;
}

/** A machine that voids as many pairs as count will go on doing so. */
export const MEASURED_MAX = 2 * PAIRS_MAX;

/**
 * Every row gets its first pairs whatever the time, one after the other, so that a slow minute is shared by all. Then
 * suspicious rows come before the other open ones, and those with the fewest pairs first. Undefined: it is over.
 */
export function nextRow(candidates: readonly Candidate[], time: Time): string | undefined {
  const able = candidates.filter(({ open, measured }) => open && measured < MEASURED_MAX);
  const first = fewestPairs(able.filter(({ pairs, measured }) => pairs < PAIRS_MIN && measured < 2 * PAIRS_MIN));
  if (first) return first.id;
  if (time.limitSec !== undefined && time.elapsedSec + time.pairSec > time.limitSec) return undefined;
  return (fewestPairs(able.filter(({ suspicious }) => suspicious)) ?? fewestPairs(able))?.id;
}

function fewestPairs(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) => (best === undefined || candidate.measured < best.measured ? candidate : best),
    undefined,
  );
}
