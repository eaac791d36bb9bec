import { describe, expect, it } from "vitest";
import { mergeResults } from "../../src/merge/merge.js";
import { MISSING_REASONS, missingShards, withMissing } from "../../src/merge/missing-shards.js";
import { planFileOf } from "../../src/plan/matrix.js";
import { renderReport } from "../../src/report/markdown/report.js";
import { checkResults } from "../../src/results/check.js";
import type { Results } from "../../src/results/schema.js";
import { compared, comparison, notCompared } from "../support/comment.js";
import { completed, failed, resultsOf } from "../support/results.js";

const ROWS = ["interfaces/a", "interfaces/b", "interfaces/c", "interfaces/d"];
const plan = planFileOf(
  [0, 1].map((i) => ({ index: i + 1, of: 2, rows: ROWS.slice(2 * i, 2 * i + 2), expectedSec: 60 })),
);

function shard(index: number, of: number, ids: readonly string[], run: Partial<Results["run"]> = {}): Results {
  const results = resultsOf(ids.map((id) => completed(id, id, 64, 1000)));
  return { ...results, run: { ...results.run, id: `shard-${index}`, warnings: [], shard: { index, of }, ...run } };
}

const first = shard(1, 2, ["interfaces/a", "interfaces/b"]);
const second = shard(2, 2, ["interfaces/c", "interfaces/d"]);
const counted = {
  state: "measured" as const,
  source: "callgrind" as const,
  version: "3.19.0",
  connections: 1,
  requests: 100,
  rounds: [{ hashSeed: 1, seconds: 9, base: [1000], head: [1000] }],
};
const part = (results: Results) => ({ source: `${results.run.id}.json`, results });

