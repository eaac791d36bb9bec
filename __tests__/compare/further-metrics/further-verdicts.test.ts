/** Verdicts of counted and sampled rows, from rounds that were made up with known sizes. */
import { describe, expect, it } from "vitest";
import { instructionRounds } from "../../../src/compare/further-metrics/instructions.js";
import { judgePaired, type PairedRow } from "../../../src/compare/paired.js";
import { FINE_PRECISION } from "../../../src/compare/precision.js";
import type { SelectedMetrics } from "../../../src/plan/selected-metrics.js";
import type { FurtherMetrics, InstructionRound } from "../../../src/results/further-metrics.js";
import { counted, countedRounds, drawnRound } from "../../support/counted.js";
import { seeded } from "../../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../../support/pairs.js";
import beside from "../fixtures/instructions-beside-load.json" with { type: "json" };

function rowOf(id: string, furtherMetrics: FurtherMetrics, moreFurtherMetrics = false): PairedRow {
  return {
    id,
    connections: 1,
    title: id,
    pairs: [],
    clientBound: false,
    ended: true,
    notes: [],
    furtherMetrics,
    moreFurtherMetrics,
  };
}

/** As a run does: rounds are drawn for as long as the verdict asks for more. */
function judgeDrawn(random: () => number, recorded: Parameters<typeof drawnRound>[1]): string | undefined {
  const rounds: InstructionRound[] = [];
  for (;;) {
    rounds.push(drawnRound(random, recorded));
    const [row] = judge([rowOf("a", countedRounds(rounds), true)]);
    if (row?.openFurtherMetrics.length === 0) return row.compared.verdict;
  }
}

const COUNTS: SelectedMetrics = ["instructions"];
const judge = (rows: readonly PairedRow[], asked = COUNTS) => judgePaired(rows, undefined, asked);

describe("instructions", () => {
  it("finds 1 % more work in five rounds, and says what the verdict stands on", () => {
    const [row] = judge([rowOf("a", counted(5, 0.01))]);
    expect(row?.compared).toMatchObject({ verdict: "worse", basis: ["instructions"] });
    expect(row?.compared.metrics.instructions?.change).toBeCloseTo(0.0096, 3);
  });

  it("finds 1 % less work", () => {
    expect(judge([rowOf("a", counted(5, -0.01))])[0]?.compared.verdict).toBe("better");
  });

  it("says unchanged after two rounds of the same work, and asks for no more", () => {
    const [row] = judge([rowOf("a", counted(2, 0), true)]);
    expect(row).toMatchObject({ compared: { verdict: "unchanged" }, openFurtherMetrics: [] });
  });

  it("asks for more rounds where half a per cent may be there", () => {
    expect(judge([rowOf("a", counted(2, 0.005), true)])[0]?.openFurtherMetrics).toEqual(["instructions"]);
    expect(judge([rowOf("a", counted(12, 0.005), true)])[0]?.compared.verdict).toBe("worse");
  });

  it("does not take a round of one or two windows for an exact one", () => {
    for (const windows of [[100_000], [100_000, 100_000]]) {
      const [round] = instructionRounds([{ hashSeed: 1, seconds: 60, base: windows, head: windows }]);
      expect(Math.sqrt(round?.variance ?? 0)).toBeGreaterThan(0.005);
    }
  });

  it("calls no change within the floor, however many rounds show it", () => {
    expect(judge([rowOf("a", counted(12, 0.0015))])[0]?.compared.verdict).toBe("unchanged");
  });

  it("calls identical sides changed in fewer than 1 of 1000 rows, although other load makes their counts differ", () => {
    const random = seeded(1);
    const verdicts = Array.from({ length: 3000 }, () => judgeDrawn(random, beside.rounds));
    expect(verdicts.filter((verdict) => verdict === "worse" || verdict === "better").length).toBeLessThanOrEqual(3);
  });

  it("has no verdict and a reason where nothing could be counted", () => {
    const furtherMetrics: FurtherMetrics = {
      instructions: { state: "not-measured", reason: "base: below Valgrind it died" },
    };
    const [row] = judge([rowOf("a", furtherMetrics, true)]);
    expect(row?.compared).toMatchObject({ verdict: "inconclusive", metrics: {} });
    expect(row?.compared.notes).toContain("instructions: not counted: base: below Valgrind it died");
    expect(row?.openFurtherMetrics).toEqual([]);
  });

  it("judges the rounds before one that failed, and asks for no more", () => {
    const { instructions } = counted(2, 0.01);
    if (instructions?.state !== "measured") throw new Error("counted rounds are measured");
    const stopped = { reason: "head: below Valgrind it died", failedIn: "head" } as const;
    // Between two looks: the next one takes place with these.
    const four = { ...instructions, rounds: [...instructions.rounds, ...instructions.rounds], stopped };
    const [row] = judge([rowOf("a", { instructions: four }, true)]);
    expect(row?.compared).toMatchObject({ verdict: "worse", metrics: { instructions: { pairs: 4 } } });
    expect(row?.openFurtherMetrics).toEqual([]);
    const one = { ...instructions, rounds: instructions.rounds.slice(0, 1), stopped };
    const [early] = judge([rowOf("a", { instructions: one }, true)]);
    expect(early).toMatchObject({ compared: { verdict: "inconclusive", metrics: {} }, openFurtherMetrics: [] });
  });

  it("shares one false discovery rate with the other rows", () => {
    // Alone its p-value is far below the limit; among many unchanged rows the level of a next discovery is smaller.
    const changed = rowOf("a", counted(5, 0.01));
    const others = Array.from({ length: 40 }, (_, i) => rowOf(`b${i}`, counted(2, 0)));
    const alone = judge([changed])[0]?.compared.metrics.instructions?.minimumDetectable ?? 0;
    const among = judge([changed, ...others])[0]?.compared.metrics.instructions?.minimumDetectable ?? 0;
    expect(among).toBeGreaterThan(alone);
  });

  it("judges only what was asked for", () => {
    expect(judge([rowOf("a", counted(5, 0.01))], ["throughput"])[0]?.compared.metrics).toEqual({});
  });
});

