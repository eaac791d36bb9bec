/** The shards of a run without results, or with a part of them, and the rows that were not measured because of it. */
import { groupBy } from "../group-by.js";
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
const UNREAD = "its results were uploaded, but could not be read: the log of the report says why";
const UNFINISHED = "it was ended before it had measured all of its benchmarks";
const INCOMPLETE =
  "it finished without these benchmarks: it ran other scenarios than were planned, or ran on another machine";

/**
 * In the order of the shards. With the plan, a shard is listed when none of the results has a case or other figures of one of
 * its rows. Without it, a shard is listed when its number is absent from the results.
 * @param merged the results that were merged, not what came out
 * @param unread shards whose results are there, but could not be read
 */
export function missingShards(
  merged: readonly Results[],
  plan?: PlanFile,
  unread: readonly ShardIndex[] = [],
): readonly MissingShard[] {
  const attempts = [...merged.flatMap(attemptsOf), ...unread.map((place) => ({ place, state: "unread" as const }))];
  const unmeasured = unmeasuredOf(merged);
  return plan ? byPlan(plan, attempts, unmeasured) : byNumber(merged, attempts, unmeasured);
}

/** Every reason that `missingShards` gives. */
export const MISSING_REASONS: readonly string[] = [ABSENT, UNREAD, UNFINISHED, INCOMPLETE];

/** Results with what `missingShards` found, for the report. */
export function withMissing(results: Results, missing: readonly MissingShard[]): Results {
  if (missing.length === 0) return results;
  const listed = missing.map(({ shard, reason, rows }) => ({ shard, reason, rows: [...rows] }));
  return { ...results, run: { ...results.run, missing: listed } };
}

/** One attempt of a shard: a job that is run again leaves another one. */
interface Attempt {
  readonly place: ShardIndex;
  readonly state: "finished" | "unfinished" | "unread";
}

function attemptsOf({ run }: Results): Attempt[] {
  if (run.shard) return [{ place: run.shard, state: run.finishedAt === null ? "unfinished" : "finished" }];
  return (run.parts ?? []).flatMap(({ shard, unfinished }) =>
    shard ? [{ place: shard, state: unfinished ? "unfinished" : "finished" }] : [],
  );
}

/** Rows -> those that were not measured. */
type Unmeasured = (rows: readonly string[]) => string[];

function unmeasuredOf(merged: readonly Results[]): Unmeasured {
  const measured = new Set(merged.flatMap(measuredIn));
  return (rows) => rows.filter((id) => !measured.has(id));
}

/**
 * Ids. Rows of which only instructions or memory are measured have no cases. The comparison of an unfinished run lists rows
 * before they are measured: without cases and without such figures they do not count.
 */
function measuredIn({ cases, comparison, furtherMetrics = [] }: Results): string[] {
  const compared = [...(comparison?.rows ?? []), ...(comparison?.controls ?? [])];
  return [
    // A row needs head: base alone is no measurement of it.
    ...cases.filter(({ side }) => side === "head"),
    ...[...compared, ...furtherMetrics].filter(({ instructions, memory }) => instructions ?? memory),
  ].map(({ id }) => id);
}

function byPlan({ shards }: PlanFile, attempts: readonly Attempt[], unmeasured: Unmeasured): MissingShard[] {
  const attemptsOf = byShard(attempts);
  return shards.flatMap(({ shard, rows }) => {
    const without = unmeasured(rows);
    return without.length === 0
      ? []
      : [{ shard, reason: reasonOf(attemptsOf.get(shard)) ?? INCOMPLETE, rows: without }];
  });
}

/** By the shard's name: a hostile file can name thousands of them. */
function byShard(attempts: readonly Attempt[]): ReadonlyMap<string, readonly Attempt[]> {
  return groupBy(attempts, ({ place }) => shardName(place));
}

/** Rows are known where a file was merged with the plan before. */
function byNumber(merged: readonly Results[], attempts: readonly Attempt[], unmeasured: Unmeasured): MissingShard[] {
  const before = new Map(
    merged.flatMap(({ run }) => run.missing ?? []).map((one) => [one.shard, unmeasured(one.rows)]),
  );
  const counts = [...new Set(attempts.map(({ place }) => place.of))].sort((a, b) => a - b);
  const places = counts.flatMap((of) => Array.from({ length: of }, (_, i) => ({ index: i + 1, of })));
  const attemptsOf = byShard(attempts);
  return places.map(shardName).flatMap((shard) => {
    const reason = reasonOf(attemptsOf.get(shard));
    const rows = before.get(shard) ?? [];
    return reason === undefined && rows.length === 0 ? [] : [{ shard, reason: reason ?? INCOMPLETE, rows }];
  });
}

/** Undefined for a shard that finished. */
function reasonOf(attempts: readonly Attempt[] = []): string | undefined {
  const has = (wanted: Attempt["state"]) => attempts.some(({ state }) => state === wanted);
  if (has("finished")) return undefined;
  if (has("unread")) return UNREAD;
  return has("unfinished") ? UNFINISHED : ABSENT;
}
