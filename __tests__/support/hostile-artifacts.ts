/** Results files that try to stop or to bend the report: sizes, duplicates, nesting. The targets of fuzz/ have wrong types and texts. */
import * as limits from "../../src/results/limits.js";
import { METRIC_COLUMN_NAMES } from "../../src/results/metric-columns.js";
import { completed, failed, resultsOf, sampleResults } from "./results.js";
import { pairedShard } from "./shards.js";

/** The file: text, or the value that is written as JSON, made when it is needed: all of them would not fit into memory. */
export type Artifact = readonly [
  name: string,
  file: () => unknown,
  /** Part of the refusal; undefined: it is a results file, and is rendered. */
  refusal?: RegExp | undefined,
];

type Json = Record<string, unknown>;

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** The sample with one field changed. @param path `sets.0.name` */
function withField(path: string, value: unknown, file: unknown = sampleResults()): Json {
  const copy = JSON.parse(JSON.stringify(file)) as Json;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const parent = keys.reduce<Json>((at, key) => at[key] as Json, copy);
  // Assigning to `__proto__` would set the prototype instead.
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

function withMany(path: string, count: number, make: (index: number) => unknown): Json {
  return withField(path, times(count, make));
}

const rps = (count: number) => times(count, () => "rps");
const sample = sampleResults();
const sets = (count: number) => times(count, (i) => ({ ...sample.sets[0], name: `s${i}` }));
const pairs = times(
  limits.PAIRS_PER_ROW_MAX + 1,
  () => pairedShard(1, 1, ["interfaces/a"]).comparison?.rows[0]?.recorded?.[0],
);

const wrongValues = (
  [
    ["version", 2, /written by a newer server-bench: version 2/],
    ["sets.0.name", "x".repeat(300), /sets\[0\]\.name: expected at most 64 characters/],
    ["sets.0.name", "../../x", /sets\[0\]\.name: expected lower-case letters/],
    ["sets.0.charts", rps(1500), /sets\[0\]\.charts: expected at most \d+ charts/],
    ["sets.0.charts", rps(2), /sets\[0\]\.charts: expected every chart once/],
    ["sets.0.columns", rps(51), /sets\[0\]\.columns: expected at most 50 columns/],
    ["sets", times(2, () => sample.sets[0]), /sets\[1\]\.name: "interfaces" is there twice/],
    ["sets", sets(limits.SETS_MAX + 1), /sets: expected at most 200 sets/],
    ["cases", [sample.cases[0], sample.cases[0]], /cases\[1\]: the same case/],
    ["cases.0.set", "none", /is not one of the file's sets/],
    ["cases.0.knobs", { ...times(limits.KNOBS_MAX + 1, String) }, /cases\[0\]\.knobs: expected at most 100 knobs/],
    ["cases.0.knobs.toString", 1, /toString: unknown field/],
    ["cases.0.id", "x".repeat(501), /cases\[0\]\.id: expected at most 500 characters/],
    ["cases.0.title", "x".repeat(201), /cases\[0\]\.title: expected at most 200 characters/],
    ["comparison.rows.0.recorded", pairs, /comparison\.rows\[0\]\.recorded: expected at most 200 pairs/],
  ] as const
).map(([path, value, refusal]): Artifact => {
  const file = path.startsWith("comparison") ? pairedShard(1, 1, ["interfaces/a"]) : sample;
  return [`${path}: ${JSON.stringify(value).slice(0, 30)}`, () => withField(path, value, file), refusal];
});

const one = completed("interfaces/a", "A", 64, 1000);
const casesOf = (count: number, change: (index: number) => object = () => ({})) =>
  resultsOf(times(count, (i) => ({ ...one, id: `interfaces/${i}`, ...change(i) })));
const failedOf = (log: string) =>
  resultsOf(times(50, (i) => failed(`interfaces/${i}`, "L", 64, { log: `${i}${log.repeat(19_990)}` })));
const skippedOf = (count: number, reason: (index: number) => string) => {
  const { log: _, ...skipped } = failed("interfaces/row", "Benchmark", 64);
  const cases = times(count, (i) => ({ ...skipped, id: `interfaces/${i}`, state: "skipped", reason: reason(i) }));
  return resultsOf(cases as never);
};
const rows = (count: number, verdict: string) => {
  const metric = { verdict, change: -0.5, interval: [-0.6, -0.4], p: 0, minimumDetectable: 0.02, pairs: 13 };
  const metrics = { throughput: { ...metric, base: 1, head: 2 }, cpuPerRequest: metric };
  return times(count, (i) => ({ id: `s/${i}`, title: `T ${i}`, verdict, metrics, notes: [`${i}`], seconds: 1 }));
};
const comparing = (change: Json) =>
  resultsOf([], { comparison: { mode: "paired", base: {}, rows: [], ...change } as never });

/** As the value of an unknown field. */
const inFile = (json: string) => JSON.stringify(sample).replace("{", () => `{"later":${json},`);
const notCompared = { kind: "failed-in-head", connections: 1, title: "T" };
const baseRun = { source: "base.json", startedAt: "2025-01-01T00:00:00Z" };
const disturbed = times(4, () => "the machine was disturbed for 1 s of 1 s");

/** They are results files. */
const MOST: Readonly<Record<string, () => unknown>> = {
  "skipped cases": () => skippedOf(limits.CASES_MAX, (i) => `reason ${i}`),
  "skipped cases for one reason": () => skippedOf(limits.CASES_MAX, () => "one"),
  "completed cases": () => casesOf(limits.CASES_MAX),
  "cases that warn of the same, again and again": () => casesOf(limits.CASES_MAX, () => ({ warnings: disturbed })),
  "groups, one for each row": () => {
    const file = casesOf(5000, (i) => ({ group: `g${"!".repeat(i % 190)}` }));
    return withField("sets.0.charts", ["rps", "p99"], file);
  },
  servers: () =>
    casesOf(limits.CASES_MAX, (i) => ({ server: { ...one.server, title: `Server ${i}`, version: `${i}` } })),
  sets: () => ({ ...sample, cases: [], sets: sets(limits.SETS_MAX) }),
  "titles of the most characters": () => casesOf(5000, (i) => ({ title: `${i}${"日".repeat(190)}` })),
  "reasons of the most characters": () => skippedOf(1000, (i) => `${i}${"*_".repeat(9_990)}`),
  "logs of one long line": () => failedOf("`"),
  "logs of many lines": () => failedOf("\n"),
  "rows that are worse": () => comparing({ rows: rows(limits.ROWS_MAX, "worse") }),
  "rows that are the same one": () => comparing({ rows: times(limits.ROWS_MAX, () => rows(1, "worse")[0]) }),
  "inconclusive benchmarks": () => comparing({ rows: rows(limits.ROWS_MAX, "inconclusive") }),
  "uncompared rows": () =>
    comparing({ notCompared: times(limits.ROWS_MAX, (i) => ({ ...notCompared, id: `a/${i}`, reason: `${i}` })) }),
  warnings: () => withMany("run.warnings", 5000, (i) => `warning ${i}`),
  "words of a command": () => withMany("run.command", 10_000, (i) => `'${i}`),
  "missing shards": () =>
    withMany("run.missing", 1000, (i) => ({
      shard: `${i}/1000`,
      reason: `${i}`,
      rows: times(100, (j) => `s/${i}-${j}`),
    })),
  "base runs": () => comparing({ runs: times(5000, (i) => ({ ...baseRun, id: `${i}` })) }),
  packages: () => casesOf(1, () => ({ server: { ...one.server, packages: times(5000, (i) => `p${i}==1`) } })),
  "bytes, of one text": () => inFile(`"${"x".repeat(limits.FILE_BYTES_MAX - 100_000)}"`),
  "bytes, of one wide text": () => inFile(`"日${"x".repeat(limits.FILE_BYTES_MAX - 100_000)}"`),
  "empty arrays": () => inFile(`[${"[],".repeat(950_000)}0]`),
  "empty objects": () => inFile(`[${"{},".repeat(950_000)}0]`),
  "keys that are one and the same": () => inFile(`{${'"a":1,'.repeat(10_000)}"a":1}`),
};

const withBars = () => withField("sets.0.charts", METRIC_COLUMN_NAMES, casesOf(limits.CASES_MAX));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const numbers = `{"schema":"server-bench/results","version":1,"run":[${"0,".repeat(limits.FILE_BYTES_MAX / 2 - 100)}0]}`;

const TOO_MUCH: readonly Artifact[] = [
  ["22 MB of skipped cases", () => skippedOf(40_000, () => "r".repeat(300)), /cases: expected at most 5000 cases/],
  ["more bars than charts may have", withBars, /sets\[0\]\.charts: expected at most 10000 bars/],
  [
    "too many rows",
    () => comparing({ rows: rows(limits.ROWS_MAX + 1, "worse") }),
    /comparison\.rows: expected at most 5000 rows/,
  ],
  [
    "too many bytes",
    () => `{"schema":"${" ".repeat(limits.FILE_BYTES_MAX)}"}`,
    /is too large .*: 37 MiB, at most 36 MiB/,
  ],
  ["the most bytes, of numbers", () => numbers, /has more than 2000000 values: too large for a results file/],
  [
    "the most bytes, of arrays",
    () => inFile(`[${"[],".repeat(limits.FILE_BYTES_MAX / 3 - 50_000)}0]`),
    /2000000 values/,
  ],
  ["an array, a million deep", () => nested(1_000_000), /nested deeper than 32 levels/],
  ["an unknown field, a million deep", () => inFile(nested(1_000_000)), /nested deeper than 32 levels/],
  ["objects, deep", () => inFile(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`), /nested deeper than 32 levels/],
];

const wrongFields: readonly Artifact[] = [
  ["__proto__", () => inFile('{"__proto__":{"schema":1}}'), /later\.__proto__: unknown field/],
  ["constructor", () => inFile('{"constructor":1}'), /later\.constructor: unknown field/],
  ["a number that no double holds", () => inFile("1e999"), /later: expected a finite number/],
];

/** One process renders them one after another. */
export const SMALL: readonly Artifact[] = [...wrongValues, ...wrongFields];
/** Each has a process of its own. */
export const LARGE: readonly Artifact[] = [
  ...Object.entries(MOST).map(([name, file]): Artifact => [`the most ${name}`, file]),
  ...TOO_MUCH,
];
