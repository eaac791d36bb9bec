/** A hundred results files that try to stop or to bend the report: wrong types, sizes, texts, duplicates, nesting. */
import {
  CASES_MAX,
  FILE_BYTES_MAX,
  KNOBS_MAX,
  PAIRS_PER_ROW_MAX,
  ROWS_MAX,
  SETS_MAX,
  TEXT_CHARACTERS,
} from "../../src/results/limits.js";
import { METRIC_COLUMN_NAMES } from "../../src/results/metric-columns.js";
import { sampleComparison } from "./comparison.js";
import { HOSTILE, randomTexts } from "./hostile.js";
import { completed, failed, resultsOf, sampleResults } from "./results.js";
import { pairedShard } from "./shards.js";

export interface Artifact {
  readonly name: string;
  readonly text: () => string;
  /** Part of the refusal; undefined: it is a results file, and is rendered. */
  readonly refusal?: RegExp;
}

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

function artifact(name: string, file: unknown, refusal?: RegExp): Artifact {
  return { name, text: () => JSON.stringify(file), ...(refusal && { refusal }) };
}

/** Built when it is needed: a hundred large ones would not fit into memory. */
function later(name: string, make: () => unknown, refusal?: RegExp): Artifact {
  return { name, text: () => JSON.stringify(make()), ...(refusal && { refusal }) };
}

const FIELDS = [
  ...["schema", "version", "run", "run.id", "run.startedAt", "run.finishedAt", "run.git.sha", "run.profile"],
  ...[
    "run.command",
    "run.warnings",
    "run.measuredSec",
    "environment",
    "environment.cpus",
    "environment.loadGenerators",
  ],
  ...["sets", "sets.0", "sets.0.name", "sets.0.columns", "sets.0.knobColumns", "sets.0.charts", "cases", "cases.0"],
  ...["cases.0.id", "cases.0.set", "cases.0.knobs", "cases.0.server", "cases.0.summary", "cases.0.slices"],
  ...["comparison", "comparison.mode", "comparison.rows", "comparison.apart", "comparison.rows.0.metrics"],
];
const WRONG = [null, true, -1, "text", [], {}, [[]], { a: { b: 1 } }, "x".repeat(TEXT_CHARACTERS + 1), 1e308];

/** Each field with some value that it cannot have: most are refused, and none may do harm. */
const wrongTypes = FIELDS.map((path, i): Artifact => {
  const value = WRONG[i % WRONG.length];
  return artifact(`${path} is ${JSON.stringify(value).slice(0, 20)}`, withField(path, value, sampleComparison()), /./);
});

const one = completed("interfaces/a", "A", 64, 1000);
const skipped = (i: number, reason: string) => {
  const { log: _, ...rest } = failed(`interfaces/row-${i}`, `Row ${i}`, 64);
  return { ...rest, state: "skipped", reason };
};
const rows = (count: number, verdict: string) => {
  const metric = { verdict, change: -0.5, interval: [-0.6, -0.4], p: 0, minimumDetectable: 0.02, pairs: 13 };
  const metrics = { throughput: { ...metric, base: 1, head: 2 }, cpuPerRequest: metric };
  return times(count, (i) => ({ id: `s/${i}`, title: `T ${i}`, verdict, metrics, notes: [`${i}`], seconds: 1 }));
};
const comparing = (change: Json) =>
  resultsOf([], { comparison: { mode: "paired", base: {}, rows: [], ...change } as never });

const oneSet = (name: string) => {
  const file = resultsOf([{ ...one, set: name }]);
  return { ...file, sets: file.sets.map((set) => ({ ...set, name })) };
};

const duplicates: readonly Artifact[] = [
  later(
    "1,500 times one chart",
    () =>
      withField(
        "sets.0.charts",
        times(1500, () => "rps"),
      ),
    /sets\[0\]\.charts: expected at most \d+ charts/,
  ),
  later(
    "one chart twice",
    () => withField("sets.0.charts", ["rps", "rps"]),
    /sets\[0\]\.charts: expected every chart once/,
  ),
  later(
    "one set twice",
    () => ({ ...sampleResults(), sets: times(2, () => sampleResults().sets[0]) }),
    /sets\[1\]\.name: "interfaces" is there twice/,
  ),
  later("one case twice", () => resultsOf([one, one]), /cases\[1\]: the same case/),
];

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
/** As the value of an unknown field. */
const inFile = (json: string) => JSON.stringify(sampleResults()).replace("{", () => `{"later":${json},`);

