/** Pools -> how often the decision and other rules are wrong, and what they find. Pure: the same seed, the same result. */
import { PAIRS_MAX } from "../../src/compare/looks.js";
import type { Metric } from "../../src/compare/metrics.js";
import { precisionFor } from "../../src/compare/precision.js";
import type { ComparedRow } from "../../src/results/comparison.js";
import { type Called, PEERS } from "../peers.js";
import { seeded } from "../random.js";
import { NO_PLANT, type RecordedRow, type Recording } from "../recording/recording.js";
import { holds, Targets } from "./coverage.js";
import { decide } from "./decide.js";
import { type DrawnRow, drawReport, type Origin, originOf } from "./draw.js";
import { EarlierRuns } from "./earlier.js";
import { isLatency, type Pool, type PoolKind, poolsOf } from "./pools.js";
import { mean, type Share, Tally } from "./share.js";

/** Where reports are drawn from, and how many rows they have. */
export interface Setting {
  readonly rows: number;
  readonly pool: PoolKind;
  /** Share of the time. */
  readonly neighbour: number;
  /** Runs of the row on this machine before the report; 0 for the first one. */
  readonly earlierRuns: number;
  /** Smallest change that the report looks for, where that was asked for. */
  readonly detect: number | undefined;
  /** With p50 and p99 at a fixed rate. */
  readonly latency: boolean;
  /** Rows are counted as on a runner with Valgrind; else by time alone. */
  readonly counts: boolean;
}

export interface Cell extends Setting {
  readonly reports: number;
  readonly origin: Origin;
  readonly falsePerRow: Share;
  /** Reports without a plant that have any false verdict. */
  readonly falsePerReport: Share;
  /** Seconds of a row in reports without a plant. */
  readonly identicalRowSec: number;
  readonly found: readonly Found[];
  readonly coverage: readonly Coverage[];
  readonly peers: readonly PeerScore[];
}

/** Of reports whose first row has the plant, in head or in base. */
export interface Found {
  readonly plant: string;
  readonly origin: Origin;
  /** The right sign. */
  readonly found: Share;
  readonly foundIn20Sec: Share;
  readonly foundIn60Sec: Share;
  readonly foundIn120Sec: Share;
  readonly wrongSign: Share;
  readonly unchanged: Share;
  readonly seconds: number;
  readonly servers: readonly FoundByServer[];
}

interface FoundByServer {
  readonly server: string;
  readonly found: Share;
  readonly foundIn20Sec: Share;
  readonly foundIn60Sec: Share;
}

interface Coverage {
  readonly metric: Metric["name"];
  readonly all: Share;
  /** Rows whose metric was called better or worse. */
  readonly calledChanged: Share;
}

interface PeerScore {
  readonly rule: string;
  /** Of each row: our average in the same report, or our maximum. */
  readonly pairs: "equal time" | "all";
  readonly falsePerRow: Share;
  readonly falsePerReport: Share;
  /** In the order of the cell's `found`. */
  readonly found: readonly Share[];
}

const METRIC_NAMES = ["throughput", "cpuPerRequest"] as const;
const PEER_PAIRS = ["equal time", "all"] as const;
const POOLS = ["recentred", "raw"] as const;
const LARGE_REPORT = 20;
/** A nightly week, or a busy day of a pull request. Larger reports have other rows instead. */
const EARLIER_RUNS = 8;
/** A report of 20 rows takes 20 times as long as one of one row, and has as many identical rows. */
const LARGE_REPORTS_SHARE = 0.2;
/** A spread needs three pairs. */
const EQUAL_MIN = 3;

const USUAL = { rows: 1, pool: "recentred", earlierRuns: 0, detect: undefined, latency: false, counts: false } as const;
/** The plant that `--detect 1` is for; the other settings leave it out. */
const FINE = { plant: "cpu:1", detect: 0.01 };

/** Every setting that the recording has pairs for. */
export function settingsOf({ rows }: Recording): Setting[] {
  const closed = rows.filter((row) => !isLatency(row));
  const open = rows.filter(isLatency);
  return [
    ...neighboursOf(closed).flatMap((neighbour) => closedSettings(neighbour, countedOf(closed))),
    ...(closed.some(({ plant }) => plant === FINE.plant) ? fineSettings(countedOf(closed)) : []),
    ...neighboursOf(open).flatMap((neighbour) => POOLS.map((pool) => ({ ...USUAL, pool, neighbour, latency: true }))),
  ];
}

/** Shares of the time, ascending. */
function neighboursOf(rows: readonly RecordedRow[]): number[] {
  return [...new Set(rows.map(({ neighbour }) => neighbour.share))].sort((a, b) => a - b);
}

