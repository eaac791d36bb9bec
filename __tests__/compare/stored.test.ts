import { describe, expect, it } from "vitest";
import { compareStored } from "../../src/compare/stored.js";
import { rowVerdict } from "../../src/compare/verdict.js";
import { checkResults } from "../../src/results/check.js";
import type { Comparison, MetricComparison, Verdict } from "../../src/results/comparison.js";
import { formatResults } from "../../src/results/layout.js";
import { parseResults } from "../../src/results/read.js";
import type { CaseResult, Results } from "../../src/results/schema.js";
import { baseRuns, headRun, runOn, sampleComparison } from "../support/comparison.js";
import { completed, granian } from "../support/results.js";

const a = completed("interfaces/a", "A", 64, 1000);
const quiet = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ source: `${i}.json`, results: runOn(i + 1, [a]) }));

function metric(comparison: Comparison, name: string, row = 0): MetricComparison {
  const found = comparison.rows[row]?.metrics[name];
  if (!found) throw new Error(`no ${name} in ${JSON.stringify(comparison)}`);
  return found;
}

function of(requestsPerSec: number, cpuPerRequestUs: number): Results {
  return runOn(20, [completed("interfaces/a", "A", 64, requestsPerSec, { summary: { cpuPerRequestUs } })]);
}

