/** Runs -> series, breaks, changes of level, and what is left out. */
import { describe, expect, it } from "vitest";
import { changesOf } from "../../src/history/change-words.js";
import { historyOf } from "../../src/history/model.js";
import { parseRepository } from "../../src/history/repository.js";
import { versionOf } from "../../src/history/versions.js";
import { compareTags } from "../../src/release/tags.js";
import type { CaseResult } from "../../src/results/schema.js";
import { days, historyOfDays, records, shaOf } from "../support/history.js";
import { seeded } from "../support/noise.js";

const REPOSITORY = parseRepository("https://github.com/octo/app", "--repository");

describe("the order of runs", () => {
  it("is that of time", () => {
    const given = records(days({ runs: 4, rows: 1 }));
    const { runs, order } = historyOf([...given].reverse());
    expect(order).toBe("time");
    expect(runs.map(({ id }) => id)).toEqual(["run-0", "run-1", "run-2", "run-3"]);
  });

  it("is that of versions where every run is a release, however late an old one was measured", () => {
    const tags = ["v1.10.0", "v1.9.0", "v1.10.0rc1", "v1.2.0"];
    const release = (run: number) => ({ git: { sha: shaOf(run), ref: tags[run] ?? "" } });
    const { runs, order } = historyOfDays({ runs: 4, rows: 1, run: release });
    expect(order).toBe("version");
    expect(runs.map(({ version }) => version?.tag)).toEqual(["v1.2.0", "v1.9.0", "v1.10.0rc1", "v1.10.0"]);
    expect(historyOfDays({ runs: 4, rows: 1, run: (run) => (run === 2 ? {} : release(run)) }).order).toBe("time");
  });

  it("is that of time where the releases have several names", () => {
    const tags = ["http-0.4.0", "core-1.0.0", "http-0.5.0", "core-1.1.0"];
    const { runs, order } = historyOfDays({
      ...{ runs: 4, rows: 1 },
      run: (run) => ({ git: { sha: shaOf(run), ref: tags[run] ?? "" } }),
    });
    expect(order).toBe("time");
    expect(runs.map(({ version }) => version?.tag)).toEqual(tags);
  });

  it.each(["v1.2.3", "1.2", "granian-v2.0.0", "v2.0.0-beta.1"])("reads %s as a version", (ref) => {
    expect(versionOf(ref)?.tag).toBe(ref);
    expect(versionOf(`refs/tags/${ref}`)?.tag).toBe(ref);
  });

  it.each(["main", "v1", "release", "1", "feature/1.2-speed", "", undefined])("reads %s as none", (ref) => {
    expect(versionOf(ref)).toBeUndefined();
  });

  it("puts a pre-release before its release, and the tenth after the ninth", () => {
    const sorted = ["1.0.0", "1.0.0rc10", "1.0.0rc9", "0.9"].flatMap((ref) => versionOf(ref) ?? []).sort(compareTags);
    expect(sorted.map(({ tag }) => tag)).toEqual(["0.9", "1.0.0rc9", "1.0.0rc10", "1.0.0"]);
  });
});

describe("what is left out", () => {
  it("is listed with its reason", () => {
    const [first, ...rest] = [...days({ runs: 3, rows: 1 })];
    if (!first) throw new Error("no run");
    const parts = ["a", "b"].map((fingerprint) => ({
      source: "x",
      id: fingerprint,
      startedAt: first.run.startedAt,
      fingerprint,
      command: [],
    }));
    const given = [
      first,
      first,
      { ...first, run: { ...first.run, id: "merged", parts } },
      { ...first, run: { ...first.run, id: "shard", shard: { index: 2, of: 4 } } },
      { ...first, run: { ...first.run, id: "empty" }, cases: [] },
      ...rest,
    ];
    const { runs, leftOut } = historyOf(records(given), [
      { source: "cut.json", reason: "the file ends in the middle" },
    ]);
    expect(runs).toHaveLength(3);
    expect(leftOut).toEqual([
      { source: "cut.json", reason: "the file ends in the middle" },
      { source: "results/1.json", reason: "the same run as results/0.json" },
      { source: "results/2.json", reason: "merged from runs of different machines" },
      { source: "results/3.json", reason: "shard 2/4 of a run: merge its shards with report first" },
      { source: "results/4.json", reason: "it has no benchmarks" },
    ]);
  });
});

