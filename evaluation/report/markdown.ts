/** The report as a page: the tables that figures on other pages rest on. */
import { markdownGrid } from "../../src/report/text/markdown.js";
import type { Cell, Found } from "../resample/evaluate.js";
import { SLOW_TAIL } from "../resample/pools.js";
import type { Facts, WholeRuns } from "./facts.js";
import { headlineTable } from "./headlines.js";
import { hits, percent, shown } from "./words.js";

export function reportMarkdown(facts: Facts): string {
  const { cells, headlines, wholeRuns } = facts;
  const usual = cells.filter(({ latency, detect }) => !latency && detect === undefined);
  const [first] = usual;
  const changes = cells.filter(({ rows, pool, latency }) => rows === 1 && pool === "recentred" && !latency);
  return `${[
    "# How often verdicts are right",
    `Written by \`${facts.command}\`. [README.md](README.md) explains the method, and what is weak.`,
    madeFrom(facts),
    "## In short",

    headlineTable(headlines),
    "## False verdicts between identical sides",
    "Raw: the pairs as recorded, so that a difference between two builds counts as false. Recentred: that difference is removed, and only noise is left.",
    falseTable(cells),
    "## Injected slowdowns",
    "In half of the reports the slowdown is in base, so that head is better. `alternate` and `idle` are in head.",
    foundTable(changes, first),
    "By server, first run, quiet:",
    serverTable(first, facts),
    "## How often the 95 % interval holds",
    "An interval holds where it contains the mean estimate of 100 rows with all pairs of the same recorded row.",
    coverageTable(usual.filter(({ earlierRuns, counts }) => earlierRuns === 0 && !counts)),
    "## Other rules on the same pairs, quiet",
    "Equal time: as many pairs a row as server-bench used on average. All: as many as it can use.",
    peerTable(usual),
    "## Latency",
    latencyTable(cells),
    ...(wholeRuns ? ["## Whole runs between identical sides", wholeText(wholeRuns)] : []),
  ].join("\n\n")}\n`;
}

function madeFrom({ recording, pairs, reports, seed }: Facts): string {
  const { cpuModel, cpus, kernel, virtualization } = recording.environment;
  return `${pairs} pairs of real servers, recorded from ${recording.recordedAt.slice(0, 10)} on ${[cpuModel, `${String(cpus)} CPUs`, kernel, virtualization].filter(Boolean).join(", ")}. ${reports} reports of one row for each line, a fifth as many of 20 rows, seed ${seed}. In parentheses: 95 % interval (Clopper and Pearson) over the draws.`;
}

function settingText({ neighbour, earlierRuns, detect, latency, counts }: Cell): string {
  return [
    neighbour === 0 ? "quiet" : `noisy (${(neighbour * 100).toFixed(0)} %)`,
    ...(earlierRuns > 0 ? [`after ${earlierRuns} runs`] : []),
    ...(detect === undefined ? [] : [`--detect ${detect * 100}`]),
    ...(latency ? ["latency"] : []),
    ...(counts ? ["instruction counts"] : []),
  ].join(", ");
}

function falseTable(cells: readonly Cell[]): string {
  return markdownGrid(
    ["Rows", "Pairs", "Setting", "False rows", "Share", "Reports with any", "Seconds a row", "Distinct pairs"],
    cells.map((cell) => [
      ...[String(cell.rows), cell.pool, settingText(cell), hits(cell.falsePerRow), shown(cell.falsePerRow)],
      ...[percent(cell.falsePerReport.share), cell.identicalRowSec.toFixed(0), String(cell.origin.distinctPairs)],
    ]),
  );
}

/** Slowdowns of 3 and 1 % in each setting, the others in the first one. */
function foundTable(cells: readonly Cell[], first: Cell | undefined): string {
  return markdownGrid(
    ["Slowdown", "Setting", "Within 20 s", "60 s", "120 s", "In the end", "Wrong sign", "Called unchanged", "Seconds"],
    cells.flatMap((cell) =>
      cell.found
        .filter(({ plant }) => plant.startsWith("cpu:") || cell === first)
        .map((one) => [one.plant, settingText(cell), ...foundCells(one)]),
    ),
  );
}

function foundCells(one: Found): string[] {
  return [
    ...[percent(one.foundIn20Sec.share), shown(one.foundIn60Sec), percent(one.foundIn120Sec.share)],
    ...[percent(one.found.share), percent(one.wrongSign.share), percent(one.unchanged.share), one.seconds.toFixed(0)],
  ];
}

function serverTable(cell: Cell | undefined, { noise }: Facts): string {
  const [found] = cell?.found ?? [];
  const quiet = noise.filter(({ neighbour }) => neighbour === 0);
  return markdownGrid(
    [
      "Server",
      "Pairs of identical sides",
      "CPU per request: sd of a pair",
      "Throughput: sd",
      `${found?.plant} within 20 s`,
      "60 s",
    ],
    quiet.map(({ server, pairs, sd }) => {
      const own = found?.servers.find((one) => one.server === server);
      return [
        ...[server, String(pairs), percent(sd.cpuPerRequest), percent(sd.throughput)],
        ...[own?.foundIn20Sec, own?.foundIn60Sec].map((one) => (one && one.of > 0 ? percent(one.share) : "")),
      ];
    }),
  );
}

function coverageTable(cells: readonly Cell[]): string {
  return markdownGrid(
    ["Rows", "Setting", "Metric", "All rows", "Rows called changed"],
    cells.flatMap((cell) =>
      cell.coverage.map(({ metric, all, calledChanged }) => [
        ...[String(cell.rows), settingText(cell), metric, shown(all), shown(calledChanged)],
      ]),
    ),
  );
}

function peerTable(cells: readonly Cell[]): string {
  return markdownGrid(
    ["Rows", "Rule", "Pairs a row", "False per row", "Reports with any", "3 % found"],
    cells
      .filter(({ peers }) => peers.length > 0)
      .flatMap((cell) => {
        const place = cell.found.findIndex(({ plant }) => plant === "cpu:3");
        const own = { ...cell, rule: "server-bench", pairs: "as needed", found: cell.found.map((one) => one.found) };
        return [own, ...cell.peers].map(({ rule, pairs, falsePerRow, falsePerReport, found }) => [
          ...[String(cell.rows), rule, pairs, percent(falsePerRow.share), percent(falsePerReport.share)],
          percent(found[place]?.share ?? 0),
        ]);
      }),
  );
}

/** Slowdowns of latency: delayed requests as recorded, and a longer p99 in recentred pairs of identical sides. */
function latencyTable(cells: readonly Cell[]): string {
  return markdownGrid(
    ["Slowdown", "Setting", "Pairs", "Within 60 s", "In the end"],
    cells
      .filter(({ latency }) => latency)
      .flatMap((cell) =>
        cell.found
          .filter(({ plant }) => (plant === SLOW_TAIL.plant) === (cell.pool === "recentred"))
          .map((one) => [one.plant, settingText(cell), cell.pool, shown(one.foundIn60Sec), shown(one.found)]),
      ),
  );
}

function wholeText({ rows, verdicts, seconds, longestSec }: WholeRuns): string {
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${count} \`${verdict}\``);
  return `${rows} rows: ${counts.join(", ")}; ${seconds.toFixed(0)} s a row on average, at most ${longestSec.toFixed(0)} s.`;
}
