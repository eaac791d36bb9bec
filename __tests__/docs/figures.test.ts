/** The figures of the evaluation that README and docs/comparing.md quote are those of docs/evaluation.json. */
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
  foundIn60Sec: share,
  unchanged: share,
  seconds: v.number(),
});
const cell = v.object({
  rows: v.number(),
  pool: v.string(),
  neighbour: v.number(),
  leftOut: v.optional(v.string()),
  falsePerRow: share,
  falsePerReport: share,
  identicalRowSec: v.number(),
  found: v.array(found),
  peers: v.array(
    v.object({ rule: v.string(), pairs: v.string(), falsePerRow: share, falsePerReport: share, found: v.array(share) }),
  ),
});
const { cells } = v.parse(
  v.object({ cells: v.array(cell) }),
  JSON.parse(readFileSync(join(ROOT, "docs/evaluation.json"), "utf8")),
);

function cellOf(rows: number, neighbour: number) {
  const one = cells.find(
    (each) =>
      each.rows === rows && each.neighbour === neighbour && each.pool === "recentred" && each.leftOut === undefined,
  );
  if (!one) throw new Error(`the evaluation has no reports of ${rows} rows beside a neighbour of ${neighbour}`);
  return one;
}

/** 3 % more work in head, in reports of one row. */
function slower(neighbour: number) {
  const one = cellOf(1, neighbour).found.find(({ plant, mirrored }) => plant === "cpu:3" && !mirrored);
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
      "3 % more CPU work per request, found, reports of one row",
      percent(slower(0).found),
      ...rules.map((rule) => percent(peer(1, 0, rule).found[0])),
    ],
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

it("the first of the planted kinds is work in head", () => {
  for (const neighbour of NEIGHBOURS)
    expect(cellOf(1, neighbour).found[0]).toMatchObject({ plant: "cpu:3", mirrored: false });
});
