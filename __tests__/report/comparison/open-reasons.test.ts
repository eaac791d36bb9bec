/** Whoever reads "inconclusive" reads at the top why, and what to do. */
import { describe, expect, it } from "vitest";
import { judgePaired } from "../../../src/compare/paired.js";
import { comparePaired } from "../../../src/compare/paired-report.js";
import { DISTURBED } from "../../../src/compare/row-notes.js";
import { renderComment } from "../../../src/report/comment/comment.js";
import { openReasons } from "../../../src/report/comparison/open-reasons.js";
import { comparisonMarkdown, comparisonText } from "../../../src/report/comparison/section.js";
import { renderPage } from "../../../src/report/html/page.js";
import { claimsOf } from "../../../src/report/trust/claims.js";
import type { Comparison, Pair } from "../../../src/results/comparison.js";
import { pullRequestTrust } from "../../support/comment.js";
import { seeded } from "../../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../../support/pairs.js";
import { sampleResults } from "../../support/results.js";

/** Noise in which a few pairs decide nothing. */
const NOISY = { ...MEASURED_NOISE, processSd: 0.06 };

/** Of pairs that take 4.5 s each. @param othersShare of all slices */
function pairsOf(count: number, othersShare = 0.01, seed = 3): Pair[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, i) => {
    const pair = noisyPair(random, NOISY, 0, i);
    return { ...pair, slices: pair.slices.map((slice) => ({ ...slice, othersShare })) };
  });
}

function compared(...pairs: Pair[][]): Comparison {
  const judged = judgePaired(pairs.map((of, i) => pairedRow(`interfaces/row-${i}`, of, { ended: true })));
  const rows = judged.map((row) => row.compared);
  return comparePaired({ base: { ref: "main" }, rows, controls: [], uncompared: [], command: [] });
}

