/**
 * The numbers of pairs at which a row is tested (looks). Every look is another chance of an error, so each of them may spend a part of the
 * error budget only (group-sequential tests: Jennison and Turnbull 2000).
 */
export interface Look {
  readonly pairs: number;
  /**
   * Of a change: the p-value of a look is divided by its weight. The weights add up to 1, and the smallest p-value counts. By
   * Bonferroni's inequality that is a valid p-value wherever a row stops, even for a reason in its data, and it needs no assumption
   * about how the looks depend on each other.
   */
  readonly weight: number;
  /**
   * Of `unchanged`: the level of each one-sided test. It is the same at all looks (Pocock 1977), and makes 5 % over all of them: a
   * change as large as the margin is called unchanged at any look in at most one row of twenty.
   */
  readonly equivalenceLevel: number;
}

/**
 * At 1.9 s a pair, with slices alone in the first three: 9 s, 13 s, 17 s, 25 s, 36 s, 47 s and 63 s. Chosen among thirteen sets by 1,000 drawn reports of one row from
 * evaluation/recordings/2026-11-26-short*.json.gz. Eight pairs weigh most: those of a slow server take about 20 s. 24 weigh more
 * than 12 and 18: what a noisy row shows within a minute is found there.
 */
export const LOOKS = looksAt({ 4: 0.08, 6: 0.15, 8: 0.32, 12: 0.1, 18: 0.1, 24: 0.2, 32: 0.05 }, 0.0125);

/** For changes of 1 %. Other sets found no more in the same recordings: 9 s, 19 s, 36 s, 55 s, 78 s, 112 s and 184 s. */
export const FINE_LOOKS = looksAt({ 4: 0.03, 9: 0.07, 18: 0.15, 28: 0.1, 40: 0.15, 58: 0.3, 96: 0.2 }, 0.011);

/** @param weights by the number of pairs */
export function looksAt(weights: Readonly<Record<number, number>>, equivalenceLevel: number): readonly Look[] {
  return Object.entries(weights).map(([pairs, weight]) => ({ pairs: Number(pairs), weight, equivalenceLevel }));
}

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

export function secondLook(looks: readonly Look[]): number {
  return looks[1]?.pairs ?? firstLook(looks);
}

export function lastLook(looks: readonly Look[]): number {
  return looks.at(-1)?.pairs ?? 1;
}

export const PAIRS_MIN = firstLook(LOOKS);
export const PAIRS_MAX = lastLook(LOOKS);
