/**
 * Variance components of a balanced nested design: builds, processes (pairs) within a build, turns within a pair.
 * Point estimates by analysis of variance; negative ones become 0, as the usual convention is.
 */
import { fQuantile } from "./f-quantile.js";

export interface Component {
  /** Standard deviation. */
  readonly sd: number;
  /** Of the standard deviation. */
  readonly interval: readonly [number, number];
}
export interface VarianceComponents {
  readonly builds: number;
  readonly pairsPerBuild: number;
  readonly turnsPerPair: number;
  readonly betweenBuilds: Component;
  readonly betweenProcesses: Component;
  readonly within: Component;
}

interface MeanSquare {
  readonly value: number;
  readonly df: number;
}

/**
 * @param values builds x pairs x turns, every level of the same length, at least two of each: `balanced` makes it so
 * @param level such as 0.95
 */
export function varianceComponents(
  values: readonly (readonly (readonly number[])[])[],
  level = 0.95,
): VarianceComponents {
  const [builds, pairs, turns] = [values.length, values[0]?.length ?? 0, values[0]?.[0]?.length ?? 0];
  if (Math.min(builds, pairs, turns) < 2) throw new Error("variance components need two builds, pairs and turns each");
  if (values.some((build) => build.length !== pairs || build.some((pair) => pair.length !== turns)))
    throw new Error("variance components need the same number of pairs and turns in every build");
  const pairMeans = values.map((build) => build.map(mean));
  const buildMeans = pairMeans.map(mean);
  const between = scaled(pairs * turns, squares([buildMeans]), builds - 1);
  const processes = scaled(turns, squares(pairMeans), builds * (pairs - 1));
  const rest = scaled(1, squares(values.flat()), builds * pairs * (turns - 1));
  return {
    builds,
    pairsPerBuild: pairs,
    turnsPerPair: turns,
    betweenBuilds: difference(between, processes, pairs * turns, level),
    betweenProcesses: difference(processes, rest, turns, level),
    within: residual(rest, level),
  };
}

/** The same with one figure a pair: differences between processes hold those between turns too. */
export function buildComponents(
  values: readonly (readonly number[])[],
  level = 0.95,
): { readonly betweenBuilds: Component; readonly withinBuilds: Component } {
  const [builds, pairs] = [values.length, values[0]?.length ?? 0];
  if (Math.min(builds, pairs) < 2) throw new Error("variance components need two builds and pairs each");
  if (values.some((build) => build.length !== pairs))
    throw new Error("variance components need the same number of pairs in every build");
  const between = scaled(pairs, squares([values.map(mean)]), builds - 1);
  const rest = scaled(1, squares(values), builds * (pairs - 1));
  return { betweenBuilds: difference(between, rest, pairs, level), withinBuilds: residual(rest, level) };
}

/** Cuts every list to the length of the shortest one. @returns how many values that left out, too */
export function balanced<T>(lists: readonly (readonly T[])[]): { readonly lists: T[][]; readonly leftOut: number } {
  const length = Math.min(...lists.map((list) => list.length));
  const all = lists.reduce((sum, list) => sum + list.length, 0);
  return { lists: lists.map((list) => list.slice(0, length)), leftOut: all - length * lists.length };
}

function scaled(times: number, sumOfSquares: number, df: number): MeanSquare {
  return { value: (times * sumOfSquares) / df, df };
}

/** Squared distances from the mean of the group, over all groups. */
function squares(groups: readonly (readonly number[])[]): number {
  return groups.reduce((total, group) => {
    const centre = mean(group);
    return total + group.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  }, 0);
}

function residual({ value, df }: MeanSquare, level: number): Component {
  const tail = (1 - level) / 2;
  const bound = (p: number) => Math.sqrt(value / fQuantile(p, df, Number.POSITIVE_INFINITY));
  return { sd: Math.sqrt(value), interval: [bound(1 - tail), bound(tail)] };
}

/**
 * (S1 - S2) / n with the modified large sample interval for a difference of mean squares (Ting, Burdick, Graybill,
 * Jeyaratnam and Lu 1990; Burdick and Graybill 1992, section 3.3).
 */
function difference(above: MeanSquare, below: MeanSquare, n: number, level: number): Component {
  const tail = (1 - level) / 2;
  const [s1, s2] = [above.value, below.value];
  // Upper points, as the authors write them: F(tail) is exceeded with probability `tail`.
  const upper = (df1: number, df2: number) => fQuantile(1 - tail, df1, df2);
  const lower = (df1: number, df2: number) => fQuantile(tail, df1, df2);
  const infinite = Number.POSITIVE_INFINITY;
  const [g1, g2] = [1 - 1 / upper(above.df, infinite), 1 - 1 / upper(below.df, infinite)];
  const [h1, h2] = [1 / lower(above.df, infinite) - 1, 1 / lower(below.df, infinite) - 1];
  const [fUpper, fLower] = [upper(above.df, below.df), lower(above.df, below.df)];
  const g12 = ((fUpper - 1) ** 2 - g1 ** 2 * fUpper ** 2 - h2 ** 2) / fUpper;
  const h12 = ((1 - fLower) ** 2 - h1 ** 2 * fLower ** 2 - g2 ** 2) / fLower;
  const down = Math.sqrt(Math.max(0, g1 ** 2 * s1 ** 2 + h2 ** 2 * s2 ** 2 + g12 * s1 * s2));
  const up = Math.sqrt(Math.max(0, h1 ** 2 * s1 ** 2 + g2 ** 2 * s2 ** 2 + h12 * s1 * s2));
  const sd = (variance: number) => Math.sqrt(Math.max(0, variance / n));
  return { sd: sd(s1 - s2), interval: [sd(s1 - s2 - down), sd(s1 - s2 + up)] };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
