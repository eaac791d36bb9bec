/** Shards of one run that were compared in different ways, or not at all: each row keeps how it was compared. */
import { describe, expect, it } from "vitest";
import { compareStored } from "../../src/compare/stored.js";
import { mergeResults } from "../../src/merge/merge.js";
import { missingShards, withMissing } from "../../src/merge/missing-shards.js";
import type { Part } from "../../src/merge/parts.js";
import { renderComment } from "../../src/report/comment/comment.js";
import { renderReport } from "../../src/report/markdown/report.js";
import { checkOwnResults } from "../../src/results/check.js";
import { formatResults } from "../../src/results/layout.js";
import { parseResults } from "../../src/results/read.js";
import type { CaseResult, Results } from "../../src/results/schema.js";
import { completed, failed, resultsOf } from "../support/results.js";
import { pairedResults, recordedRow } from "../support/shards.js";

const of = 4;
const row = (name: string, rate = 20_000): CaseResult => completed(`interfaces/${name}`, name, 64, rate);
const part = (results: Results): Part => ({ source: `${results.run.id}.json`, results });

function run(index: number, results: Results, change: Partial<Results["run"]> = {}): Results {
  const shard = { index, of };
  return { ...results, run: { ...results.run, id: `shard-${index}`, warnings: [], shard, ...change } };
}

/** Measured side by side with base: `worse` is. */
const paired = run(1, pairedResults([recordedRow("interfaces/same", 13, 0), recordedRow("interfaces/worse", 13, 0.2)]));
/** Base could not be fetched: compared with a stored run. */
const storedRows = [row("slower", 10_000), row("equal")];
const baseRun = run(1, resultsOf([row("slower"), row("equal")]), { id: "base", startedAt: "2025-01-01T10:00:00Z" });
const head = run(2, resultsOf(storedRows));
const stored: Results = {
  ...head,
  comparison: compareStored([{ source: "base.json", results: baseRun }], head, { command: ["server-bench", "run"] }),
};
/** Nothing to compare with. */
const without = run(3, resultsOf([row("alone"), failed("interfaces/broken", "broken", 64)]));
const cancelled = run(4, resultsOf([row("early")]), { finishedAt: null });

function merged(...results: readonly Results[]): Results {
  const all = mergeResults(results.map(part));
  expect(checkOwnResults(all)).toMatchObject({ state: "valid" });
  return parseResults(formatResults(all), "results.json");
}

function found(results: Results) {
  return new Map(results.comparison?.rows.map((one) => [one.id.replace("interfaces/", ""), one]));
}

describe("shards in pairs and with stored results", () => {
  const all = merged(paired, stored);
  const rows = found(all);

  it("are merged row by row", () => {
    expect([...rows].map(([name, { mode, verdict }]) => [name, mode, verdict])).toEqual([
      ["same", "paired", expect.stringMatching(/^(unchanged|inconclusive)$/)],
      ["worse", "paired", "worse"],
      ["slower", "artifact", "suspect-worse"],
      ["equal", "artifact", expect.stringMatching(/^(unchanged|inconclusive)$/)],
    ]);
    expect(rows.get("worse")?.recorded).toHaveLength(13);
    expect(rows.get("slower")).toEqual({ ...found(stored).get("slower"), mode: "artifact" });
  });

  it("keep both bases", () => {
    expect(all.comparison).toMatchObject({ mode: "mixed", base: { ref: "main", sha: "abc" } });
    expect(all.comparison?.storedBase).toMatchObject({ runs: "1", newest: "2025-01-01T10:00:00Z" });
    expect(all.comparison?.runs).toEqual(stored.comparison?.runs);
  });

  it("are the same in any order and when merged step by step", () => {
    const again = merged(merged(stored, without), merged(paired, cancelled));
    const whole = merged(paired, stored, without, cancelled);
    const byId = (results: Results) => new Map([...found(results)].sort(([a], [b]) => a.localeCompare(b)));
    expect(byId(again)).toEqual(byId(whole));
    expect(again.comparison?.mode).toBe("mixed");
    const uncompared = (results: Results) => results.comparison?.notCompared?.map(({ id }) => id).sort();
    expect(uncompared(again)).toEqual(uncompared(whole));
  });

  it("keep one mode where all agree", () => {
    const [one, two] = [paired, { ...paired, run: { ...paired.run, id: "other" } }];
    expect(merged(one, two).comparison).toMatchObject({ mode: "paired" });
    expect([...found(merged(one, two)).values()].map(({ mode }) => mode)).toEqual([undefined, undefined]);
    expect(merged(stored, without).comparison).toMatchObject({ mode: "artifact" });
  });

  it("are reported with both methods, and with what each row was compared by", () => {
    const report = renderReport(all);
    expect(report).toMatch(/1 of 4 benchmarks .*1 may be slower/s);
    expect(report).toMatch(/\| slower \(c64\) .*\| stored results +\|/);
    expect(report).toMatch(/\| worse \(c64\) .*\| 13 pairs, 59 s +\|/);
    expect(report).toMatch(
      /Base: measured in this run, commit `?abc`? on main; for 2 benchmarks: 1 stored run, of Wed 01 Jan 2025/,
    );
    expect(report).toContain("Base and head run side by side in pairs");
    expect(report).toContain("Benchmarks without pairs are compared with stored results.");
    const where = { repository: "o/r", serverUrl: "https://github.example", runUrl: "https://github.example/run" };
    const comment = renderComment({ results: all, where, trust: { kind: "own" } });
    expect(comment).toMatch(/measured side by side; 2 benchmarks against stored results/);
  });
});

