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
import { type DrawnRow, drawReport, type Kind, type Origin, originOf } from "./draw.js";
import { EarlierRuns } from "./earlier.js";
import { isLatency, nominalSize, type Pool, type PoolKind, poolsOf } from "./pools.js";
import { mean, type Share, Tally } from "./share.js";

/** Where reports are drawn from, and how many rows they have. */
export interface Setting {
  readonly rows: number;
  readonly pool: PoolKind;
  /** Share of the time. */
  readonly neighbour: number;
  /** Server whose pairs are left out; undefined: none is. */
  readonly leftOut: string | undefined;
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

interface Found extends Kind {
  readonly origin: Origin;
  /** The right sign. */
  readonly found: Share;
  readonly foundIn20Sec: Share;
  readonly foundIn60Sec: Share;
  readonly foundIn120Sec: Share;
  readonly wrongSign: Share;
  readonly unchanged: Share;
  readonly seconds: number;
}

export interface Coverage {
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

const ROWS = [1, 20] as const;
const METRIC_NAMES = ["throughput", "cpuPerRequest"] as const;
const PEER_PAIRS = ["equal time", "all"] as const;
/** A nightly week, or a busy day of a pull request. Larger reports have other rows instead. */
const EARLIER_RUNS = 8;
/** A report of 20 rows takes 20 times as long as one of one row, and has as many identical rows. */
const LARGE_REPORTS_SHARE = 0.2;
/** A spread needs three pairs. */
const EQUAL_MIN = 3;

const USUAL = { leftOut: undefined, earlierRuns: 0, detect: undefined, latency: false, counts: false } as const;
/** The plant that `--detect 1` is for. */
const FINE = { plant: "cpu:1", detect: 0.01 };

/** Every setting that the recording has pairs for. Servers are left out in quiet, from recentred pools. */
export function settingsOf({ rows }: Recording): Setting[] {
  const closed = rows.filter((row) => !isLatency(row));
  const open = rows.filter(isLatency);
  return [...(closed.length > 0 ? closedSettings(closed) : []), ...(open.length > 0 ? latencySettings(open) : [])];
}

function latencySettings(rows: readonly RecordedRow[]): Setting[] {
  return neighboursOf(rows).flatMap((neighbour) =>
    (["recentred", "raw"] as const).flatMap((pool) =>
      [0, EARLIER_RUNS].map((earlierRuns) => ({ ...USUAL, rows: 1, pool, neighbour, earlierRuns, latency: true })),
    ),
  );
}

/** Shares of the time, ascending. */
function neighboursOf(rows: readonly RecordedRow[]): number[] {
  return [...new Set(rows.map(({ neighbour }) => neighbour.share))].sort((a, b) => a - b);
}

function closedSettings(rows: readonly RecordedRow[]): Setting[] {
  const neighbours = neighboursOf(rows);
  const servers = [...new Set(rows.map(({ server }) => server))];
  const counted = rows.some(({ counts }) => counts !== undefined) ? [false, true] : [false];
  const everywhere = neighbours.flatMap((neighbour) =>
    ROWS.flatMap((count) =>
      (["recentred", "raw"] as const).flatMap((pool) =>
        (count === 1 ? [0, EARLIER_RUNS] : [0]).flatMap((earlierRuns) =>
          counted.map((counts) => ({ ...USUAL, rows: count, pool, neighbour, earlierRuns, counts })),
        ),
      ),
    ),
  );
  const fine = rows.some(({ plant }) => plant === FINE.plant)
    ? [0, EARLIER_RUNS].flatMap((earlierRuns) =>
        counted.map((counts) => {
          const pool = "recentred" as const;
          return { ...USUAL, rows: 1, pool, neighbour: 0, earlierRuns, detect: FINE.detect, counts };
        }),
      )
    : [];
  if (servers.length < 2) return [...everywhere, ...fine];
  const without = servers.flatMap((leftOut) =>
    ROWS.map((count) => ({
      rows: count,
      pool: "recentred" as const,
      neighbour: neighbours[0] ?? 0,
      ...USUAL,
      leftOut,
    })),
  );
  return [...everywhere, ...fine, ...without];
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
        pool.row.server !== setting.leftOut &&
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
  const kinds = kindsOf(pools);
  for (const kind of kinds) {
    for (let i = 0; i < reports; i += 1) {
      const drawn = drawReport(pools, kind, setting.rows, random);
      if (drawn === undefined) break;
      const rows = decide(
        drawn.map(({ pairs, rounds, pool }) => ({
          pairs,
          rounds: counts ? rounds : undefined,
          expectedNoise: earlierRuns === 0 ? undefined : earlier.expected(pool, earlierRuns),
        })),
        precisionFor(detect),
      );
      tallyCalls(tally, "own", kind, rows.map(calledBy));
      if (hasTargets(setting)) tallyCoverage(tally, drawn, rows, targets);
      if (hasPeers(setting)) tallyPeers(tally, kind, drawn, rows);
      const [first] = rows;
      if (first && kind.plant !== NO_PLANT) tallyFound(tally, kind, first);
      const times = kind.plant === NO_PLANT ? rows : rows.slice(0, 1);
      seconds.set(nameOf(kind), [...(seconds.get(nameOf(kind)) ?? []), ...times.map((row) => row.seconds)]);
    }
  }
  const of = (kind: Kind) => mean(seconds.get(nameOf(kind)) ?? []);
  const planted = kinds.filter(({ plant }) => plant !== NO_PLANT);
  return {
    ...setting,
    reports,
    origin: originOf(pools.filter(({ row }) => row.plant === NO_PLANT)),
    falsePerRow: tally.share("own false"),
    falsePerReport: tally.share("own report"),
    identicalRowSec: of(IDENTICAL),
    found: planted.map((kind) => foundOf(tally, kind, pools, of(kind))),
    coverage: hasTargets(setting) ? coverageOf(tally) : [],
    peers: hasPeers(setting) ? peerScores(tally, planted) : [],
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

/** Peers know nothing of earlier runs and of counts, have no precision to choose, and no slices at a fixed rate. */
function hasPeers({ leftOut, earlierRuns, detect, latency, counts }: Setting): boolean {
  return leftOut === undefined && earlierRuns === 0 && detect === undefined && !latency && !counts;
}

const IDENTICAL: Kind = { plant: NO_PLANT, mirrored: false };

/** Identical sides, every plant, and steady work in base instead of head. */
function kindsOf(pools: readonly Pool[]): Kind[] {
  const plants = [...new Set(pools.map(({ row }) => row.plant))].filter((plant) => plant !== NO_PLANT);
  return [
    IDENTICAL,
    ...plants.flatMap((plant) => {
      const worse = { plant, mirrored: false };
      return nominalSize(plant) === undefined ? [worse] : [worse, { plant, mirrored: true }];
    }),
  ];
}

const nameOf = ({ plant, mirrored }: Kind) => `${mirrored ? "base" : "head"} ${plant}`;
const rightSign = ({ mirrored }: Kind): Called => (mirrored ? "better" : "worse");

function calledBy({ verdict }: ComparedRow): Called {
  return verdict === "worse" || verdict === "better" ? verdict : "none";
}

function tallyCalls(tally: Tally, rule: string, kind: Kind, calls: readonly Called[]): void {
  const identical = kind.plant === NO_PLANT;
  for (const call of identical ? calls : calls.slice(1)) tally.add(`${rule} false`, call !== "none");
  if (identical)
    tally.add(
      `${rule} report`,
      calls.some((call) => call !== "none"),
    );
  else tally.add(`${rule} ${nameOf(kind)}`, calls[0] === rightSign(kind));
}

function tallyPeers(tally: Tally, kind: Kind, drawn: readonly DrawnRow[], rows: readonly ComparedRow[]): void {
  const equal = Math.max(EQUAL_MIN, Math.round(mean(rows.map((row) => row.recorded?.length ?? 0))));
  for (const [name, rule] of PEERS)
    for (const pairs of PEER_PAIRS) {
      const count = pairs === "all" ? PAIRS_MAX : equal;
      tallyCalls(tally, `${name} ${pairs}`, kind, rule(drawn.map((row) => row.peerPairs.slice(0, count))));
    }
}

function tallyFound(tally: Tally, kind: Kind, row: ComparedRow): void {
  const name = nameOf(kind);
  const found = calledBy(row) === rightSign(kind);
  tally.add(`20 s ${name}`, found && row.seconds <= 20);
  tally.add(`60 s ${name}`, found && row.seconds <= 60);
  tally.add(`120 s ${name}`, found && row.seconds <= 120);
  tally.add(`wrong ${name}`, !found && calledBy(row) !== "none");
  tally.add(`unchanged ${name}`, row.verdict === "unchanged");
}

function foundOf(tally: Tally, kind: Kind, pools: readonly Pool[], seconds: number): Found {
  const name = nameOf(kind);
  return {
    ...kind,
    origin: originOf(pools.filter(({ row }) => row.plant === kind.plant)),
    found: tally.share(`own ${name}`),
    foundIn20Sec: tally.share(`20 s ${name}`),
    foundIn60Sec: tally.share(`60 s ${name}`),
    foundIn120Sec: tally.share(`120 s ${name}`),
    wrongSign: tally.share(`wrong ${name}`),
    unchanged: tally.share(`unchanged ${name}`),
    seconds,
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

function peerScores(tally: Tally, planted: readonly Kind[]): PeerScore[] {
  return PEERS.flatMap(([rule]) =>
    PEER_PAIRS.map((pairs) => {
      const key = `${rule} ${pairs}`;
      return {
        rule,
        pairs,
        falsePerRow: tally.share(`${key} false`),
        falsePerReport: tally.share(`${key} report`),
        found: planted.map((kind) => tally.share(`${key} ${nameOf(kind)}`)),
      };
    }),
  );
}

/** Reports of 20 rows of every kind in turn, in quiet: for rules that take fixed numbers of pairs. */
export function drawnReports(recording: Recording, reports: number, seed: number) {
  const random = seeded(seed);
  const pools = poolsOf(recording, "recentred").filter((pool) => pool.row.neighbour.share === 0 && !isLatency(pool));
  const kinds = kindsOf(pools);
  return Array.from({ length: reports }, (_, i) => {
    const drawn = drawReport(pools, kinds[i % kinds.length] ?? IDENTICAL, 20, random) ?? [];
    return drawn.map(({ pairs }) => pairs.slice(0, PAIRS_MAX));
  });
}