/** By time alone, and with counts where they were recorded. */
function countedOf(rows: readonly RecordedRow[]): readonly boolean[] {
  return rows.some(({ counts }) => counts !== undefined) ? [false, true] : [false];
}

function closedSettings(neighbour: number, counted: readonly boolean[]): Setting[] {
  return [
    ...counted.map((counts) => ({ ...USUAL, neighbour, counts })),
    { ...USUAL, neighbour, earlierRuns: EARLIER_RUNS },
    { ...USUAL, neighbour, pool: "raw" },
    ...POOLS.map((pool) => ({ ...USUAL, neighbour, rows: LARGE_REPORT, pool })),
  ];
}

function fineSettings(counted: readonly boolean[]): Setting[] {
  return counted.map((counts) => ({ ...USUAL, neighbour: 0, detect: FINE.detect, counts }));
}

/** @param reports of one row, of each setting and kind; a fifth as many of 20 rows */
export function evaluate(recording: Recording, reports: number, seed: number): Cell[] {
  return settingsOf(recording).map(evaluator(recording, reports, seed));
}

/** What evaluates one setting, whatever was evaluated before it. */
export function evaluator(recording: Recording, reports: number, seed: number): (setting: Setting) => Cell {
  const pools = { raw: poolsOf(recording, "raw"), recentred: poolsOf(recording, "recentred") };
  const targets = new Targets();
  return (setting) => {
    const some = pools[setting.pool].filter(
      (pool) =>
        isLatency(pool) === setting.latency &&
        pool.row.neighbour.share === setting.neighbour &&
        (!setting.counts || pool.rounds.length > 0),
    );
    const count = setting.rows === 1 ? reports : Math.ceil(reports * LARGE_REPORTS_SHARE);
    const earlier = new EarlierRuns(pools[setting.pool], seeded(seed));
    return evaluateCell(setting, some, targets, { reports: count, seed, earlier });
  };
}

interface Draws {
  readonly reports: number;
  readonly seed: number;
  readonly earlier: EarlierRuns;
}

function evaluateCell(setting: Setting, pools: readonly Pool[], targets: Targets, draws: Draws): Cell {
  const { reports, seed, earlier } = draws;
  const { earlierRuns, detect, counts } = setting;
  const random = seeded(seed);
  const tally = new Tally();
  const seconds = new Map<string, number[]>();
  const plants = plantsOf(pools, detect);
  for (const plant of [NO_PLANT, ...plants]) {
    for (let i = 0; i < reports; i += 1) {
      const drawn = drawReport(pools, plant, setting.rows, random);
      if (drawn === undefined) break;
      const rows = decide(
        drawn.map(({ pairs, rounds, pool }) => ({
          pairs,
          rounds: counts ? rounds : undefined,
          expectedNoise: earlierRuns === 0 ? undefined : earlier.expected(pool, earlierRuns),
        })),
        precisionFor(detect),
      );
      tallyCalls(tally, "own", plant, drawn, rows.map(calledBy));
      if (hasTargets(setting)) tallyCoverage(tally, drawn, rows, targets);
      if (hasPeers(setting)) tallyPeers(tally, plant, drawn, rows);
      if (plant !== NO_PLANT) tallyFound(tally, plant, drawn[0], rows[0]);
      const times = plant === NO_PLANT ? rows : rows.slice(0, 1);
      seconds.set(plant, [...(seconds.get(plant) ?? []), ...times.map((row) => row.seconds)]);
    }
  }
  const secondsOf = (plant: string) => mean(seconds.get(plant) ?? []);
  return {
    ...setting,
    reports,
    origin: originOf(pools.filter(({ row }) => row.plant === NO_PLANT)),
    falsePerRow: tally.share("own false"),
    falsePerReport: tally.share("own report"),
    identicalRowSec: secondsOf(NO_PLANT),
    found: plants.map((plant) => foundOf(tally, plant, pools, secondsOf(plant))),
    coverage: hasTargets(setting) ? coverageOf(tally) : [],
    peers: hasPeers(setting) ? peerScores(tally, plants) : [],
  };
}

/** With all of its pairs each once, a raw row is its own target. */
function hasTargets({ pool }: Setting): boolean {
  return pool === "recentred";
}

function coverageOf(tally: Tally): Coverage[] {
  return METRIC_NAMES.map((metric) => ({
    metric,
    all: tally.share(`covered ${metric}`),
    calledChanged: tally.share(`covered changed ${metric}`),
  }));
}

