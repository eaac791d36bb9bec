/** The tables of the page. */
import { USUAL_MARGINS } from "../../src/compare/metrics.js";
import { markdownGrid } from "../../src/report/text/markdown.js";
import type { LiveRun } from "../live/runs.js";
import type { Cell } from "../resample/evaluate.js";
import type { BuildNoise, MeasuredRow, MeasuredSize } from "../resample/measured.js";
import type { Component } from "../statistics/variance-components.js";
import { type Bar, barText } from "./bars.js";
import { earlierText, kindText, neighbourText, percent, shown, signed } from "./words.js";

export function barTable(bars: readonly Bar[]): string {
  return markdownGrid(
    ["", "Bar", "Result", ""],
    bars.map((one) => [barText(one), one.bar, one.result, one.state]),
  );
}

export function measuredTable(rows: readonly MeasuredRow[]): string {
  const size = ({ mean, standardError, sd }: MeasuredSize) => [
    `${signed(Math.expm1(mean))} ±${percent(2 * standardError)}`,
    percent(sd),
  ];
  return markdownGrid(
    ["Server", "Plant", "Neighbour", "Builds", "Pairs", "Void", "CPU per request", "sd", "Throughput", "sd"],
    rows.map(({ server, plant, neighbour, builds, pairs, voided, cpuPerRequest, throughput }) => [
      ...[server, plant, neighbourText(neighbour.share), `${builds.base}, ${builds.head}`],
      ...[String(pairs), String(voided.hits), ...size(cpuPerRequest), ...size(throughput)],
    ]),
  );
}

export function falseTable(cells: readonly Cell[]): string {
  return markdownGrid(
    [
      ...["Rows", "Metrics", "Pool", "Neighbour", "Earlier runs", "Looks for", "Without", "False per row"],
      ...["Reports with any", "Seconds a row", "Distinct pairs", "Independent rows"],
    ],
    cells.map((cell) => [
      ...[String(cell.rows), metricsText(cell), cell.pool, neighbourText(cell.neighbour)],
      earlierText(cell.earlierRuns),
      ...[looksFor(cell), cell.leftOut ?? ""],
      ...[shown(cell.falsePerRow), shown(cell.falsePerReport), cell.identicalRowSec.toFixed(1)],
      ...[String(cell.origin.distinctPairs), String(cell.origin.independentRows)],
    ]),
  );
}

function metricsText({ latency, counts }: Cell): string {
  if (latency) return "with p50, p99";
  return counts ? "with counts" : "usual";
}

function looksFor({ detect }: Cell): string {
  return percent(detect ?? USUAL_MARGINS.equivalence);
}

export function foundTable(cells: readonly Cell[]): string {
  return markdownGrid(
    [
      ...["Plant", "Rows", "Metrics", "Pool", "Neighbour", "Earlier runs", "Looks for"],
      ...["Found", "within 20 s", "within 60 s"],
      ...["within 120 s", "Wrong sign", "Called unchanged", "Seconds", "Distinct pairs"],
    ],
    cells.flatMap((cell) =>
      cell.found.map((one) => [
        ...[kindText(one), String(cell.rows), metricsText(cell), cell.pool, neighbourText(cell.neighbour)],
        ...[earlierText(cell.earlierRuns), looksFor(cell), shown(one.found), percent(one.foundIn20Sec.share)],
        ...[percent(one.foundIn60Sec.share), percent(one.foundIn120Sec.share), shown(one.wrongSign)],
        ...[shown(one.unchanged), one.seconds.toFixed(1), String(one.origin.distinctPairs)],
      ]),
    ),
  );
}

export function coverageTable(cells: readonly Cell[]): string {
  return markdownGrid(
    [
      ...["Metric", "Rows", "Metrics", "Pool", "Neighbour", "Earlier runs", "Looks for", "All rows"],
      "Rows called changed",
    ],
    cells.flatMap((cell) =>
      cell.coverage.map(({ metric, all, calledChanged }) => [
        ...[metric, String(cell.rows), metricsText(cell), cell.pool, neighbourText(cell.neighbour)],
        ...[earlierText(cell.earlierRuns), looksFor(cell), shown(all), shown(calledChanged)],
      ]),
    ),
  );
}

/** One table for a setting: our rule, then the others. */
export function peerTable(cell: Cell): string {
  const own = [
    ...["server-bench", "as needed", percent(cell.falsePerRow.share), percent(cell.falsePerReport.share)],
    ...cell.found.map(({ found }) => percent(found.share)),
  ];
  const peers = cell.peers.map(({ rule, pairs, falsePerRow, falsePerReport, found }) => [
    ...[rule, pairs, percent(falsePerRow.share), percent(falsePerReport.share)],
    ...found.map(({ share }) => percent(share)),
  ]);
  const plants = cell.found.map((one) => `${kindText(one)}: found`);
  return markdownGrid(["Rule", "Pairs a row", "False per row", "Reports with any", ...plants], [own, ...peers]);
}

export function buildTable(builds: readonly BuildNoise[]): string {
  const text = ({ sd, interval: [low, high] }: Component) => `${percent(sd)} (${percent(low)} to ${percent(high)})`;
  return markdownGrid(
    ["Server", "Metric", "Pairs of builds", "Pairs each", "Between builds", "Between pairs", "A turn", "Left out"],
    builds.map(({ server, metric, buildPairs, pairsEach, betweenBuilds, betweenPairs, turns, leftOut }) => [
      ...[server, metric, String(buildPairs), String(pairsEach), text(betweenBuilds), text(betweenPairs)],
      ...[turns ? text(turns.within) : "", String(leftOut)],
    ]),
  );
}

export function liveTable(live: readonly LiveRun[]): string {
  const groups = [...new Set(live.map(({ sides }) => sides))];
  return markdownGrid(
    ["Sides", "Runs", "Rows", "better or worse", "unchanged", "inconclusive", "Pairs a row", "Seconds a row"],
    groups.map((sides) => {
      const runs = live.filter((run) => run.sides === sides);
      const rows = runs.flatMap((run) => run.rows);
      const count = (...verdicts: string[]) => String(rows.filter(({ verdict }) => verdicts.includes(verdict)).length);
      const average = (of: (row: (typeof rows)[number]) => number) =>
        (rows.reduce((sum, row) => sum + of(row), 0) / rows.length).toFixed(1);
      return [
        ...[sides ?? "one build", String(runs.length), String(rows.length), count("better", "worse")],
        ...[count("unchanged"), count("inconclusive"), average(({ pairs }) => pairs), average((row) => row.seconds)],
      ];
    }),
  );
}
