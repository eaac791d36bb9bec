/** When a scripted neighbour is busy: the same bursts for the same seed. */

/** Milliseconds. A burst is at most as long as a slice, so that it disturbs one side. */
const BURST = { mean: 60, min: 5, max: 200 };

/**
 * Endless; milliseconds of waiting, then milliseconds of load. Waiting follows the length of the burst, so the share is
 * exact after every burst.
 * @param {number} share of the time under load, above 0 and at most 0.5
 * @param {number} seed
 * @returns {Generator<{ readonly waitMs: number, readonly burstMs: number }, never>}
 */
export function* bursts(share, seed) {
  if (!(share > 0 && share <= 0.5))
    throw new Error(`a neighbour is busy for more than 0 and at most 0.5 of the time, not ${share}`);
  let state = seed;
  while (true) {
    // mulberry32, as random.ts has it: this file runs without a build.
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    const uniform = (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
    const burstMs = Math.min(BURST.max, Math.max(BURST.min, -BURST.mean * Math.log(uniform)));
    yield { waitMs: (burstMs * (1 - share)) / share, burstMs };
  }
}
