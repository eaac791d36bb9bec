/** The figures that README and docs/comparing.md quote are those of docs/evaluation*.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const share = v.object({ hits: v.number(), of: v.number(), share: v.number() });
const found = v.object({
  plant: v.string(),
  mirrored: v.boolean(),
  found: share,
  foundIn20Sec: share,
  foundIn60Sec: share,
  foundIn120Sec: share,
  unchanged: share,
  seconds: v.number(),
});
const cell = v.object({
  rows: v.number(),
  pool: v.string(),
  neighbour: v.number(),
  leftOut: v.optional(v.string()),
  earlierRuns: v.number(),
  detect: v.optional(v.number()),
  counts: v.boolean(),
  falsePerRow: share,
  falsePerReport: share,
  identicalRowSec: v.number(),
  found: v.array(found),
  peers: v.array(
    v.object({ rule: v.string(), pairs: v.string(), falsePerRow: share, falsePerReport: share, found: v.array(share) }),
  ),
});
function cellsIn(file: string) {
  return v.parse(v.object({ cells: v.array(cell) }), JSON.parse(readFileSync(join(ROOT, file), "utf8"))).cells;
}
const cells = cellsIn("docs/evaluation.json");
const wider = cellsIn("docs/evaluation-wider.json");
const latencyCells = cellsIn("docs/evaluation-latency.json");

interface Where {
  readonly rows?: number;
  readonly neighbour?: number;
  readonly earlierRuns?: number;
  readonly counts?: boolean;
  readonly detect?: number;
}

/** Recentred; by default the first run of a row without a neighbour, by time alone. */
function cellOf({ rows = 1, neighbour = 0, earlierRuns = 0, counts = false, detect }: Where) {
  const one = cells.find(
    (each) =>
      each.leftOut === undefined &&
      each.detect === detect &&
      each.rows === rows &&
      each.neighbour === neighbour &&
      each.pool === "recentred" &&
      each.earlierRuns === earlierRuns &&
      each.counts === counts,
  );
  if (!one) throw new Error(`the evaluation has no reports of ${rows} rows beside a neighbour of ${neighbour}`);
  return one;
}

/** More work in head, in reports of one row. */
function slower(where: Where, planted = "cpu:3") {
  const one = cellOf(where).found.find(({ plant, mirrored }) => plant === planted && !mirrored);
  if (!one) throw new Error(`the evaluation has no ${planted}`);
  return one;
}

function peer(rows: number, neighbour: number, rule: string) {
  const one = cellOf({ rows, neighbour }).peers.find((each) => each.rule === rule && each.pairs === "equal time");
  if (!one) throw new Error(`the evaluation has no ${rule}`);
  return one;
}

const percent = (one: v.InferOutput<typeof share> | undefined) => `${((one?.share ?? Number.NaN) * 100).toFixed(1)} %`;
const hits = (one: v.InferOutput<typeof share>) => `${one.hits} of ${one.of}`;
const NEIGHBOURS = [0, 0.25];

/** Cells of the tables of a page, without those of their headings and rules. */
function rowsOf(file: string): string[][] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((text) => text.trim()));
}

it("README compares the rules as the evaluation does", () => {
  const rows = rowsOf("README.md");
  const [one, twenty] = [cellOf({}), cellOf({ rows: 20 })];
  const rules = ["benchstat", "perfgate t = 2.0"];
  for (const row of [
    [
      "False `better` or `worse`, reports of one row",
      percent(one.falsePerRow),
      ...rules.map((rule) => percent(peer(1, 0, rule).falsePerRow)),
    ],
    [
      "Reports of 20 identical rows with any false verdict",
      percent(twenty.falsePerReport),
      ...rules.map((rule) => percent(peer(20, 0, rule).falsePerReport)),
    ],
    [
      "3 % more CPU work per request, found after all pairs",
      percent(slower({}).found),
      ...rules.map((rule) => percent(peer(1, 0, rule).found[0])),
    ],
  ])
    expect(rows).toContainEqual(row);
});

it("README says how much is found in time, on a first run and after 8 runs", () => {
  const rows = rowsOf("README.md");
  const all = (where: Where, time: "foundIn20Sec" | "foundIn60Sec") =>
    [0, 8].map((earlierRuns) => percent(slower({ ...where, earlierRuns })[time]));
  const [beside, counts] = [{ neighbour: 0.25 }, { counts: true }];
  for (const row of [
    ["within 20 s", ...all({}, "foundIn20Sec")],
    ["within 60 s", ...all({}, "foundIn60Sec")],
    ["within 60 s, with counts", ...all(counts, "foundIn60Sec")],
    ["within 60 s, beside a neighbour", ...all(beside, "foundIn60Sec")],
    ["within 60 s, beside a neighbour, with counts", ...all({ ...beside, ...counts }, "foundIn60Sec")],
  ])
    expect(rows).toContainEqual(row);
});

