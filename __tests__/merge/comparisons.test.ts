/** The facts of a merged comparison: what all parts share, what one part has, and what would mislead. */
import { describe, expect, it } from "vitest";
import { CLIENT_BOUND } from "../../src/compare/row-notes.js";
import { isClientBound } from "../../src/merge/client-bound.js";
import { mergeResults } from "../../src/merge/merge.js";
import type { ComparedRow, Comparison } from "../../src/results/comparison.js";
import type { Results } from "../../src/results/schema.js";
import { completed, failed, resultsOf } from "../support/results.js";
import { pairedResults, recordedRow } from "../support/shards.js";

const DOUBTFUL = { verdict: "inconclusive" as const, change: 0.01, p: 0.4, minimumDetectable: 0.05, pairs: 6 };

const compared = (id: string, change: Partial<ComparedRow> = {}): ComparedRow => ({
  ...{ id: `interfaces/${id}`, connections: 64, verdict: "inconclusive", seconds: 3 },
  metrics: { throughput: { ...DOUBTFUL, interval: [-0.02, 0.04] } },
  ...change,
});

/** One row that was compared, in a run of this day. */
function part(day: number, change: Partial<Comparison> = {}, run: Partial<Results["run"]> = {}) {
  const name = `row-${day}`;
  const results = resultsOf([completed(`interfaces/${name}`, name, 64, 1000)]);
  const startedAt = `2025-01-0${day}T10:00:00Z`;
  const comparison: Comparison = {
    mode: "paired",
    base: { ref: "main", sha: "abc" },
    rows: [compared(name)],
    ...change,
  };
  return {
    source: `${day}.json`,
    results: { ...results, run: { ...results.run, id: `day-${day}`, startedAt, warnings: [], ...run }, comparison },
  };
}

function inPairs(id: string): ComparedRow {
  const [row] = pairedResults([recordedRow(`interfaces/${id}`, 6, 0)]).comparison?.rows ?? [];
  if (!row) throw new Error("not compared");
  return row;
}

/** Without what was compared. */
function uncompared(day: number, run: Partial<Results["run"]> = {}) {
  const { source, results } = part(day, {}, run);
  const { comparison: _, ...rest } = results;
  return { source, results: rest };
}

const comparisonOf = (...parts: Parameters<typeof mergeResults>[0]) => mergeResults(parts).comparison;

describe("what was asked", () => {
  it("is the coarsest change of all pairs, or the usual one where a part with pairs names none", () => {
    const paired = (day: number, detect?: number) =>
      part(day, { rows: [inPairs(`row-${day}`)], ...(detect !== undefined && { detect }) });
    expect(comparisonOf(paired(1, 0.01), paired(2, 0.05))?.detect).toBe(0.05);
    expect(comparisonOf(paired(1, 0.05), paired(2, 0.01))?.detect).toBe(0.05);
    expect(comparisonOf(paired(1, 0.01), paired(2))).not.toHaveProperty("detect");
    expect(comparisonOf(paired(1), paired(2))).not.toHaveProperty("detect");
    // What has no pairs was not judged by a margin of pairs.
    expect(comparisonOf(paired(1, 0.01), part(2, { mode: "artifact" }))?.detect).toBe(0.01);
    expect(comparisonOf(paired(1, 0.01), part(2, { rows: [] }))?.detect).toBe(0.01);
    expect(comparisonOf(part(1), part(2))).not.toHaveProperty("detect");
  });

  it("is every metric that a part asked for", () => {
    const [one, two] = [
      part(1, { selectedMetrics: ["throughput"] }),
      part(2, { selectedMetrics: ["throughput", "memory"] }),
    ];
    expect(comparisonOf(one, two)?.selectedMetrics).toEqual(["throughput", "memory"]);
    expect(comparisonOf(one, one)?.selectedMetrics).toEqual(["throughput"]);
    expect(comparisonOf(part(1), part(2))).not.toHaveProperty("selectedMetrics");
  });
});

