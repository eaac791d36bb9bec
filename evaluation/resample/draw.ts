/** Draws reports from pools: whole pairs, rows independent of each other. Pure. */

import { INSTRUCTIONS } from "../../src/compare/further-metrics/further-metrics.js";
import { lastLook } from "../../src/compare/looks.js";
import { FINE_PRECISION } from "../../src/compare/precision.js";
import type { Pair } from "../../src/results/comparison.js";
import type { InstructionRound } from "../../src/results/further-metrics.js";
import { shuffled } from "../random.js";
import { NO_PLANT } from "../recording/recording.js";
import { mirrored, mirroredRound, nominalSize, type Pool } from "./pools.js";

export interface DrawnRow {
  readonly pool: Pool;
  /** Base and head exchanged. */
  readonly mirrored: boolean;
  /** Recentred: more than a row can use. Raw: those that were recorded, each once. */
  readonly pairs: readonly Pair[];
  /** The same ones for the rules of other tools. */
  readonly peerPairs: readonly Pair[];
  /** Drawn as the pairs are. */
  readonly rounds: readonly InstructionRound[];
}

/**
 * The first row has the plant; the others are identical sides. Undefined where the pools lack one of them.
 * Neither side of a recording is special: base and head are exchanged at random, but for plants that only head can have.
 */
export function drawReport(
  pools: readonly Pool[],
  plant: string,
  rows: number,
  random: () => number,
): readonly DrawnRow[] | undefined {
  const of = (one: string) => pools.filter(({ row }) => row.plant === one);
  const [identical, planted] = [of(NO_PLANT), of(plant)];
  const drawn: DrawnRow[] = [];
  for (let i = 0; i < rows; i += 1) {
    const pool = pick(i === 0 ? planted : identical, random);
    if (pool === undefined) return undefined;
    const isSteady = pool.row.plant === NO_PLANT || nominalSize(pool.row.plant) !== undefined;
    drawn.push(drawRow(pool, isSteady && random() < 0.5, random));
  }
  return drawn;
}

/**
 * Recentred pairs are drawn with replacement, as many as a row can use. Raw ones keep the mean of the row, which is that of a few pairs: drawn
 * again and again it would look like a proven difference between builds. So they come in random order, each once, as in a run that ends there.
 */
export function drawRow(pool: Pool, mirror: boolean, random: () => number): DrawnRow {
  const some = <T>(values: readonly T[], most: number) =>
    pool.kind === "raw" ? shuffled(values, random) : withReplacement(values, most, random);
  const drawn = some([...pool.pairs.keys()], MOST_PAIRS);
  const at = (pairs: readonly Pair[]) => {
    const chosen = drawn.flatMap((place) => pairs[place] ?? []);
    return mirror ? chosen.map(mirrored) : chosen;
  };
  const rounds = some(pool.rounds, MOST_ROUNDS);
  return {
    ...{ pool, mirrored: mirror, pairs: at(pool.pairs), peerPairs: at(pool.peerPairs) },
    rounds: mirror ? rounds.map(mirroredRound) : rounds,
  };
}

/** As many as any row can use: void pairs are measured again. */
const MOST_PAIRS = 2 * lastLook(FINE_PRECISION.looks);
const MOST_ROUNDS = lastLook(INSTRUCTIONS.looks);

/** None of none. */
function withReplacement<T>(values: readonly T[], most: number, random: () => number): T[] {
  if (values.length === 0) return [];
  return Array.from({ length: most }, () => pick(values, random)).flatMap((value) => value ?? []);
}

function pick<T>(values: readonly T[], random: () => number): T | undefined {
  return values[Math.floor(random() * values.length)];
}

/** What draws come from: with few distinct pairs or rows, many draws say little. */
export interface Origin {
  readonly distinctPairs: number;
  readonly independentRows: number;
}

/** Rows of the same builds share what their builds differ in; neighbours and plants do not make them independent. */
export function originOf(pools: readonly Pool[]): Origin {
  const builds = pools.map(({ row }) => `${row.server} ${row.builds.base} ${row.builds.head}`);
  return {
    distinctPairs: pools.reduce((sum, { row }) => sum + row.pairs.length, 0),
    independentRows: new Set(builds).size,
  };
}