it("docs/comparing.md has the figures of the evaluation", () => {
  const rows = rowsOf("docs/comparing.md");
  const seconds = (value: number) => `${value.toFixed(0)} s`;
  const figures: [string, (where: Where) => string][] = [
    ["False `better` or `worse`, reports of one row", (where) => hits(cellOf(where).falsePerRow)],
    [
      "False `better` or `worse` per row, reports of 20 rows",
      (where) => hits(cellOf({ ...where, rows: 20 }).falsePerRow),
    ],
    ["3 % more CPU work per request, found", (where) => percent(slower(where).found)],
    ["The same, found within 20 s", (where) => percent(slower(where).foundIn20Sec)],
    ["The same, found within 60 s", (where) => percent(slower(where).foundIn60Sec)],
    ["The same, called `unchanged`", (where) => percent(slower(where).unchanged)],
    ["Seconds until it was found, on average", (where) => seconds(slower(where).seconds)],
    ["Seconds of an unchanged row", (where) => seconds(cellOf(where).identicalRowSec)],
  ];
  for (const [title, of] of figures) {
    const all = (more: Where) =>
      NEIGHBOURS.flatMap((neighbour) => [false, true].map((counts) => of({ ...more, neighbour, counts })));
    expect(rows).toContainEqual([title, ...all({})]);
    // Reports of 20 rows know their own rows' noise.
    if (title.includes("20 rows")) continue;
    const later = `After 8 earlier runs: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
    expect(rows).toContainEqual([later, ...all({ earlierRuns: 8 })]);
  }
  // Without counts: other rules know none.
  const byTime = (of: (neighbour: number) => string) => NEIGHBOURS.flatMap((neighbour) => [of(neighbour), ""]);
  for (const [name, rule] of [
    ["benchstat", "benchstat"],
    ["perfgate's rule", "perfgate t = 2.0"],
  ] as const) {
    expect(rows).toContainEqual([
      `${name}: 3 % more CPU work, found`,
      ...byTime((neighbour) => percent(peer(1, neighbour, rule).found[0])),
    ]);
    expect(rows).toContainEqual([
      `${name}: false, reports of one row`,
      ...byTime((neighbour) => percent(peer(1, neighbour, rule).falsePerRow)),
    ]);
  }
  const fine = [false, true].map((counts) => percent(slower({ counts, detect: 0.01 }, "cpu:1").foundIn120Sec));
  expect(rows).toContainEqual(["`--detect 1`: 1 % more CPU work, found within 120 s", ...fine, "", ""]);
});

it("docs/comparing.md has the figures of the evaluation of latency", () => {
  const rows = rowsOf("docs/comparing.md");
  const both = (pool: string, of: (one: (typeof latencyCells)[number]) => string, neighbour = 0) =>
    [0, 8].map((earlierRuns) => {
      const one = latencyCells.find(
        (each) => each.pool === pool && each.earlierRuns === earlierRuns && each.neighbour === neighbour,
      );
      if (!one) throw new Error(`the evaluation of latency has no reports after ${earlierRuns} earlier runs`);
      return of(one);
    });
  const soon = (plant: string) => (one: (typeof latencyCells)[number]) =>
    percent(one.found.find((each) => each.plant === plant)?.foundIn60Sec);
  const inTheEnd = (one: (typeof latencyCells)[number]) =>
    percent(one.found.find((each) => each.plant === "p99:10")?.found);
  const falsely = (one: (typeof latencyCells)[number]) => hits(one.falsePerRow);
  const beside = "Beside a neighbour, 25 % of the time: false, ";
  for (const row of [
    ["False `better` or `worse`, as recorded", ...both("raw", falsely)],
    ["False `better` or `worse`, recentred", ...both("recentred", falsely)],
    [`${beside}as recorded`, ...both("raw", falsely, 0.25)],
    [`${beside}recentred`, ...both("recentred", falsely, 0.25)],
    ["3 % of the requests delayed by 6 ms, found within 60 s", ...both("raw", soon("stall:3:6"))],
    ["All requests delayed by 0.2 ms, found within 60 s", ...both("raw", soon("stall:100:0.2"))],
    ["A p99 that is 10 % longer, found within 60 s", ...both("recentred", soon("p99:10"))],
    ["A p99 that is 10 % longer, found in the end", ...both("recentred", inTheEnd)],
  ])
    expect(rows).toContainEqual(row);
});

it("the first of the planted kinds is work in head", () => {
  for (const neighbour of NEIGHBOURS)
    expect(cellOf({ neighbour }).found[0]).toMatchObject({ plant: "cpu:3", mirrored: false });
});

it("docs/comparing.md has the figures of the wider evaluation", () => {
  const cellOfShare = (share: number, pool: string, earlierRuns = 0) => {
    const one = wider.find(
      (each) =>
        each.leftOut === undefined &&
        each.rows === 1 &&
        each.neighbour === share &&
        each.pool === pool &&
        each.earlierRuns === earlierRuns,
    );
    if (!one) throw new Error(`the wider evaluation has no ${pool} reports beside a neighbour of ${share}`);
    return one;
  };
  const rows = rowsOf("docs/comparing.md");
  for (const [title, neighbour, plant] of [
    ["Neighbour, 10 % of the time: 3 % more CPU work", 0.1, "cpu:3"],
    ["Neighbour, 50 % of the time: 3 % more CPU work", 0.5, "cpu:3"],
    ["No neighbour: 3 % more work in allocation", 0, "allocation:3"],
    ["No neighbour: 3 % more work in system calls", 0, "syscalls:3"],
    ["No neighbour: 3 % more work in cache misses", 0, "cache:3"],
  ] as const) {
    const one = cellOfShare(neighbour, "recentred").found.find((each) => each.plant === plant && !each.mirrored);
    const shares = [one?.foundIn20Sec, one?.foundIn60Sec, one?.found, one?.unchanged].map(percent);
    expect(rows).toContainEqual([title, ...shares]);
  }
  const raw = hits(cellOfShare(0, "raw").falsePerRow);
  expect(readFileSync(join(ROOT, "docs/comparing.md"), "utf8")).toContain(`31 pairs, gave ${raw}`);
});
