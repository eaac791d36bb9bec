/** What is printed while rows are measured, and that the last word is the report's. */
import { expect, test } from "vitest";
import { openDisplay } from "../../src/commands/display.js";
import { ResultsWriter } from "../../src/commands/results-writer.js";
import type { ComparedRow, Verdict } from "../../src/results/comparison.js";
import { compared } from "../support/comment.js";
import { sampleResults } from "../support/results.js";

function printing() {
  const lines: string[] = [];
  const display = openDisplay({ write: (text) => lines.push(...text.split("\n")) }, { CI: "1" });
  return { display, lines };
}

function writerOf(...rows: readonly ComparedRow[]): ResultsWriter {
  const comparison = { mode: "paired" as const, base: {}, rows: [...rows] };
  return new ResultsWriter("/nowhere", { ...sampleResults(), comparison });
}

const row = (id: string, verdict: Verdict) => compared(`set/${id}`, verdict);

test("a verdict that later rows changed is corrected before the report", () => {
  const { display, lines } = printing();
  display.rowDecided(row("a", "worse"), false);
  display.rowDecided(row("b", "unchanged"), false);
  display.finished(writerOf(row("a", "inconclusive"), row("b", "unchanged")));
  const revised = lines.filter((line) => line.startsWith("revised: "));
  expect(revised).toEqual([
    expect.stringMatching(
      /^revised: inconclusive {2}set\/a \(c256\) .*; it was worse before all benchmarks were measured$/,
    ),
  ]);
  const report = lines.findIndex((line) => /^Compared with base/.test(line));
  expect(report).toBeGreaterThan(lines.findIndex((line) => line.startsWith("revised: ")));
});

test("so is one of a run that was interrupted", () => {
  const { display, lines } = printing();
  display.rowDecided(row("a", "worse"), false);
  display.interrupted("interrupted by SIGINT", writerOf(row("a", "inconclusive")));
  expect(lines.find((line) => line.startsWith("revised: "))).toMatch(/^revised: inconclusive {2}set\/a/);
});

test("a control has no verdict", () => {
  const { display, lines } = printing();
  display.rowDecided(row("a", "worse"), true);
  display.finished(writerOf());
  expect(lines[0]).toMatch(/^control: inconclusive {2}set\/a/);
  expect(lines.join("\n")).not.toContain("revised");
});

test("a reason is repeated in words only where no other one came between", () => {
  const { display, lines } = printing();
  const failed = sampleResults().cases.find((one) => one.state === "failed");
  if (failed?.state !== "failed") throw new Error("the sample has a failed case");
  for (const reason of ["it does not build", "it does not build", "it ended", "it does not build"])
    display.caseDone({ ...failed, reason });
  const said = lines.filter((line) => line !== "").map((line) => line.replace(/^.*?(it |for )/, "$1"));
  expect(said).toEqual(["it does not build", "for the same reason", "it ended", "it does not build"]);
});

test("a set that is complete is shown at once, and not again at the end", () => {
  const { display, lines } = printing();
  const results = sampleResults();
  const [set] = results.sets;
  if (set === undefined) throw new Error("the sample has no set");
  const title = () => lines.filter((line) => line === set.title);
  display.setDone(set.name, results);
  expect(title()).toHaveLength(1);
  display.finished(new ResultsWriter("/nowhere", results));
  expect(title()).toHaveLength(1);
  expect(lines.join("\n")).toMatch(/\d+ benchmarks: /);
});
