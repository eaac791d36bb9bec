/** The decision rules of other tools, on the same pairs. Each calls a row worse, better or neither. */
import { studentUpperTail } from "../src/compare/distributions.js";
import { median } from "../src/compare/median.js";
import { METRICS } from "../src/compare/metrics.js";
import { benjaminiHochberg } from "../src/compare/multiplicity.js";
import type { Pair, PairSlice } from "../src/results/comparison.js";

export type Called = "worse" | "better" | "none";
/** A report: the pairs of each row. */
export type Rule = (rows: readonly (readonly Pair[])[]) => Called[];

const LEVEL = 0.05;

/** A figure of all slices of one side; higher is better. */
function speed(slices: readonly PairSlice[], metric: "throughput" | "cpuPerRequest"): number {
  const sum = (of: (slice: PairSlice) => number) => slices.reduce((total, slice) => total + of(slice), 0);
  const per = metric === "throughput" ? sum((slice) => slice.seconds) : sum((slice) => slice.serverCpuSec);
  return sum((slice) => slice.requests) / per;
}

function sideOf({ slices }: Pair, side: "base" | "head"): PairSlice[] {
  return slices.filter((slice) => slice.side === side);
}

/** One value of one side of a pair; higher is better. */
export function pairFigure(pair: Pair, side: "base" | "head", metric: "throughput" | "cpuPerRequest"): number {
  return speed(sideOf(pair, side), metric);
}

/** Exact two-sided p-value of the Mann-Whitney U test, for samples without ties (as benchstat has it below 50). */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const [n, m] = [a.length, b.length];
  const u = a.reduce((sum, x) => sum + b.filter((y) => x > y).length + b.filter((y) => x === y).length / 2, 0);
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
  const all = ways[n]?.[m] ?? [1];
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
export function benchstat(correct: boolean): Rule {
  return (rows) =>
    callRows(
      rows.map((pairs) =>
        METRICS.map(({ name }) => {
          const base = pairs.map((pair) => Math.log(pairFigure(pair, "base", name)));
          const head = pairs.map((pair) => Math.log(pairFigure(pair, "head", name)));
          return { p: mannWhitney(base, head), change: median(head) - median(base) };
        }),
      ),
      correct,
    );
}

/** perfgate's paired rule, without retries: |t| of the differences of pairs beyond 2.0. */
export const perfgate: Rule = (rows) =>
  rows.map((pairs) => {
    for (const { name } of METRICS) {
      const d = pairs.map((pair) => Math.log(speed(sideOf(pair, "head"), name) / speed(sideOf(pair, "base"), name)));
      const centre = mean(d);
      const sd = Math.sqrt(d.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (d.length - 1));
      const t = centre / (sd / Math.sqrt(d.length));
      if (Math.abs(t) > 2) return t < 0 ? "worse" : "better";
    }
    return "none";
  });

/** The textbook rule: a plain t-test on pair means with Benjamini-Hochberg. */
export const pairedT: Rule = (rows) =>
  callRows(
    rows.map((pairs) =>
      METRICS.map(({ name }) => {
        const d = pairs.map((pair) => Math.log(speed(sideOf(pair, "head"), name) / speed(sideOf(pair, "base"), name)));
        const centre = mean(d);
        const sd = Math.sqrt(d.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (d.length - 1));
        const t = Math.abs(centre) / (sd / Math.sqrt(d.length));
        return { p: 2 * studentUpperTail(t, d.length - 1), change: centre };
      }),
    ),
    true,
  );

/** github-action-benchmark: throughput of one run each, beyond this ratio. */
export function ratio(limit: number): Rule {
  return (rows) =>
    rows.map(([pair]) => {
      if (!pair) return "none";
      const change = speed(sideOf(pair, "head").slice(0, 1), "throughput");
      const before = speed(sideOf(pair, "base").slice(0, 1), "throughput");
      if (before / change > limit) return "worse";
      return change / before > limit ? "better" : "none";
    });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
