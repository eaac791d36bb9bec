/** An evaluation as a page: the bars, then the peers. */
import { markdownGrid } from "../src/report/markdown.js";
import type { Evaluation, Recording, Score, Share } from "./resample.js";

interface Facts {
  readonly recording: Recording;
  readonly reports: number;
  readonly seed: number;
}

function percent(value: number): string {
  return `${(value * 100).toFixed(value < 0.1 ? 2 : 1)} %`;
}

/** `0.21 % (0.12 to 0.34)` */
function shown({ of, share, interval: [low, high] }: Share): string {
  return of === 0 ? "" : `${percent(share)} (${(low * 100).toFixed(2)} to ${(high * 100).toFixed(2)})`;
}

export function evaluationMarkdown(evaluation: Evaluation, { recording, reports, seed }: Facts): string {
  const sizes = Object.keys(evaluation.calledUnchanged)
    .map(Number)
    .sort((a, b) => a - b);
  const pairs = recording.rows.map((row) => row.pairs.length);
  const { cpuModel, cpus, kernel, virtualization, python } = recording.environment;
  return `${[
    "# How good the verdicts are",
    "Written by `node benchmarks/evaluate.mjs report`: real pairs, recorded once, drawn again whole. Every report has 20 rows of identical sides, or 19 and one with planted CPU work. Improvements are the same pairs with the sides exchanged.",
    [
      `- Machine: ${String(cpuModel)}, ${String(cpus)} CPUs, kernel ${String(kernel)}${virtualization ? `, ${String(virtualization)}` : ""}, Python ${String(python)}`,
      `- Recorded: ${recording.recordedAt}; ${[...new Set(recording.rows.map((row) => row.server))].join(", ")}; ${Math.min(...pairs)} to ${Math.max(...pairs)} pairs of each server and size; ${shown(evaluation.voided)} of the pairs void`,
      `- Resampled: ${reports} reports of each kind, seed ${seed}; in parentheses the 95 % interval of Clopper and Pearson over what was drawn. The recordings themselves are one sample: their own chance is not in it.`,
    ].join("\n"),
    "## What it costs",
    `A row of identical sides took ${evaluation.unchangedRowSec.toFixed(1)} s on average, server starts included; a planted one ${evaluation.plantedRowSecMax.toFixed(1)} s at most.`,
    "## What was called unchanged, and whether the interval holds the truth",
    markdownGrid(
      ["Planted", "Called unchanged", "95 % interval of CPU per request holds it"],
      sizes.map((size) => [
        `${size > 0 ? "+" : ""}${size} %`,
        shown(evaluation.calledUnchanged[size] ?? { hits: 0, of: 0, share: 0, interval: [0, 1] }),
        shown(evaluation.covered[size] ?? { hits: 0, of: 0, share: 0, interval: [0, 1] }),
      ]),
    ),
    "## Beside other rules, on the same pairs",
    markdownGrid(
      [
        "Rule",
        "Pairs a row",
        "False per row",
        "Reports with any",
        ...sizes.map((size) => `${size > 0 ? "+" : ""}${size} % found`),
      ],
      evaluation.scores.map((score) => scoreRow(score, sizes)),
    ),
  ].join("\n\n")}\n`;
}

function scoreRow({ rule, pairs, falsePerRow, falsePerReport, found }: Score, sizes: readonly number[]): string[] {
  const of = (size: number) => found[size];
  return [
    rule,
    pairs,
    percent(falsePerRow.share),
    percent(falsePerReport.share),
    ...sizes.map((size) => percent(of(size)?.share ?? 0)),
  ];
}
