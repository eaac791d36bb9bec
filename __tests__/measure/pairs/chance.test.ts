/** What is random about a pair, and what must be balanced. */
import { describe, expect, it } from "vitest";
import { chanceEnvironment, pairChance } from "../../../src/measure/pairs/chance.js";

const SEEDS = Array.from({ length: 40 }, (_, i) => i);

describe("the chance of a pair", () => {
  it("lets each side be first in one of two pairs, in an order that differs from row to row", () => {
    const firsts = SEEDS.map((seed) => [0, 1, 2, 3].map((number) => pairChance(seed, number).first));
    for (const [a, b, c, d] of firsts) expect([a === b, c === d]).toEqual([false, false]);
    expect(new Set(firsts.map((one) => one.join(" "))).size).toBe(4);
  });

  it("gives both sides one hash seed that Python accepts, and each side a pad", () => {
    for (const seed of SEEDS) {
      const chance = pairChance(seed, seed % 7);
      const [base, head] = [chanceEnvironment(chance, "base"), chanceEnvironment(chance, "head")];
      expect(base.PYTHONHASHSEED).toBe(head.PYTHONHASHSEED);
      expect(chance.hashSeed).toBeGreaterThanOrEqual(1);
      expect(chance.hashSeed).toBeLessThanOrEqual(4_294_967_295);
      expect([base.SERVER_BENCH_PAD?.length, head.SERVER_BENCH_PAD?.length]).toEqual([
        chance.padBytes.base,
        chance.padBytes.head,
      ]);
    }
    const pads = SEEDS.map((seed) => pairChance(seed, 0).padBytes);
    expect(pads.every(({ base, head }) => base >= 0 && base < 4096 && head >= 0 && head < 4096)).toBe(true);
    expect(pads.filter(({ base, head }) => base === head).length).toBeLessThan(3);
  });

  it("is the same for the same seed and number", () => {
    expect(pairChance(5, 3)).toEqual(pairChance(5, 3));
    expect(pairChance(5, 3)).not.toEqual(pairChance(5, 4));
  });
});