describe("what the parts say of the comparison", () => {
  const anchor = { servers: ["uvicorn"], rows: ["interfaces/pinned"], day: { throughput: 0.04 } };
  const other = { ...anchor, servers: ["hypercorn"] };

  it("has an anchor where all parts have the same", () => {
    expect(comparisonOf(part(1, { anchor }), part(2, { anchor }))?.anchor).toEqual(anchor);
    expect(comparisonOf(part(1, { anchor }), part(2, { anchor: other }))).not.toHaveProperty("anchor");
    expect(comparisonOf(part(1, { anchor }), part(2, { anchor }), part(3))).not.toHaveProperty("anchor");
    expect(comparisonOf(part(1), part(2))).not.toHaveProperty("anchor");
  });

  it("has a command where all parts have the same", () => {
    const command = ["server-bench", "run"];
    expect(comparisonOf(part(1, { command }), part(2, { command }))?.command).toEqual(command);
    const third = part(3, { command: ["other"] });
    expect(comparisonOf(part(1, { command }), part(2, { command }), third)).not.toHaveProperty("command");
  });

  it("has the base that rows were confirmed with, of whichever part", () => {
    const confirmedWith = { sha: "def", ref: "main" };
    expect(comparisonOf(part(1), part(2, { confirmedWith }))?.confirmedWith).toEqual(confirmedWith);
    expect(comparisonOf(part(1), part(2))).not.toHaveProperty("confirmedWith");
  });

  it("has the newest finding of a row that was compared before", () => {
    const row = { id: "interfaces/row-1", connections: 64, title: "row-1" };
    for (const kind of ["failed-in-head", "failed-in-base", "voided"] as const) {
      const notCompared = [{ ...row, kind, reason: "it ended" }];
      const later = part(2, { rows: [], notCompared });
      expect(comparisonOf(part(1), later)).toMatchObject({ rows: [], notCompared });
      expect(comparisonOf(later, part(1))).toMatchObject({ rows: [], notCompared });
      expect(
        comparisonOf(part(1, { rows: [], notCompared }), part(2, { rows: [compared("row-1")] }))?.rows,
      ).toHaveLength(1);
    }
    const unmeasured = part(2, { rows: [], notCompared: [{ ...row, kind: "unmeasured", reason: "no time" }] });
    expect(comparisonOf(part(1), unmeasured)?.rows).toHaveLength(1);
  });

  it("has no older verdict of a row that failed on both sides in the newest part", () => {
    const row = { id: "interfaces/row-1", connections: 64, title: "row-1" };
    const notCompared = [{ ...row, kind: "unmeasured" as const, reason: "base failed, and head: it ended" }];
    const { source, results } = part(2, { rows: [], notCompared });
    const later = { source, results: { ...results, cases: [failed("interfaces/row-1", "row-1", 64)] } };
    expect(comparisonOf(part(1), later)).toMatchObject({ rows: [], notCompared });
    expect(comparisonOf(later, part(1))).toMatchObject({ rows: [], notCompared });
  });

  it("has the older verdict of a row that is unmeasured for another reason than that head failed", () => {
    const row = { id: "interfaces/row-1", connections: 64, title: "row-1" };
    const { source, results } = part(2, { rows: [], notCompared: [{ ...row, kind: "unmeasured", reason: "no time" }] });
    const base = failed("interfaces/row-1", "row-1", 64, { side: "base" });
    for (const cases of [[completed("interfaces/row-1", "row-1", 64, 1000)], [base]])
      expect(comparisonOf(part(1), { source, results: { ...results, cases } })?.rows).toHaveLength(1);
  });

  it("has figures of a row whose work was counted alone", () => {
    const rounds = [{ hashSeed: 1, seconds: 9, base: [1000], head: [1000] }];
    const instructions: ComparedRow["instructions"] = {
      ...{ state: "measured", source: "callgrind", version: "3.19.0", connections: 1, requests: 100 },
      rounds,
    };
    const counted = part(1, { rows: [compared("row-1", { metrics: {}, recorded: [], instructions })] });
    const unbegun = part(2, { rows: [compared("row-1", { metrics: {}, recorded: [] })] });
    for (const both of [comparisonOf(counted, unbegun), comparisonOf(unbegun, counted)])
      expect(both?.rows).toMatchObject([{ instructions }]);
  });

  it("has the older verdict of a row that the newest run did not come to", () => {
    const unbegun = part(2, { rows: [compared("row-1", { metrics: {}, recorded: [] }), compared("row-2")] });
    for (const both of [comparisonOf(part(1), unbegun), comparisonOf(unbegun, part(1))])
      expect(both?.rows.find(({ id }) => id === "interfaces/row-1")?.metrics).toHaveProperty("throughput");
    expect(comparisonOf(unbegun)?.rows).toHaveLength(2);
    const notCompared = [{ kind: "failed-in-head" as const, id: "interfaces/row-1", connections: 64, title: "row-1" }];
    expect(comparisonOf(part(1, { rows: [], notCompared }), unbegun)?.notCompared).toMatchObject(notCompared);
  });

  it("has no list that would be empty", () => {
    const whole = comparisonOf(part(1), part(2));
    for (const name of ["controls", "notCompared", "runs", "notes", "notComparable"])
      expect(whole).not.toHaveProperty(name);
  });

  it("has the reasons that nothing is comparable, where no row was compared", () => {
    const reasons = (...texts: string[]): Partial<Comparison> => ({ rows: [], notComparable: texts });
    expect(comparisonOf(part(1, reasons("a")), part(2, reasons("a", "b")))?.notComparable).toEqual(["a", "b"]);
    expect(comparisonOf(part(1, { rows: [] }), part(2, { rows: [] }))).not.toHaveProperty("notComparable");
  });

  it("names a row once: one that a comparison lists is not listed again as a case", () => {
    const notCompared = [{ kind: "new" as const, id: "interfaces/row-2", connections: 64, title: "new" }];
    const ids = comparisonOf(part(1, { notCompared }), uncompared(2))?.notCompared?.map(({ id }) => id);
    expect(ids).toEqual(["interfaces/row-2"]);
  });

  it("says why a part without a comparison had nothing to compare with", () => {
    const nothingToCompare = { kind: "base", reason: "base has no folder bench" } as const;
    const reasonsOf = (run: Partial<Results["run"]>) =>
      comparisonOf(part(1), uncompared(2, run))?.notCompared?.map(({ reason }) => reason);
    expect(reasonsOf({ nothingToCompare })).toEqual(["2.json had nothing to compare with: base has no folder bench"]);
    expect(reasonsOf({})).toEqual(["2.json had nothing to compare with"]);
  });

  it("lists head's cases only", () => {
    const { source, results } = uncompared(2);
    const [head] = results.cases;
    if (!head) throw new Error("no case");
    const base = { ...head, id: "interfaces/base-only", side: "base" as const };
    const ids = comparisonOf(part(1), { source, results: { ...results, cases: [head, base] } })?.notCompared;
    expect(ids?.map(({ id }) => id)).toEqual(["interfaces/row-2"]);
  });
});

