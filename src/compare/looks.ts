/**
 * The numbers of pairs at which a row is tested, and the share of the error budget that each test (look) may spend. The
 * p-value of a look is divided by its weight; the weights add up to 1, and the smallest p-value counts. By Bonferroni's
 * inequality that is a valid p-value wherever a row stops, even for a reason in its data. It is the simplest
 * group-sequential design with a spending function (Lan and DeMets 1983), and it needs no assumption about how the looks depend on
 * each other.
 */
export interface Look {
  readonly pairs: number;
  readonly weight: number;
}

/**
 * At 3 s a pair: 12 s, 18 s, 27 s, 36 s, 51 s and 72 s. Chosen by simulation of one-row reports among 11 sets of looks, with the noise of pairs that
 * were recorded on two machines: a pair's sd 1.1 and 1.6 % of CPU per request, 1.5 and 2.2 % of throughput. Six pairs weigh most, because the usual
 * noise counts from there on.
 */
export const LOOKS: readonly Look[] = looksAt([4, 0.1], [6, 0.45], [9, 0.15], [12, 0.12], [17, 0.1], [24, 0.08]);

/** For changes of 1 %. At 3 s a pair: 12 s, 27 s, 54 s, 84 s, 120 s and 216 s. */
export const FINE_LOOKS: readonly Look[] = looksAt([4, 0.03], [9, 0.07], [18, 0.15], [28, 0.1], [40, 0.4], [72, 0.25]);

function looksAt(...weights: readonly (readonly [pairs: number, weight: number])[]): readonly Look[] {
  return weights.map(([pairs, weight]) => ({ pairs, weight }));
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

export function lastLook(looks: readonly Look[]): number {
  return looks.at(-1)?.pairs ?? 1;
}

export const PAIRS_MIN = firstLook(LOOKS);
export const PAIRS_MAX = lastLook(LOOKS);
