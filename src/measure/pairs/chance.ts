/**
 * What is random about a pair. A fixed difference between the sides (who starts first, how long the environment is) would
 * look like an effect of the code; drawn anew for every pair, it is noise that pairs average out (Mytkowicz and others 2009,
 * "Producing wrong data without doing anything obviously wrong"; Curtsinger and Berger 2013, "Stabilizer"). The addresses
 * in memory are left to the kernel: if both sides had the same ones, builds of the same code would differ (docs/method.md, "Tried, and not kept").
 */
import { createHash } from "node:crypto";
import type { Side } from "../../plan/types.js";

/** Bytes. A page: it moves the stack over every offset within one. */
const PAD_LIMIT = 4096;
/** Python reads seeds from 1 to this as numbers; 0 would switch randomness off. */
const HASH_SEED_MAX = 2 ** 32 - 1;

export interface PairChance {
  /** First in everything that the pair does. Of two pairs in a row each side is first in one. */
  readonly first: Side;
  /** PYTHONHASHSEED of both sides: processes with the same one differ less. */
  readonly hashSeed: number;
  /** Length of a variable in the environment, drawn for each side. */
  readonly padBytes: Readonly<Record<Side, number>>;
}

/** @param seed of the row @param number of the pair within its row, from 0 */
export function pairChance(seed: number, number: number): PairChance {
  const block = drawn(`${seed} ${Math.floor(number / 2)}`);
  const own = drawn(`${seed} pair ${number}`);
  return {
    first: (block.readUInt32BE(0) + number) % 2 === 0 ? "base" : "head",
    hashSeed: 1 + (own.readUInt32BE(0) % HASH_SEED_MAX),
    padBytes: { base: own.readUInt32BE(4) % PAD_LIMIT, head: own.readUInt32BE(8) % PAD_LIMIT },
  };
}

function drawn(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Variables of one side's server. */
export function chanceEnvironment({ hashSeed, padBytes }: PairChance, side: Side): Readonly<Record<string, string>> {
  return { PYTHONHASHSEED: String(hashSeed), SERVER_BENCH_PAD: "x".repeat(padBytes[side]) };
}
