/**
 * The plan of a sharded run as a file: which rows each shard was to measure, so that a report can name those that nobody
 * did. It comes from an artifact: nothing in it is believed before it is checked.
 */
import * as v from "valibot";
import { InputError } from "../errors.js";
import { artifactName, minutesOf } from "../plan/matrix.js";
import { SHARDS_MAX, type Shard, shardName } from "../plan/shards.js";
import { checkShape } from "./check.js";
import { type FileKind, parseJson, readText } from "./read.js";

const PLAN_SCHEMA = "server-bench/plan";
const PLAN_VERSION = 1;

const MAX_ROWS = 20_000;
/** For so many rows with long names. */
const PLAN: FileKind = { what: "the plan of a sharded run", name: "plan.json", maxBytes: 4 * 1024 * 1024 };

/** As a set's name and the slugs of its rows are made. */
const rowId = v.pipe(
  v.string(),
  v.maxLength(500),
  v.regex(/^[a-z0-9][a-z0-9.-]*\/[a-z0-9-]*$/, "expected the id of a row, such as interfaces/rsgi-bytes"),
);

const planFile = v.strictObject({
  schema: v.literal(PLAN_SCHEMA),
  version: v.literal(PLAN_VERSION),
  shards: v.pipe(
    v.array(
      v.strictObject({
        /** `2/4` */
        shard: v.string(),
        /** `2-of-4` */
        name: v.string(),
        rows: v.pipe(v.array(rowId), v.maxLength(MAX_ROWS, `expected at most ${MAX_ROWS} rows`)),
        /** Expected, of measuring. */
        minutes: v.pipe(v.number(), v.finite(), v.minValue(0)),
      }),
    ),
    v.minLength(1, "expected a shard or more"),
    v.maxLength(SHARDS_MAX, `expected at most ${SHARDS_MAX} shards`),
  ),
});
type PlanFileData = v.InferOutput<typeof planFile>;
export type PlanFile = {
  readonly [name in keyof PlanFileData]: name extends "shards"
    ? readonly Readonly<PlanFileData["shards"][number]>[]
    : PlanFileData[name];
};

export function planFileOf(shards: readonly Shard[]): PlanFile {
  return {
    schema: PLAN_SCHEMA,
    version: PLAN_VERSION,
    shards: shards.map((shard) => ({
      ...{ shard: shardName(shard), name: artifactName(shard) },
      ...{ rows: [...shard.rows], minutes: minutesOf(shard) },
    })),
  };
}

/** @throws InputError for a file that is missing, too large, cut off, of another version, or wrong in a field. */
export async function readPlanFile(file: string): Promise<PlanFile> {
  return parsePlanFile(await readText(file, PLAN), file);
}

/** @param source what the messages call it: the file's path @throws InputError */
export function parsePlanFile(text: string, source: string): PlanFile {
  const checked = checkShape(planFile, parseJson(text, source, PLAN));
  const problems = checked.state === "valid" ? brokenPlan(checked.value) : checked.problems;
  if (checked.state === "invalid" || problems.length > 0)
    throw new InputError(problems.map((problem) => `${source}: ${problem}`).join("\n"));
  return checked.value;
}

/** Every shard once and in order, every row in one of them. */
function brokenPlan({ shards }: PlanFile): string[] {
  const seen = new Map<string, string>();
  for (const [i, { shard, name, rows }] of shards.entries()) {
    const place = { index: i + 1, of: shards.length };
    if (shard !== shardName(place)) return [`shards[${i}].shard: expected "${shardName(place)}"`];
    if (name !== artifactName(place)) return [`shards[${i}].name: expected "${artifactName(place)}"`];
    for (const [j, id] of rows.entries()) {
      const earlier = seen.get(id);
      if (earlier !== undefined) return [`shards[${i}].rows[${j}]: "${id}" is in the shard ${earlier} already`];
      seen.set(id, shard);
    }
  }
  return [];
}
