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

function cellOf(rows: number, neighbour: number, earlierRuns = 0) {
  const whole = cells.filter((each) => each.leftOut === undefined && each.detect === undefined);
  const one = whole.find(
    (each) =>
      each.rows === rows &&
      each.neighbour === neighbour &&
      each.pool === "recentred" &&
      each.earlierRuns === earlierRuns,
  );
  if (!one) throw new Error(`the evaluation has no reports of ${rows} rows beside a neighbour of ${neighbour}`);
  return one;
}

/** 3 % more work in head, in reports of one row. */
function slower(neighbour: number, earlierRuns = 0) {
  const one = cellOf(1, neighbour, earlierRuns).found.find(({ plant, mirrored }) => plant === "cpu:3" && !mirrored);
  if (!one) throw new Error("the evaluation has no cpu:3");
  return one;
}

function peer(rows: number, neighbour: number, rule: string) {
  const one = cellOf(rows, neighbour).peers.find((each) => each.rule === rule && each.pairs === "equal time");
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
  const [one, twenty] = [cellOf(1, 0), cellOf(20, 0)];
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
      percent(slower(0).found),
      ...rules.map((rule) => percent(peer(1, 0, rule).found[0])),
    ],
  ])
    expect(rows).toContainEqual(row);
});

it("README says how much is found in time, on a first run and after 8 runs", () => {
  const rows = rowsOf("README.md");
  const all = (neighbour: number, time: "foundIn20Sec" | "foundIn60Sec") =>
    [0, 8].map((runs) => percent(slower(neighbour, runs)[time]));
  for (const row of [
    ["within 60 s", ...all(0, "foundIn60Sec")],
    ["within 60 s, beside a neighbour", ...all(0.25, "foundIn60Sec")],
    ["within 20 s", ...all(0, "foundIn20Sec")],
  ])
    expect(rows).toContainEqual(row);
});

it("docs/comparing.md has the figures of the evaluation", () => {
  const rows = rowsOf("docs/comparing.md");
  const both = (of: (neighbour: number) => string) => NEIGHBOURS.map(of);
  for (const row of [
    ["False `better` or `worse`, reports of one row", ...both((share) => hits(cellOf(1, share).falsePerRow))],
    ["False `better` or `worse` per row, reports of 20 rows", ...both((share) => hits(cellOf(20, share).falsePerRow))],
    ["3 % more CPU work per request, found", ...both((share) => percent(slower(share).found))],
    ["The same, found within 60 s", ...both((share) => percent(slower(share).foundIn60Sec))],
    ["The same, called `unchanged`", ...both((share) => percent(slower(share).unchanged))],
    ["Seconds until it was found, on average", ...both((share) => `${slower(share).seconds.toFixed(0)} s`)],
    ["After 8 earlier runs: found within 20 s", ...both((share) => percent(slower(share, 8).foundIn20Sec))],
    ["After 8 earlier runs: found within 60 s", ...both((share) => percent(slower(share, 8).foundIn60Sec))],
    ["After 8 earlier runs: called `unchanged`", ...both((share) => percent(slower(share, 8).unchanged))],
    ["After 8 earlier runs: false `better` or `worse`", ...both((share) => hits(cellOf(1, share, 8).falsePerRow))],
    [
      "After 8 earlier runs: seconds until it was found",
      ...both((share) => `${slower(share, 8).seconds.toFixed(0)} s`),
    ],
    [
      "After 8 earlier runs: seconds of an unchanged row",
      ...both((share) => `${cellOf(1, share, 8).identicalRowSec.toFixed(0)} s`),
    ],
    ["Seconds of an unchanged row", ...both((share) => `${cellOf(1, share).identicalRowSec.toFixed(0)} s`)],
    ["benchstat: 3 % more CPU work, found", ...both((share) => percent(peer(1, share, "benchstat").found[0]))],
    ["benchstat: false, reports of one row", ...both((share) => percent(peer(1, share, "benchstat").falsePerRow))],
    [
      "perfgate's rule: 3 % more CPU work, found",
      ...both((share) => percent(peer(1, share, "perfgate t = 2.0").found[0])),
    ],
    [
      "perfgate's rule: false, reports of one row",
      ...both((share) => percent(peer(1, share, "perfgate t = 2.0").falsePerRow)),
    ],
  ])
    expect(rows).toContainEqual(row);
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
    expect(cellOf(1, neighbour).found[0]).toMatchObject({ plant: "cpu:3", mirrored: false });
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