const limits: readonly Artifact[] = [
  later(
    "a set name of 300 characters",
    () => oneSet("x".repeat(300)),
    /sets\[0\]\.name: expected at most 64 characters/,
  ),
  later("a set name with a path", () => oneSet("../../x"), /sets\[0\]\.name: expected lower-case letters/),
  later(
    "too many sets",
    () => ({ ...sampleResults(), sets: times(SETS_MAX + 1, (i) => ({ ...sampleResults().sets[0], name: `s${i}` })) }),
    /sets: expected at most 200 sets/,
  ),
  later(
    "too many columns",
    () =>
      withField(
        "sets.0.columns",
        times(51, () => "rps"),
      ),
    /sets\[0\]\.columns: expected at most 50 columns/,
  ),
  later(
    "too many knobs",
    () => withField("cases.0.knobs", Object.fromEntries(times(KNOBS_MAX + 1, (i) => [`k${i}`, i]))),
    /cases\[0\]\.knobs: expected at most 100 knobs/,
  ),
  later(
    "an id of 501 characters",
    () => withField("cases.0.id", "x".repeat(501)),
    /cases\[0\]\.id: expected at most 500 characters/,
  ),
  later(
    "a title of 201 characters",
    () => withField("cases.0.title", "x".repeat(201)),
    /cases\[0\]\.title: expected at most 200 characters/,
  ),
  later(
    "too many pairs",
    () => {
      const file = pairedShard(1, 1, ["interfaces/a"]);
      const pair = file.comparison?.rows[0]?.recorded?.[0];
      return withField(
        "comparison.rows.0.recorded",
        times(PAIRS_PER_ROW_MAX + 1, () => pair),
        file,
      );
    },
    /comparison\.rows\[0\]\.recorded: expected at most 200 pairs/,
  ),
];

