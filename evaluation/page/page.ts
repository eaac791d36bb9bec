/** An evaluation as a page: what is weak comes first. */
import { barsOf } from "./bars.js";
import { commitsSection } from "./commits.js";
import { earlierSection } from "./earlier.js";
import type { Facts } from "./facts.js";
import {
  barTable,
  buildTable,
  coverageTable,
  falseTable,
  foundTable,
  liveTable,
  measuredTable,
  peerTable,
} from "./tables.js";
import { weaknesses } from "./weak.js";
import { neighbourText } from "./words.js";

export function evaluationMarkdown(facts: Facts): string {
  const { cells, measured, builds, live, commits, earlier } = facts;
  const whole = cells.filter(({ leftOut }) => leftOut === undefined);
  return `${[
    "# How good the verdicts are",
    `Written by \`${facts.command}\`. Pairs of real servers were recorded between two clean builds. A report is made of whole pairs, drawn from the recording. It is decided as in a run.`,
    "## What is weak",
    bullets(weaknesses(facts)),
    "## How it was made",
    bullets(madeFrom(facts)),
    "## The bars",
    barTable(barsOf(facts)),
    ...(cells.some(({ counts }) => counts) ? [COUNTS] : []),
    "## What was recorded",
    "Size: mean over all pairs of the row, ± two standard errors, by the statistic of the decision. Standard deviation (sd): that of one pair. Without a plant, a size shows the difference between two builds, and noise.",
    measuredTable(measured),
    ...(builds.length === 0 ? [] : buildSection(facts)),
    "## False verdicts between identical sides",
    "Raw: the pairs as recorded, in random order and each once, so that a difference between the two builds counts as false. A row that has used all of its pairs is decided as where the time is spent. Recentred: the centre of each row's pairs, as a verdict estimates it (for the rules of other tools: their plain mean), is removed, so that only noise can be called a change; pairs are drawn with replacement, as many as a row needs. A server that is left out shows how much the figures rest on it.",
    falseTable(cells),
    "Earlier runs: what the report knows of the noise of this row on this machine. The runs are drawn from quiet rows of the same server whose pairs the report does not use. None: the row's first run.",
    "## What was found",
    "Recentred: pairs with steady work are shifted, so that their centre is the planted size in CPU per request. `in base`: the sides are exchanged, so head is better. `p99:10`: in pairs of identical sides, every p99 of head was made 10 % longer. `stall:3:6`: 3 % of head's requests take 6 ms longer; these pairs are as recorded.",
    foundTable(whole),
    "## How often the 95 % interval holds",
    "An interval holds where it contains the mean of the estimates of 100 rows. Each of them has all its pairs, drawn from the same recorded row. The planted size is not used here: builds differ, and the calibration has noise.",
    coverageTable(whole),
    "## Other rules on the same pairs",
    "All rules have the statistic of a pair that the decision has, but for the ratios, which have one slice of each side. Equal time: as many pairs a row as server-bench used on average in the same report.",
    ...whole
      .filter(({ peers }) => peers.length > 0)
      .flatMap((cell) => [
        `${cell.rows === 1 ? "One-row" : `${cell.rows}-row`} reports, ${cell.pool} pairs, neighbour: ${neighbourText(cell.neighbour)}.`,
        peerTable(cell),
      ]),
    benchstatText(facts),
    ...(live.length === 0
      ? []
      : ["## Whole runs between identical sides", "Every `better` or `worse` is false.", liveTable(live)]),
    ...(commits.length === 0 ? [] : commitsSection(commits)),
    ...earlier.flatMap(earlierSection),
  ].join("\n\n")}\n`;
}

const COUNTS =
  "With counts: as on a runner with Valgrind. A row that looks changed after 12 pairs has its instructions counted, and with `--detect 1` every row has them counted before its pairs. Rounds were counted between the recorded pairs, and are drawn as these are; their seconds are in those of the row. Recentred, they too have the planted size. The other reports are decided by time alone, as on a runner without Valgrind.";

function bullets(texts: readonly string[]): string {
  return texts.map((text) => `- ${text}`).join("\n");
}

function madeFrom({ recording, reports, seed }: Facts): string[] {
  const { cpuModel, cpus, kernel, virtualization, python } = recording.environment;
  const machine = [String(cpuModel), `${String(cpus)} CPUs`, `kernel ${String(kernel)}`];
  return [
    `Machine: ${[...machine, ...(virtualization ? [String(virtualization)] : []), `Python ${String(python)}`].join(", ")}`,
    `Recorded: ${recording.recordedAt}`,
    ...recording.notes.map((note) => `Builds of ${note}`),
    `Resampled: ${reports} one-row reports of each kind and setting, and a fifth as many of 20 rows, seed ${seed}; in parentheses the 95 % interval of Clopper and Pearson over the draws`,
  ];
}

function buildSection({ builds }: Facts): string[] {
  return [
    "## What differs between builds",
    "Standard deviations of log(head / base), with 95 % intervals: between pairs of clean builds (one build alone has this over the square root of 2), between pairs of processes of the same builds, and of a single turn (one slice of each side).",
    buildTable(builds),
  ];
}

function benchstatText({ benchstat }: Facts): string {
  if (benchstat === undefined)
    return "The rule of benchstat is our own exact Mann-Whitney U test; the program itself was not on the machine.";
  const { tests, otherwiseDecided, largestDifference } = benchstat;
  return `The rule of benchstat is our own exact Mann-Whitney U test, checked against the program: of ${tests} tests the program decided ${otherwiseDecided} differently. Its p-values, printed to three digits, are within ${largestDifference.toFixed(4)} of ours.`;
}
