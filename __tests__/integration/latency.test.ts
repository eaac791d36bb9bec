/** A pair whose latency is compared: real servers, a real oha that holds a rate. */
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { latencyNotes } from "../../src/compare/latency.js";
import { PAIRED_METRICS } from "../../src/compare/metrics.js";
import { pairLogs } from "../../src/compare/pairs.js";
import { pairChance } from "../../src/measure/pairs/chance.js";
import { type PairContext, PairSeries } from "../../src/measure/pairs/pair.js";
import { pairedCase } from "../../src/measure/pairs/pair-case.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import { SLICES_TOGETHER, sliceOrder } from "../../src/measure/pairs/schedule.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { findRun } from "../../src/process/sweep.js";
import type { OpenSlice, Pair, PairSlice } from "../../src/results/comparison.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { type TestRun, testRun } from "../support/run.js";

const python = plainPython();
const [, , p50, p99] = PAIRED_METRICS;
if (!p50 || !p99) throw new Error("four metrics");

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(async () => {
  const left = [...findRun(run), ...readdirSync(run.tempDir).filter((name) => name.startsWith("oha-"))];
  await run[Symbol.asyncDispose]();
  expect(left).toEqual([]);
});

/** @param head the mode of head's server; one without a meaning answers rightly */
function sidesOf(head: string): PairSides {
  const side = (row: PlannedRow) => ({ row, ready: python });
  return { base: side(faultyRow("base")), head: side(faultyRow(head)) };
}

async function measure(sides: PairSides, latency: PairContext["latency"], onPhase = (_: string): void => {}) {
  await using series = new PairSeries();
  const context = { ...testContext(run), connections: 8, onPhase, onLoad: () => {}, ...(latency && { latency }) };
  const outcome = await series.measure(sides, { ...pairChance(1, 0), first: "base" }, context);
  if (outcome.state === "failed") throw new Error(`${outcome.side}: ${outcome.reason}`);
  const pair: Pair = { seconds: 1, slices: outcome.slices.map(({ paired }) => paired) };
  return { outcome, pair, open: openOf(pair), cpus: context.cpus };
}

function openOf({ slices }: Pair): { readonly side: PairSlice["side"]; readonly open: OpenSlice }[] {
  return slices.flatMap(({ side, open }) => (open ? [{ side, open }] : []));
}

/** How many slices there are alone depends on how evenly the sides shared the CPUs. */
function together({ slices }: Pair): readonly PairSlice[] {
  return slices.filter((slice) => slice.together);
}

/** Stops and continues the server of this mode. */
function signalServer(mode: string, signal: "SIGSTOP" | "SIGCONT"): void {
  for (const { pid } of findRun(run)) {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(mode)) process.kill(pid, signal);
  }
}

describe("a pair with latency", () => {
  it("holds both sides at one rate, made from base's throughput, and has both percentiles", async () => {
    const sides = sidesOf("head");
    const { outcome, pair, open, cpus } = await measure(sides, { ratePerSec: undefined });
    expect(open.map(({ side }) => side)).toEqual(sliceOrder("base", 8));
    expect(together(pair)).toHaveLength(2 * SLICES_TOGETHER);
    const rates = pair.slices.filter(({ side, open: at }) => side === "base" && !at);
    const fastest = Math.max(...rates.map(({ requests, seconds }) => requests / seconds));
    const [ratePerSec = 0, ...others] = [...new Set(open.map(({ open: { ratePerSec: rate } }) => rate))];
    expect(others).toEqual([]);
    expect(ratePerSec).toBeGreaterThan(0.1 * fastest);
    expect(ratePerSec).toBeLessThan(0.62 * fastest);
    for (const { open: figures } of open) {
      expect(figures.due).toBeGreaterThanOrEqual(1000);
      expect(figures.answered).toBeGreaterThan(0);
      expect(figures.answered).toBeLessThan(1.1 * figures.due);
      expect(figures.failures).toBe(0);
      expect(figures.latencyMs?.p50).toBeGreaterThan(0);
      expect(figures.latencyMs?.p99).toBeGreaterThan(figures.latencyMs?.p50 ?? 0);
      expect(figures.clientShare).toBeGreaterThan(0);
    }
    // Those answered while it settled do not count.
    for (const { requests, open: figures } of pair.slices)
      if (figures) expect(requests).toBeGreaterThan(figures.answered);
    // A case is what the closed loop shows.
    const paired = { sides, connections: 8, slices: outcome.slices, wallSec: 1 };
    const [result] = pairedCase(paired, "base", cpus);
    expect(result?.state === "completed" && result.slices).toHaveLength(rates.length);
    expect(result?.generatorCommand).not.toContain("--latency-correction");
    expect(outcome.slices.at(-1)?.generatorCommand).toContain("--latency-correction");
  });

  it("costs nothing where it is not asked for", async () => {
    const phases: string[] = [];
    const { pair, open } = await measure(sidesOf("head"), undefined, (phase) => phases.push(phase));
    expect([together(pair).length, open.length]).toEqual([2 * SLICES_TOGETHER, 0]);
    expect(phases.join()).not.toContain("latency");
  });

  it("has no latency where base does not hold the rate and head fails requests", async () => {
    const { pair, open } = await measure(sidesOf("mixed"), { ratePerSec: 400_000 });
    expect(open.map(({ open: { ratePerSec } }) => ratePerSec)).toEqual(Array(8).fill(400_000));
    for (const { open: figures } of open) expect(figures.answered).toBeLessThan(0.95 * figures.due);
    expect([pairLogs(pair, p50), pairLogs(pair, p99)]).toEqual([undefined, undefined]);
    expect(latencyNotes([pair], false)[0]).toMatch(
      /^no latency at 400000 requests\/s: base did not hold it in 1 of 1 pairs \(\d+ % .*; head .* \(\d+ requests failed/,
    );
  });

  it("keeps its other slices when head answers nothing at the rate, although it lives", async () => {
    const { pair, open } = await measure(sidesOf("head"), { ratePerSec: 3000 }, (phase) => {
      if (phase === "head: measuring latency") signalServer("head", "SIGSTOP");
      if (phase === "base: measuring latency") signalServer("head", "SIGCONT");
    });
    const answered = open.filter(({ side }) => side === "head").map(({ open: figures }) => figures.answered);
    expect(answered).toEqual([0, 0, 0, 0]);
    expect([together(pair).length, open.length]).toEqual([2 * SLICES_TOGETHER, 8]);
    expect(latencyNotes([pair], false)[0]).toContain("0 % of the requests were answered");
  });
});
