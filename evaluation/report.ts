/** An evaluation as a page: what it does not show, the bars, then the peers. */
import { markdownGrid } from "../src/report/text/markdown.js";
import type { Agreement } from "./benchstat.js";
import type { LiveRun } from "./live.js";
import type { Evaluation, Recording, Score, Share } from "./resample.js";

interface Facts {
  readonly recording: Recording;
  readonly reports: number;
  readonly seed: number;
  /** Whole runs between identical sides; empty where none were made. */
  readonly live: readonly LiveRun[];
  /** Undefined where benchstat is not installed. */
  readonly benchstat: Agreement | undefined;
}

/** What a reader must know before the figures. */
const WEAKNESSES = [
  "Every report has 20 rows. A report of one row has no other rows to learn the noise from, so it is wrong more often.",
  "Identical sides are the same build. Two builds of the same code also differ in paths and in memory layout.",
  "All pairs come from one machine and from one stretch of time. In a noisy hour more verdicts are wrong.",
];

function percent(value: number): string {
  return `${(value * 100).toFixed(value < 0.1 ? 2 : 1)} %`;
}

/** `0.21 % (0.12 to 0.34)` */
function shown({ of, share, interval: [low, high] }: Share): string {
  return of === 0 ? "" : `${percent(share)} (${(low * 100).toFixed(2)} to ${(high * 100).toFixed(2)})`;
}

export function evaluationMarkdown(evaluation: Evaluation, facts: Facts): string {
  const { recording, reports, seed, benchstat } = facts;
  const sizes = Object.keys(evaluation.calledUnchanged)
    .map(Number)
    .sort((a, b) => a - b);
  const pairs = recording.rows.map((row) => row.pairs.length);
  const { cpuModel, cpus, kernel, virtualization, python } = recording.environment;
  return `${[
    "# How good the verdicts are",
    "Written by `node evaluation/evaluate.mjs report`. Pairs of real servers were recorded once. Reports are made of whole pairs that are drawn from the recording. Every report has 20 rows of identical sides, or 19 of them and one row with planted CPU work. Improvements are the same pairs with the sides exchanged. The constants of the decision were fitted on earlier recordings, not on this one.",
    "## What this does not show",
    WEAKNESSES.map((text) => `- ${text}`).join("\n"),
    "## How it was made",
    [
      `- Machine: ${String(cpuModel)}, ${String(cpus)} CPUs, kernel ${String(kernel)}${virtualization ? `, ${String(virtualization)}` : ""}, Python ${String(python)}`,
      `- Recorded: ${recording.recordedAt}; ${[...new Set(recording.rows.map((row) => row.server))].join(", ")}; ${Math.min(...pairs)} to ${Math.max(...pairs)} pairs of each server and size; ${shown(evaluation.voided)} of the pairs void`,
      `- Resampled: ${reports} reports of each kind, seed ${seed}; in parentheses the 95 % interval of Clopper and Pearson over the draws. The recording itself is one sample; its own variation is not in the interval.`,
    ].join("\n"),
    "## The bars",
    markdownGrid(["", "Bar", "Result"], barRows(evaluation, facts)),
    "## What was planted, and what the pairs show",
    "Head's app does calibrated extra work. The table has the medians over all recorded pairs, and how often the verdict had the right sign. The planted size is nominal; the verdict had to find the size that the pairs show. The standard deviation (sd) is that of one pair, computed from the quartiles.",
    markdownGrid(
      ["Server", "Planted", "Pairs", "CPU per request", "sd", "Throughput", "sd", "Found"],
      evaluation.recorded.map(({ server, planted, pairs: count, cpuPerRequest, throughput, found }) => [
        ...[server, `+${planted} %`, String(count)],
        ...[signed(cpuPerRequest.median), percent(cpuPerRequest.pairSd)],
        ...[signed(throughput.median), percent(throughput.pairSd), found.of === 0 ? "" : percent(found.share)],
      ]),
    ),
    ...liveSection(facts.live),
    "## How often a change was called unchanged, and how often the interval held the true size",
    markdownGrid(
      [
        "Planted",
        "Called unchanged",
        "The 95 % interval of CPU per request holds the size that all pairs of the row show",
      ],
      sizes.map((size) => [
        `${size > 0 ? "+" : ""}${size} %`,
        shown(evaluation.calledUnchanged[size] ?? { hits: 0, of: 0, share: 0, interval: [0, 1] }),
        shown(evaluation.covered[size] ?? { hits: 0, of: 0, share: 0, interval: [0, 1] }),
      ]),
    ),
    "## Other rules on the same pairs",
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
    benchstat === undefined
      ? "The rule of benchstat is our own exact Mann-Whitney U test; the program itself was not on the machine."
      : `The rule of benchstat is our own exact Mann-Whitney U test, checked against the program: of ${benchstat.tests} tests the program decided ${benchstat.otherwiseDecided} differently. Its p-values, printed to three digits, are within ${benchstat.largestDifference.toFixed(4)} of ours.`,
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

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${percent(Math.abs(value))}`;
}