const sizes: readonly Artifact[] = [
  later("one row of a comparison many times", () => comparing({ rows: times(ROWS_MAX, () => rows(1, "worse")[0]) })),
  later(
    "22 MB of skipped cases",
    () => resultsOf(times(40_000, (i) => skipped(i, "r".repeat(300))) as never),
    /cases: expected at most 5000 cases/,
  ),
  later("the most skipped cases", () => resultsOf(times(CASES_MAX, (i) => skipped(i, `reason ${i}`)) as never)),
  later("the most skipped cases for one reason", () => resultsOf(times(CASES_MAX, (i) => skipped(i, "one")) as never)),
  later("the most completed cases", () => resultsOf(times(CASES_MAX, (i) => ({ ...one, id: `interfaces/${i}` })))),
  later("the most cases that warn of the same, again and again", () => {
    const warnings = times(4, () => "the machine was disturbed for 1 s of 1 s");
    return resultsOf(times(CASES_MAX, (i) => ({ ...one, id: `interfaces/${i}`, warnings })));
  }),
  later("each row with a group of its own", () => {
    const cases = times(5000, (i) => ({ ...one, id: `interfaces/${i}`, group: `g${"!".repeat(i % 190)}` }));
    const file = resultsOf(cases);
    return { ...file, sets: file.sets.map((set) => ({ ...set, charts: ["rps", "p99"] })) };
  }),
  later("each case of another server", () => {
    const of = (i: number) => ({ ...one.server, title: `Server ${i}`, version: `${i}` });
    return resultsOf(times(CASES_MAX, (i) => ({ ...one, id: `interfaces/${i}`, server: of(i) })));
  }),
  later(
    "more bars than charts may have",
    () => {
      const file = resultsOf(times(CASES_MAX, (i) => ({ ...one, id: `interfaces/${i}` })));
      return { ...file, sets: file.sets.map((set) => ({ ...set, charts: METRIC_COLUMN_NAMES })) };
    },
    /sets\[0\]\.charts: expected at most 10000 bars/,
  ),
  later("the most sets", () => ({
    ...sampleResults(),
    cases: [],
    sets: times(SETS_MAX, (i) => ({ ...sampleResults().sets[0], name: `s${i}` })),
  })),
  later("the longest titles", () =>
    resultsOf(times(5000, (i) => ({ ...one, id: `interfaces/${i}`, title: `${i}${"日".repeat(190)}` }))),
  ),
  later("the longest reasons", () => resultsOf(times(1000, (i) => skipped(i, `${i}${"*_".repeat(9_990)}`)) as never)),
  later("a log of one long line", () =>
    resultsOf(times(50, (i) => failed(`interfaces/${i}`, "L", 64, { log: `${i}${"`".repeat(19_990)}` }))),
  ),
  later("a log of many lines", () =>
    resultsOf(times(50, (i) => failed(`interfaces/${i}`, "L", 64, { log: `${i}${"\n".repeat(19_990)}` }))),
  ),
  later("the most rows that are worse", () => comparing({ rows: rows(ROWS_MAX, "worse") })),
  later("the most inconclusive rows", () => comparing({ rows: rows(ROWS_MAX, "inconclusive") })),
  later(
    "too many rows",
    () => comparing({ rows: rows(ROWS_MAX + 1, "worse") }),
    /comparison\.rows: expected at most 5000 rows/,
  ),
  later("the most uncompared rows", () =>
    comparing({
      apart: times(ROWS_MAX, (i) => ({
        kind: "failed-in-head",
        id: `a/${i}`,
        connections: 1,
        title: "T",
        reason: `${i}`,
      })),
    }),
  ),
  later("the most warnings", () =>
    withField(
      "run.warnings",
      times(5000, (i) => `warning ${i}`),
    ),
  ),
  later("the longest commands", () =>
    withField(
      "run.command",
      times(10_000, (i) => `'${i}`),
    ),
  ),
  later("the most missing shards", () =>
    withField(
      "run.missing",
      times(1000, (i) => ({ shard: `${i}/1000`, reason: `${i}`, rows: times(100, (j) => `s/${i}-${j}`) })),
    ),
  ),
  later("the most base runs", () =>
    comparing({ runs: times(5000, (i) => ({ source: `${i}.json`, id: `${i}`, startedAt: "2025-01-01T00:00:00Z" })) }),
  ),
  later("the most packages", () =>
    resultsOf([{ ...one, server: { ...one.server, packages: times(5000, (i) => `p${i}==1`) } }]),
  ),
  {
    name: "more bytes than a results file may have",
    text: () => `{"schema":"${" ".repeat(FILE_BYTES_MAX)}"}`,
    refusal: /is too large for a results file: 37 MiB, at most 36 MiB/,
  },
  {
    name: "the most bytes, of numbers",
    text: () => `{"schema":"server-bench/results","version":1,"run":[${"0,".repeat(FILE_BYTES_MAX / 2 - 100)}0]}`,
    refusal: /has more than 2000000 values: too large for a results file/,
  },
  {
    name: "the most bytes, of empty arrays",
    text: () => inFile(`[${"[],".repeat(FILE_BYTES_MAX / 3 - 50_000)}0]`),
    refusal: /has more than 2000000 values/,
  },
  { name: "many empty arrays", text: () => inFile(`[${"[],".repeat(950_000)}0]`) },
  { name: "many empty objects", text: () => inFile(`[${"{},".repeat(950_000)}0]`) },
  { name: "the most bytes, of one text", text: () => inFile(`"${"x".repeat(FILE_BYTES_MAX - 100_000)}"`) },
  { name: "many bytes, of one wide text", text: () => inFile(`"日${"x".repeat(FILE_BYTES_MAX - 100_000)}"`) },
];

const structures: readonly Artifact[] = [
  { name: "an array, a million deep", text: () => nested(1_000_000), refusal: /nested deeper than 32 levels/ },
  {
    name: "an unknown field, a million deep",
    text: () => inFile(nested(1_000_000)),
    refusal: /nested deeper than 32 levels/,
  },
  {
    name: "objects, a hundred thousand deep",
    text: () => inFile(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    refusal: /nested deeper/,
  },
  { name: "__proto__", text: () => inFile('{"__proto__":{"schema":1}}'), refusal: /later\.__proto__: unknown field/ },
  { name: "constructor", text: () => inFile('{"constructor":1}'), refusal: /later\.constructor: unknown field/ },
  {
    name: "toString as a knob",
    text: () => JSON.stringify(withField("cases.0.knobs.toString", 1)),
    refusal: /toString: unknown field/,
  },
  { name: "a number that no double holds", text: () => inFile("1e999"), refusal: /later: expected a finite number/ },
  { name: "one key ten thousand times", text: () => inFile(`{${'"a":1,'.repeat(10_000)}"a":1}`) },
  { name: "half a file", text: () => JSON.stringify(sampleResults()).slice(0, 5000), refusal: /ends in the middle/ },
  { name: "nothing", text: () => "", refusal: /is empty/ },
  { name: "no JSON", text: () => "<html></html>", refusal: /not valid JSON/ },
  {
    name: "another version",
    text: () => JSON.stringify(withField("version", 2)),
    refusal: /written by a newer server-bench: version 2/,
  },
  {
    name: "a case of no set",
    text: () => JSON.stringify(withField("cases.0.set", "none")),
    refusal: /is not one of the file's sets/,
  },
];

/** Where a file has text of its own, it has this one. */
function everywhere(text: string): unknown {
  const file = sampleComparison();
  const { comparison } = file;
  return {
    ...file,
    run: { ...file.run, id: text, warnings: [text], command: [text], git: { sha: text, ref: text } },
    environment: { ...file.environment, cpuModel: text, os: text, fingerprint: text },
    sets: file.sets.map((set) => ({ ...set, title: text, label: text, description: text, methodology: [text] })),
    cases: file.cases.map((result) => ({
      ...result,
      title: text,
      group: text,
      ...("reason" in result && { reason: text }),
    })),
    comparison: { ...comparison, base: { sha: text, ref: text }, notes: [text], command: [text] },
  };
}

const texts: readonly Artifact[] = [...HOSTILE, ...randomTexts(6, 3)].map((text, i) =>
  later(`text ${i}: ${JSON.stringify(text).slice(0, 30)}`, () => everywhere(text)),
);

/** One process renders them one after another. */
export const SMALL: readonly Artifact[] = [...wrongTypes, ...duplicates, ...limits, ...structures, ...texts];
/** Each has a process of its own. */
export const LARGE = sizes;
