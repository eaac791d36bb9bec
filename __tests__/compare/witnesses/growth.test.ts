import { describe, expect, it } from "vitest";
import { growthPerChunk } from "../../../src/compare/witnesses/growth.js";

const CHUNKS = 24;
const samples = (of: (chunk: number) => number) => Array.from({ length: CHUNKS }, (_, i) => 30 + of(i));

describe("growthPerChunk", () => {
  it("is the slope of a steady leak", () => {
    expect(growthPerChunk(samples((i) => 0.19 * i))).toBeCloseTo(0.19, 9);
  });

  it("sees a leak through the steps of the allocator", () => {
    // 0.19 MiB a chunk, of which the kernel shows steps of 1 MiB.
    expect(growthPerChunk(samples((i) => Math.floor(0.19 * i)))).toBeGreaterThan(0.1);
  });

  it("is 0 for an arena that grows once, wherever that is", () => {
    for (let at = 0; at < CHUNKS; at += 1) expect(growthPerChunk(samples((i) => (i >= at ? 8 : 0)))).toBe(0);
  });

  it("is 0 for caches that fill during the warm-up", () => {
    expect(growthPerChunk(samples((i) => Math.min(i, 5)))).toBe(0);
  });

  it("is unknown from one sample", () => {
    expect(growthPerChunk([30])).toBeUndefined();
  });
});
