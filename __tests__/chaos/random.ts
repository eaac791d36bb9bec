/** Random choices that a seed repeats. */
import { createHash } from "node:crypto";
import { seeded as numbersOf } from "../../evaluation/random.js";

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  pick<T>(all: readonly T[]): T;
}

export function seeded(seed: number): Random {
  const next = numbersOf(seed);
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (all) => {
      const picked = all[between(0, all.length - 1)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
  };
}

/** A seed from words: the same words give the same one. */
export function seedOf(...words: readonly (string | number)[]): number {
  return createHash("sha256").update(words.join("\n")).digest().readUInt32BE(0);
}