describe("a row", () => {
  it("is suspect at most, in the direction that its metric knows", () => {
    const slower = compareStored(quiet(5), of(600, 1700));
    expect(slower.rows[0]?.verdict).toBe("suspect-worse");
    expect(metric(slower, "throughput")).toMatchObject({ verdict: "suspect-worse", pairs: 5 });
    expect(metric(slower, "throughput").change).toBeCloseTo(-0.4);
    expect(metric(slower, "cpuPerRequest").change).toBeCloseTo(0.7);
    const faster = compareStored(quiet(5), of(1700, 600));
    expect(faster.rows[0]?.verdict).toBe("suspect-better");
  });

  it("is judged by the metrics that were asked for", () => {
    const byCpu = compareStored(quiet(5), of(600, 1000), { selectedMetrics: ["cpu"] });
    expect(byCpu.selectedMetrics).toEqual(["cpu"]);
    expect(byCpu.rows.map(({ verdict, metrics }) => [verdict, Object.keys(metrics)])).toEqual([
      ["unchanged", ["cpuPerRequest"]],
    ]);
    const unknown = compareStored(quiet(1), of(600, 0), { selectedMetrics: ["throughput", "memory"] });
    expect(unknown.rows[0]).toMatchObject({ verdict: "suspect-worse" });
    expect(unknown.rows[0]?.notes).toBeUndefined();
    expect(unknown.notes?.join()).not.toContain("CPU per request");
    expect(compareStored(quiet(1), of(600, 0)).selectedMetrics).toBeUndefined();
  });

  it("is never suspect where other processes disturbed head's measurement", () => {
    const change = { summary: { cpuPerRequestUs: 1700 }, disturbed: true, othersShare: 0.4 } as const;
    const head = runOn(20, [completed("interfaces/a", "A", 64, 600, change)]);
    const compared = compareStored(quiet(5), head);
    expect(compared.rows[0]?.verdict).toBe("inconclusive");
    expect(compared.rows[0]?.notes).toContain("no verdict: other processes disturbed head's measurement");
  });

  it("is compared with the base runs that nothing disturbed", () => {
    const loud = completed("interfaces/a", "A", 64, 400, { disturbed: true, othersShare: 0.4 });
    const disturbed = { source: "loud.json", results: runOn(9, [loud]) };
    const with5 = compareStored(quiet(5), of(1000, 1000));
    const with6 = compareStored([...quiet(5), disturbed], of(1000, 1000));
    expect(with6.rows[0]?.metrics).toEqual(with5.rows[0]?.metrics);
    expect(compareStored([disturbed], of(1000, 1000)).notCompared).toMatchObject([
      { kind: "not-comparable", reason: "other processes disturbed it in every stored run" },
    ]);
  });

  it("is unchanged only by equivalence, else inconclusive with what it could have seen", () => {
    const many = compareStored(quiet(10), of(1001, 1001));
    expect(metric(many, "cpuPerRequest").verdict).toBe("unchanged");
    const [low, high] = metric(many, "cpuPerRequest").interval;
    expect(Math.max(-low, high)).toBeLessThan(0.03);
    const one = compareStored(quiet(1), of(1001, 1001));
    expect(one.rows[0]?.verdict).toBe("inconclusive");
    expect(metric(one, "cpuPerRequest").minimumDetectable).toBeGreaterThan(0.03);
    expect(one.notes?.join()).toContain("One base run cannot show how much runs differ");
  });

  it("has the interval t * s * sqrt(1 + 1/m), with the variance drawn towards the stated one", () => {
    const found = metric(compareStored(quiet(2), of(1000, 1000)), "cpuPerRequest");
    // Two equal runs: s^2 = (4 * 0.0135^2 + 1 * 0) / 5, and t(0.975) of 5 degrees of freedom is 2.5706.
    const reach = 2.570582 * Math.sqrt((4 * 0.0135 ** 2) / 5) * Math.sqrt(1.5);
    expect(Math.log1p(found.interval[1])).toBeCloseTo(reach, 7);
    expect(found.sd).toBeCloseTo(Math.sqrt((4 * 0.0135 ** 2) / 5), 10);
  });

  it("has no throughput verdict unchanged where the client was the limit", () => {
    const bound = (day: number) =>
      runOn(day, [completed("interfaces/a", "A", 64, 1000, { summary: { clientBound: true } })], {
        profile: "thorough",
      });
    const runs = Array.from({ length: 10 }, (_, i) => ({ source: `${i}`, results: bound(i + 1) }));
    const comparison = compareStored(runs, bound(20));
    expect(metric(comparison, "throughput").verdict).toBe("inconclusive");
    expect(comparison.rows[0]?.notes).toEqual(["client-bound: its throughput is a lower bound"]);
  });

  it("says what is compared where each run sent at a share of its own maximum", () => {
    const paced = (day: number, rate: number) => {
      const generatorCommand = ["oha", "-q", String(rate), "http://127.0.0.1:{port}/b"];
      return runOn(day, [completed("interfaces/a", "A", 64, rate, { generatorCommand, rateShare: 0.5 })]);
    };
    const runs = [5000, 5100].map((rate, i) => ({ source: `${i}`, results: paced(i + 1, rate) }));
    const comparison = compareStored(runs, paced(20, 4900));
    expect(comparison.notCompared).toEqual([]);
    expect(metric(comparison, "throughput").pairs).toBe(2);
    expect(comparison.rows[0]?.notes).toEqual([
      "requests came at 50 % of each run's own maximum: throughput shows how this maximum changed, and CPU per request is that at this rate",
    ]);
  });

  it("notes answers that differ from those of the last base run", () => {
    const answering = (seed: number, size: number) =>
      runOn(seed, [
        completed("interfaces/a", "A", 64, 1000, {
          answers: [{ request: "home", status: 200, size, checked: "size", learned: true }],
        }),
      ]);
    const runs = [1, 2].map((seed) => ({ source: `${seed}`, results: answering(seed, 10 * seed) }));
    expect(compareStored(runs, answering(20, 25)).rows[0]?.notes).toEqual([
      "home: base and head answer differently: 20 bytes in base, 25 bytes in head",
    ]);
  });

  it("tells of failed requests that base did not have, and of a metric without figures", () => {
    const summary = { failures: { total: 7, byKind: { timeout: 7 } }, cpuPerRequestUs: 0 };
    const comparison = compareStored(quiet(2), runOn(20, [completed("interfaces/a", "A", 64, 1000, { summary })]));
    expect(comparison.rows[0]?.notes).toEqual([
      "7 failed requests in head, none in base",
      "no CPU per request was recorded",
    ]);
    expect(Object.keys(comparison.rows[0]?.metrics ?? {})).toEqual(["throughput"]);
  });

  it("notes a share of failed requests that is surely above that of all base runs", () => {
    const failing = (day: number, total: number) => {
      const summary = { failures: { total, byKind: { timeout: total } } };
      return runOn(day, [completed("interfaces/a", "A", 64, 1000, { summary })]);
    };
    const runs = [0, 1, 2].map((total, i) => ({ source: `${i}`, results: failing(i + 1, total) }));
    const notes = (total: number) => compareStored(runs, failing(20, total)).rows[0]?.notes ?? [];
    expect(notes(200)).toEqual(["2.0 % of head's requests failed, 0.010 % of base's"]);
    expect(notes(2)).toEqual([]);
  });

  it("has the share of all slices' requests where it was measured in pairs: its throughput is that of some", () => {
    const inPairs = (day: number, total: number) => {
      const failures = { total, byKind: { timeout: total } };
      const row = completed("interfaces/a", "A", 64, 1000, { summary: { failures } });
      const [alone] = row.slices;
      if (!alone) throw new Error("a slice");
      const none = { total: 0, byKind: {} };
      return runOn(day, [
        {
          ...row,
          slices: [
            { ...alone, failures: none },
            { ...alone, requests: 90_000, failures },
          ],
        },
      ]);
    };
    const compared = compareStored([{ source: "base", results: inPairs(1, 10) }], inPairs(20, 2041));
    expect(compared.rows[0]?.notes).toEqual(["2.0 % of head's requests failed, 0.010 % of base's"]);
  });

  it.each<[Verdict[], Verdict]>([
    [["suspect-better", "suspect-worse"], "suspect-worse"],
    [["worse", "better"], "worse"],
    [["unchanged", "suspect-better"], "suspect-better"],
    [["unchanged", "inconclusive"], "inconclusive"],
    [["unchanged", "unchanged"], "unchanged"],
    [[], "inconclusive"],
  ])("of %j is %s", (verdicts, expected) => {
    const metrics = verdicts.map((verdict, i) => [String(i), { verdict } as MetricComparison]);
    expect(rowVerdict(Object.fromEntries(metrics))).toBe(expected);
  });
});