describe("shards without a comparison", () => {
  const all = merged(paired, without, cancelled);

  it("name their rows, with the reason", () => {
    expect([...found(all).keys()]).toEqual(["same", "worse"]);
    expect(all.comparison?.notCompared).toEqual([
      expect.objectContaining({
        id: "interfaces/alone",
        kind: "not-comparable",
        reason: expect.stringMatching(/3\/4/),
      }),
      expect.objectContaining({ id: "interfaces/broken", reason: expect.stringMatching(/^failed: the server ended/) }),
      expect.objectContaining({
        id: "interfaces/early",
        reason: "the shard 4/4 was ended before its benchmarks were compared",
      }),
    ]);
    const report = renderReport(all);
    expect(report).toContain("Not comparable: `alone (c64)`: the shard 3/4 had nothing to compare with");
    expect(report).toMatch(/\| alone \(c64\) /);
  });

  it("have one whose stored results are of another machine: its reason stands at its rows", () => {
    const reason = "CPU model: A in base, B in head";
    const other: Results = {
      ...without,
      comparison: { mode: "artifact", base: { runs: "0", files: "1" }, rows: [], notComparable: [reason] },
    };
    const both = merged(stored, other);
    expect(both.comparison?.notComparable).toBeUndefined();
    expect(both.comparison).toMatchObject({ mode: "artifact", base: stored.comparison?.base });
    expect(both.comparison?.notCompared?.[0]).toMatchObject({
      id: "interfaces/alone",
      reason: `the shard 3/4 could not be compared: ${reason}`,
    });
    expect(merged(other, { ...other, run: { ...other.run, id: "x" } }).comparison?.notComparable).toEqual([reason]);
  });

  it("are no comparison where none has one", () => {
    expect(merged(without, cancelled).comparison).toBeUndefined();
  });

  it("do not hide that a shard is lost", () => {
    const parts = [paired, stored, cancelled];
    const missing = missingShards(parts);
    expect(missing.map(({ shard }) => shard)).toEqual(["3/4", "4/4"]);
    const report = renderReport(withMissing(merged(...parts), missing));
    expect(report).toContain("Not everything was measured: benchmarks of the shards 3/4, 4/4.");
    expect(report).toContain("1 of 4 benchmarks ");
  });
});

describe("shards with different bases", () => {
  const comparison = paired.comparison;
  if (!comparison) throw new Error("a comparison");

  it("are refused when measured in pairs with different commits", () => {
    const other = { ...paired, comparison: { ...comparison, base: { ref: "main", sha: "def" } } };
    expect(() => mergeResults([part(paired), { source: "other.json", results: other }])).toThrow(
      "other.json: compares with another base than shard-1.json: merge results of one comparison",
    );
  });

  it("may each have stored runs of their own kind of machine: what they share describes the base", () => {
    const base = { ...stored.comparison?.base, machine: "Other CPU, 4 CPUs", runs: "3" };
    const other = { ...stored, comparison: stored.comparison && { ...stored.comparison, base } };
    const both = merged(stored, { ...other, run: { ...other.run, id: "other" } } as Results);
    expect(both.comparison?.base).toMatchObject({ runs: "3", newest: "2025-01-01T10:00:00Z" });
    expect(both.comparison?.base.machine).toBeUndefined();
  });
});

describe("a client-bound row", () => {
  const bound = (field: "field" | "before"): Results => {
    const results = pairedResults([recordedRow("interfaces/bound", 13, 0, { clientBound: true })]);
    if (!results.comparison) throw new Error("a comparison");
    const rows = results.comparison.rows.map(({ notes: _, clientBound, ...rest }) =>
      field === "field" ? { ...rest, clientBound: clientBound ?? false } : rest,
    );
    const cases = field === "field" ? results.cases.filter(({ side }) => side === "base") : results.cases;
    return run(1, { ...results, cases, comparison: { ...results.comparison, rows } });
  };

  it("is known by its field, whatever its notes and cases say", () => {
    expect(found(bound("field")).get("bound")?.clientBound).toBe(true);
    const rows = found(merged(bound("field"), stored));
    expect(rows.get("bound")).toMatchObject({ clientBound: true, notes: [expect.stringMatching(/^client-bound/)] });
    expect(rows.get("bound")?.metrics.throughput?.verdict).not.toBe("unchanged");
  });

  it("is known by its cases in a file from before the field", () => {
    expect(found(merged(bound("before"), stored)).get("bound")?.clientBound).toBe(true);
  });
});
