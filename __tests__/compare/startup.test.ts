/** The start of a server as a metric of pairs: a planted slowdown is found, no change is none, rows without starts have none. */
import { expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import { judgePaired } from "../../src/compare/paired.js";
import type { Pair } from "../../src/results/comparison.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../support/pairs.js";

const PAIRS = 13;

/** Pairs whose head needs this much longer to start, and this much more memory (logarithms). */
function pairs(seed: number, slower: number, larger = 0): Pair[] {
  const random = seeded(seed);
  const scatter = (sd: number) => Math.exp(sd * (random() + random() + random() - 1.5) * 2);
  return Array.from({ length: PAIRS }, (_, number) => {
    const { seconds, slices } = noisyPair(random, MEASURED_NOISE, 0, number);
    const start = {
      base: { seconds: 0.5 * scatter(0.03), memoryMiB: 40 * scatter(0.003) },
      head: { seconds: 0.5 * Math.exp(slower) * scatter(0.03), memoryMiB: 40 * Math.exp(larger) * scatter(0.003) },
    };
    const seen = new Set<string>();
    return {
      seconds,
      slices: slices.map((slice) => {
        const first = !seen.has(slice.side);
        seen.add(slice.side);
        return first ? { ...slice, start: start[slice.side] } : slice;
      }),
    };
  });
}

const metricsOf = (given: readonly Pair[]) =>
  judgePaired([pairedRow("startup/one", given, { ended: true })])[0]?.compared.metrics ?? {};

it("finds a start that takes 20 % longer, and memory that grew by 5 %", () => {
  const { startupTime, startupMemory } = metricsOf(pairs(1, Math.log(1.2), Math.log(1.05)));
  expect(startupTime).toMatchObject({ verdict: "worse", pairs: PAIRS });
  expect(startupTime?.change).toBeCloseTo(0.2, 1);
  expect(startupTime?.base).toBeCloseTo(0.5, 1);
  expect(startupMemory?.verdict).toBe("worse");
});

it("calls the row worse for a slower start, and not its load", () => {
  const [judged] = judgePaired([pairedRow("startup/one", pairs(1, Math.log(1.2)), { ended: true })]);
  const { verdict, metrics } = judged?.compared ?? {};
  const verdicts = Object.fromEntries(Object.entries(metrics ?? {}).map(([name, metric]) => [name, metric.verdict]));
  expect(verdict).toBe("worse");
  expect(verdicts).toMatchObject({ startupTime: "worse", throughput: "unchanged", cpuPerRequest: "unchanged" });
});

it("calls two equal starts unchanged", () => {
  const { startupTime, startupMemory } = metricsOf(pairs(2, 0));
  expect([startupTime?.verdict, startupMemory?.verdict]).toEqual(["unchanged", "unchanged"]);
});

it("has no verdict on starts where none was measured", () => {
  const random = seeded(3);
  const plain = Array.from({ length: PAIRS }, (_, number) => noisyPair(random, MEASURED_NOISE, 0, number));
  expect(Object.keys(metricsOf(plain))).toEqual(["throughput", "cpuPerRequest"]);
});