describe("rows apart", () => {
  it("are reported by kind, and have no speed verdict", () => {
    const { comparison } = sampleComparison();
    expect(comparison?.notCompared?.map(({ kind, id }) => [kind, id])).toEqual([
      ["failed-in-head", "interfaces/broken"],
      ["failed-in-base", "interfaces/mended"],
      ["not-comparable", "interfaces/other"],
      ["removed", "interfaces/gone"],
      ["new", "interfaces/fresh"],
    ]);
    expect(comparison?.rows.map((row) => row.id)).not.toContain("interfaces/broken");
  });

  it("are not those that head was not asked for, or did not come to", () => {
    const none = compareStored(baseRuns(), headRun(), { inScope: (id) => id !== "interfaces/gone" });
    expect(none.notCompared?.map((row) => row.kind)).not.toContain("removed");
    const other = compareStored(quiet(2), { ...headRun(), sets: [], cases: [] });
    expect(other).toMatchObject({ rows: [], notCompared: [] });
    const cut = compareStored(quiet(2), runOn(20, [], { finishedAt: null }));
    expect(cut.notCompared).toMatchObject([{ kind: "unmeasured", reason: "the run ended before it" }]);
  });

  it("are not failed where a run skipped them", () => {
    const { summary: _, slices: __, wallSec: ___, ...row } = a;
    const skipped: CaseResult = { ...row, state: "skipped", reason: "it cannot have changed" };
    const [measured, left] = [runOn(1, [a]), runOn(20, [skipped])];
    expect(compareStored([{ source: "a.json", results: measured }], left).notCompared).toMatchObject([
      { kind: "unmeasured", reason: "it cannot have changed" },
    ]);
    expect(compareStored([{ source: "a.json", results: left }], runOn(21, [a])).notCompared).toMatchObject([
      { kind: "not-comparable", reason: "the stored run skipped it: it cannot have changed" },
    ]);
  });

  it("say what differs from the last run that measured them, where a later one failed", () => {
    const { summary: _, slices: __, wallSec: ___, ...row } = a;
    const failed: CaseResult = { ...row, state: "failed", reason: "it did not start" };
    const stored = [runOn(1, [{ ...a, knobs: { workers: 4 } }]), runOn(2, [failed])];
    const base = stored.map((results, i) => ({ source: `${i}.json`, results }));
    expect(compareStored(base, runOn(20, [{ ...a, knobs: { workers: 1 } }])).notCompared).toMatchObject([
      { kind: "not-comparable", reason: "knob workers: 4 in base, 1 in head" },
    ]);
  });

  it("did not fail in head only where the newest stored run that measured them failed too", () => {
    const { summary: _, slices: __, wallSec: ___, ...row } = a;
    const failed: CaseResult = { ...row, state: "failed", reason: "it did not start" };
    const stored = (...runs: Results[]) => runs.map((results, i) => ({ source: `${i}.json`, results }));
    const both = compareStored(stored(runOn(1, [a]), runOn(2, [failed])), runOn(20, [failed]));
    expect(both.notCompared).toMatchObject([{ kind: "unmeasured", reason: "failed: it did not start" }]);
    const head = compareStored(stored(runOn(1, [failed]), runOn(2, [a])), runOn(20, [failed]));
    expect(head.notCompared).toMatchObject([{ kind: "failed-in-head" }]);
  });

  it("are not new where the stored run ended before them", () => {
    const base = [{ source: "night.json", results: runOn(1, [a], { finishedAt: null }) }];
    const head = runOn(20, [a, completed("interfaces/b", "B", 64, 1000)]);
    expect(compareStored(base, head).notCompared).toMatchObject([
      { kind: "not-comparable", id: "interfaces/b", reason: "the stored run ended before it" },
    ]);
  });

  it("compare the same concurrency only", () => {
    const comparison = compareStored(quiet(2), runOn(20, [{ ...a, connections: 128 }]));
    expect(comparison.notCompared?.map(({ kind, connections }) => [kind, connections])).toEqual([
      ["removed", 64],
      ["new", 128],
    ]);
  });
});