function barRows(evaluation: Evaluation, { live }: Facts): string[][] {
  const [own] = evaluation.scores;
  const found = (size: number) => both(own?.found ?? {}, size);
  const false_ = live.flatMap(({ rows }) => rows.filter(({ verdict }) => verdict === "better" || verdict === "worse"));
  const liveRows = live.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    ["False better or worse between identical sides, per row", "at most 1 %", own ? shown(own.falsePerRow) : ""],
    ["The same in whole runs", "at most 1 in 60", liveRows === 0 ? "not measured" : `${false_.length} in ${liveRows}`],
    ["Reports of 20 rows with any false verdict", "at most 5 %", own ? shown(own.falsePerReport) : ""],
    ["Planted 3 %, found with the right sign", "at least 90 %", found(3)],
    ["Planted 5 %", "at least 99 %", found(5)],
    ["Planted 3 %, called unchanged", "at most 2 %", both(evaluation.calledUnchanged, 3)],
    [
      "Seconds for a planted row",
      "at most 60",
      `${evaluation.plantedRowSec.toFixed(1)} on average, ${evaluation.plantedRowSecMax.toFixed(1)} at most`,
    ],
    [
      "Seconds for a row of identical sides, server starts included",
      "at most 26",
      `${evaluation.unchangedRowSec.toFixed(1)} on average`,
    ],
  ];
}

/** One share for slower, one for faster. */
function both(shares: Readonly<Record<string, Share>>, size: number): string {
  return [size, -size]
    .flatMap((planted) => {
      const share = shares[planted];
      return share ? [`${planted > 0 ? "slower" : "faster"}: ${shown(share)}`] : [];
    })
    .join("; ");
}

function liveSection(live: readonly LiveRun[]): string[] {
  if (live.length === 0) return [];
  return [
    "## Whole runs between identical sides",
    "`run live --base DIR`. The sides differ by a comment in the app, so every `better` or `worse` is false.",
    markdownGrid(
      ["Run", "Rows", "better or worse", "unchanged", "inconclusive", "Pairs a row", "Seconds a row", "Under load"],
      live.map(({ startedAt, rows, measuredSec, loadShare }) => {
        const count = (...verdicts: string[]) =>
          String(rows.filter(({ verdict }) => verdicts.includes(verdict)).length);
        const pairs = rows.reduce((sum, row) => sum + row.pairs, 0) / rows.length;
        return [
          ...[
            startedAt.slice(0, 16).replace("T", " "),
            String(rows.length),
            count("better", "worse"),
            count("unchanged"),
          ],
          ...[count("inconclusive"), pairs.toFixed(1), (measuredSec / rows.length).toFixed(1), percent(loadShare)],
        ];
      }),
    ),
  ];
}
