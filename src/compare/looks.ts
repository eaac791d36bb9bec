/**
 * The numbers of pairs at which a row is tested, and the share of the error budget that each test (look) may spend. The
 * p-value of a look is divided by its weight; the weights add up to 1, and the smallest p-value counts. By Bonferroni's
 * inequality that is a valid p-value wherever a row stops, even for a reason in its data. It is the simplest
 * group-sequential design (a spending function after Lan and DeMets 1983 that gives most to the last look, as Haybittle
 * 1971 and Peto 1976 do), and it needs no assumption about how the looks depend on each other.
 */
export interface Look {
  readonly pairs: number;
  readonly weight: number;
}

/**
 * At 3 s a pair: 12 s, 18 s, 24 s, 30 s, 42 s, 60 s and 84 s. Chosen by simulation of one-row reports among 12 sets of looks. With the
 * noise of evaluation/recordings/2026-11-23-even.json.gz (a pair's sd 1.2 to 1.9 % of CPU per request, 1.2 to 3 % of throughput) a true 3 % was
 * found within 20 s in 56 % of the rows (69 % with earlier runs to judge the noise by), and within a minute in 99 %.
 */
export const LOOKS: readonly Look[] = [
  { pairs: 4, weight: 0.1 },
  { pairs: 6, weight: 0.2 },
  { pairs: 8, weight: 0.25 },
  { pairs: 10, weight: 0.2 },
  { pairs: 14, weight: 0.1 },
  { pairs: 20, weight: 0.08 },
  { pairs: 28, weight: 0.07 },
];

/**
 * The looks that a number of pairs has reached. Where the time ran out between two looks, or a side failed, the next one takes place
 * with the pairs so far: neither the end of a budget nor a crash depends on the figures.
 */
export function looksOf(pairs: number, ended: boolean, looks: readonly Look[] = LOOKS): readonly Look[] {
  const passed = looks.filter((look) => look.pairs <= pairs);
  const next = looks[passed.length];
  return ended && next && pairs > (passed.at(-1)?.pairs ?? 0) ? [...passed, { ...next, pairs }] : passed;
}

export function firstLook(looks: readonly Look[]): number {
  return looks[0]?.pairs ?? 1;
}

export function lastLook(looks: readonly Look[]): number {
  return looks.at(-1)?.pairs ?? 1;
}

export const PAIRS_MIN = firstLook(LOOKS);
export const PAIRS_MAX = lastLook(LOOKS);
