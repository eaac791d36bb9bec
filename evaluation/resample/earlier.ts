/** Earlier runs of a server on the same machine, drawn from its quiet rows. Pure. */
import { type EarlierRow, expectedNoise, type Noise } from "../../src/compare/earlier-noise.js";
import type { Pair } from "../../src/results/comparison.js";
import { noiseOf } from "./decide.js";
import { drawRow } from "./draw.js";
import { isLatency, type Pool } from "./pools.js";

/** Runs that are drawn once for each row; a report remembers some of them. */
const BANK = 40;

/** What a report on a row knows of the noise of earlier runs. */
export class EarlierRuns {
  readonly #pools: readonly Pool[];
  readonly #random: () => number;
  readonly #banks = new Map<Pool, readonly Noise[]>();

  /** @param pools of the whole recording */
  constructor(pools: readonly Pool[], random: () => number) {
    this.#pools = pools;
    this.#random = random;
  }

  /**
   * Earlier runs of the same server, in quiet, from pairs of which the report draws none: its own row is left out, and for
   * latency all rows of its builds, because delayed requests change the noise of a p99.
   * Undefined where the recording has no such row.
   */
  expected(of: Pool, runs: number): Noise | undefined {
    const quiet = this.#pools.filter(
      (pool) =>
        pool.row.neighbour.share === 0 &&
        pool.row.server === of.row.server &&
        isLatency(pool) === isLatency(of) &&
        !sharesPairs(pool, of),
    );
    const bank = quiet.flatMap((pool) => this.#bank(pool));
    if (bank.length === 0) return undefined;
    const earlier: EarlierRow[] = Array.from({ length: runs }, () => ({ key: "row", noise: this.#pick(bank) }));
    return expectedNoise(earlier, "row");
  }

  #bank(pool: Pool): readonly Noise[] {
    const known = this.#banks.get(pool);
    if (known) return known;
    const made = Array.from({ length: BANK }, () => noiseOf({ pairs: this.#pairs(pool) }));
    this.#banks.set(pool, made);
    return made;
  }

  #pairs(pool: Pool): readonly Pair[] {
    return drawRow(pool, false, this.#random).pairs;
  }

  #pick(bank: readonly Noise[]): Noise {
    return bank[Math.floor(this.#random() * bank.length)] ?? {};
  }
}

function sharesPairs(one: Pool, other: Pool): boolean {
  return isLatency(one) ? one.row.builds.base === other.row.builds.base : one.row === other.row;
}
