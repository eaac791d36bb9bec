/** The decision rules of other tools, on the same pairs. Each calls a row worse, better or neither. */
import { studentUpperTail } from "../src/compare/distributions.js";
import { median } from "../src/compare/median.js";
import { METRICS, type Metric } from "../src/compare/metrics.js";
import { benjaminiHochberg } from "../src/compare/multiplicity.js";
import { pairLogs } from "../src/compare/pairs.js";
import type { Pair } from "../src/results/comparison.js";

export type Called = "worse" | "better" | "none";
/** A report: the pairs of each row. */
export type Rule = (rows: readonly (readonly Pair[])[]) => Called[];

const LEVEL = 0.05;

/**
 * Natural logarithms of a pair's figures, by the statistic that our own decision uses;
 * higher is better. Undefined for a pair that is void.
 */
function pairFigures(pair: Pair, metric: Metric): { readonly base: number; readonly head: number } | undefined {
  const logs = pairLogs(pair, metric);
  const sign = metric.better === "higher" ? 1 : -1;
  return logs && { base: sign * logs.base, head: sign * logs.head };
}

export function rowFigures(pairs: readonly Pair[], metric: Metric) {
  return pairs.flatMap((pair) => pairFigures(pair, metric) ?? []);
}

const ARRANGEMENTS = new Map<string, readonly number[]>();

/** Of n and m values, by their U: counted once for each size of the samples. */
function arrangements(n: number, m: number): readonly number[] {
  const known = ARRANGEMENTS.get(`${n} ${m}`) ?? countArrangements(n, m);
  ARRANGEMENTS.set(`${n} ${m}`, known);
  return known;
}

function countArrangements(n: number, m: number): readonly number[] {
  // ways[i][j][u]: arrangements of i and j values with this U.
  const ways: number[][][] = [];
  for (let i = 0; i <= n; i += 1) {
    ways[i] = [];
    for (let j = 0; j <= m; j += 1) {
      const row = new Array<number>(n * m + 1).fill(0);
      if (i === 0 || j === 0) row[0] = 1;
      else
        for (let k = 0; k <= n * m; k += 1)
          row[k] = (k >= j ? (ways[i - 1]?.[j]?.[k - j] ?? 0) : 0) + (ways[i]?.[j - 1]?.[k] ?? 0);
      (ways[i] ?? [])[j] = row;
    }
  }
  return ways[n]?.[m] ?? [1];
}

/** Exact two-sided p-value of the Mann-Whitney U test, for samples without ties (as benchstat has it below 50). */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const [n, m] = [a.length, b.length];
  const u = a.reduce((sum, x) => sum + b.filter((y) => x > y).length + b.filter((y) => x === y).length / 2, 0);
  const all = arrangements(n, m);
  const total = all.reduce((sum, count) => sum + count, 0);
  const smaller = Math.floor(Math.min(u, n * m - u));
  return Math.min(1, (2 * all.slice(0, smaller + 1).reduce((sum, count) => sum + count, 0)) / total);
}

interface Test {
  readonly p: number;
  readonly change: number;
}

/** One call per row from the tests of its two metrics. */
function callRows(tests: readonly (readonly Test[])[], correct: boolean): Called[] {
  const flat = tests.flat().map((test) => test.p);
  const adjusted = correct ? benjaminiHochberg(flat) : flat;
  let at = 0;
  return tests.map((row) => {
    const significant = row.filter(() => (adjusted[at++] ?? 1) <= LEVEL);
    const [first] = significant;
    return first === undefined ? "none" : first.change < 0 ? "worse" : "better";
  });
}

/** benchstat, given one value per pair and side. */
export const benchstat: Rule = (rows) =>
  callRows(
    rows.map((pairs) =>
      METRICS.map((metric) => {
        const figures = rowFigures(pairs, metric);
        const base = figures.map((one) => one.base);
        const head = figures.map((one) => one.head);
        return { p: mannWhitney(base, head), change: median(head) - median(base) };
      }),
    ),
    false,
  );

/** Mean and t of the differences of pairs. */
function pairedTest(pairs: readonly Pair[], metric: Metric) {
  const d = rowFigures(pairs, metric).map(({ base, head }) => head - base);
  const centre = mean(d);
  const sd = Math.sqrt(d.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (d.length - 1));
  // Pairs without any spread are one pair that was drawn again and again: no evidence.
  return { change: centre, t: sd > 0 ? Math.abs(centre) / (sd / Math.sqrt(d.length)) : 0, df: d.length - 1 };
}

/** perfgate's paired rule, without retries: |t| of the differences of pairs beyond 2.0. */
export const perfgate: Rule = (rows) =>
  rows.map((pairs) => {
    const found = METRICS.map((metric) => pairedTest(pairs, metric)).find(({ t }) => t > 2);
    return found === undefined ? "none" : found.change < 0 ? "worse" : "better";
  });

/** The textbook rule: a plain t-test with Benjamini-Hochberg. */
const pairedT: Rule = (rows) =>
  callRows(
    rows.map((pairs) =>
      METRICS.map((metric) => {
        const { change, t, df } = pairedTest(pairs, metric);
        return { p: df < 1 ? 1 : 2 * studentUpperTail(t, df), change };
      }),
    ),
    true,
  );

/** github-action-benchmark: throughput of one slice each, beyond this ratio. */
export function ratio(limit: number): Rule {
  return (rows) =>
    rows.map(([pair]) => {
      const [before, after] = [firstThroughput(pair, "base"), firstThroughput(pair, "head")];
      if (before === undefined || after === undefined) return "none";
      if (before / after > limit) return "worse";
      return after / before > limit ? "better" : "none";
    });
}

function firstThroughput(pair: Pair | undefined, side: "base" | "head"): number | undefined {
  const slice = pair?.slices.find((one) => one.side === side && one.open === undefined);
  return slice && slice.requests / slice.seconds;
}

export const PEERS: readonly (readonly [string, Rule])[] = [
  ["benchstat", benchstat],
  ["perfgate t = 2.0", perfgate],
  ["t-test with BH", pairedT],
  ["ratio 105 %", ratio(1.05)],
];

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
