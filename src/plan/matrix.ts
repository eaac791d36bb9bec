/** Shards -> what a workflow needs of them: the matrix for `strategy.matrix: ${{ fromJSON(...) }}`, and the plan as a file. */
import { InputError } from "../errors.js";
import { PLAN_SCHEMA, PLAN_VERSION, type PlanFile } from "../results/plan-file.js";
import { artifactName, shardName } from "../results/shard.js";
import { selectorsOf } from "./shard-selectors.js";
import type { Shard } from "./shards.js";
import type { PlannedSet } from "./types.js";

/** The outputs of a job may hold 1 MiB; GitHub counts UTF-16. */
const OUTPUT_MAX_CHARACTERS = 512 * 1024;

interface MatrixEntry {
  /** For `run --shard`: `2/4`. */
  readonly shard: string;
  /** As part of an artifact's name: `2-of-4`. */
  readonly name: string;
  /** Selectors for `run`, separated by commas. */
  readonly scenarios: string;
  /** Expected minutes of measuring, without set-up. */
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

export function planFileOf(shards: readonly Shard[]): PlanFile {
  return {
    schema: PLAN_SCHEMA,
    version: PLAN_VERSION,
    shards: shards.map((shard) => ({
      shard: shardName(shard),
      name: artifactName(shard),
      rows: [...shard.rows],
      minutes: minutesOf(shard),
    })),
  };
}

/** Rounded up to tenths. */
function minutesOf({ expectedSec }: Shard): number {
  return Math.ceil(expectedSec / 6) / 10;
}
