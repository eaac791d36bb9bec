/** The evaluation of the decision, on pairs with known noise. */
import { describe, expect, it } from "vitest";
import { benchstat, mannWhitney, perfgate, ratio } from "../../evaluation/peers.js";
import { evaluationMarkdown } from "../../evaluation/report.js";
import { type Recording, resample } from "../../evaluation/resample.js";
import { seeded } from "../support/noise.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";

function recording(): Recording {
  const random = seeded(5);
  const rows = [0, 5].map((planted) => ({
    server: "granian",
    planted,
    pairs: Array.from({ length: 40 }, (_, i) => noisyPair(random, MEASURED_NOISE, Math.log1p(planted / 100), i)),
  }));
  return {
    environment: { cpuModel: "Test", cpus: 2, kernel: "6.8", python: "3.11.2" },
    recordedAt: "2025-01-30T02:28:11Z",
    rows,
  };
}

describe("mannWhitney", () => {
  it.each([
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252],
    [[1, 2, 3], [4, 5, 6], 2 / 20],
    [[1, 4], [2, 3], 1],
  ])("is exact: %j and %j", (a, b, p) => {
    expect(mannWhitney(a, b)).toBeCloseTo(p, 12);
    expect(mannWhitney(b, a)).toBeCloseTo(p, 12);
  });
});

describe("resample", () => {
  it("is the same for the same seed, and finds what was planted", () => {
    const evaluation = resample(recording(), 10, 1);
    expect(resample(recording(), 10, 1)).toEqual(evaluation);
    const [own] = evaluation.scores;
    expect(own?.found[5]?.share).toBeGreaterThan(0.5);
    expect(own?.found[-5]?.share).toBeGreaterThan(0.5);
    expect(own?.falsePerRow.of).toBe(10 * 20 + 2 * 10 * 19);
    const row = { id: "live/granian-1", verdict: "unchanged", pairs: 4, seconds: 18 };
    const live = [
      { startedAt: "2025-01-30T02:28:11Z", measuredSec: 40, loadShare: 0.8, rows: [row, { ...row, verdict: "worse" }] },
    ];
    const facts = { recording: recording(), reports: 10, seed: 1, live, benchstat: undefined };
    const page = evaluationMarkdown(evaluation, facts);
    expect(page).toContain("| perfgate t = 2.0");
    expect(page).toMatch(/The same in whole runs +\| at most 1 in 60 +\| 1 in 2 /);
    expect(page).not.toMatch(/NaN|undefined/);
  });

  it("lets every peer see a change of a third", () => {
    const random = seeded(6);
    const slower = [Array.from({ length: 13 }, (_, i) => noisyPair(random, MEASURED_NOISE, 0.3, i))];
    for (const rule of [benchstat(true), perfgate]) expect(rule(slower)).toEqual(["worse"]);
    expect(ratio(2)(slower)).toEqual(["none"]);
  });
});
