import { describe, expect, it } from "vitest";
import { growthPerChunk } from "../../../src/compare/further-metrics/growth.js";

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

  it("is that of the other samples beside one step, wherever that is", () => {
    const jitter = [0, 0.06, -0.04, 0.02, -0.06, 0.05, -0.01, 0.03, -0.05, 0.01, 0.04, -0.03];
    for (let at = 0; at < CHUNKS; at += 1) {
      const growing = (leak: number) =>
        growthPerChunk(samples((i) => leak * i + (jitter[i % jitter.length] ?? 0) + (i >= at ? 8 : 0)));
      expect(growing(0)).toBeLessThan(0.006);
      expect(growing(0.2)).toBeCloseTo(0.2, 2);
    }
  });

  it("sees a leak of which the kernel shows two steps", () => {
    expect(growthPerChunk(samples((i) => 2 * Math.floor(i / 8)))).toBeGreaterThan(0.1);
  });

  it("is 0 for caches that fill during the warm-up", () => {
    expect(growthPerChunk(samples((i) => Math.min(i, 5)))).toBe(0);
  });

  it("is unknown from one sample", () => {
    expect(growthPerChunk([30])).toBeUndefined();
  });
});
