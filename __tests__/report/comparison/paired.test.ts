/** What a reader sees of rows that were measured in pairs. */
import { describe, expect, it } from "vitest";
import { judgePaired } from "../../../src/compare/paired.js";
import { comparePaired } from "../../../src/compare/paired-report.js";
import { changedSection } from "../../../src/report/comment/changes.js";
import { headline, headlineText } from "../../../src/report/comparison/headline.js";
import { comparisonMarkdown, comparisonText } from "../../../src/report/comparison/section.js";
import { comparedLine } from "../../../src/report/terminal/progress.js";
import { checkResults } from "../../../src/results/check.js";
import type { Comparison, Pair } from "../../../src/results/comparison.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { seeded } from "../../support/noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "../../support/pairs.js";
import { sampleResults } from "../../support/results.js";

function sample(): Comparison {
  const random = seeded(3);
  const pairs = (cost: number) => Array.from({ length: 8 }, (_, i) => noisyPair(random, MEASURED_NOISE, cost, i));
  const row = (id: string, cost: number) => pairedRow(id, pairs(cost), { ended: true });
  const judged = (...rows: ReturnType<typeof row>[]) => judgePaired(rows).map(({ compared }) => compared);
  return comparePaired({
    base: { ref: "main", sha: "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3" },
    rows: judged(row("interfaces/slower", 0.2), row("interfaces/steady", 0)),
    controls: judged(row("interfaces/pinned", 0)),
    uncompared: [
      {
        ...{ kind: "cannot-have-changed", id: "interfaces/other", connections: 64, title: "RSGI str" },
        reason: "the same packages, app and command on both sides",
      },
    ],
    command: ["server-bench", "run", "interfaces", "--base", "main"],
  });
}

