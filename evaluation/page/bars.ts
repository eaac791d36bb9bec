/** What the decision must reach, and what came out. */
import type { Cell, Coverage } from "../resample/evaluate.js";
import { SLOW_TAIL } from "../resample/pools.js";
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

/** Those that the recordings are made for. */
export function barsOf(facts: Facts): Bar[] {
  const bars = [
    ...(facts.cells.some(({ latency }) => !latency) ? closedBars(facts) : []),
    ...(facts.cells.some(({ latency }) => latency) ? latencyBars(facts) : []),
  ];
  return bars.length > 0 ? bars : closedBars(facts);
}

function closedBars(facts: Facts): Bar[] {
  const quiet = cellsWith(facts, 0);
  const beside = cellsWith(facts, NEIGHBOUR);
  return [
    ...[...quiet, ...beside].map((cell) => falseBar(cell)),
    liveBar(facts),
    ...foundBars("cpu:3", "within 20 s, quiet", oneRows(quiet), 0.9, ({ foundIn20Sec }) => foundIn20Sec),
    ...foundBars("cpu:3", "within 60 s, quiet", oneRows(quiet), 0.99, ({ foundIn60Sec }) => foundIn60Sec),
    ...foundBars("cpu:3", "within 60 s, with the neighbour", oneRows(beside), 0.9, ({ foundIn60Sec }) => foundIn60Sec),
    ...oneRows(beside).map(neverUnchanged),
    ...foundBars("cpu:1", "with --detect 1 within 120 s", fineRows(facts), 0.9, ({ foundIn120Sec }) => foundIn120Sec),
    ...oneRows(quiet).map(secondsBar),
    ...[...quiet, ...beside].filter(({ pool }) => pool === "recentred").flatMap(coverageBars),
    ...["alternate", "idle"].flatMap((kind) => plantBars(kind, oneRows(quiet)[0])),
  ];
}

function cellsWith({ cells }: Facts, neighbour: number): Cell[] {
  return cells.filter((cell) => {
    return cell.leftOut === undefined && cell.detect === undefined && !cell.latency && cell.neighbour === neighbour;
  });
}

/** On the first run of a row, and after earlier ones. */
function oneRows(cells: readonly Cell[]): Cell[] {
  return cells.filter(({ rows, pool }) => rows === 1 && pool === "recentred");
}

function latencyBars({ cells }: Facts): Bar[] {
  const some = cells.filter(({ latency, leftOut }) => latency && leftOut === undefined);
  const how = "within 60 s, quiet";
  return [
    ...some.map((cell) => falseBar(cell)),
    ...foundBars(
      SLOW_TAIL.plant,
      how,
      oneRows(some.filter(({ neighbour }) => neighbour === 0)),
      0.9,
      ({ foundIn60Sec }) => foundIn60Sec,
    ),
  ];
}

function fineRows({ cells }: Facts): Cell[] {
  return cells.filter(({ detect }) => detect !== undefined);
}

/** What the run has beside its own pairs. */
function besidePairs({ counts, earlierRuns }: Pick<Cell, "counts" | "earlierRuns">): string {
  return `${counts ? ", with counts" : ""}${earlierRuns === 0 ? "" : `, after ${earlierRuns} earlier runs`}`;
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

function settingText(cell: Cell): string {
  const { rows, pool, neighbour, latency } = cell;
  const beside = neighbour === 0 ? "quiet" : `neighbour ${neighbour * 100} %`;
  const kind = `${rows === 1 ? "one-row" : `${rows}-row`} reports${latency ? " with latency" : ""}`;
  return `${kind}, ${pool}, ${beside}${besidePairs(cell)}`;
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
  cells: readonly Cell[],
  least: number,
  of: (found: Cell["found"][number]) => Share,
): Bar[] {
  const bar = `at least ${least * 100} %`;
  const bars = cells.flatMap((cell) =>
    cell.found
      .filter((found) => found.plant === plant)
      .map((found) => {
        const what = `${kindText(found)} found ${how}${besidePairs(cell)}`;
        return { what, bar, ...rated(of(found), (share) => share >= least) };
      }),
  );
  return bars.length === 0 ? [notMeasured(`${plant} found ${how}`, bar)] : bars;
}

function neverUnchanged(cell: Cell): Bar {
  const [what, bar] = [`cpu:3 called unchanged, with the neighbour${besidePairs(cell)}`, "never"];
  const found = cell.found.find(({ plant, mirrored }) => plant === "cpu:3" && !mirrored);
  return found ? { what, bar, ...rated(found.unchanged, (share) => share === 0) } : notMeasured(what, bar);
}

function secondsBar(cell: Cell): Bar {
  const [what, bar] = [`Seconds of an unchanged row, quiet${besidePairs(cell)}`, `at most ${IDENTICAL_SEC_MAX}`];
  if (cell.falsePerRow.of === 0) return notMeasured(what, bar);
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
