/** The shards of a run that left no results or were ended early, and the rows that were not measured because of it. */
import type { PlanFile } from "../results/plan-file.js";
import type { Results } from "../results/schema.js";
import { type ShardIndex, shardName } from "../results/shard.js";

export interface MissingShard {
  /** `2/4` */
  readonly shard: string;
  readonly reason: string;
  /** Ids; none where no plan says which rows the shard had. */
  readonly rows: readonly string[];
}

const ABSENT = "it left no results: its job did not run, or ended before it could store them";
const UNFINISHED = "it was ended before it had measured all of its rows";
const INCOMPLETE = "it finished without these rows: it ran other scenarios than were planned, or on another machine";

/**
 * In the order of the shards. With the plan, a shard is listed when a row of it has no case in any of the results; without
 * it, the numbers that the results carry say which of them are missing.
 * @param merged the results that were merged, not what came out
 */
export function missingShards(merged: readonly Results[], plan?: PlanFile): readonly MissingShard[] {
  const attempts = merged.flatMap(attemptsOf);
  const unmeasured = unmeasuredOf(merged);
  return plan ? byPlan(plan, attempts, unmeasured) : byNumber(merged, attempts, unmeasured);
}

/** Every reason that `missingShards` gives. */
export const MISSING_REASONS: readonly string[] = [ABSENT, UNFINISHED, INCOMPLETE];

/** Results with what `missingShards` found, for the report. */
export function withMissing(results: Results, missing: readonly MissingShard[]): Results {
  if (missing.length === 0) return results;
  const listed = missing.map(({ shard, reason, rows }) => ({ shard, reason, rows: [...rows] }));
  return { ...results, run: { ...results.run, missing: listed } };
}

/** One attempt of a shard: a job that is run again leaves another one. */
interface Attempt {
  readonly place: ShardIndex;
  readonly finished: boolean;
}

function attemptsOf({ run }: Results): Attempt[] {
  if (run.shard) return [{ place: run.shard, finished: run.finishedAt !== null }];
  return (run.parts ?? []).flatMap(({ shard, unfinished }) => (shard ? [{ place: shard, finished: !unfinished }] : []));
}

/** Rows -> those without a case. */
type Unmeasured = (rows: readonly string[]) => string[];

function unmeasuredOf(merged: readonly Results[]): Unmeasured {
  const cases = merged.flatMap((results) => results.cases);
  // A row needs head: base alone is no measurement of it.
  const measured = new Set(cases.filter(({ side }) => side === "head").map(({ id }) => id));
  return (rows) => rows.filter((id) => !measured.has(id));
}

function byPlan({ shards }: PlanFile, attempts: readonly Attempt[], unmeasured: Unmeasured): MissingShard[] {
  return shards.flatMap(({ shard, rows }) => {
    const without = unmeasured(rows);
    const own = attempts.filter(({ place }) => shardName(place) === shard);
    return without.length === 0 ? [] : [{ shard, reason: reasonOf(own) ?? INCOMPLETE, rows: without }];
  });
}

/** Rows are known where a file was merged with the plan before. */
function byNumber(merged: readonly Results[], attempts: readonly Attempt[], unmeasured: Unmeasured): MissingShard[] {
  const before = new Map(
    merged.flatMap(({ run }) => run.missing ?? []).map((one) => [one.shard, unmeasured(one.rows)]),
  );
  const counts = [...new Set(attempts.map(({ place }) => place.of))].sort((a, b) => a - b);
  const places = counts.flatMap((of) => Array.from({ length: of }, (_, i) => ({ index: i + 1, of })));
  return places.map(shardName).flatMap((shard) => {
    const reason = reasonOf(attempts.filter(({ place }) => shardName(place) === shard));
    const rows = before.get(shard) ?? [];
    return reason === undefined && rows.length === 0 ? [] : [{ shard, reason: reason ?? INCOMPLETE, rows }];
  });
}

/** Undefined for a shard that finished. */
function reasonOf(attempts: readonly Attempt[]): string | undefined {
  if (attempts.length === 0) return ABSENT;
  return attempts.some(({ finished }) => finished) ? undefined : UNFINISHED;
}
