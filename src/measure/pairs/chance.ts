/**
 * What is random about a pair. A fixed difference between the sides (who starts first) would look like an effect of the code; drawn
 * anew for every pair, it is noise that pairs average out (Mytkowicz and others 2009, "Producing wrong data without doing anything
 * obviously wrong"; Curtsinger and Berger 2013, "Stabilizer"). Addresses in memory and hashes change the speed of a process by about
 * 1 % for as long as it lives. Both sides of a pair have the same ones, which differ from pair to pair: so they are hardly noise
 * ("common random numbers"; Law, Simulation Modeling and Analysis, chapter on variance reduction).
 */
import { createHash } from "node:crypto";
import type { Side } from "../../plan/types.js";

/** Bytes. A page: it moves the stack over every offset within one. */
const PAD_LIMIT = 4096;
/** Python reads seeds from 1 to this as numbers; 0 would switch randomness off. */
const HASH_SEED_MAX = 2 ** 32 - 1;
/**
 * Bytes. Libraries lie below the room for the stack, which is 128 MiB at least (`mmap_base` in arch/x86/mm/mmap.c and mm/util.c of
 * Linux): a larger limit moves them, by whole pages.
 */
const STACK_MIN = 128 * 1024 * 1024;
const PAGE = 4096;
/** 32 MiB: enough for other places in every cache of addresses. Threads reserve as much, without using it. */
const STACK_PAGES = 8192;
/** The largest limit that is drawn. */
export const STACK_MAX = STACK_MIN + PAGE * (STACK_PAGES - 1);

export interface PairChance {
  /** First in everything that the pair does. Of two pairs in a row each side is first in one. */
  readonly first: Side;
  /** PYTHONHASHSEED of both sides. */
  readonly hashSeed: number;
  /** Length of a variable in the environment of both sides. */
  readonly padBytes: number;
  /** Limit of the stack of both sides, which fixes their addresses. */
  readonly stackBytes: number;
}

/** @param seed of the row @param number of the pair within its row, from 0 */
export function pairChance(seed: number, number: number): PairChance {
  const block = drawn(`${seed} ${Math.floor(number / 2)}`);
  const own = drawn(`${seed} pair ${number}`);
  return {
    first: (block.readUInt32BE(0) + number) % 2 === 0 ? "base" : "head",
    hashSeed: 1 + (own.readUInt32BE(0) % HASH_SEED_MAX),
    padBytes: own.readUInt32BE(4) % PAD_LIMIT,
    stackBytes: STACK_MIN + PAGE * (own.readUInt32BE(8) % STACK_PAGES),
  };
}

function drawn(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Variables of both sides' servers. */
export function chanceEnvironment({ hashSeed, padBytes }: PairChance): Readonly<Record<string, string>> {
  return { PYTHONHASHSEED: String(hashSeed), SERVER_BENCH_PAD: "x".repeat(padBytes) };
}