describe("the base of parts", () => {
  it("is one where the commit is, whatever else is known of it", () => {
    const base = { sha: "abc", ref: "refs/heads/main" };
    expect(comparisonOf(part(1), part(2, { base }))?.base).toEqual({ ref: "main", sha: "abc" });
    expect(() => comparisonOf(part(1), part(2, { base: { sha: "def", ref: "main" } }))).toThrow(
      "2.json: compares with another base than 1.json",
    );
  });

  it("is not one where tracked files differed from the commit", () => {
    const dirty = (of: string) => ({ sha: "abc", ref: "main", uncommitted: of });
    expect(() => comparisonOf(part(1), part(2, { base: dirty("a") }))).toThrow("another base");
    expect(() => comparisonOf(part(1, { base: dirty("a") }), part(2))).toThrow("another base");
    expect(() => comparisonOf(part(1, { base: dirty("a") }), part(2, { base: dirty("b") }))).toThrow("another base");
    expect(comparisonOf(part(1, { base: dirty("a") }), part(2, { base: dirty("a") }))?.base).toEqual(dirty("a"));
  });

  it("is compared in full without a commit", () => {
    expect(comparisonOf(part(1, { base: { path: "a" } }), part(2, { base: { path: "a" } }))?.base).toEqual({
      path: "a",
    });
    expect(() => comparisonOf(part(1, { base: { path: "a" } }), part(2, { base: { path: "b" } }))).toThrow(
      "another base",
    );
  });

  it("keeps both kinds of a part that was merged before", () => {
    const storedBase = { runs: "3", newest: "2025-01-01T10:00:00Z" };
    const rows = [compared("row-1", { mode: "paired" }), compared("other", { mode: "artifact" })];
    const mixed = part(1, { mode: "mixed", storedBase, rows });
    const whole = comparisonOf(mixed, part(2));
    expect(whole).toMatchObject({ mode: "mixed", base: { ref: "main", sha: "abc" }, storedBase });
    expect(whole?.rows.map(({ mode }) => mode)).toEqual(["paired", "artifact", "paired"]);
    const { storedBase: _, ...unknown } = part(1, { mode: "mixed", rows }).results.comparison;
    const { source, results } = mixed;
    const again = comparisonOf({ source, results: { ...results, comparison: unknown } }, part(2));
    expect(again?.storedBase).toEqual({ runs: "1" });
  });

  it("does not count a stored part that found no run, unless none did", () => {
    const stored = (day: number, runs: string, newest: string) =>
      part(day, { mode: "artifact", base: { runs, newest } });
    expect(comparisonOf(stored(1, "0", "never"), stored(2, "2", "then"))?.base).toEqual({ runs: "2", newest: "then" });
    expect(comparisonOf(stored(1, "0", "never"), stored(2, "0", "never"))?.base).toEqual({
      runs: "0",
      newest: "never",
    });
  });
});

