/** Rows of several shards, judged as rows of one report. */
import { expect, it } from "vitest";
import { rejudgeMerged } from "../../src/compare/rejudge-merged.js";
import type { ComparedRow } from "../../src/results/comparison.js";
import { compared } from "../support/comment.js";
import { togetherPair } from "../support/together.js";

/** @param p of its one metric */
function stored(id: string, p: number): ComparedRow {
  const row = compared(id, p <= 0.05 ? "suspect-worse" : "unchanged");
  const { throughput } = row.metrics;
  if (!throughput) throw new Error("a row has a throughput");
  return { ...row, metrics: { throughput: { ...throughput, p } } };
}

const merge = (rows: readonly ComparedRow[]) => rejudgeMerged(rows.map((row) => ({ row, clientBound: false })));

it("keeps a suspicion that holds among the rows of all shards, and no other", () => {
  const others = Array.from({ length: 19 }, (_, i) => stored(`interfaces/row-${i}`, 0.9));
  const [weak] = merge([stored("interfaces/weak", 0.04), ...others]);
  expect(weak).toMatchObject({ verdict: "inconclusive", metrics: { throughput: { verdict: "inconclusive" } } });
  const voided = compared("interfaces/voided", "inconclusive");
  const { throughput } = voided.metrics;
  const small = { ...voided, metrics: throughput ? { throughput: { ...throughput, p: 0.0001 } } : {} };
  const [beside] = merge([stored("interfaces/weak", 0.004), small, ...others]);
  expect(beside).toMatchObject({ verdict: "inconclusive" });
  const [strong] = merge([stored("interfaces/strong", 0.001), ...others]);
  expect(strong).toMatchObject({ verdict: "suspect-worse" });
  expect(merge([stored("interfaces/weak", 0.04)])).toMatchObject([{ verdict: "suspect-worse" }]);
});

it("notes anew which verdicts were withdrawn: other rows can take the verdict itself away", () => {
  const even = Array.from({ length: 6 }, () => togetherPair([1000, 1000, 1000], [1000, 1000, 1000]));
  const withdrawn = "no verdict on throughput and CPU per request: head used the CPU while idle and so slowed base";
  const row = {
    ...compared("interfaces/even", "inconclusive"),
    recorded: even,
    notes: [withdrawn, "a note of its own"],
  };
  expect(merge([row])).toMatchObject([{ verdict: "unchanged", notes: ["a note of its own"] }]);
});
