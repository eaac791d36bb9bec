import { describe, expect, it } from "vitest";
import { judgePaired } from "../../src/compare/paired.js";
import { mergeResults } from "../../src/merge/merge.js";
import { checkResults } from "../../src/results/check.js";
import type { Results } from "../../src/results/schema.js";
import { completed, interfacesSet, resultsOf, sampleResults } from "../support/results.js";
import { pairedResults, pairedShard, recordedRow } from "../support/shards.js";

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

  it("orders the rows of shards as their set does, rows in pairs too", () => {
    const ids = ["interfaces/a", "interfaces/b", "interfaces/c"];
    const sets = [{ ...interfacesSet, rowOrder: ids }];
    const shard = (index: number, ...own: string[]) => part(`${index}.json`, { ...pairedShard(index, 2, own), sets });
    const merged = mergeResults([shard(1, "interfaces/c"), shard(2, "interfaces/a", "interfaces/b")]);
    expect(merged.cases.map(({ id }) => id).filter((id, i, all) => all.indexOf(id) === i)).toEqual(ids);
    expect(merged.comparison?.rows.map(({ id }) => id)).toEqual(ids);
    expect(merged.sets).toEqual([interfacesSet]);
    expect(checkResults(merged)).toMatchObject({ state: "valid" });
  });

  it("orders the sets of shards as a run does that is whole", () => {
    const shard = (index: number, ...names: string[]) => {
      const ids = names.map((name) => `${name}/a`);
      const cases = ids.map((id, i) => completed(id, id, 64, 1000 + i));
      const sets = names.map((name, i) => ({ ...interfacesSet, name, rowOrder: ids.slice(i, i + 1) }));
      return part(`${index}.json`, on(index, { ...resultsOf(cases), sets }));
    };
    const parts = [shard(1, "vs-asgi", "own"), shard(2, "files", "vs-asgi"), shard(3, "http2"), shard(4, "own")];
    const merged = mergeResults(parts);
    expect(merged.sets.map(({ name }) => name)).toEqual(["files", "http2", "vs-asgi", "own"]);
    expect(merged.cases.map(({ id }) => id)).toEqual(["files/a", "http2/a", "vs-asgi/a", "own/a"]);
    const days = parts.map(({ source, results }) =>
      part(source, { ...results, sets: results.sets.map(({ rowOrder: _, ...set }) => set) }),
    );
    expect(mergeResults(days).sets.map(({ name }) => name)).toEqual(["vs-asgi", "own", "files", "http2"]);
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

  it("has the sentences on how rows were run that hold for all parts whose cases it has", () => {
    const ran = (...methodology: string[]) => ({ sets: [{ ...interfacesSet, methodology }] });
    const parts = [
      part("1.json", on(1, { ...resultsOf([a]), ...ran("All rows run with loop uvloop.", "Timeout 10 s.") })),
      part("2.json", on(2, { ...resultsOf([b]), ...ran("All rows use TLS.", "Timeout 10 s.") })),
    ];
    expect(mergeResults(parts).sets[0]?.methodology).toEqual(["Timeout 10 s."]);
    const newer = part("3.json", on(3, { ...resultsOf([{ ...a }, { ...b }]), ...ran("Timeout 20 s.") }));
    expect(mergeResults([...parts, newer]).sets[0]?.methodology).toEqual(["Timeout 20 s."]);
  });

  it("keeps the rows of all parts that were counted without a base, the newest figures of each kind", () => {
    const counted = (instructions: number) => ({
      state: "measured" as const,
      source: "callgrind" as const,
      ...{ version: "3.19.0", connections: 8, requests: 100 },
      rounds: [{ hashSeed: 1, seconds: 5, head: [instructions] }],
    });
    const sampled = (peakMiB: number) => ({
      state: "measured" as const,
      ...{ connections: 8, requests: 100 },
      pairs: [{ seconds: 5, head: { source: "pss" as const, peakMiB, samplesMiB: [peakMiB] } }],
    });
    const row = (id: string) => ({ id: `interfaces/${id}`, title: id });
    const withFurtherMetrics = (day: number, furtherMetrics: Results["furtherMetrics"]) =>
      part(`${day}.json`, { ...on(day, resultsOf([])), furtherMetrics });
    const merged = mergeResults([
      withFurtherMetrics(3, [{ ...row("a"), instructions: counted(3) }]),
      withFurtherMetrics(1, [{ ...row("a"), instructions: counted(1), memory: sampled(1) }]),
      withFurtherMetrics(2, [{ ...row("b"), memory: sampled(2) }]),
    ]);
    expect(merged.furtherMetrics).toEqual([
      { ...row("a"), instructions: counted(3), memory: sampled(1) },
      { ...row("b"), memory: sampled(2) },
    ]);
    expect(checkResults(merged)).toMatchObject({ state: "valid" });
    expect(mergeResults([part("1", on(1, resultsOf([a]))), part("2", on(2, resultsOf([b])))])).not.toHaveProperty(
      "furtherMetrics",
    );
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
      "2.json was measured on another machine (Other CPU @ Ubuntu 24.04, CPUs: 2) than 1.json: its benchmarks are not comparable with the others.",
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
          ...{ notCompared: [gone(missing), gone("interfaces/c")], notes: ["no control", note] },
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
    expect(merged.comparison?.notCompared?.map((row) => row.id)).toEqual(["interfaces/c"]);
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

describe("shards that measured in pairs", () => {
  const id = (i: number) => `interfaces/row-${i}`;
  /** Twelve rows: most the same, some a little slower, one at its client's limit, one with pairs that do not suffice. */
  const rows = [0.022, 0, 0, 0.019, 0, 0.06, 0, 0, 0.021, 0, 0, -0.05].map((cost, i) =>
    recordedRow(id(i), i === 10 ? 2 : i % 3 === 0 ? 8 : 5, cost, {
      clientBound: i === 4,
      notes: i === 2 ? ["3 failed requests in head, none in base"] : [],
    }),
  );
  const whole = pairedResults(rows, { id: "whole" });
  const of = 4;
  const shards = Array.from({ length: of }, (_, shard) =>
    pairedResults(
      rows.filter((_row, i) => i % of === shard),
      {
        id: `shard-${shard + 1}`,
        shard: { index: shard + 1, of },
        command: ["server-bench", "run", `--shard=${shard}`],
      },
    ),
  );
  const merged = mergeResults(shards.map((results, i) => part(`${i + 1}.json`, results)));
  const byId = (results: Results) => new Map(results.comparison?.rows.map((row) => [row.id, row]));
  /** Sums differ in their last digit by their order. */
  const rounded = (results: Results): unknown =>
    JSON.parse(
      JSON.stringify([...byId(results)].sort(), (_, value) =>
        typeof value === "number" ? Number(value.toPrecision(12)) : value,
      ),
    );

  it("are judged as one run over the same pairs", () => {
    expect(rounded(merged)).toEqual(rounded(whole));
    expect([...byId(merged)]).toHaveLength(rows.length);
    expect(checkResults(merged)).toMatchObject({ state: "valid" });
  });

  it("which is not always what each shard said by itself", () => {
    const verdicts = (results: readonly Results[]) =>
      results.flatMap(({ comparison }) => (comparison?.rows ?? []).map((row) => `${row.id} ${row.verdict}`)).sort();
    const differing = Array.from({ length: 30 }, (_, i) => 0.01 + 0.002 * i).filter((cost) => {
      const changed = rows.map((row, i) => (i % 4 === 0 ? recordedRow(row.id, 5, cost) : row));
      const split = [0, 1, 2, 3].map((shard) => pairedResults(changed.filter((_row, i) => i % 4 === shard)));
      const together = verdicts([mergeResults(split.map((results, i) => part(`${i}`, results)))]);
      expect(together).toEqual(verdicts([pairedResults(changed)]));
      return together.join() !== verdicts(split).join();
    });
    expect(differing).not.toEqual([]);
  });

  it("whatever the order, and when merged step by step", () => {
    const [one, two, three, four] = shards.map((results, i) => part(`${i + 1}.json`, results));
    if (!one || !two || !three || !four) throw new Error("four shards");
    const half = part("half.json", JSON.parse(JSON.stringify(mergeResults([three, one]))) as Results);
    expect(byId(mergeResults([four, half, two]))).toEqual(byId(merged));
  });

  it("keep notes, seconds, pairs, controls and rows apart", () => {
    const found = byId(merged);
    expect(found.get(id(2))?.notes).toEqual(["3 failed requests in head, none in base"]);
    expect(found.get(id(4))?.notes).toEqual(["client-bound: its throughput is a lower bound"]);
    expect(found.get(id(4))?.metrics.throughput?.verdict).not.toBe("unchanged");
    expect(found.get(id(10))?.notes).toEqual(["too few pairs for a verdict"]);
    for (const row of rows) {
      expect(found.get(row.id)?.recorded).toEqual(row.pairs);
      expect(found.get(row.id)?.seconds).toBeCloseTo(4.5 * row.pairs.length);
    }
    const [first, second] = shards;
    if (!first?.comparison || !second?.comparison) throw new Error("two comparisons");
    const controls = second.comparison.rows.slice(0, 1);
    const notCompared = [{ kind: "new" as const, id: "interfaces/new", connections: 64, title: "New" }];
    const both = mergeResults([
      part("1", { ...first, comparison: { ...first.comparison, controls: [] } }),
      part("2", {
        ...second,
        comparison: { ...second.comparison, rows: second.comparison.rows.slice(1), controls, notCompared },
      }),
    ]);
    expect(both.comparison).toMatchObject({ controls, notCompared, mode: "paired", base: { ref: "main" } });
  });

  it("that were interrupted count with the pairs they have", () => {
    const row = recordedRow("interfaces/cut", 3, 0);
    const [open] = judgePaired([{ ...row, ended: false }]);
    if (!open) throw new Error("no verdict");
    expect(open.compared).toMatchObject({ metrics: {}, notes: ["too few pairs for a verdict"] });
    const cut = pairedResults([row], { finishedAt: null });
    const interrupted = {
      ...cut,
      comparison: { mode: "paired" as const, base: { ref: "main", sha: "abc" }, rows: [open.compared] },
    };
    const [first] = shards;
    if (!first) throw new Error("a shard");
    const found = byId(mergeResults([part("1", first), part("2", interrupted)])).get("interfaces/cut");
    expect(found?.metrics.throughput?.pairs).toBe(3);
    expect(found?.notes).toBeUndefined();
  });

  it("leave a row without pairs as it is", () => {
    const [first, second] = shards;
    const [row] = second?.comparison?.rows ?? [];
    if (!first || !second?.comparison || !row) throw new Error("two shards");
    const { recorded: _, ...bare } = row;
    const comparison = { ...second.comparison, rows: [{ ...bare, verdict: "better" as const }] };
    const found = byId(mergeResults([part("1", first), part("2", { ...second, comparison })])).get(row.id);
    expect(found).toEqual({ ...bare, verdict: "better" });
  });

  it("name their places in the parts, and no command that repeats one of them alone", () => {
    expect(merged.run.shard).toBeUndefined();
    expect(merged.run.parts?.map((one) => one.shard)).toEqual([1, 2, 3, 4].map((index) => ({ index, of })));
    const own = shards.map((results, i) => ({
      ...results,
      comparison: results.comparison && { ...results.comparison, command: [`${i}`] },
    }));
    const notCompared = mergeResults(own.map((results, i) => part(`${i}`, results as Results)));
    expect(notCompared.comparison?.command).toBeUndefined();
    expect(merged.comparison?.command).toEqual(["server-bench", "run"]);
  });

  it("on many machines of one kind are one warning", () => {
    const others = Array.from({ length: 6 }, (_, i) => {
      const results = on(2, resultsOf([{ ...b, id: `interfaces/b${i}` }]));
      return part(`${i}.json`, {
        ...results,
        environment: { ...results.environment, cpuModel: "Other", fingerprint: "ffff" },
      });
    });
    expect(mergeResults([part("a.json", on(1, resultsOf([a]))), ...others]).run.warnings).toEqual([
      "0.json, 1.json, 2.json and 3 more: each was measured on another machine (Other @ Ubuntu 24.04, CPUs: 2) than a.json: its benchmarks are not comparable with the others.",
    ]);
  });
});

describe("places among shards", () => {
  const withShard = (shard: unknown) => checkResults({ ...sampleResults(), run: { ...sampleResults().run, shard } });

  it.each([
    { index: 1, of: 1 },
    { index: 256, of: 256 },
    { index: 2, of: 4 },
  ])("%j is one", (shard) => {
    expect(withShard(shard)).toMatchObject({ state: "valid" });
  });

  it.each([
    [{ index: 0, of: 4 }, /^run\.shard\.index: /],
    [{ index: 5, of: 4 }, /^run\.shard: expected an index up to the number of shards$/],
    [{ index: 1, of: 257 }, /^run\.shard\.of: /],
    [{ index: 1.5, of: 4 }, /^run\.shard\.index: /],
    [{ index: "1", of: 4 }, /^run\.shard\.index: expected number, got "1"$/],
    [{ index: 1 }, /^run\.shard\.of: is missing$/],
    ["1/4", /^run\.shard: expected Object, got "1\/4"$/],
    [null, /^run\.shard: /],
  ])("%j is none", (shard, message) => {
    const checked = withShard(shard);
    expect(checked.state === "invalid" && checked.problems[0]).toMatch(message);
  });
});