describe("a run of several parts", () => {
  it("keeps why there was nothing to compare with, where no part was compared", () => {
    const nothing = { kind: "base" as const, reason: "the base branch is gone" };
    const merged = mergeResults([uncompared(1), uncompared(2, { nothingToCompare: nothing })]);
    expect(merged.run.nothingToCompare).toEqual(nothing);
    expect(mergeResults([uncompared(1), uncompared(2)]).run).not.toHaveProperty("nothingToCompare");
    const some = mergeResults([part(1), uncompared(2, { nothingToCompare: nothing })]);
    expect(some.run).not.toHaveProperty("nothingToCompare");
  });

  it("weighs the share of time below load by the time", () => {
    const parts = [
      part(1, {}, { measuredSec: 300, loadShare: 0.9 }),
      part(2, {}, { measuredSec: 100, loadShare: 0.5 }),
    ];
    expect(mergeResults(parts).run.loadShare).toBeCloseTo(0.8);
    const idle = [part(1, {}, { measuredSec: 0, loadShare: 0 }), part(2, {}, { measuredSec: 0, loadShare: 0 })];
    expect(mergeResults(idle).run.loadShare).toBe(0);
  });

  it("ends when its last part ended, in whichever order the parts started", () => {
    const [late, early] = ["2025-01-05T10:00:00Z", "2025-01-04T23:00:00Z"];
    expect(mergeResults([part(1, {}, { finishedAt: late }), part(2, {}, { finishedAt: early })]).run.finishedAt).toBe(
      late,
    );
    expect(mergeResults([part(1, {}, { finishedAt: early }), part(2, {}, { finishedAt: late })]).run.finishedAt).toBe(
      late,
    );
  });

  it("has the facts of its newest part, and the parts of parts", () => {
    const [one, two, three] = [part(1), part(3, {}, { profile: "quick" }), part(2)];
    const merged = mergeResults([one, two, three]);
    expect(merged.run).toMatchObject({ id: "day-3", profile: "quick" });
    const again = mergeResults([{ source: "merged.json", results: merged }, part(4)]);
    expect(again.run.parts?.map(({ source }) => source)).toEqual(["1.json", "3.json", "2.json", "4.json"]);
  });

  it("has the profiles of all parts, the newest of a row", () => {
    const profile = (id: string, reason: string) => ({
      id,
      connections: 64,
      title: id,
      state: "failed" as const,
      reason,
    });
    const of = (day: number, ...profiles: ReturnType<typeof profile>[]) => {
      const { source, results } = part(day);
      return { source, results: { ...results, profiles } as unknown as Results };
    };
    const merged = mergeResults([of(2, profile("a", "new")), of(1, profile("a", "old"), profile("b", "only"))]);
    expect(merged.profiles).toMatchObject([
      { id: "a", reason: "new" },
      { id: "b", reason: "only" },
    ]);
    expect(mergeResults([part(1), part(2)])).not.toHaveProperty("profiles");
  });

  it("warns of a part whose commit is not known, and of nothing where all are equal", () => {
    const { git: _, ...run } = part(2).results.run;
    const { source, results } = part(2);
    const merged = mergeResults([part(1), { source, results: { ...results, run } }]);
    expect(merged.run.warnings).toEqual([
      expect.stringContaining("2.json measured the commit (none), 1.json 0f3c2a9d"),
    ]);
    expect(mergeResults([part(1), part(2)]).run.warnings).toEqual([]);
  });
});