describe("base files", () => {
  it("of another machine are left out, with the reason", () => {
    const [first, second] = quiet(2);
    if (!first || !second) throw new Error("two runs");
    const environment = { ...second.results.environment, cpuModel: "Xeon" };
    const other = { source: "other.json", results: { ...second.results, environment } };
    const some = compareStored([first, other], of(1000, 1000));
    expect(some.base.runs).toBe("1");
    expect(some.runs?.find((run) => run.source === "other.json")?.leftOut).toBe(
      "CPU model: Xeon in base, AMD Ryzen 7 5700X in head",
    );
    const none = compareStored([other], of(1000, 1000));
    expect(none).toMatchObject({ rows: [], notComparable: ["CPU model: Xeon in base, AMD Ryzen 7 5700X in head"] });
  });

  it("are not compared with a head that was merged from different machines, nor the other way round", () => {
    const parts = ["one", "two"].map((fingerprint) => ({
      ...{ source: `${fingerprint}.json`, id: fingerprint, startedAt: "2025-01-20T02:28:11Z", fingerprint },
      command: [],
    }));
    const merged = { ...of(500, 1000), run: { ...of(500, 1000).run, parts } };
    expect(compareStored(quiet(2), merged)).toMatchObject({
      rows: [],
      notComparable: ["head was merged from runs of different machines"],
    });
    const one = { ...merged, run: { ...merged.run, parts: parts.slice(0, 1) } };
    expect(compareStored(quiet(2), one).rows).toHaveLength(1);
    expect(compareStored([{ source: "merged.json", results: merged }], runOn(21, [a]))).toMatchObject({
      rows: [],
      notComparable: ["merged from runs of different machines"],
    });
  });

  it("count once, the newest ten, and never head itself", () => {
    const runs = [
      ...quiet(12),
      { source: "again.json", results: runOn(3, [a]) },
      { source: "head", results: of(1, 1) },
    ];
    const { runs: all = [], rows } = compareStored(runs, of(1000, 1000));
    expect(rows[0]?.metrics.throughput?.pairs).toBe(10);
    expect(all.flatMap((run) => (run.leftOut === undefined ? [] : [`${run.source}: ${run.leftOut}`]))).toEqual([
      "head: it is the head run itself",
      "again.json: the same run as 2.json",
      "1.json: older than the newest 10",
      "0.json: older than the newest 10",
    ]);
  });
});