describe("missingShards", () => {
  it("finds nothing where every row has a case, whatever came of it", () => {
    expect(missingShards([first, second], plan)).toEqual([]);
    expect(missingShards([first, second])).toEqual([]);
    const broken = { ...second, cases: [completed("interfaces/c", "C", 64, 1), failed("interfaces/d", "D", 64)] };
    expect(missingShards([first, broken], plan)).toEqual([]);
  });

  it("names a shard that is not there: with its rows by the plan, by its number without", () => {
    expect(missingShards([second], plan)).toEqual([
      { shard: "1/2", reason: expect.stringMatching(/^it left no results/), rows: ["interfaces/a", "interfaces/b"] },
    ]);
    expect(missingShards([second])).toEqual([{ shard: "1/2", reason: expect.any(String), rows: [] }]);
    expect(missingShards([shard(3, 4, [])]).map((one) => one.shard)).toEqual(["1/4", "2/4", "4/4"]);
  });

  it("tells a shard that could not be read from one that left nothing", () => {
    const unread = [{ index: 2, of: 2 }];
    const reason = expect.stringMatching(/^its results were uploaded, but could not be read/);
    expect(missingShards([first], plan, unread)).toEqual([
      { shard: "2/2", reason, rows: second.cases.map(({ id }) => id) },
    ]);
    expect(missingShards([first], undefined, unread)).toEqual([{ shard: "2/2", reason, rows: [] }]);
    expect(missingShards([first, second], plan, unread)).toEqual([]);
  });

  it("lists the rows that an unfinished shard did not come to", () => {
    const cut = shard(2, 2, ["interfaces/c"], { finishedAt: null });
    expect(missingShards([first, cut], plan)).toEqual([
      { shard: "2/2", reason: expect.stringMatching(/^it was ended before/), rows: ["interfaces/d"] },
    ]);
    expect(missingShards([first, cut])).toEqual([{ shard: "2/2", reason: expect.any(String), rows: [] }]);
    // Base alone is no measurement of the row.
    const half = { ...cut, cases: [...cut.cases, completed("interfaces/d", "D", 64, 1000, { side: "base" as const })] };
    expect(missingShards([first, half], plan)[0]?.rows).toEqual(["interfaces/d"]);
  });

  it("lists nothing when another attempt finished the shard, or its rows were measured elsewhere", () => {
    const cut = shard(2, 2, ["interfaces/c"], { finishedAt: null });
    expect(missingShards([first, cut, second], plan)).toEqual([]);
    expect(missingShards([first, cut, second])).toEqual([]);
    const { shard: _, ...run } = second.run;
    expect(missingShards([first, { ...second, run }], plan)).toEqual([]);
  });

  describe("without timed cases", () => {
    const without = { ...second, cases: [] };
    const notCounted = { state: "not-measured" as const, reason: "Valgrind is not installed" };

    it("counts rows whose instructions or memory were measured, whatever came of it", () => {
      const [c, d] = [compared("interfaces/c", "unchanged"), compared("interfaces/d", "inconclusive")];
      const inPairs = comparison([{ ...c, instructions: counted }], { controls: [{ ...d, memory: notCounted }] });
      expect(missingShards([first, { ...without, comparison: inPairs }], plan)).toEqual([]);
      const alone = [
        { id: "interfaces/c", title: "C", instructions: counted },
        { id: "interfaces/d", title: "D", instructions: notCounted },
      ];
      expect(missingShards([first, { ...without, furtherMetrics: alone }], plan)).toEqual([]);
    });

    it("lists rows of an unfinished shard that are compared, and have no figures yet", () => {
      const [c, d] = [compared("interfaces/c", "unchanged"), compared("interfaces/d", "inconclusive")];
      const cut = { ...without, run: { ...without.run, finishedAt: null } };
      const begun = comparison([{ ...c, instructions: counted }, d], {
        notCompared: [notCompared("interfaces/e", "new")],
      });
      expect(missingShards([first, { ...cut, comparison: begun }], plan)).toEqual([
        { shard: "2/2", reason: expect.stringMatching(/^it was ended before/), rows: ["interfaces/d"] },
      ]);
    });
  });

  it("lists the planned rows that a finished shard left out", () => {
    const other = shard(2, 2, ["interfaces/c", "interfaces/x"]);
    expect(missingShards([first, other], plan)).toEqual([
      { shard: "2/2", reason: expect.stringMatching(/^it finished without these benchmarks/), rows: ["interfaces/d"] },
    ]);
  });

  it("gives reasons that may be shown of foreign results too", () => {
    const cut = shard(2, 2, [], { finishedAt: null });
    const found = [
      ...missingShards([first], plan),
      ...missingShards([first], plan, [{ index: 2, of: 2 }]),
      ...missingShards([first, cut], plan),
      ...missingShards([first, shard(2, 2, [])], plan),
    ];
    expect(found.map(({ reason }) => reason).toSorted()).toEqual(MISSING_REASONS.toSorted());
  });

  it("lists nothing for runs that are no shards", () => {
    expect(missingShards([resultsOf([completed("interfaces/a", "A", 64, 1000)])])).toEqual([]);
  });

  it("knows the shards of files that were merged before", () => {
    const cut = shard(2, 3, [], { finishedAt: null });
    const merged = mergeResults([part(shard(1, 3, ["interfaces/a"])), part(cut)]);
    expect(merged.run.shard).toBeUndefined();
    expect(checkResults(merged)).toMatchObject({ state: "valid" });
    expect(missingShards([merged]).map((one) => one.shard)).toEqual(["2/3", "3/3"]);
    const whole = [merged, shard(2, 3, ["interfaces/b"]), shard(3, 3, ["interfaces/c"])];
    expect(missingShards(whole)).toEqual([]);
    expect(mergeResults(whole.map(part)).run.missing).toBeUndefined();
  });

  it("keeps the rows of the plan that a merged file was made with", () => {
    const before = withMissing(mergeResults([part(first)]), missingShards([first], plan));
    expect(missingShards([before])).toEqual(missingShards([first], plan));
    expect(missingShards([before, shard(2, 2, ["interfaces/c"])])).toEqual([
      { shard: "2/2", reason: expect.stringMatching(/^it finished without/), rows: ["interfaces/d"] },
    ]);
    expect(missingShards([before, second])).toEqual([]);
  });
});

describe("the report", () => {
  it("lists what was not measured, by its shard", () => {
    const missing = missingShards([first], plan);
    const results = withMissing(mergeResults([part(first)]), missing);
    expect(checkResults(results)).toMatchObject({ state: "valid" });
    const report = renderReport(results);
    expect(report).toContain("> **Warning:** Not everything was measured: 2 benchmarks of the shard 2/2.");
    expect(report).toMatch(
      /## Not measured\n\n- Shard 2\/2: it left no results: .*: `interfaces\/c`, `interfaces\/d`\n/,
    );
  });

  it("folds many rows", () => {
    const rows = Array.from({ length: 40 }, (_, i) => `interfaces/row-${i}`);
    const results = withMissing(first, [{ shard: "2/2", reason: "gone", rows }]);
    const report = renderReport(results);
    expect(report).toMatch(
      /- Shard 2\/2: gone: 40 benchmarks\n\n<details>\n<summary>The benchmarks<\/summary>\n\n- 2\/2: `interfaces\/row-0`, /,
    );
    expect(report).toContain("`interfaces/row-39`");
  });

  it("says nothing where nothing is missing", () => {
    expect(withMissing(first, [])).toBe(first);
    expect(renderReport(first)).not.toContain("Not measured");
  });

  it("escapes what a file says of itself", () => {
    const run = { ...first.run, missing: [{ shard: "<b>@x", reason: "</details><script>", rows: ["`a`|\n# b"] }] };
    const report = renderReport({ ...first, run });
    expect(report).not.toMatch(/<script>|<b>|\n# b|@x/);
  });
});