describe("whether the load generator was the limit", () => {
  const results = resultsOf([
    completed("interfaces/bound", "a", 64, 1000, { summary: { clientBound: true } }),
    completed("interfaces/free", "b", 64, 1000),
  ]);
  const isBound = isClientBound(results);
  const confirmation = { confirmation: { pairs: 3 } } as unknown as Partial<ComparedRow>;

  it("is what a row says of itself", () => {
    expect(isBound(compared("free", { clientBound: true }))).toBe(true);
    expect(isBound(compared("bound", { clientBound: false }))).toBe(false);
  });

  it("is what the row's cases say in files of before", () => {
    expect(isBound(compared("bound"))).toBe(true);
    expect(isBound(compared("free"))).toBe(false);
  });

  it("is what the note of a confirmed row says: its cases are of the run before", () => {
    expect(isBound(compared("bound", confirmation))).toBe(false);
    expect(isBound(compared("free", { ...confirmation, notes: ["other", CLIENT_BOUND] }))).toBe(true);
  });
});

describe("rows in pairs", () => {
  it("have verdicts on what their own run was asked for", () => {
    const judged = (selectedMetrics?: ("throughput" | "cpu")[]) => {
      const { comparison, ...results } = pairedResults([recordedRow("interfaces/slower", 13, 0.2)]);
      if (!comparison) throw new Error("not compared");
      return {
        source: "a",
        results: { ...results, comparison: { ...comparison, ...(selectedMetrics && { selectedMetrics }) } },
      };
    };
    const metricsOf = (...parts: Parameters<typeof mergeResults>[0]) =>
      Object.keys(mergeResults(parts).comparison?.rows.find(({ id }) => id === "interfaces/slower")?.metrics ?? {});
    expect(metricsOf(judged(["cpu"]), part(2))).toEqual(["cpuPerRequest"]);
    expect(metricsOf(judged(), part(2))).toEqual(["throughput", "cpuPerRequest"]);
  });

  it("are judged again by the margin of the merged comparison", () => {
    const verdictAt = (detect: number) => {
      const results = pairedResults([recordedRow("interfaces/same", 13, 0)], { shard: { index: 1, of: 1 } });
      if (!results.comparison) throw new Error("not compared");
      const merged = mergeResults([
        { source: "a", results: { ...results, comparison: { ...results.comparison, detect } } },
      ]);
      return merged.comparison?.rows[0]?.metrics.throughput?.verdict;
    };
    expect(verdictAt(0.05)).toBe("unchanged");
    expect(verdictAt(0.001)).toBe("inconclusive");
  });
});