const CHUNKS = 24;
const REQUESTS = 2000;

/** @param perRequest bytes that head does not free @param step MiB that head gets once */
function sampled(pairs: number, perRequest: number, step = 0): FurtherMetrics {
  const side = (growthMiB: number, add: number) => {
    const samplesMiB = Array.from({ length: CHUNKS }, (_, i) => 30 + growthMiB * i + (i >= 12 ? add : 0));
    return { source: "pss" as const, peakMiB: Math.max(...samplesMiB), samplesMiB };
  };
  const growth = (perRequest * REQUESTS) / 2 ** 20;
  const all = Array.from({ length: pairs }, () => ({ seconds: 15, base: side(0, 0), head: side(growth, step) }));
  return { memory: { state: "measured", connections: 64, requests: REQUESTS, pairs: all } };
}

describe("memory", () => {
  const MEMORY: SelectedMetrics = ["memory"];

  it("finds a leak of 100 bytes a request in three pairs", () => {
    const [row] = judge([rowOf("a", sampled(3, 100), true)], MEMORY);
    expect(row?.compared.metrics.memoryGrowth).toMatchObject({ verdict: "worse" });
    expect(row?.compared.metrics.memoryGrowth?.head).toBeCloseTo(9.54, 1);
    expect(row?.compared.basis).toContain("memoryGrowth");
  });

  it("calls an arena that grows once no leak", () => {
    const [row] = judge([rowOf("a", sampled(5, 0, 8))], MEMORY);
    expect(row?.compared.metrics.memoryGrowth?.verdict).toBe("unchanged");
    expect(row?.compared.metrics.memoryPeak?.verdict).toBe("worse");
  });

  it("says unchanged for the same memory", () => {
    const [row] = judge([rowOf("a", sampled(3, 0), true)], MEMORY);
    expect(row).toMatchObject({ compared: { verdict: "unchanged" }, openFurtherMetrics: [] });
  });
});

describe("pairs of a row whose counts are known", () => {
  const random = seeded(11);
  const nine = Array.from({ length: 9 }, (_, i) => noisyPair(random, { ...MEASURED_NOISE, processSd: 0.02 }, 0, i));
  const asked: SelectedMetrics = ["throughput", "cpu", "instructions"];
  const judged = (more: number, pairs = nine) =>
    judgePaired([pairedRow("set/row", pairs, { furtherMetrics: counted(2, more) })], FINE_PRECISION, asked)[0];

  it("are enough after the second test, where more instructions are proven: nothing outweighs worse", () => {
    expect(judged(0.01, nine.slice(0, 4))?.open).toBe(true);
    const row = judged(0.01);
    expect(row?.open).toBe(false);
    expect(row?.compared).toMatchObject({ verdict: "worse", basis: ["instructions"] });
  });

  it("go on where the counts are better or alike: the time may be worse", () => {
    expect(judged(-0.01)?.open).toBe(true);
    expect(judged(0)?.open).toBe(true);
  });
});
