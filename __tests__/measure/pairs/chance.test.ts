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

  it("has a hash seed that Python accepts, and a pad and a stack that move addresses by up to a page and by pages", () => {
    const chances = SEEDS.map((seed) => pairChance(seed, seed % 7));
    for (const chance of chances) {
      const { hashSeed, padBytes, stackBytes } = chance;
      expect(hashSeed).toBeGreaterThanOrEqual(1);
      expect(hashSeed).toBeLessThanOrEqual(4_294_967_295);
      expect(chanceEnvironment(chance)).toEqual({
        PYTHONHASHSEED: String(hashSeed),
        SERVER_BENCH_PAD: "x".repeat(padBytes),
      });
      expect(padBytes >= 0 && padBytes < 4096).toBe(true);
      expect(stackBytes >= 128 * 1024 ** 2 && stackBytes < 160 * 1024 ** 2 && stackBytes % 4096 === 0).toBe(true);
    }
    expect(new Set(chances.map(({ padBytes }) => padBytes)).size).toBeGreaterThan(35);
    expect(new Set(chances.map(({ stackBytes }) => stackBytes)).size).toBeGreaterThan(35);
  });

  it("is the same for the same seed and number", () => {
    expect(pairChance(5, 3)).toEqual(pairChance(5, 3));
    expect(pairChance(5, 3)).not.toEqual(pairChance(5, 4));
  });
});