describe("a paired comparison", () => {
  it("has no minimum detectable change where all was decided", () => {
    const shown = comparisonMarkdown(sample());
    for (const { metrics } of sample().rows)
      for (const { verdict } of Object.values(metrics)) expect(verdict).not.toBe("inconclusive");
    expect(shown).not.toMatch(/\| minimum detectable|\(minimum detectable/i);
  });

  it("shows a minimum detectable change that says nothing as such", () => {
    const shown = sample();
    for (const row of shown.rows) {
      row.verdict = "inconclusive";
      for (const metric of Object.values(row.metrics))
        Object.assign(metric, { verdict: "inconclusive", minimumDetectable: 85_046 });
    }
    for (const text of [comparisonMarkdown(shown), comparisonText(shown, 200)]) {
      expect(text).toContain("over 1000 %");
      expect(text).not.toContain("8504600");
    }
  });

  it("leads with the verdict, and the changes with what they cost", () => {
    const markdown = comparisonMarkdown(sample());
    expect(markdown).toContain("**1 of 2 benchmarks ");
    const [changes = []] = tablesOf(renderGfm(markdown));
    expect(changes[0]?.slice(-2)).toEqual(["Head", "Measured"]);
    expect(changes.slice(1).map((row) => row.at(-1))).toEqual(["8 pairs, 36 s", "8 pairs, 36 s"]);
    expect(changes[1]?.[2]).toMatch(/[+-]\d+\.\d % ±\d+\.\d %$/);
  });

  it("says in its first line and at the row that head starts a row otherwise", () => {
    const { rows, ...shown } = sample();
    const started = "target main:app, main:tiny";
    const again = rows.map(({ recorded = [], id }) =>
      pairedRow(id, recorded, { ended: true, ...(id.endsWith("steady") && { started }) }),
    );
    const comparison = { ...shown, rows: judgePaired(again).map(({ compared }) => compared) };
    expect(headlineText(headline(comparison))).toMatch(
      / 1 benchmark started differently: target main:app, main:tiny[.;]/,
    );
    expect(comparison.rows.map(({ notes }) => notes?.[0])).toContain(`started differently: ${started}`);
    expect(checkResults({ ...sampleResults(), comparison })).toMatchObject({
      results: { comparison: { rows: [{}, { started }] } },
    });
  });

  it("shows both ends of an interval where half its width would mislead", () => {
    const shown = sample();
    const [slower] = shown.rows;
    if (!slower) throw new Error("no row");
    const { throughput } = slower.metrics;
    if (!throughput) throw new Error("no throughput");
    slower.metrics.throughput = { ...throughput, verdict: "worse", change: -0.045, interval: [-0.059, -0.005] };
    const inComment = changedSection(shown).text;
    for (const text of [comparisonMarkdown(shown), comparedLine(slower), inComment.replaceAll("\u00A0", " ")])
      expect(text).toContain("throughput -4.5 % (-5.9 to -0.5 %)");
    // It does not break inside.
    expect(inComment).toContain("-4.5\u00A0% (-5.9\u00A0to\u00A0-0.5\u00A0%)");
  });

  it("shows the control as noise, and says what was not measured and why", () => {
    const markdown = comparisonMarkdown(sample());
    expect(markdown).toMatch(
      /Control, identical on both sides: pinned \(c64\): throughput .* Its change is the noise of this run/,
    );
    expect(markdown).toContain("Identical on both sides, not measured: `RSGI str (c64)`");
    expect(markdown).toContain("tested after 4, 6, 8, 12, 18, 24 and 32 pairs");
    expect(comparisonText(sample(), 80)).toMatch(/measured in this run, commit\s+0f3c2a9d5b7e on main/);
  });

  it("gives the limits of throughput only where it was measured", () => {
    const shown = sample();
    expect(comparisonMarkdown(shown)).toContain("when a change beyond 0.5 % is significant");
    const [first] = shown.rows;
    const { throughput } = first?.metrics ?? {};
    if (!first || !throughput) throw new Error("a row with throughput");
    const rows = [{ ...first, metrics: { instructions: throughput } }];
    const counted = comparisonMarkdown({ ...shown, selectedMetrics: ["instructions"], rows });
    expect(counted).toContain("when a change beyond its metric's limit is significant");
    expect(counted).toContain("a change smaller than its metric's margin");
    expect(counted).toContain('instructions per request beyond 0.2 %, with ±1.0 % for "unchanged"');
    const started = comparisonMarkdown({ ...shown, rows: [{ ...first, metrics: { startupTime: throughput } }] });
    expect(started).toContain('time to the first answer beyond 2.0 %, with ±10.0 % for "unchanged"');
  });

  it("says which rows were counted where nobody asked for counts, and their limits", () => {
    const shown = sample();
    const [first] = shown.rows;
    const { throughput } = first?.metrics ?? {};
    if (!first || !throughput) throw new Error("a row with throughput");
    const rows = [{ ...first, metrics: { ...first.metrics, instructions: throughput } }];
    const text = comparisonMarkdown({ ...shown, rows });
    expect(text).toContain(
      "They are counted where the pairs have not decided after 12 pairs or more and show a change of at least 1.5 %",
    );
    expect(text).toContain('instructions per request beyond 1.5 %, with ±3.0 % for "unchanged"');
  });

  it("says whether both servers of a pair had the same addresses in memory, where that was asked for", () => {
    const chance = { hashSeed: 1, padBytes: { base: 7, head: 7 }, stackBytes: 2 ** 27 };
    const shown = (change: Partial<Pair>) => {
      const comparison = sample();
      for (const { recorded = [] } of comparison.rows) for (const pair of recorded) Object.assign(pair, change);
      expect(checkResults({ ...sampleResults(), comparison })).toMatchObject({ state: "valid" });
      return comparisonMarkdown(comparison);
    };
    expect(shown({ chance, sameAddresses: true })).toContain("Both have the same addresses in memory");
    expect(shown({ chance })).toContain("Linux did not let both have the same addresses in memory, so");
    expect(shown({ chance })).toContain("more; the command doctor says what to do.");
    expect(shown({})).not.toContain("addresses");
  });

  it("says when all rows are identical", () => {
    expect(headline({ ...sample(), rows: [] }).verdict).toBe("All benchmarks are identical on both sides.");
  });

  it("does not call all rows identical where others failed", () => {
    const failed = { kind: "failed-in-base", id: "interfaces/new", connections: 64, title: "RSGI echo" } as const;
    const { notCompared = [] } = sample();
    expect(headline({ ...sample(), rows: [], notCompared: [...notCompared, failed] }).verdict).toBe(
      "No benchmark was measured in base and head.",
    );
  });

  it("is one line in a log", () => {
    const [row] = sample().rows;
    expect(row && comparedLine(row)).toMatch(
      /^worse {2}interfaces\/slower \(c64\) {2}throughput -\d+\.\d % ±\d+\.\d % {2}CPU per request \+.* {2}8 pairs, 36 s$/,
    );
  });

  it("names a metric in a log that changed in another way than its row", () => {
    const [row] = sample().rows;
    const { throughput, ...others } = row?.metrics ?? {};
    const mixed = row &&
      throughput && { ...row, metrics: { throughput: { ...throughput, verdict: "better" as const }, ...others } };
    expect(mixed && comparedLine(mixed)).toMatch(
      /^worse {2}interfaces\/slower \(c64\) {2}throughput -\S+ % ±\S+ % \(better\) {2}CPU per request \+\S+ % ±\S+ % {2}8 pairs/,
    );
  });

  it("is a valid part of a results file", () => {
    const checked = checkResults(JSON.parse(JSON.stringify({ ...sampleResults(), comparison: sample() })));
    expect(checked).toMatchObject({ state: "valid" });
  });
});
