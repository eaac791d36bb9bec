/** What the decision must reach, and what came out. */
import type { Cell, Coverage } from "../resample/evaluate.js";
import type { Share } from "../resample/share.js";
import type { Facts } from "./facts.js";
import { kindText, shown } from "./words.js";

export interface Bar {
  readonly what: string;
  readonly bar: string;
  readonly result: string;
  /** `uncertain`: the share meets the bar, but its interval reaches beyond it. */
  readonly state: "met" | "uncertain" | "missed" | "not measured";
}

const NEIGHBOUR = 0.25;
const LIVE_RUNS_MIN = 60;
const LIVE_FALSE_MAX = 1;
const FALSE_MAX = 0.01;
const IDENTICAL_SEC_MAX = 20;
const COVERAGE = { low: 0.93, high: 0.98 };

export function barsOf(facts: Facts): Bar[] {
  const quiet = cellsWith(facts, 0);
  const beside = cellsWith(facts, NEIGHBOUR);
  return [
    ...[...quiet, ...beside].map((cell) => falseBar(cell)),
    liveBar(facts),
    ...foundBars("cpu:3", "within 20 s, quiet", oneRow(quiet), 0.9, ({ foundIn20Sec }) => foundIn20Sec),
    ...foundBars("cpu:3", "within 60 s, quiet", oneRow(quiet), 0.99, ({ foundIn60Sec }) => foundIn60Sec),
    ...foundBars("cpu:3", "within 60 s, with the neighbour", oneRow(beside), 0.9, ({ foundIn60Sec }) => foundIn60Sec),
    neverUnchanged(oneRow(beside)),
    notMeasured("+1 % with --detect 1, found within 120 s", "at least 90 %"),
    secondsBar(oneRow(quiet)),
    notMeasured("p99 at a fixed rate: +10 % found within 60 s", "at least 90 %"),
    ...[...quiet, ...beside].filter(({ pool }) => pool === "recentred").flatMap(coverageBars),
    ...["alternate", "idle"].flatMap((kind) => plantBars(kind, oneRow(quiet))),
  ];
}

function cellsWith({ cells }: Facts, neighbour: number): Cell[] {
  return cells.filter((cell) => cell.leftOut === undefined && cell.neighbour === neighbour);
}

function oneRow(cells: readonly Cell[]): Cell | undefined {
  return cells.find(({ rows, pool }) => rows === 1 && pool === "recentred");
}

function rated(share: Share, isMet: (value: number) => boolean): Pick<Bar, "result" | "state"> {
  if (share.of === 0) return { result: "", state: "not measured" };
  const [low, high] = share.interval;
  const state = !isMet(share.share) ? "missed" : isMet(low) && isMet(high) ? "met" : "uncertain";
  return { result: shown(share), state };
}

/** From good to bad. */
const STATES = ["met", "uncertain", "missed", "not measured"] as const;

function notMeasured(what: string, bar: string): Bar {
  return { what, bar, result: "", state: "not measured" };
}

function settingText({ rows, pool, neighbour }: Cell): string {
  const beside = neighbour === 0 ? "quiet" : `neighbour ${neighbour * 100} %`;
  return `${rows === 1 ? "one-row" : `${rows}-row`} reports, ${pool}, ${beside}`;
}

function falseBar(cell: Cell): Bar {
  const what = `False verdicts per row: ${settingText(cell)}`;
  return { what, bar: "at most 1 %", ...rated(cell.falsePerRow, (share) => share <= FALSE_MAX) };
}

function liveBar({ live }: Facts): Bar {
  const [what, bar] = ["Live one-row runs between two builds, false", `at most ${LIVE_FALSE_MAX} in ${LIVE_RUNS_MIN}`];
  const rows = live.filter(({ sides }) => sides !== undefined).flatMap((run) => run.rows);
  if (rows.length === 0) return notMeasured(what, bar);
  const wrong = rows.filter(({ verdict }) => verdict === "better" || verdict === "worse").length;
  const enough = rows.length >= LIVE_RUNS_MIN;
  const state = wrong > LIVE_FALSE_MAX ? "missed" : enough ? "met" : "not measured";
  return { what, bar, result: `${wrong} in ${rows.length}${enough ? "" : ": too few runs"}`, state };
}

function foundBars(
  plant: string,
  how: string,
  cell: Cell | undefined,
  least: number,
  of: (found: Cell["found"][number]) => Share,
): Bar[] {
  const bar = `at least ${least * 100} %`;
  const some = (cell?.found ?? []).filter((found) => found.plant === plant);
  if (some.length === 0) return [notMeasured(`${plant} found ${how}`, bar)];
  return some.map((found) => {
    return { what: `${kindText(found)} found ${how}`, bar, ...rated(of(found), (share) => share >= least) };
  });
}

function neverUnchanged(cell: Cell | undefined): Bar {
  const [what, bar] = ["cpu:3 called unchanged, with the neighbour", "never"];
  const found = cell?.found.find(({ plant, mirrored }) => plant === "cpu:3" && !mirrored);
  return found ? { what, bar, ...rated(found.unchanged, (share) => share === 0) } : notMeasured(what, bar);
}

function secondsBar(cell: Cell | undefined): Bar {
  const [what, bar] = ["Seconds of an unchanged row, quiet", `at most ${IDENTICAL_SEC_MAX}`];
  if (!cell || cell.falsePerRow.of === 0) return notMeasured(what, bar);
  const seconds = cell.identicalRowSec;
  const state = seconds <= IDENTICAL_SEC_MAX ? "met" : "missed";
  return { what, bar, result: `${seconds.toFixed(1)} on average`, state };
}

/** One bar for both metrics: the worse one decides. */
function coverageBars(cell: Cell): Bar[] {
  const isWithin = (share: number) => share >= COVERAGE.low && share <= COVERAGE.high;
  const bar = (rows: string, of: (coverage: Coverage) => Share): Bar => {
    const rates = cell.coverage.map((coverage) => ({ ...rated(of(coverage), isWithin), metric: coverage.metric }));
    const state = STATES.findLast((one) => rates.some((rate) => rate.state === one)) ?? "not measured";
    const result = rates.map((rate) => `${rate.metric} ${rate.result}`).join("; ");
    return { what: `95 % interval, ${rows}: ${settingText(cell)}`, bar: "93 to 98 %", result, state };
  };
  return [bar("all rows", ({ all }) => all), bar("rows called changed", ({ calledChanged }) => calledChanged)];
}

function plantBars(kind: string, cell: Cell | undefined): Bar[] {
  const some = (cell?.found ?? []).filter(({ plant }) => plant.startsWith(`${kind}:`));
  const bar = "found";
  if (some.length === 0) return [notMeasured(`${kind} found, quiet`, bar)];
  return some.map(({ plant, found }) => ({
    what: `${plant} found, quiet`,
    bar,
    ...rated(found, (share) => share >= 0.9),
  }));
}