describe("a control", () => {
  const pinned = (day: number, speed: number, version = "1.0") => {
    const server = { ...granian, name: "pinned", version };
    return runOn(day, [
      completed("interfaces/p", "P", 64, 500 * speed, { server }),
      completed("interfaces/a", "A", 64, 1000 * speed),
    ]);
  };
  const runs = [1, 1.01, 0.99].map((speed, i) => ({ source: `${i}.json`, results: pinned(i + 1, speed) }));

  it("divides a slow day out, named or found beside the tested server", () => {
    for (const options of [{ anchors: ["pinned"] }, { tested: ["granian"] }]) {
      const comparison = compareStored(runs, pinned(9, 0.85), options);
      expect(metric(comparison, "throughput").change).toBeCloseTo(0);
      expect(comparison.rows.map((row) => row.id)).toEqual(["interfaces/a"]);
      expect(comparison.anchor).toMatchObject({ servers: ["pinned"], rows: ["interfaces/p (c64)"] });
      expect(comparison.anchor?.day.throughput).toBeCloseTo(-0.15, 2);
    }
    const without = compareStored(runs, pinned(9, 0.5));
    expect(without.rows.map((row) => row.verdict)).toEqual(["suspect-worse", "suspect-worse"]);
    expect(without.notes).toContain("No anchor was measured in all runs: a slower machine looks like a slower server.");
  });

  it.each([
    ["disturbed in head", (p: CaseResult) => ({ ...p, disturbed: true }) as CaseResult, "(1.0 in base, 1.0 in head)"],
    [
      "another version",
      (p: CaseResult): CaseResult => ({ ...p, server: { ...p.server, version: "2.0" } }),
      "2.0 in head",
    ],
  ])("that cannot be one says why, and what follows: %s", (_, change, words) => {
    const { cases, ...rest } = pinned(9, 1);
    const head = { ...rest, cases: cases.map((one) => (one.server.name === "pinned" ? change(one) : one)) };
    const { notes } = compareStored(runs, head, { anchors: ["pinned"] });
    const [refusal, consequence, ...others] = (notes ?? []).filter((note) => /anchor/i.test(note));
    expect(refusal).toMatch(/^pinned cannot be the anchor: /);
    expect(refusal).toContain(words);
    expect(consequence).toBe("Without an anchor, a slower machine looks like a slower server.");
    expect(others).toEqual([]);
  });

  it("is no row with an app of the user's, which may have changed", () => {
    const isOwnApp = (id: string) => id === "interfaces/a";
    const slower = runOn(20, [completed("interfaces/a", "A", 64, 500)]);
    const { rows, notes = [] } = compareStored(quiet(5), slower, { anchors: ["granian"], isOwnApp });
    expect(rows).toMatchObject([{ id: "interfaces/a", verdict: "suspect-worse" }]);
    expect(notes.join()).toContain("granian cannot be the anchor: all its benchmarks have an app of yours");
  });

  it("that was measured on one side alone says so", () => {
    const { notes } = compareStored(runs, pinned(9, 1), { anchors: ["other"] });
    expect(notes).toContain("No benchmark of the anchor other was measured in base and head.");
  });

  it("that is far off forbids a verdict", () => {
    const comparison = compareStored(
      runs,
      { ...pinned(9, 0.5), cases: [...pinned(9, 0.5).cases.slice(0, 1), ...of(1000, 1000).cases] },
      {
        anchors: ["pinned"],
      },
    );
    expect(metric(comparison, "throughput")).toMatchObject({
      verdict: "inconclusive",
      p: expect.toSatisfy((p) => p < 0.001),
    });
    expect(comparison.notes?.[0]).toBe(
      "The anchor's throughput changed by more than a fifth: the machine drifted too much for a verdict on it.",
    );
  });

  it("must be the same in all files", () => {
    const comparison = compareStored(runs, pinned(9, 0.9, "1.1"), { anchors: ["pinned"] });
    expect(comparison.anchor).toBeUndefined();
    expect(comparison.notes?.[0]).toBe(
      "pinned cannot be the anchor: it must have the same version and packages in all files, and every benchmark complete and undisturbed (1.0 in base, 1.1 in head).",
    );
  });
});

it("is a valid part of a results file", () => {
  const results = sampleComparison();
  expect(checkResults(results)).toMatchObject({ state: "valid" });
  expect(parseResults(formatResults(results), "x").comparison).toEqual(results.comparison);
});
