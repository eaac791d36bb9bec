/**
 * The plan of a sharded run as a file: the rows that each shard has to measure, so that a report can name those that no
 * shard measured. It comes from an artifact, so it is checked before it is used. It is read by the version that wrote it:
 * unlike in a results file, an unknown field is an error.
 */
import * as v from "valibot";
import { InputError } from "../errors.js";
import { checkShape } from "./check.js";
import { amount, rowId as idText, list } from "./fields.js";
import { CASES_MAX } from "./limits.js";
import { type FileKind, parseJson, readText } from "./read.js";
import { artifactName, SHARDS_MAX, shardName } from "./shard.js";

export const PLAN_SCHEMA = "server-bench/plan";
export const PLAN_VERSION = 1;

/** Room for the most rows, with long names. */
const PLAN: FileKind = { what: "the plan of a sharded run", name: "plan.json", maxBytes: 4 * 1024 * 1024 };

/** A set's name and the slug of a row, as the plan makes them. */
const rowId = v.pipe(
  idText,
  v.regex(/^[a-z0-9][a-z0-9.-]*\/[a-z0-9-]*$/, "expected the id of a row, such as interfaces/rsgi-bytes"),
);

const shard = v.strictObject({
  /** `2/4` */
  shard: v.string(),
  /** `2-of-4` */
  name: v.string(),
  rows: list(rowId, CASES_MAX, "rows"),
  /** Expected minutes of measuring. */
  minutes: amount,
});

const planFile = v.strictObject({
  schema: v.literal(PLAN_SCHEMA),
  version: v.literal(PLAN_VERSION),
  shards: v.pipe(list(shard, SHARDS_MAX, "shards"), v.minLength(1, "expected a shard or more")),
});
type PlanFileData = v.InferOutput<typeof planFile>;
export type PlanFile = {
  readonly [name in keyof PlanFileData]: name extends "shards"
    ? readonly Readonly<PlanFileData["shards"][number]>[]
    : PlanFileData[name];
};

/** @throws InputError for a file that is missing, too large, cut off, of another version, or wrong in a field. */
export async function readPlanFile(file: string): Promise<PlanFile> {
  return parsePlanFile(await readText(file, PLAN), file);
}

/** @param source the file's path, for messages @throws InputError */
export function parsePlanFile(text: string, source: string): PlanFile {
  const checked = checkShape(planFile, parseJson(text, source, PLAN));
  const problems = checked.state === "valid" ? inconsistencies(checked.value) : checked.problems;
  if (checked.state === "invalid" || problems.length > 0)
    throw new InputError(problems.map((problem) => `${source}: ${problem}`).join("\n"));
  return checked.value;
}

/** Every shard has to be there once and in order, and every row in one of them. */
function inconsistencies({ shards }: PlanFile): string[] {
  const shardOf = new Map<string, string>();
  for (const [i, { shard, name, rows }] of shards.entries()) {
    const expected = { index: i + 1, of: shards.length };
    if (shard !== shardName(expected)) return [`shards[${i}].shard: expected "${shardName(expected)}"`];
    if (name !== artifactName(expected)) return [`shards[${i}].name: expected "${artifactName(expected)}"`];
    for (const [j, id] of rows.entries()) {
      const earlier = shardOf.get(id);
      if (earlier !== undefined) return [`shards[${i}].rows[${j}]: "${id}" is in the shard ${earlier} already`];
      shardOf.set(id, shard);
    }
  }
  return [];
}
