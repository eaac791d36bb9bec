/** Recorded pairs -> how often the decision is wrong, what it finds and what it costs, compared with other rules. */
import { nextRow } from "../src/compare/budget.js";
import { PAIRS_MAX } from "../src/compare/looks.js";
import { METRICS, type Metric } from "../src/compare/metrics.js";
import { judgePaired, type PairedRow, validPairs } from "../src/compare/paired.js";
import { rowLogs } from "../src/compare/pairs.js";
import { clopperPearson } from "../src/compare/proportion.js";
import type { Pair } from "../src/results/comparison.js";
import { benchstat, type Called, pairedT, perfgate, type Rule, ratio } from "./peers.js";
import { seeded } from "./random.js";

/** What `evaluate record` writes. */
export interface Recording {
  readonly environment: Readonly<Record<string, unknown>>;
  readonly recordedAt: string;
  readonly rows: readonly RecordedRow[];
}
interface RecordedRow {
  readonly server: string;
  /** Per cent more CPU work per request in head; 0: base = head. */
  readonly planted: number;
  readonly pairs: readonly Pair[];
}

const ROWS = 20;

export interface Share {
  readonly hits: number;
  readonly of: number;
  readonly share: number;
  readonly interval: readonly [number, number];
}
export interface Score {
  readonly rule: string;
  /** Of each row. */
  readonly pairs: string;
  readonly falsePerRow: Share;
  readonly falsePerReport: Share;
  /** By planted per cent, negative for an improvement: found with the right sign. */
  readonly found: Readonly<Record<string, Share>>;
}
export interface Evaluation {
  readonly scores: readonly Score[];
  /** Of the planted row, by per cent. */
  readonly calledUnchanged: Readonly<Record<string, Share>>;
  readonly covered: Readonly<Record<string, Share>>;
  /** What the recorded pairs of each server and size show. */
  readonly recorded: readonly RecordedEffect[];
  readonly unchangedRowSec: number;
  readonly plantedRowSec: number;
  readonly plantedRowSecMax: number;
  readonly voided: Share;
}

/** Median over all pairs of head over base, less 1, and the standard deviation of one pair from its quartiles. */
export interface RecordedEffect {
  readonly server: string;
  readonly planted: number;
  readonly pairs: number;
  readonly cpuPerRequest: { readonly median: number; readonly pairSd: number };
  readonly throughput: { readonly median: number; readonly pairSd: number };
  /** With the right sign, slower and faster together; nothing planted: no share. */
  readonly found: Share;
}

/** The quartiles of a normal distribution are 1.349 standard deviations apart. */
const QUARTILES_SD = 1.349;

function recordedEffects({ rows }: Recording, tally: Tally): RecordedEffect[] {
  const effectOf = (pairs: readonly Pair[], name: Metric["name"]) => {
    const metric = METRICS.find((one) => one.name === name);
    const logs = metric ? rowLogs(pairs, metric).map(({ base, head }) => head - base) : [];
    const sorted = logs.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
    return { median: Math.expm1(at(0.5)), pairSd: (at(0.75) - at(0.25)) / QUARTILES_SD };
  };
  return rows.map(({ server, planted, pairs }) => ({
    ...{ server, planted, pairs: pairs.length },
    cpuPerRequest: effectOf(pairs, "cpuPerRequest"),
    throughput: effectOf(pairs, "throughput"),
    found: tally.share(`found ${server} ${planted}`),
  }));
}

function shareOf(hits: number, of: number): Share {
  return { hits, of, share: of === 0 ? 0 : hits / of, interval: of === 0 ? [0, 1] : clopperPearson(hits, of) };
}

/** The pair with base and head exchanged: a slowdown becomes an improvement. */
function mirrored(pair: Pair): Pair {
  return { ...pair, slices: pair.slices.map((slice) => ({ ...slice, side: slice.side === "base" ? "head" : "base" })) };
}