describe("series and breaks", () => {
  it("joins what was measured alike, and says what changed where it was not", () => {
    const { rows, machines } = historyOfDays({
      runs: 6,
      rows: 1,
      environment: (run) => (run >= 3 && run < 5 ? { kernel: "6.9.0", fingerprint: "other" } : {}),
    });
    expect(machines).toHaveLength(2);
    expect(rows[0]?.series).toEqual([0, 0, 0, 1, 1, 0]);
    expect(rows[0]?.breaks).toEqual([{ run: 3, before: 2, what: ["kernel: 6.8.0-51-generic, then 6.9.0"] }]);
  });

  it("joins the runs of a row that each sent at a share of its own maximum", () => {
    const change = (result: CaseResult, _: number, run: number): CaseResult => ({
      ...result,
      generatorCommand: ["oha", "-q", String(5000 + run), "http://127.0.0.1:{port}/b"],
      rateShare: 0.5,
    });
    expect(historyOfDays({ runs: 4, rows: 1, change }).rows[0]?.series).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ["load generator", { environment: () => ({ loadGenerators: { oha: "2.0.0" } }) }, "oha: 1.16.0, then 2.0.0"],
    ["fingerprint alone", { environment: () => ({ fingerprint: "f2" }) }, "fingerprint: 9b1d0c7e, then f2"],
    ["server-bench", { run: () => ({ tool: { version: "9.0.0" } }) }, "server-bench: 0.1.0, then 9.0.0"],
    ["profile", { run: () => ({ profile: "quick" as const }) }, "profile: standard, then quick"],
  ])("breaks at another %s", (_, change, what) => {
    const { rows } = historyOfDays({
      runs: 2,
      rows: 1,
      environment: (run) => ("environment" in change && run === 1 ? change.environment() : {}),
      run: (run) => ("run" in change && run === 1 ? change.run() : {}),
    });
    expect(rows[0]?.breaks.map((one) => one.what)).toEqual([[what]]);
  });

  it("breaks a single row at other knobs or another load, and takes ports for none", () => {
    const { rows } = historyOfDays({
      runs: 3,
      rows: 2,
      change: (result, row, run) => ({
        ...result,
        knobs: { workers: row === 0 && run === 2 ? 2 : 1 },
        generatorCommand: ["oha", "-c", "64", `http://127.0.0.1:${4000 + run}/b`],
      }),
    });
    expect(rows.map(({ series }) => series)).toEqual([
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect(rows[0]?.breaks[0]?.what).toEqual(["knob workers: 1, then 2"]);
  });

  it("names of another load only the words that differ", () => {
    const load = (run: number) =>
      run === 0 ? ["-c", "64", "-z", "10s", "--no-tui"] : ["-c", "64", "-z", "15s", "--no-tui"];
    const { rows } = historyOfDays({
      ...{ runs: 2, rows: 1 },
      change: (result, _, run) => ({ ...result, generatorCommand: ["oha", ...load(run), "http://127.0.0.1:4000/b"] }),
    });
    expect(rows[0]?.breaks[0]?.what).toEqual(["load: -z 10s, then -z 15s"]);
  });

  it("keeps a failed row as a gap with its reason", () => {
    const { rows } = historyOfDays({
      runs: 3,
      rows: 1,
      change: (result, _, run) => {
        if (run !== 1 || result.state !== "completed") return result;
        const { summary: __, slices: ___, wallSec: ____, ...fields } = result;
        return { ...fields, state: "failed", reason: "it ended" };
      },
    });
    expect(rows[0]?.series).toEqual([0, -1, 0]);
    expect(rows[0]?.cases[1]?.outcome).toEqual({ state: "failed", reason: "it ended" });
  });
});

describe("changes of level", () => {
  const step = (at: number, size: number) => (row: number, run: number) => (row === 0 && run >= at ? size : 0);

  it("are found with their size, runs and commits", () => {
    const history = historyOfDays({ runs: 40, rows: 3, speed: step(25, -0.08) });
    const found = changesOf(history, REPOSITORY);
    expect(found.map(({ row, change }) => [row.id, change.metric, change.run, change.before, change.verdict])).toEqual(
      expect.arrayContaining([
        ["set-1/row-0", "throughput", 25, 24, "suspect-worse"],
        ["set-1/row-0", "cpuPerRequest", 25, 24, "suspect-worse"],
      ]),
    );
    const [first] = found;
    expect(Math.abs(Math.log1p(first?.change.change ?? 0))).toBeCloseTo(0.08, 1);
    expect(first?.address).toBe(`https://github.com/octo/app/compare/${shaOf(24)}...${shaOf(25)}`);
  });

  it("are silent below ten runs, and across machines", () => {
    expect(changesOf(historyOfDays({ runs: 9, rows: 1, speed: step(5, -0.5) }))).toEqual([]);
    const moved = historyOfDays({
      runs: 40,
      rows: 1,
      speed: step(20, -0.5),
      environment: (run) => ({ fingerprint: run < 20 ? "old" : "new" }),
    });
    expect(changesOf(moved)).toEqual([]);
    expect(moved.rows[0]?.breaks).toHaveLength(1);
  });

  it("leave out disturbed runs, and the throughput of client-bound ones", () => {
    const noisy = historyOfDays({
      runs: 30,
      rows: 1,
      speed: (_, run) => (run >= 10 && run < 16 ? -0.4 : 0),
      change: (result, _, run) =>
        run >= 10 && run < 16 && result.state === "completed" ? { ...result, disturbed: true } : result,
    });
    expect(changesOf(noisy)).toEqual([]);
    const bound = historyOfDays({
      runs: 30,
      rows: 1,
      speed: step(15, -0.2),
      change: (result) =>
        result.state === "completed" ? { ...result, summary: { ...result.summary, clientBound: true } } : result,
    });
    expect(changesOf(bound).map(({ change }) => change.metric)).toEqual(["cpuPerRequest"]);
  });

  it("caution a reader before a commit is blamed", () => {
    const history = historyOfDays({
      runs: 30,
      rows: 6,
      speed: (_, run) => (run >= 15 ? -0.1 : 0),
      run: () => ({ git: { sha: shaOf(0), ref: "main" } }),
      change: (result, _, run) => ({ ...result, server: { ...result.server, version: run < 15 ? "2.8.0" : "2.9.0" } }),
    });
    const [first] = changesOf(history, REPOSITORY);
    expect(first?.address).toBeUndefined();
    expect(first?.cautions).toEqual([
      "Both runs measured the same commit: something else changed.",
      expect.stringMatching(/^\w+ went from 2\.8\.0 to 2\.9\.0\.$/),
      "6 of 6 benchmarks changed in this run: look at the machine first.",
    ]);
  });

  it("are the same whatever the order of the files", () => {
    const given = records(days({ runs: 40, rows: 3, speed: step(25, -0.08) }));
    const random = seeded(5);
    const mixed = [...given].sort(() => random() - 0.5);
    expect(changesOf(historyOf(mixed)).map(({ change }) => change)).toEqual(
      changesOf(historyOf(given)).map(({ change }) => change),
    );
  });
});

describe("the address of a repository", () => {
  it.each([
    ["https://github.com/octo/app", "https://github.com/octo/app"],
    ["https://github.com/octo/app.git", "https://github.com/octo/app"],
    ["http://git.example:8080/group/sub/app/", "http://git.example:8080/group/sub/app"],
  ])("%s", (given, url) => expect(parseRepository(given, "--repository")).toEqual({ url }));

  it.each([
    "javascript:alert(1)",
    "octo/app",
    "https://user:secret@github.com/a/b",
    "https://a/b?c",
    "https://a/b#c",
    "https://a/",
    "file:///etc",
  ])("refuses %s", (given) =>
    expect(() => parseRepository(given, "--repository")).toThrow(`--repository ${given}: expected the address`),
  );
});
