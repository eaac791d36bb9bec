/** Shards -> the matrix of a workflow: what `strategy.matrix: ${{ fromJSON(...) }}` takes. */
import { InputError } from "../errors.js";
import { selectorsOf } from "./shard-selectors.js";
import { type Shard, shardName } from "./shards.js";
import type { PlannedSet } from "./types.js";

/** The outputs of a job may hold 1 MiB; GitHub counts UTF-16. */
const OUTPUT_MAX_CHARACTERS = 512 * 1024;

interface MatrixEntry {
  /** For `run --shard`: `2/4`. */
  readonly shard: string;
  /** What an artifact may be called: `2-of-4`. */
  readonly name: string;
  /** Selectors for `run`, separated by commas. */
  readonly scenarios: string;
  /** Expected, of measuring; set-up comes on top. */
  readonly minutes: number;
}

export interface Matrix {
  readonly include: readonly MatrixEntry[];
}

/**
 * @param sets the rows' sets with all of their rows, selected or not
 * @throws InputError when it would not fit into a job's output
 */
export function matrixOf(shards: readonly Shard[], sets: readonly PlannedSet[]): Matrix {
  const include = shards.map((shard) => ({
    shard: shardName(shard),
    name: artifactName(shard),
    scenarios: selectorsOf(shard.rows, sets).join(","),
    minutes: minutesOf(shard),
  }));
  const characters = JSON.stringify({ include }).length;
  if (characters > OUTPUT_MAX_CHARACTERS)
    throw new InputError(
      `the matrix has ${characters} characters and a job's output holds ${OUTPUT_MAX_CHARACTERS}: select fewer rows, or whole sets with fewer shards`,
    );
  return { include };
}

/** A slash cannot be part of an artifact's name. */
export function artifactName({ index, of }: Pick<Shard, "index" | "of">): string {
  return `${index}-of-${of}`;
}

/** In tenths, and never none. */
export function minutesOf({ expectedSec }: Pick<Shard, "expectedSec">): number {
  return Math.ceil(expectedSec / 6) / 10;
}
