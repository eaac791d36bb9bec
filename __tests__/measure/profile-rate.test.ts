/** The throughput that the rate of a profile is a share of. */
import { expect, it } from "vitest";
import { throughputsOf } from "../../src/measure/profile/profile-row.js";
import type { PairSlice } from "../../src/results/comparison.js";

function slice(side: "base" | "head", ratePerSec: number, more: Partial<PairSlice> = {}): PairSlice {
  return { side, seconds: 0.25, requests: ratePerSec * 0.25, serverCpuSec: 0.2, othersShare: 0, ...more };
}

it("is that of each side alone, not what it has beside the other one", () => {
  const open = { ratePerSec: 100, due: 50, answered: 50, failures: 0, windowSec: 0.1, clientShare: 0.1 };
  const sides = (["base", "head"] as const).flatMap((side) => [
    slice(side, side === "base" ? 10_000 : 8_000),
    ...Array.from({ length: 5 }, () => slice(side, 5_000, { together: true })),
    slice(side, 100, { open }),
  ]);
  expect(throughputsOf([{ seconds: 3, slices: sides }])).toEqual({ base: 10_000, head: 8_000 });
});
