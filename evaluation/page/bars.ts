/** What the decision must reach, and what came out. */
import type { Cell, Coverage } from "../resample/evaluate.js";
import { SLOW_TAIL } from "../resample/pools.js";
import type { Share } from "../resample/share.js";
import type { Facts } from "./facts.js";
import { shown } from "./words.js";

export interface Bar {
  readonly what: string;
  /** The setting that it was measured in; "" where there is one only. */
  readonly where: string;
  readonly bar: string;
  readonly result: string;
  /** `uncertain`: the share meets the bar, but its interval reaches beyond it. */
  readonly state: "met" | "uncertain" | "missed" | "not measured";
  /** How far the result lies from the bar; 0 where it meets it. */
  readonly gap: number;
}

/** What it is, and where. */
export function barText({ what, where }: Pick<Bar, "what" | "where">): string {
  return where === "" ? what : `${what}: ${where}`;
}

const NEIGHBOUR = 0.25;
const LIVE_RUNS_MIN = 60;
const LIVE_FALSE_MAX = 1;
const FALSE: Range = { low: 0, high: 0.01 };
const NEVER: Range = { low: 0, high: 0 };
const PLANT_FOUND: Range = { low: 0.9, high: 1 };
const IDENTICAL_SEC_MAX = 20;
const COVERAGE: Range = { low: 0.93, high: 0.98 };

/** Shares that meet a bar. */
interface Range {
  readonly low: number;
  readonly high: number;
}

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
function besidePairs({ counts, earlierRuns }: Pick<Cell, "counts" | "earlierRuns">): string[] {
  return [...(counts ? ["with counts"] : []), ...(earlierRuns === 0 ? [] : [`after ${earlierRuns} earlier runs`])];
}

function rated(share: Share, { low, high }: Range): Pick<Bar, "result" | "state" | "gap"> {
  if (share.of === 0) return { result: "", state: "not measured", gap: 0 };
  const gap = Math.max(0, low - share.share, share.share - high);
  const [least, most] = share.interval;
  const state = gap > 0 ? "missed" : least >= low && most <= high ? "met" : "uncertain";
  return { result: shown(share), state, gap };
}

/** From good to bad. */
const STATES = ["met", "uncertain", "missed", "not measured"] as const;

function notMeasured(what: string, bar: string, where = ""): Bar {
  return { what, where, bar, result: "", state: "not measured", gap: 0 };
}

function settingText(cell: Cell): string {
  const { rows, pool, neighbour, latency } = cell;
  const beside = neighbour === 0 ? "quiet" : `neighbour ${neighbour * 100} %`;
  const kind = `${rows === 1 ? "one-row" : `${rows}-row`} reports${latency ? " with latency" : ""}`;
  return [kind, pool, beside, ...besidePairs(cell)].join(", ");
}

function falseBar(cell: Cell): Bar {
  return {
    ...{ what: "False verdicts per row", where: settingText(cell), bar: "at most 1 %" },
    ...rated(cell.falsePerRow, FALSE),
  };
}

function liveBar({ live }: Facts): Bar {
  const [what, bar] = ["Live one-row runs between two builds, false", `at most ${LIVE_FALSE_MAX} in ${LIVE_RUNS_MIN}`];
  const rows = live.filter(({ sides }) => sides !== undefined).flatMap((run) => run.rows);
  if (rows.length === 0) return notMeasured(what, bar);
  const wrong = rows.filter(({ verdict }) => verdict === "better" || verdict === "worse").length;
  const enough = rows.length >= LIVE_RUNS_MIN;
  const state = wrong > LIVE_FALSE_MAX ? "missed" : enough ? "met" : "not measured";
  const result = `${wrong} in ${rows.length}${enough ? "" : ": too few runs"}`;
  return { what, where: "", bar, result, state, gap: Math.max(0, wrong - LIVE_FALSE_MAX) };
}

function foundBars(
  plant: string,
  how: string,
  cells: readonly Cell[],
  least: number,
  of: (found: Cell["found"][number]) => Share,
): Bar[] {
  const [what, bar] = [`${plant} found ${how}`, `at least ${least * 100} %`];
  const bars = cells.flatMap((cell) =>
    cell.found
      .filter((found) => found.plant === plant)
      .map((found) => {
        const where = [...(found.mirrored ? ["in base"] : []), ...besidePairs(cell)].join(", ");
        return { what, where, bar, ...rated(of(found), { low: least, high: 1 }) };
      }),
  );
  return bars.length === 0 ? [notMeasured(what, bar)] : bars;
}

function neverUnchanged(cell: Cell): Bar {
  const [what, bar, where] = ["cpu:3 called unchanged, with the neighbour", "never", besidePairs(cell).join(", ")];
  const found = cell.found.find(({ plant, mirrored }) => plant === "cpu:3" && !mirrored);
  return found ? { what, where, bar, ...rated(found.unchanged, NEVER) } : notMeasured(what, bar, where);
}

function secondsBar(cell: Cell): Bar {
  const where = besidePairs(cell).join(", ");
  const [what, bar] = ["Seconds of an unchanged row, quiet", `at most ${IDENTICAL_SEC_MAX}`];
  if (cell.falsePerRow.of === 0) return notMeasured(what, bar, where);
  const seconds = cell.identicalRowSec;
  const gap = Math.max(0, seconds - IDENTICAL_SEC_MAX);
  return { what, where, bar, result: `${seconds.toFixed(1)} on average`, state: gap === 0 ? "met" : "missed", gap };
}

/** One bar for both metrics: the worse one decides. */
function coverageBars(cell: Cell): Bar[] {
  const bar = (rows: string, of: (coverage: Coverage) => Share): Bar => {
    const rates = cell.coverage.map((coverage) => ({ ...rated(of(coverage), COVERAGE), metric: coverage.metric }));
    const state = STATES.findLast((one) => rates.some((rate) => rate.state === one)) ?? "not measured";
    const result = rates.map((rate) => `${rate.metric} ${rate.result}`).join("; ");
    const gap = Math.max(0, ...rates.map((rate) => rate.gap));
    return { what: `95 % interval, ${rows}`, where: settingText(cell), bar: "93 to 98 %", result, state, gap };
  };
  return [bar("all rows", ({ all }) => all), bar("rows called changed", ({ calledChanged }) => calledChanged)];
}

function plantBars(kind: string, cell: Cell | undefined): Bar[] {
  const some = (cell?.found ?? []).filter(({ plant }) => plant.startsWith(`${kind}:`));
  const bar = "found";
  if (some.length === 0) return [notMeasured(`${kind} found, quiet`, bar)];
  return some.map(({ plant, found }) => ({
    ...{ what: `${plant} found, quiet`, where: "", bar },
    ...rated(found, PLANT_FOUND),
  }));
}
