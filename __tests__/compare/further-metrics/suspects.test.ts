/** Rows that look changed, and that pairs do not decide: when they are counted, and what the counts decide. */
import { describe, expect, it } from "vitest";
import { countedFrom } from "../../../src/compare/further-metrics/suspects.js";
import { judgePaired, type PairedRow } from "../../../src/compare/paired.js";
import { FINE_PRECISION, USUAL_PRECISION } from "../../../src/compare/precision.js";
import { rejudgeMerged } from "../../../src/compare/rejudge-merged.js";
import { AGAINST_TIME } from "../../../src/compare/row-notes.js";
import type { Pair } from "../../../src/results/comparison.js";
import type { FurtherMetrics, InstructionRound } from "../../../src/results/further-metrics.js";
import { counted, countedRounds, drawnRound } from "../../support/counted.js";
import { seeded } from "../../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../../support/pairs.js";
import beside from "../fixtures/instructions-beside-load.json" with { type: "json" };

/** Of the processes: 12 pairs cannot tell 2.5 % from nothing. */
const SCATTER = 0.06;

/** @param cost of head over base, logarithm */
function pairs(count: number, cost: number, scatter = SCATTER): Pair[] {
  const random = seeded(5);
  const quiet = { ...MEASURED_NOISE, processSd: 0, outliers: 0 };
  return Array.from({ length: count }, (_, i) =>
    noisyPair(random, quiet, cost + (i % 2 === 0 ? scatter : -scatter), i),
  );
}

function judge(measured: readonly Pair[], change: Partial<PairedRow> = {}) {
  const row = { countable: true, moreFurtherMetrics: true, ...change };
  const [judged] = judgePaired([pairedRow("a", measured, row)]);
  if (!judged) throw new Error("no row");
  return judged;
}

const COST = 0.025;

describe("a row that looks changed", () => {
  it("is counted once twelve pairs have not decided it", () => {
    expect(countedFrom(USUAL_PRECISION)).toBe(12);
    expect(judge(pairs(12, COST))).toMatchObject({ open: true, openFurtherMetrics: ["instructions"] });
    expect(judge(pairs(12, -COST))).toMatchObject({ open: true, openFurtherMetrics: ["instructions"] });
    expect(judge(pairs(11, COST)).openFurtherMetrics).toEqual([]);
  });

  it("is not counted where that is impossible, where it looks changed by less, and where its pairs decide it", () => {
    expect(judge(pairs(12, COST), { countable: false }).openFurtherMetrics).toEqual([]);
    expect(judge(pairs(12, 0.008)).openFurtherMetrics).toEqual([]);
    expect(judge(pairs(12, COST, 0))).toMatchObject({ open: false, openFurtherMetrics: [] });
  });

  it("gets no more rounds once counting failed", () => {
    const furtherMetrics: FurtherMetrics = {
      instructions: { state: "not-measured", reason: "head: below Valgrind it died" },
    };
    const { openFurtherMetrics, open, compared } = judge(pairs(12, COST), { furtherMetrics });
    expect({ openFurtherMetrics, open, verdict: compared.verdict }).toEqual({
      openFurtherMetrics: [],
      open: true,
      verdict: "inconclusive",
    });
  });
});

describe("counts of such a row", () => {
  it("make it worse where they show more work, and end its pairs", () => {
    const { open, openFurtherMetrics, compared } = judge(pairs(12, COST), { furtherMetrics: counted(2, 0.03) });
    expect({ open, openFurtherMetrics }).toEqual({ open: false, openFurtherMetrics: [] });
    expect(compared).toMatchObject({ verdict: "worse", basis: ["instructions"] });
  });

  it("make it better where they show less, and end its pairs once time is not worse", () => {
    const sure = judge(pairs(12, -COST, 0.03), { furtherMetrics: counted(2, -0.03) });
    expect(sure).toMatchObject({ open: false, compared: { verdict: "better" } });
    const mayBeWorse = judge(pairs(12, -COST, 0.12), { furtherMetrics: counted(2, -0.03) });
    expect(mayBeWorse).toMatchObject({ open: true, compared: { verdict: "better" } });
  });

  it("decide nothing where time points the other way", () => {
    const { open, compared } = judge(pairs(12, COST), { furtherMetrics: counted(2, -0.03) });
    expect(open).toBe(true);
    expect(compared.verdict).toBe("inconclusive");
    expect(compared.notes).toContain(AGAINST_TIME);
  });

  it("decide nothing below half of the change that is looked for", () => {
    const { open, compared } = judge(pairs(12, COST), { furtherMetrics: counted(5, 0.012) });
    expect(open).toBe(true);
    expect(compared.verdict).toBe("inconclusive");
    expect(compared.notes ?? []).not.toContain(AGAINST_TIME);
  });

  it("decide nothing where they are the same", () => {
    const { compared } = judge(pairs(12, COST), { furtherMetrics: counted(2, 0) });
    expect(compared).toMatchObject({ verdict: "inconclusive", metrics: { instructions: { verdict: "unchanged" } } });
  });

  it("call identical sides changed in fewer than 1 of 1000 rows, although other load makes their counts differ", () => {
    const random = seeded(1);
    const measured = pairs(12, COST);
    let changed = 0;
    for (let row = 0; row < 1000; row += 1) {
      const rounds: InstructionRound[] = [];
      let judged = judge(measured);
      while (judged.openFurtherMetrics.length > 0) {
        rounds.push(drawnRound(random, beside.rounds));
        judged = judge(measured, { furtherMetrics: countedRounds(rounds) });
      }
      if (judged.compared.verdict !== "inconclusive") changed += 1;
    }
    expect(changed).toBe(0);
  });

  it("decide the same when the row is judged again beside the rows of other shards", () => {
    const { compared } = judge(pairs(12, COST), {
      furtherMetrics: counted(2, 0.03),
      ended: true,
      moreFurtherMetrics: false,
    });
    const [again] = rejudgeMerged([{ row: compared, clientBound: false }]);
    expect(again).toMatchObject({ verdict: "worse", basis: ["instructions"] });
  });
});

it("half of the change is what is looked for", () => {
  // A run with --detect 1 that did not ask for counts: its suspects from stored results.
  const row = (more: number) => {
    const change = { countable: true, moreFurtherMetrics: true, furtherMetrics: counted(5, more) };
    return judgePaired([pairedRow("a", pairs(28, COST), change)], FINE_PRECISION)[0]?.compared.metrics.instructions;
  };
  expect(row(0.01)?.verdict).toBe("worse");
  expect(row(0.003)?.verdict).not.toBe("worse");
});
