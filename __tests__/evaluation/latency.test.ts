/** Reports on p50 and p99, drawn from pairs with slices at a fixed rate. */
import { describe, expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import type { Recording } from "../../evaluation/recording/recording.js";
import { evaluate, settingsOf } from "../../evaluation/resample/evaluate.js";
import { poolsOf, SLOW_TAIL } from "../../evaluation/resample/pools.js";
import { PAIRED_METRICS } from "../../src/compare/metrics.js";
import { rowLogs } from "../../src/compare/pairs.js";
import type { Pair } from "../../src/results/comparison.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";
import { syntheticRecording } from "./synthetic-recording.js";

const RATE = { ratePerSec: 1000, due: 1000, answered: 1000, failures: 0, windowSec: 1, clientShare: 0.1 };

/** A pair with four slices at a fixed rate on each side, whose p99 has a deviation of some 2 %. */
function openPair(random: () => number, i: number): Pair {
  const pair = noisyPair(random, MEASURED_NOISE, 0, i);
  const latencyMs = () => ({ p50: 1 + 0.02 * random(), p99: 4 + 0.3 * random() });
  const open = pair.slices.map((slice) => ({ ...slice, open: { ...RATE, latencyMs: latencyMs() } }));
  return { ...pair, slices: [...pair.slices, ...open] };
}

function latencyRecording(): Recording {
  const closed = syntheticRecording();
  const random = seeded(11);
  const [row] = closed.rows;
  if (!row) throw new Error("the recording has no row");
  const pairs = Array.from({ length: 30 }, (_, i) => openPair(random, i));
  const other = { ...row, builds: { base: "2", head: "3" } };
  return { ...closed, rows: [...closed.rows, { ...row, pairs }, { ...other, pairs: [...pairs].reverse() }] };
}

describe("latency", () => {
  const recording = latencyRecording();

  it("has settings of its own, and leaves the others to pairs without it", () => {
    const settings = settingsOf(recording);
    expect(settings.filter(({ latency }) => !latency)).toEqual(settingsOf(syntheticRecording()));
    expect(settings.filter(({ latency }) => latency).map(({ pool }) => pool)).toEqual(["recentred", "raw"]);
  });

  it("has settings for each neighbour that its rows were recorded beside", () => {
    const beside = recording.rows.map((row) => ({ ...row, neighbour: { ...row.neighbour, share: 0.25 } }));
    const settings = settingsOf({ ...recording, rows: [...recording.rows, ...beside] });
    const neighbours = settings.filter(({ latency }) => latency).map(({ neighbour }) => neighbour);
    expect(neighbours).toEqual([0, 0, 0.25, 0.25]);
  });

  it("makes every p99 of head 10 % longer, and nothing else", () => {
    const pools = poolsOf(recording, "recentred").filter(({ pairs }) => pairs.length === 30);
    const [identical, slow] = pools;
    expect(slow?.row.plant).toBe(SLOW_TAIL.plant);
    const measured = PAIRED_METRICS.filter((metric) => rowLogs(identical?.pairs ?? [], metric).length > 0);
    expect(measured.map(({ name }) => name)).toEqual(["throughput", "cpuPerRequest", "latencyP50", "latencyP99"]);
    for (const metric of measured) {
      const change = rowLogs(slow?.pairs ?? [], metric).map(({ base, head }, i) => {
        const before = rowLogs(identical?.pairs ?? [], metric)[i];
        return head - base - ((before?.head ?? 0) - (before?.base ?? 0));
      });
      expect(change).toHaveLength(30);
      for (const one of change) expect(one).toBeCloseTo(metric.name === "latencyP99" ? Math.log(1.1) : 0, 9);
    }
  });

  it("finds the longer p99, and calls identical sides no change", () => {
    const rows = recording.rows.filter(({ pairs }) => pairs.length === 30);
    const cells = evaluate({ ...recording, rows }, 10, 1).filter(({ pool }) => pool === "recentred");
    expect(cells).toHaveLength(1);
    for (const { found, falsePerRow } of cells) {
      expect(found.map(({ plant }) => plant)).toEqual([SLOW_TAIL.plant]);
      expect(found[0]?.found.share).toBeGreaterThan(0.8);
      expect(falsePerRow).toMatchObject({ hits: 0, of: 10 });
    }
  });
});