interface Report {
  readonly planted: number;
  /** Of the planted row. */
  readonly server: string | undefined;
  /** Of each row, as many as it can use; the first row is the planted one. */
  readonly rows: readonly (readonly Pair[])[];
}

/** A report of 20 rows, whole pairs drawn with replacement. */
function drawReport(recording: Recording, planted: number, random: () => number): Report {
  const of = (size: number) => recording.rows.filter((row) => row.planted === size && row.pairs.length > 0);
  const pick = (rows: readonly RecordedRow[]) => rows[Math.floor(random() * rows.length)];
  const draw = (row: RecordedRow | undefined, mirror: boolean): Pair[] =>
    Array.from({ length: 2 * PAIRS_MAX }, () => row?.pairs[Math.floor(random() * row.pairs.length)]).flatMap((pair) =>
      pair ? [mirror ? mirrored(pair) : pair] : [],
    );
  const same = of(0);
  const rows = Array.from({ length: ROWS }, () => draw(pick(same), random() < 0.5));
  if (planted === 0) return { planted, server: undefined, rows };
  const row = pick(of(Math.abs(planted)));
  return { planted, server: row?.server, rows: [draw(row, planted < 0), ...rows.slice(1)] };
}

/** Reports with `PAIRS_MAX` pairs a row, of every kind in turn: for rules that take fixed numbers of pairs. */
export function drawnReports(recording: Recording, reports: number, seed: number): (readonly Pair[])[][] {
  const random = seeded(seed);
  const kinds = kindsOf(recording);
  return Array.from({ length: reports }, (_, i) =>
    drawReport(recording, kinds[i % kinds.length] ?? 0, random).rows.map((pairs) => pairs.slice(0, PAIRS_MAX)),
  );
}

/** Planted per cent: 0, and every recorded size both ways. */
function kindsOf({ rows }: Recording): number[] {
  const sizes = [...new Set(rows.filter(({ pairs }) => pairs.length > 0).map(({ planted }) => planted))];
  return sizes.flatMap((size) => (size === 0 ? [0] : [size, -size])).sort((a, b) => a - b);
}

/** Spends pairs as a run does: one at a time, on the row that needs it most. */
function decide(report: Report) {
  const used = report.rows.map(() => 0);
  const rows = (ended: boolean): PairedRow[] =>
    report.rows.map((pairs, i) => ({
      ...{ id: String(i), title: String(i), connections: 64, clientBound: false, notes: [], ended },
      pairs: pairs.slice(0, used[i]),
    }));
  for (;;) {
    const current = rows(false);
    const candidates = judgePaired(current).map(({ compared: { id }, open, suspicious }, i) => {
      const pairs = current[i]?.pairs ?? [];
      return { id, pairs: validPairs({ pairs }), measured: pairs.length, open, suspicious };
    });
    const id = nextRow(candidates, { elapsedSec: 0, pairSec: 0 });
    if (id === undefined) return judgePaired(rows(true)).map(({ compared }) => compared);
    used[Number(id)] = (used[Number(id)] ?? 0) + 1;
  }
}

