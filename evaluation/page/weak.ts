/** What is weak, before any figure: bars that are missed, and what the data cannot show. */
import { groupBy } from "../../src/group-by.js";
import { NO_PLANT } from "../recording/recording.js";
import { type Bar, barsOf } from "./bars.js";
import type { Facts } from "./facts.js";
import { neighbourText, percent } from "./words.js";

const SERVERS_MIN = 4;
const PAIRS_MIN = 200;
const BUILD_PAIRS_MIN = 20;
const LIVE_RUNS_MIN = 60;

export function weaknesses(facts: Facts): string[] {
  const groups = [...groupBy(barsOf(facts), ({ what }) => what).values()];
  const having = (state: Bar["state"]) => groups.filter((bars) => bars.some((bar) => bar.state === state));
  return [
    ...having("missed").map(missedText),
    ...having("uncertain").map(uncertainText),
    ...having("not measured").map(([first]) => `Not measured: ${first?.what}.`),
    ...dataWeaknesses(facts),
  ];
}

/** Of one bar in all settings: how often it was missed, and where by most. */
function missedText(bars: readonly Bar[]): string {
  const missed = bars.filter(({ state }) => state === "missed");
  const [first, ...others] = missed;
  if (!first) return "";
  const worst = others.reduce((most, bar) => (bar.gap > most.gap ? bar : most), first);
  const where = worst.where === "" ? "" : `${worst.where}: `;
  const times = bars.length === 1 ? "" : ` in ${missed.length} of ${bars.length} settings`;
  return `Missed${times}: ${barOf(worst)}. ${others.length === 0 ? "It was" : "The worst"}: ${where}${worst.result}.`;
}

function uncertainText(bars: readonly Bar[]): string {
  const count = bars.filter(({ state }) => state === "uncertain").length;
  const times = bars.length === 1 ? "" : ` in ${count} of ${bars.length} settings`;
  return `Too few draws to be sure${times}: ${bars.slice(0, 1).map(barOf).join("")}.`;
}

function barOf({ what, bar }: Bar): string {
  return `${what} (the bar: ${bar})`;
}

function dataWeaknesses({ measured, builds, live, cells }: Facts): string[] {
  const servers = new Set(measured.map(({ server }) => server));
  const identical = cells.find(({ neighbour, leftOut }) => neighbour === 0 && leftOut === undefined)?.origin;
  const fewest = Math.min(...measured.map(({ pairs }) => pairs));
  const identicalPairs = measured.filter(({ plant }) => plant === NO_PLANT).map(({ pairs }) => pairs);
  const neighbours = new Set(measured.flatMap(({ neighbour }) => (neighbour.share > 0 ? [neighbour.share] : [])));
  const liveRuns = live.filter(({ sides }) => sides !== undefined).length;
  return [
    "All pairs come from one kind of machine. The neighbour is a script: real neighbours also take cache, memory bandwidth and disk.",
    identical &&
      `Reports of identical sides are drawn from ${identical.distinctPairs} distinct pairs of ${identical.independentRows} independent rows. The intervals in parentheses are about the draws, not about these rows.`,
    servers.size < SERVERS_MIN &&
      `Only ${servers.size} of at least ${SERVERS_MIN} servers: ${[...servers].join(", ")}.`,
    `Raw reports end with the pairs of a row, ${rangeText(identicalPairs)}: what only further ones would prove does not count.`,
    fewest < PAIRS_MIN && `Some rows have only ${fewest} pairs: their measured sizes are uncertain.`,
    neighbours.size === 0
      ? "No pairs beside a neighbour."
      : `A neighbour was there for ${[...neighbours].map(neighbourText).join(", ")} only.`,
    builds.length === 0
      ? "Each server has one pair of builds, so what differs between builds is not known (sigma_build)."
      : builds.some(({ buildPairs }) => buildPairs < BUILD_PAIRS_MIN) &&
        `Fewer than ${BUILD_PAIRS_MIN} pairs of builds: sigma_build may be up to ${percent(Math.max(...builds.map((one) => one.betweenBuilds.interval[1])))}.`,
    liveRuns < LIVE_RUNS_MIN && `${liveRuns} of at least ${LIVE_RUNS_MIN} live runs between two builds.`,
  ].filter((text): text is string => typeof text === "string");
}

function rangeText(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least} to ${most}`;
}
