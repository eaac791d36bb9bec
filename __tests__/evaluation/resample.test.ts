/** Pools, draws and coverage on recordings with known noise and bias. */
import { describe, expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import { NO_PLANT } from "../../evaluation/recording/recording.js";
import { decide } from "../../evaluation/resample/decide.js";
import { drawReport, drawRow, originOf } from "../../evaluation/resample/draw.js";
import { evaluator, settingsOf } from "../../evaluation/resample/evaluate.js";
import { pairNoise } from "../../evaluation/resample/measured.js";
import { centreLog, meanLog, poolsOf, shiftHead } from "../../evaluation/resample/pools.js";
import { instructionRounds } from "../../src/compare/further-metrics/instructions.js";
import { PAIRED_METRICS } from "../../src/compare/metrics.js";
import { rowLogs } from "../../src/compare/pairs.js";
import { precisionFor } from "../../src/compare/precision.js";
import type { InstructionRound } from "../../src/results/further-metrics.js";
import { counted, instructionsOf } from "../support/counted.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";
import { syntheticRecording } from "./synthetic-recording.js";

const [THROUGHPUT, CPU] = PAIRED_METRICS;

describe("poolsOf", () => {
  const biased = syntheticRecording({ pairs: 30, bias: 0.02 });

  it("leaves raw pairs as they are", () => {
    expect(poolsOf(biased, "raw").map(({ pairs }) => pairs)).toEqual(biased.rows.map(({ pairs }) => pairs));
  });

  it("removes the centre of identical sides, and moves planted work to its size", () => {
    if (!CPU || !THROUGHPUT) throw new Error("no metrics");
    for (const { row, pairs } of poolsOf(biased, "recentred")) {
      const size = row.plant === NO_PLANT ? 0 : Math.log1p(0.03);
      expect(centreLog(row.pairs, CPU)).toBeGreaterThan(size + 0.01);
      expect(centreLog(pairs, CPU)).toBeCloseTo(size, 9);
    }
    const [identical] = poolsOf(biased, "recentred");
    expect(centreLog(identical?.pairs ?? [], THROUGHPUT)).toBeCloseTo(0, 9);
  });

  it("moves the same pairs by their plain mean for the rules of other tools", () => {
    if (!CPU) throw new Error("no metrics");
    for (const { row, pairs, peerPairs } of poolsOf(biased, "recentred")) {
      const size = row.plant === NO_PLANT ? 0 : Math.log1p(0.03);
      expect(meanLog(peerPairs, CPU)).toBeCloseTo(size, 9);
      expect(Math.abs(meanLog(pairs, CPU) - size)).toBeGreaterThan(1e-6);
      expect(peerPairs.map(({ seconds }) => seconds)).toEqual(pairs.map(({ seconds }) => seconds));
    }
    const [pool] = poolsOf(biased, "recentred");
    if (!pool) throw new Error("no pool");
    const drawn = drawRow(pool, true, seeded(3));
    const [one, peer] = [drawn.pairs, drawn.peerPairs].map((pairs) =>
      rowLogs(pairs, CPU).map((logs) => logs.head - logs.base),
    );
    const apart = (one ?? []).map((ratio, i) => ratio - (peer?.[i] ?? Number.NaN));
    for (const distance of apart) expect(distance).toBeCloseTo(apart[0] ?? Number.NaN, 9);
  });

  it("moves counted instructions to the size of the time, and leaves raw ones as they are", () => {
    const counted = syntheticRecording({ pairs: 8, bias: 0.01, rounds: 6 });
    const centre = (rounds: readonly InstructionRound[]) =>
      instructionRounds(rounds).reduce((sum, { logRatio }) => sum + logRatio, 0) / rounds.length;
    for (const { row, rounds } of poolsOf(counted, "recentred")) {
      expect(rounds).toHaveLength(6);
      expect(centre(rounds)).toBeCloseTo(row.plant === NO_PLANT ? 0 : Math.log1p(0.03), 9);
    }
    for (const { row, rounds } of poolsOf(counted, "raw")) expect(rounds).toBe(row.counts?.rounds);
    const planted = poolsOf(counted, "raw").find(({ row }) => row.plant !== NO_PLANT);
    if (!planted) throw new Error("no plant");
    const [straight, exchanged] = [false, true].map((mirror) => centre(drawRow(planted, mirror, seeded(2)).rounds));
    expect(straight).toBeCloseTo(Math.log1p(0.06), 3);
    expect(exchanged).toBeCloseTo(-Math.log1p(0.06), 3);
  });

  it("moves head alone", () => {
    const pair = noisyPair(seeded(1), MEASURED_NOISE);
    const moved = shiftHead(pair, { throughput: -0.1, cpuPerRequest: 0.2 });
    for (const [metric, shift] of [[THROUGHPUT, -0.1] as const, [CPU, 0.2] as const]) {
      if (!metric) throw new Error("no metrics");
      const [before] = rowLogs([pair], metric);
      const [after] = rowLogs([moved], metric);
      expect(after?.base).toBe(before?.base);
      expect(after?.head).toBeCloseTo((before?.head ?? Number.NaN) + shift, 12);
    }
  });
});

describe("drawReport", () => {
  const pools = poolsOf(syntheticRecording(), "raw");

  it("has the plant in the first row alone", () => {
    const drawn = drawReport(pools, "cpu:3", 5, seeded(1)) ?? [];
    expect(drawn.map(({ pool }) => pool.row.plant)).toEqual(["cpu:3", "none", "none", "none", "none"]);
  });

  it("exchanges the sides at random, but for plants that only head can have", () => {
    const idle = pools.map((pool) => ({ ...pool, row: { ...pool.row, plant: "idle:15" } }));
    const random = seeded(2);
    const exchanged = (plant: string) =>
      Array.from({ length: 20 }, () => drawReport([...pools, ...idle], plant, 1, random)?.[0]?.mirrored);
    expect(new Set(exchanged("cpu:3"))).toEqual(new Set([true, false]));
    expect(new Set(exchanged(NO_PLANT))).toEqual(new Set([true, false]));
    expect(new Set(exchanged("idle:15"))).toEqual(new Set([false]));
  });

  it("has each raw pair once, in an order of its own, and recentred ones as often as a row can use them", () => {
    const [pool] = pools;
    const [recentred] = poolsOf(syntheticRecording(), "recentred");
    if (!pool || !recentred) throw new Error("the recording has no row");
    const orders = [1, 2].map((seed) => drawRow(pool, false, seeded(seed)).pairs);
    for (const pairs of orders) {
      expect(new Set(pairs)).toEqual(new Set(pool.pairs));
      expect(pairs).toHaveLength(pool.pairs.length);
    }
    expect(orders[0]).not.toEqual(orders[1]);
    const pairs = drawRow(recentred, false, seeded(1)).pairs;
    expect(pairs.length).toBeGreaterThan(recentred.pairs.length);
    expect(new Set(pairs).size).toBeLessThanOrEqual(recentred.pairs.length);
  });

  it("has nothing to draw where the plant was not recorded", () => {
    expect(drawReport(pools, "cpu:7", 1, seeded(1))).toBeUndefined();
  });

  it("counts rows of the same builds once", () => {
    const identical = pools.filter(({ row }) => row.plant === NO_PLANT);
    expect(originOf(identical)).toEqual({ distinctPairs: 16, independentRows: 2 });
  });
});

describe("decide", () => {
  it("goes on with the other rows where one has no further pairs", () => {
    const random = seeded(3);
    const some = (count: number) => Array.from({ length: count }, () => noisyPair(random, MEASURED_NOISE, 0.02));
    const [short, long] = decide([{ pairs: some(3) }, { pairs: some(12) }]);
    expect(short?.recorded).toHaveLength(3);
    expect(long?.recorded?.length).toBeGreaterThan(3);
  });
});

describe("decide with counts", () => {
  const random = seeded(6);
  const rounds = (size: number) => instructionsOf(counted(12, size));
  const some = (count: number, cost: number, scatter = 0) =>
    Array.from({ length: count }, (_, i) =>
      noisyPair(random, MEASURED_NOISE, cost + (i % 2 === 0 ? scatter : -scatter), i),
    );

  it("counts a row that looks changed from the twelfth pair on, and adds the seconds", () => {
    const pairs = some(32, 0.03, 0.06);
    const [timed] = decide([{ pairs }]);
    const [row] = decide([{ pairs, rounds: rounds(0.03) }]);
    expect(timed).toMatchObject({ verdict: "inconclusive" });
    expect(timed?.instructions).toBeUndefined();
    expect(row).toMatchObject({ verdict: "worse", instructions: { state: "measured" } });
    expect(row?.recorded).toHaveLength(12);
    expect(row?.instructions?.state === "measured" && row.instructions.rounds).toHaveLength(2);
    const ofPairs = (row?.recorded ?? []).reduce((sum, { seconds }) => sum + seconds, 0);
    expect(row?.seconds).toBeCloseTo(ofPairs + 16, 6);
  });

  it("counts no row that its pairs decide, and none without rounds", () => {
    const [unchanged, worse, uncountable] = decide([
      { pairs: some(32, 0), rounds: rounds(0) },
      { pairs: some(32, 0.1), rounds: rounds(0.1) },
      { pairs: some(32, 0.03, 0.06) },
    ]);
    expect([unchanged, worse, uncountable].map((row) => row?.instructions)).toEqual([undefined, undefined, undefined]);
  });

  it("counts every row before its pairs where small changes are looked for", () => {
    const [row] = decide([{ pairs: some(96, 0.01), rounds: rounds(0.01) }], precisionFor(0.01));
    const [timed] = decide([{ pairs: some(96, 0.01) }], precisionFor(0.01));
    expect(row).toMatchObject({ verdict: "worse", metrics: { instructions: { verdict: "worse" } } });
    expect(row?.recorded?.length ?? 99).toBeLessThan(timed?.recorded?.length ?? 0);
  });
});

describe("settingsOf", () => {
  const usual = { rows: 1, pool: "recentred", earlierRuns: 0, detect: undefined, latency: false, counts: false };

  it("has one-row and 20-row reports of each neighbour, by time alone", () => {
    const of = (neighbour: number) => [
      { ...usual, neighbour },
      { ...usual, neighbour, earlierRuns: 8 },
      { ...usual, neighbour, pool: "raw" },
      { ...usual, neighbour, rows: 20 },
      { ...usual, neighbour, rows: 20, pool: "raw" },
    ];
    expect(settingsOf(syntheticRecording())).toEqual([...of(0), ...of(0.25)]);
  });

  it("has a first run with counts where they were recorded, and small changes where these were planted", () => {
    const recording = syntheticRecording({ pairs: 4, bias: 0, rounds: 2 });
    const counted = settingsOf(recording).filter(({ counts }) => counts);
    expect(counted).toEqual([0, 0.25].map((neighbour) => ({ ...usual, neighbour, counts: true })));
    const small = { ...recording, rows: recording.rows.map((row) => ({ ...row, plant: "cpu:1" })) };
    const fine = settingsOf(small).filter(({ detect }) => detect === 0.01);
    expect(fine.map(({ counts, neighbour }) => [counts, neighbour])).toEqual([
      [false, 0],
      [true, 0],
    ]);
  });
});

describe("evaluate", () => {
  const recording = syntheticRecording({ pairs: 40, bias: 0.02 });
  const quiet = { ...recording, rows: recording.rows.filter(({ neighbour }) => neighbour.share === 0) };
  const settings = settingsOf(quiet).filter(({ rows, earlierRuns }) => rows === 1 && earlierRuns === 0);
  const [recentred, raw] = settings.map(evaluator(quiet, 40, 1));

  it("tells noise from bias: a bias of 2 % is false in raw pools only", () => {
    expect(recentred?.falsePerRow.of).toBe(40);
    expect(recentred?.falsePerRow.share).toBeLessThan(0.1);
    expect(raw?.falsePerRow.share).toBeGreaterThan(0.5);
  });

  it("finds what was planted, whichever side has it, and counts each server", () => {
    const [one, ...others] = recentred?.found ?? [];
    expect(others).toEqual([]);
    expect(one).toMatchObject({ plant: "cpu:3", found: { of: 40 } });
    expect(one?.found.share).toBeGreaterThan(0.5);
    expect((one?.wrongSign.share ?? 1) + (one?.unchanged.share ?? 1)).toBeLessThan(0.2);
    expect(one?.servers.map(({ server }) => server)).toEqual(["granian-rsgi", "uvicorn"]);
    const counted = one?.servers.map(({ found }) => found) ?? [];
    expect(counted.reduce((sum, { of }) => sum + of, 0)).toBe(40);
    expect(counted.reduce((sum, { hits }) => sum + hits, 0)).toBe(one?.found.hits);
  });

  it("takes the interval's own target; raw rows, whose pairs come once each, have none", () => {
    for (const { all } of recentred?.coverage ?? []) expect(all.share).toBeGreaterThan(0.75);
    expect(recentred?.coverage[1]?.calledChanged.of).toBeGreaterThan(20);
    expect(raw?.coverage).toEqual([]);
  });
});

it("pairNoise is that of the pairs within each row", () => {
  const noise = pairNoise(syntheticRecording({ pairs: 100, bias: 0.05 }));
  expect(noise.map(({ server, neighbour, pairs }) => [server, neighbour, pairs])).toEqual([
    ["granian-rsgi", 0, 100],
    ["granian-rsgi", 0.25, 100],
    ["uvicorn", 0, 100],
    ["uvicorn", 0.25, 100],
  ]);
  const [quiet, beside] = noise.map(({ sd }) => sd.cpuPerRequest);
  expect(quiet).toBeLessThan(0.03);
  expect(beside).toBeGreaterThan(quiet ?? 1);
});