class Tally {
  readonly #counts = new Map<string, [number, number]>();
  add(name: string, hit: boolean): void {
    const [hits, of] = this.#counts.get(name) ?? [0, 0];
    this.#counts.set(name, [hits + (hit ? 1 : 0), of + 1]);
  }
  share(name: string): Share {
    return shareOf(...(this.#counts.get(name) ?? [0, 0]));
  }
}

const rightSign = (planted: number): Called => (planted > 0 ? "worse" : "better");

function tallyCalls(tally: Tally, rule: string, planted: number, calls: readonly Called[]): void {
  const same = planted === 0 ? calls : calls.slice(1);
  for (const call of same) tally.add(`${rule} false`, call !== "none");
  if (planted === 0)
    tally.add(
      `${rule} report`,
      calls.some((call) => call !== "none"),
    );
  else tally.add(`${rule} ${planted}`, calls[0] === rightSign(planted));
}

/** @param reports of each kind: nothing planted, and every recorded size both ways */
export function resample(recording: Recording, reports: number, seed: number): Evaluation {
  const random = seeded(seed);
  const kinds = kindsOf(recording);
  const tally = new Tally();
  const effects = recordedEffects(recording, tally);
  const seconds = { same: [] as number[], planted: [] as number[] };
  for (const planted of kinds) {
    for (let i = 0; i < reports; i += 1) {
      const report = drawReport(recording, planted, random);
      const rows = decide(report);
      const calls = rows.map(({ verdict }): Called => (verdict === "worse" || verdict === "better" ? verdict : "none"));
      tallyCalls(tally, "own", planted, calls);
      if (planted === 0) seconds.same.push(...rows.map((row) => row.seconds));
      const [first] = rows;
      if (planted !== 0 && first) {
        seconds.planted.push(first.seconds);
        tally.add(`found ${report.server} ${Math.abs(planted)}`, calls[0] === rightSign(planted));
        tally.add(`unchanged ${planted}`, first.verdict === "unchanged");
        const [low = 0, high = 0] = first.metrics.cpuPerRequest?.interval ?? [];
        const truth = shown(report, effects);
        tally.add(`covered ${planted}`, low <= truth && truth <= high);
      }
      const equal = Math.max(3, Math.round(mean(rows.map((row) => row.recorded?.length ?? 0))));
      for (const [name, rule] of PEERS) {
        tallyCalls(tally, `${name} ${EQUAL}`, planted, rule(report.rows.map((row) => row.slice(0, equal))));
        tallyCalls(tally, `${name} ${MOST}`, planted, rule(report.rows.map((row) => row.slice(0, PAIRS_MAX))));
      }
    }
  }
  return evaluationOf(tally, kinds, seconds, recording);
}

const PEERS: readonly (readonly [string, Rule])[] = [
  ["benchstat", benchstat(false)],
  ["benchstat with BH", benchstat(true)],
  ["perfgate t = 2.0", perfgate],
  ["t-test on pair means with BH", pairedT],
  ["ratio 105 %", ratio(1.05)],
  ["ratio 200 %", ratio(2)],
];
/** Pairs per row for the other rules: our average in the same report, and our maximum. */
const EQUAL = "equal time";
const MOST = `${PAIRS_MAX}`;

function evaluationOf(
  tally: Tally,
  kinds: readonly number[],
  seconds: { readonly same: readonly number[]; readonly planted: readonly number[] },
  recording: Recording,
): Evaluation {
  const planted = kinds.filter((kind) => kind !== 0);
  const by = (name: string) => Object.fromEntries(planted.map((kind) => [kind, tally.share(`${name} ${kind}`)]));
  const scoreOf = (rule: string, key: string, pairs: string): Score => ({
    ...{ rule, pairs, falsePerRow: tally.share(`${key} false`), falsePerReport: tally.share(`${key} report`) },
    found: by(key),
  });
  const all = recording.rows.flatMap((row) => row.pairs);
  return {
    scores: [
      scoreOf("server-bench", "own", `up to ${PAIRS_MAX}`),
      ...PEERS.flatMap(([name]) => [EQUAL, MOST].map((pairs) => scoreOf(name, `${name} ${pairs}`, pairs))),
    ],
    calledUnchanged: by("unchanged"),
    covered: by("covered"),
    recorded: recordedEffects(recording, tally),
    unchangedRowSec: mean(seconds.same),
    plantedRowSec: mean(seconds.planted),
    plantedRowSecMax: Math.max(0, ...seconds.planted),
    voided: shareOf(all.length - validPairs({ pairs: all }), all.length),
  };
}

/** The planted row's change over all its recorded pairs, from which the drawn ones are a sample. */
function shown({ planted, server }: Report, effects: readonly RecordedEffect[]): number {
  const row = effects.find((effect) => effect.server === server && effect.planted === Math.abs(planted));
  const change = row?.cpuPerRequest.median ?? Number.NaN;
  return planted > 0 ? change : 1 / (1 + change) - 1;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
