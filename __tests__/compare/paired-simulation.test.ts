/** The decision on simulated pairs: how often it is wrong, what it finds, and what that takes. */
import { describe, expect, it } from "vitest";
import { nextRow } from "../../src/compare/budget.js";
import { type JudgedRow, judgePaired, validPairs } from "../../src/compare/paired.js";
import { clopperPearson } from "../../src/compare/proportion.js";
import type { Pair } from "../../src/results/comparison.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair, type PairNoise, pairedRow } from "../support/pairs.js";

const ROWS = 10;
/** The harder reading of "processes differ by 1 %": each of them. */
const ROUGH: PairNoise = { ...MEASURED_NOISE, processSd: 0.01 };

interface Outcome {
  readonly row: number;
  readonly judged: JudgedRow;
}

/** Measures a report as a run does, adaptively. @param costs of head's code, by row */
function simulate(random: () => number, noise: PairNoise, costs: readonly number[]): Outcome[] {
  const pairs: Pair[][] = costs.map(() => []);
  const rows = () => pairs.map((of, i) => pairedRow(`set/${i}`, of));
  for (;;) {
    const candidates = judgePaired(rows()).map(({ compared, open, suspicious }, i) => {
      const of = pairs[i] ?? [];
      return { id: compared.id, pairs: validPairs({ pairs: of }), measured: of.length, open, suspicious };
    });
    const id = nextRow(candidates, { elapsedSec: 0, pairSec: 4.5 });
    if (id === undefined) break;
    const row = Number(id.split("/")[1]);
    pairs[row]?.push(noisyPair(random, noise, costs[row], pairs[row]?.length));
  }
  return judgePaired(rows().map((row) => ({ ...row, ended: true }))).map((judged, row) => ({ row, judged }));
}

function reports(count: number, seed: number, noise: PairNoise, costs: readonly number[]): Outcome[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => simulate(random, noise, costs)).flat();
}

function share(outcomes: readonly Outcome[], verdict: (verdict: string) => boolean): [number, number] {
  return [outcomes.filter(({ judged }) => verdict(judged.compared.verdict)).length, outcomes.length];
}

const isCalled = (verdict: string) => verdict === "better" || verdict === "worse";
const NONE = new Array<number>(ROWS).fill(0);

describe("identical sides", () => {
  it.each([
    ["as measured", MEASURED_NOISE],
    ["rough", ROUGH],
  ])("are called changed in at most 1 %% of the rows: %s", (_, noise) => {
    const outcomes = reports(40, 7, noise, NONE);
    const [hits, rows] = share(outcomes, isCalled);
    expect(clopperPearson(hits, rows)[0], `${hits} of ${rows}`).toBeLessThanOrEqual(0.01);
    expect(hits / rows).toBeLessThanOrEqual(0.01);
  });

  it("take at most 26 s a row on average", () => {
    const seconds = reports(20, 8, MEASURED_NOISE, NONE).map(({ judged }) => judged.compared.seconds);
    expect(seconds.reduce((sum, one) => sum + one, 0) / seconds.length).toBeLessThanOrEqual(26);
  });
});

describe("one changed row among the others", () => {
  it.each([
    [0.03, "worse", 0.9],
    [-0.03, "better", 0.9],
    [0.05, "worse", 0.98],
  ])("is found: %d %s", (cost, verdict, power) => {
    const outcomes = reports(60, 9, MEASURED_NOISE, [Math.log1p(cost), ...NONE.slice(1)]);
    const changed = outcomes.filter(({ row }) => row === 0);
    const [found, all] = share(changed, (one) => one === verdict);
    expect(found / all).toBeGreaterThanOrEqual(power);
    const [same] = share(changed, (one) => one === "unchanged");
    expect(same / all).toBeLessThanOrEqual(0.02);
    for (const { judged } of changed) expect(judged.compared.seconds).toBeLessThanOrEqual(60);
  });
});