/** Peers know nothing of earlier runs and of counts, have no precision to choose, and no slices at a fixed rate. In quiet. */
function hasPeers({ pool, neighbour, earlierRuns, detect, latency, counts }: Setting): boolean {
  return pool === "recentred" && neighbour === 0 && earlierRuns === 0 && detect === undefined && !latency && !counts;
}

function plantsOf(pools: readonly Pool[], detect: number | undefined): string[] {
  const plants = new Set(pools.map(({ row }) => row.plant));
  return [...plants].filter((plant) => plant !== NO_PLANT && (plant === FINE.plant) === (detect === FINE.detect));
}

/** Head is slower, unless the sides were exchanged. */
function rightSign(row: DrawnRow | undefined): Called {
  return row?.mirrored ? "better" : "worse";
}

function calledBy({ verdict }: Pick<ComparedRow, "verdict">): Called {
  return verdict === "worse" || verdict === "better" ? verdict : "none";
}

function tallyCalls(
  tally: Tally,
  rule: string,
  plant: string,
  drawn: readonly DrawnRow[],
  calls: readonly Called[],
): void {
  const identical = plant === NO_PLANT;
  for (const call of identical ? calls : calls.slice(1)) tally.add(`${rule} false`, call !== "none");
  if (identical)
    tally.add(
      `${rule} report`,
      calls.some((call) => call !== "none"),
    );
  else tally.add(`${rule} ${plant}`, calls[0] === rightSign(drawn[0]));
}

function tallyPeers(tally: Tally, plant: string, drawn: readonly DrawnRow[], rows: readonly ComparedRow[]): void {
  const equal = Math.max(EQUAL_MIN, Math.round(mean(rows.map((row) => row.recorded?.length ?? 0))));
  for (const [name, rule] of PEERS)
    for (const pairs of PEER_PAIRS) {
      const count = pairs === "all" ? PAIRS_MAX : equal;
      const calls = rule(drawn.map((row) => row.peerPairs.slice(0, count)));
      tallyCalls(tally, `${name} ${pairs}`, plant, drawn, calls);
    }
}

const LIMITS_SEC = [20, 60, 120] as const;

function tallyFound(tally: Tally, plant: string, from: DrawnRow | undefined, row: ComparedRow | undefined): void {
  if (!from || !row) return;
  const called = calledBy(row);
  const found = called === rightSign(from);
  for (const name of [plant, `${plant} ${from.pool.row.server}`]) {
    for (const limit of LIMITS_SEC) tally.add(`${limit} s ${name}`, found && row.seconds <= limit);
    tally.add(`found ${name}`, found);
  }
  tally.add(`wrong ${plant}`, !found && called !== "none");
  tally.add(`unchanged ${plant}`, row.verdict === "unchanged");
}

function foundOf(tally: Tally, plant: string, pools: readonly Pool[], seconds: number): Found {
  const own = pools.filter(({ row }) => row.plant === plant);
  const within = (name: string) => ({
    found: tally.share(`found ${name}`),
    foundIn20Sec: tally.share(`20 s ${name}`),
    foundIn60Sec: tally.share(`60 s ${name}`),
  });
  return {
    plant,
    origin: originOf(own),
    ...within(plant),
    foundIn120Sec: tally.share(`120 s ${plant}`),
    wrongSign: tally.share(`wrong ${plant}`),
    unchanged: tally.share(`unchanged ${plant}`),
    seconds,
    servers: [...new Set(own.map(({ row }) => row.server))].map((server) => ({
      server,
      ...within(`${plant} ${server}`),
    })),
  };
}

function tallyCoverage(tally: Tally, drawn: readonly DrawnRow[], rows: readonly ComparedRow[], targets: Targets): void {
  for (const [i, row] of rows.entries()) {
    const from = drawn[i];
    if (!from) continue;
    for (const name of METRIC_NAMES) {
      const held = holds(row, name, targets.of(from, name));
      if (held === undefined) continue;
      tally.add(`covered ${name}`, held);
      const verdict = row.metrics[name]?.verdict;
      if (verdict === "better" || verdict === "worse") tally.add(`covered changed ${name}`, held);
    }
  }
}

function peerScores(tally: Tally, plants: readonly string[]): PeerScore[] {
  return PEERS.flatMap(([rule]) =>
    PEER_PAIRS.map((pairs) => {
      const key = `${rule} ${pairs}`;
      return {
        rule,
        pairs,
        falsePerRow: tally.share(`${key} false`),
        falsePerReport: tally.share(`${key} report`),
        found: plants.map((plant) => tally.share(`${key} ${plant}`)),
      };
    }),
  );
}