describe("the reasons of inconclusive rows", () => {
  it("name the pairs that are missing, and how long they take", () => {
    const comparison = compared(pairsOf(4), pairsOf(6, 0.01, 4));
    expect(comparison.rows.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive"]);
    // 28 and 26 pairs of 4.5 s.
    expect(openReasons(comparison)).toEqual([
      "2 inconclusive benchmarks got fewer than 32 pairs. The missing ones take about 4 min 3 s: raise the budget.",
    ]);
  });

  it("name a disturbed machine first", () => {
    expect(openReasons(compared(pairsOf(4, 0.4)))).toEqual([
      "The machine was disturbed for 18 s of the 18 s that the inconclusive benchmarks took. Measure again while it is quiet.",
      "1 inconclusive benchmark got fewer than 32 pairs. The missing ones take about 2 min 6 s: raise the budget.",
    ]);
  });

  it("name a machine on which too many pairs are void, and ask for no more time", () => {
    const voided = pairsOf(48).map((pair) => ({
      ...pair,
      slices: pair.slices.map((slice, i) => ({ ...slice, othersShare: i % 2 === 0 ? 0.9 : 0.01 })),
    }));
    const comparison = compared(voided);
    expect(comparison.rows.map(({ verdict }) => verdict)).toEqual(["inconclusive"]);
    expect(openReasons(comparison)).toEqual([
      "The machine was disturbed for 3 min 36 s of the 3 min 36 s that the inconclusive benchmarks took. Measure again while it is quiet.",
    ]);
  });

  it("name what shows more where a row got all of its pairs", () => {
    const all = "1 inconclusive benchmark got all 32 pairs, and these differ too much. Smaller changes show";
    const comparison = compared(pairsOf(32));
    expect(comparison.rows.map(({ verdict }) => verdict)).toEqual(["inconclusive"]);
    expect(openReasons(comparison)).toEqual([
      `${all} with up to 96 pairs (detect 1) or instruction counts (metrics throughput,cpu,instructions).`,
    ]);
    const [row] = comparison.rows;
    if (!row?.metrics.cpuPerRequest) throw new Error("a row with CPU time");
    const { cpuPerRequest } = row.metrics;
    const counted = {
      ...row,
      metrics: { ...row.metrics, instructions: { ...cpuPerRequest, verdict: "unchanged" as const } },
    };
    expect(openReasons({ ...comparison, rows: [counted] })).toEqual([`${all} with up to 96 pairs (detect 1).`]);
    const fine = { ...counted, recorded: pairsOf(96) };
    expect(openReasons({ ...comparison, detect: 0.01, rows: [fine] })).toEqual([
      "1 inconclusive benchmark got all 96 pairs, and these differ too much. Smaller changes show on a quieter machine.",
    ]);
    const settled = {
      ...row,
      metrics: { ...row.metrics, cpuPerRequest: { ...cpuPerRequest, verdict: "unchanged" as const } },
    };
    expect(openReasons({ ...comparison, rows: [settled] })).toEqual([]);
  });

  it("ask for no more time where the run was stopped", () => {
    const [{ compared: row } = {}] = judgePaired([pairedRow("interfaces/row", pairsOf(6))]);
    if (!row) throw new Error("a row");
    expect(row).toMatchObject({ verdict: "inconclusive" });
    expect(openReasons({ ...compared(), rows: [row] })).toEqual([]);
  });

  it("are shown of a foreign file too, and say nothing where its figures are impossible", () => {
    const claimed = (comparison: Comparison) =>
      openReasons(
        claimsOf({ ...sampleResults(), comparison }, pullRequestTrust("claimed")).results.comparison ?? comparison,
      );
    expect(claimed(compared(pairsOf(4, 0.4)))).toHaveLength(2);
    const [row] = compared(pairsOf(4)).rows;
    if (!row) throw new Error("a row");
    const foreign = (recorded: Pair[]) => claimed({ ...compared(), rows: [{ ...row, recorded }] });
    expect(foreign(pairsOf(40))).toEqual([]);
    expect(foreign(pairsOf(4).map((pair) => ({ ...pair, seconds: 1e308 })))).toEqual([]);
    expect(foreign([])).toEqual([]);
  });

  it("do not ask for more time where more pairs change nothing: the load generator was the limit", () => {
    const [{ compared: row } = {}] = judgePaired([
      pairedRow("interfaces/bound", pairsOf(32, 0.01, 5), { ended: true, clientBound: true }),
    ]);
    if (!row) throw new Error("a row");
    const short = { ...row, verdict: "inconclusive" as const, recorded: pairsOf(6) };
    expect(row.undecided).toBeUndefined();
    expect(openReasons({ ...compared(), rows: [short] })).toEqual([]);
  });

  it("are none where a row was decided", () => {
    const [row] = compared(pairsOf(4)).rows;
    if (!row) throw new Error("a row");
    const decided = { ...row, verdict: "unchanged" as const, recorded: pairsOf(4, 0.4) };
    expect(openReasons({ ...compared(), rows: [decided] })).toEqual([]);
  });

  it("name what disturbed head beside stored results", () => {
    const [row] = compared(pairsOf(4)).rows;
    if (!row) throw new Error("a row");
    const { recorded: _, ...stored } = row;
    const comparison: Comparison = {
      mode: "artifact",
      base: {},
      rows: [{ ...stored, notes: [DISTURBED] }],
      command: [],
    };
    expect(openReasons(comparison)).toEqual([
      "Other processes disturbed the machine while head of 1 inconclusive benchmark was measured. Measure again while it is quiet.",
    ]);
  });

  it("stand above the fold of a comment, in the report, in the terminal and on the page", () => {
    const comparison = compared(pairsOf(4, 0.4));
    const results = { ...sampleResults(), comparison };
    const repository = { serverUrl: "https://github.com", repository: "acme/server" };
    const where = { ...repository, runUrl: "https://github.com/acme/server/actions/runs/1" };
    const comment = renderComment({ results, trust: { kind: "own" }, where });
    expect(comment.split("<details>")[0]).toContain("- The machine was disturbed for 18 s of the 18 s");
    expect(comparisonMarkdown(comparison).split("<details>")[0]).toContain("- The machine was disturbed for 18 s");
    expect(comparisonText(comparison, 200)).toContain("- The machine was disturbed for 18 s");
    expect(renderPage(results)).toContain("<li>The machine was disturbed for 18");
  });
});
