/** The first sentence of every report. */
import { describe, expect, it } from "vitest";
import { headline, headlineText, resultsHeadline } from "../../../src/report/comparison/headline.js";
import type { ComparedRow, MetricComparison, Verdict } from "../../../src/results/comparison.js";
import { comparison, notCompared } from "../../support/comment.js";
import { sampleResults } from "../../support/results.js";

function metric(verdict: Verdict, change: number): MetricComparison {
  return { verdict, change, interval: [change - 0.01, change + 0.01], p: 0.01, minimumDetectable: 0.02, pairs: 7 };
}

function row(verdict: Verdict, metrics: ComparedRow["metrics"], change: Partial<ComparedRow> = {}): ComparedRow {
  return { id: "interfaces/row", verdict, metrics, seconds: 30, ...change };
}

const slower = (change: number) => row("worse", { throughput: metric("worse", change) });
const unchanged = (count: number) =>
  Array.from({ length: count }, () => row("unchanged", { throughput: metric("unchanged", 0.001) }));
const saying = (rows: readonly ComparedRow[]) => headlineText(headline(comparison(rows)));

describe("headline", () => {
  it("gives the verdict with its sizes", () => {
    expect(saying([slower(-0.07), slower(-0.031), ...unchanged(16)])).toBe(
      "2 of 18 benchmarks are slower, up to 7.0 %. 16 are unchanged within 3 %.",
    );
  });
  it("counts one row as one", () => {
    expect(saying([slower(-0.07), ...unchanged(1)])).toBe(
      "1 of 2 benchmarks is slower, by 7.0 %. 1 is unchanged within 3 %.",
    );
  });
  it("gives the largest of many sizes", () => {
    expect(saying([0.01, 0.02, 0.03, 0.04, 0.055].map((size) => slower(-size)))).toBe(
      "5 of 5 benchmarks are slower, up to 5.5 %.",
    );
  });
  it("names what got worse where it is not the throughput", () => {
    const cpu = row("worse", { throughput: metric("unchanged", 0), cpuPerRequest: metric("worse", 0.121) });
    const idle = row("worse", { throughput: metric("unchanged", 0) }, { idleCpu: { base: 0, head: 0.2, worse: true } });
    expect(saying([cpu, idle])).toBe(
      "1 of 2 benchmarks needs more CPU per request, by 12.1 %. 1 needs more CPU while idle.",
    );
  });
  it("does not call a suspicion a fact", () => {
    expect(saying([row("suspect-worse", { throughput: metric("suspect-worse", -0.2) })])).toBe(
      "1 of 1 benchmark may be slower, by 20.0 %.",
    );
  });
  it("says that nothing changed, and does not give the usual margin to latency", () => {
    const latency = row("unchanged", { latencyP99: metric("unchanged", 0.06) });
    expect(saying([...unchanged(2), row("inconclusive", { throughput: metric("inconclusive", 0.03) })])).toBe(
      "No change found in 3 benchmarks. 2 are unchanged within 3 %; 1 is inconclusive.",
    );
    expect(saying([latency])).toBe("No change found in 1 benchmark. 1 is unchanged.");
  });
  it("gives the margin that was looked for", () => {
    expect(headlineText(headline(comparison(unchanged(2), { detect: 0.01 })))).toBe(
      "No change found in 2 benchmarks. 2 are unchanged within 1 %.",
    );
  });
  it("says that no benchmark could be decided", () => {
    const open = row("inconclusive", { throughput: metric("inconclusive", 0.03) });
    expect(saying([open, open])).toBe("No benchmark could be decided.");
  });
  it("counts rows that were not compared, each once, without those that cannot have changed", () => {
    const others = [
      notCompared("a/new-1", "new"),
      notCompared("a/new-2", "new"),
      notCompared("a/gone", "removed"),
      notCompared("a/gone", "not-comparable"),
      notCompared("a/same", "cannot-have-changed"),
      notCompared("a/broken", "failed-in-head"),
    ];
    expect(headlineText(headline(comparison([slower(-0.232)], { notCompared: others })))).toBe(
      "1 of 1 benchmark is slower, by 23.2 %; 1 benchmark failed in head only. 3 are not compared.",
    );
    expect(headlineText(headline(comparison(unchanged(1), { notCompared: others.slice(0, 1) })))).toBe(
      "No change found in 1 benchmark. 1 is unchanged within 3 %; 1 is not compared.",
    );
  });
  it("has a verdict of at most 15 words, the worst first, and the rest below it", () => {
    const of = (verdict: Verdict, name: string) =>
      Array.from({ length: 12 }, () => row(verdict, { [name]: metric(verdict, 0.12) }));
    const failed = [notCompared("a/b", "failed-in-head"), notCompared("a/c", "voided")];
    for (const name of ["throughput", "startupMemory", "instructions", "memoryGrowth", "latencyP99", "startupTime"])
      for (const verdict of ["worse", "suspect-worse", "better", "suspect-better"] as const) {
        const rows = [...of(verdict, name), ...of("better", "cpuPerRequest"), ...unchanged(20)];
        const said = headline(comparison(rows, { notCompared: failed }));
        expect(said.verdict.split(" ").length, said.verdict).toBeLessThanOrEqual(15);
        expect(`${said.verdict} ${said.rest}`).toContain("1 benchmark failed in head only");
      }
    expect(headline(comparison([...of("better", "throughput"), slower(-0.07)], { notCompared: failed }))).toEqual({
      verdict: "1 of 13 benchmarks is slower, by 7.0 %; 1 benchmark failed in head only.",
      rest: "1 benchmark void, because base's files changed; 12 are faster, up to 12.0 %.",
    });
  });
  it("names failures", () => {
    expect(
      headlineText(headline(comparison(unchanged(1), { notCompared: [notCompared("a/b", "failed-in-head")] }))),
    ).toBe("No change found in 1 benchmark; 1 benchmark failed in head only. 1 is unchanged within 3 %.");
  });
});

describe("resultsHeadline", () => {
  it("counts what was measured where nothing was compared", () => {
    expect(headlineText(resultsHeadline(sampleResults()))).toBe(
      "13 benchmarks of 3 sets measured; 1 failed; 1 skipped.",
    );
  });
});
