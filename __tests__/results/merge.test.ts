import { describe, expect, it } from "vitest";
import { checkResults } from "../../src/results/check.js";
import { mergeResults } from "../../src/results/merge.js";
import type { Results } from "../../src/results/schema.js";
import { completed, interfacesSet, resultsOf, sampleResults } from "../support/results.js";

const a = completed("interfaces/a", "A", 64, 1000);
const b = completed("interfaces/b", "B", 64, 2000);

function on(day: number, results: Results, run: Partial<Results["run"]> = {}): Results {
  return {
    ...results,
    run: {
      ...results.run,
      id: `day-${day}`,
      startedAt: `2025-01-0${day}T10:00:00Z`,
      finishedAt: `2025-01-0${day}T10:05:00Z`,
      warnings: [],
      ...run,
    },
  };
}

const part = (source: string, results: Results) => ({ source, results });

describe("mergeResults", () => {
  it("joins shards in the order given", () => {
    const merged = mergeResults([part("2.json", on(2, resultsOf([b]))), part("1.json", on(1, resultsOf([a])))]);
    expect(merged.cases.map((result) => result.id)).toEqual(["interfaces/b", "interfaces/a"]);
    expect(merged.sets).toEqual([interfacesSet]);
    expect(merged.run).toMatchObject({
      startedAt: "2025-01-01T10:00:00Z",
      finishedAt: "2025-01-02T10:05:00Z",
      measuredSec: 582,
      warnings: [],
    });
    expect(merged.run.loadShare).toBeCloseTo(0.83);
    expect(merged.run.parts?.map((of) => [of.source, of.id])).toEqual([
      ["2.json", "day-2"],
      ["1.json", "day-1"],
    ]);
    expect(checkResults(merged)).toMatchObject({ state: "valid" });
  });

  it("keeps the newest of the same case, wherever it stands", () => {
    const newer = part("new.json", on(3, resultsOf([{ ...a, title: "A new" }])));
    const older = part("old.json", on(1, resultsOf([a, b])));
    for (const parts of [
      [newer, older],
      [older, newer],
    ]) {
      const titles = mergeResults(parts).cases.map((result) => result.title);
      expect(titles).toEqual(["A new", "B"]);
    }
  });

  it("keeps sides and concurrencies apart", () => {
    const merged = mergeResults([
      part("1", on(1, resultsOf([a, { ...a, side: "base" }]))),
      part("2", on(2, resultsOf([{ ...a, connections: 128 }]))),
    ]);
    expect(merged.cases).toHaveLength(3);
  });

  it("warns of another machine, profile and commit, and keeps the first environment", () => {
    const other = on(2, resultsOf([b]), { profile: "quick", git: { sha: "abc" } });
    const environment = { ...other.environment, cpuModel: "Other CPU", fingerprint: "ffff" };
    const merged = mergeResults([part("1.json", on(1, resultsOf([a]))), part("2.json", { ...other, environment })]);
    expect(merged.environment.cpuModel).toBe("AMD Ryzen 7 5700X");
    expect(merged.run.warnings).toEqual([
      "2.json was measured on another machine (Other CPU @ Ubuntu 24.04, CPUs: 2) than 1.json: its rows are not comparable with the others.",
      "2.json was measured with the profile quick, 1.json with standard.",
      "2.json measured the commit abc, 1.json 0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3.",
    ]);
  });

  it("refuses a set whose columns differ", () => {
    const other = on(2, { ...resultsOf([b]), sets: [{ ...interfacesSet, columns: ["rps", "p99"] }] });
    expect(() => mergeResults([part("1.json", on(1, resultsOf([a]))), part("2.json", other)])).toThrow(
      '2.json: set "interfaces" has other columns (Request, rps, p99) than in 1.json (Request, requests, rps, mean, max)',
    );
  });

  it("joins the comparisons of shards: what one compared is not missing from the other", () => {
    const compared = (id: string, connections: number) => ({
      ...{ id, connections, verdict: "inconclusive" as const, metrics: {}, seconds: 3 },
    });
    const gone = (id: string) => ({ kind: "removed" as const, id, connections: 64, title: id });
    const shard = (day: number, row: string, missing: string, note: string) =>
      on(day, {
        ...resultsOf([day === 1 ? a : b]),
        comparison: {
          ...{ mode: "artifact", base: { runs: "1" }, rows: [compared(row, 64), compared(row, 128)] },
          ...{ apart: [gone(missing), gone("interfaces/c")], notes: ["no control", note] },
        },
      });
    const first = part("1", shard(1, "interfaces/a", "interfaces/b", "one"));
    const merged = mergeResults([first, part("2", shard(2, "interfaces/b", "interfaces/a", "two"))]);
    expect(merged.comparison?.rows.map((row) => [row.id, row.connections])).toEqual([
      ["interfaces/a", 64],
      ["interfaces/a", 128],
      ["interfaces/b", 64],
      ["interfaces/b", 128],
    ]);
    expect(merged.comparison?.apart?.map((row) => row.id)).toEqual(["interfaces/c"]);
    expect(merged.comparison?.notes).toEqual(["no control", "one", "two"]);
    expect(checkResults(merged)).toMatchObject({ state: "valid" });
  });

  it("is unfinished when a part is", () => {
    const cut = on(2, resultsOf([b]), { finishedAt: null });
    expect(mergeResults([part("1", on(1, resultsOf([a]))), part("2", cut)]).run.finishedAt).toBeNull();
  });

  it("returns a single part as it is, and refuses none", () => {
    const results = sampleResults();
    expect(mergeResults([part("1", results)])).toBe(results);
    expect(() => mergeResults([])).toThrow(/no results to merge/);
  });
});
