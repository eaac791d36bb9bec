/** The figures of the evaluation that README and docs/comparing.md quote are those of docs/evaluation.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const share = v.object({ hits: v.number(), of: v.number(), share: v.number() });
const evaluation = v.parse(
  v.object({
    scores: v.array(
      v.object({
        rule: v.string(),
        pairs: v.string(),
        falsePerRow: share,
        falsePerReport: share,
        found: v.record(v.string(), share),
      }),
    ),
    covered: v.record(v.string(), share),
    unchangedRowSec: v.number(),
    plantedRowSec: v.number(),
    plantedRowSecMax: v.number(),
  }),
  JSON.parse(readFileSync(join(ROOT, "docs/evaluation.json"), "utf8")),
);

const hits = (one: v.InferOutput<typeof share> | undefined) => `${one?.hits} of ${one?.of}`;

function scoreOf(rule: string) {
  const found = evaluation.scores.find((score) => score.rule === rule && score.pairs !== "13");
  if (!found) throw new Error(`the evaluation has no ${rule}`);
  return found;
}
const [own, benchstat, perfgate] = [scoreOf("server-bench"), scoreOf("benchstat"), scoreOf("perfgate t = 2.0")];

/** Cells of the tables of a page, without those of their headings and rules. */
function rowsOf(file: string): string[][] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

it("README compares the rules as the evaluation does", () => {
  const rows = rowsOf("README.md");
  const rules = [own, benchstat, perfgate];
  expect(rows).toContainEqual(["3 % more CPU work per request, found", ...rules.map(({ found }) => hits(found["3"]))]);
  const reports = rules.map(({ falsePerReport }) => hits(falsePerReport));
  expect(rows).toContainEqual(["Reports of 20 identical rows with any false verdict", ...reports]);
  const perRow = rows.find(([what]) => what === "False `better` or `worse` between identical sides, per row");
  const shown = rules.map(({ falsePerRow }) => falsePerRow.share * 100);
  for (const [i, figure] of shown.entries())
    expect(Number.parseFloat(perRow?.[i + 1] ?? "")).toBeCloseTo(figure, figure < 1 ? 2 : 0);
});

it("docs/comparing.md has the figures of the evaluation", () => {
  const rows = rowsOf("docs/comparing.md");
  const sec = (value: number) => value.toFixed(0);
  for (const row of [
    ["False `better` or `worse` between identical sides, per row", `${(own.falsePerRow.share * 100).toFixed(2)} %`],
    ["Reports of 20 identical rows with any false verdict", hits(own.falsePerReport)],
    ["3 % more CPU work per request, found", hits(own.found["3"])],
    ["3 % less CPU work per request, found", hits(own.found["-3"])],
    ["benchstat: 3 % more CPU work per request, found", hits(benchstat.found["3"])],
    ["benchstat: reports of 20 identical rows with any false verdict", hits(benchstat.falsePerReport)],
    ["perfgate's rule: 3 % more CPU work per request, found", hits(perfgate.found["3"])],
    ["perfgate's rule: reports of 20 identical rows with any false verdict", hits(perfgate.falsePerReport)],
    ["Time for an unchanged row, server starts included", `${sec(evaluation.unchangedRowSec)} s`],
    [
      "Time for a row with planted work",
      `${sec(evaluation.plantedRowSec)} s, ${sec(evaluation.plantedRowSecMax)} s at most`,
    ],
  ])
    expect(rows).toContainEqual(row);
});

it.each(["README.md", "docs/comparing.md", "docs/limits.md"])("%s says how often the interval holds", (file) => {
  const shares = Object.values(evaluation.covered).map((one) => one.share * 100);
  const text = readFileSync(join(ROOT, file), "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(`${Math.min(...shares).toFixed(0)} to ${Math.max(...shares).toFixed(0)} % of the draws`);
});
