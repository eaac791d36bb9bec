/** The text of a change of level. The page, the feed and the file use the same. */
import type { ChangePoint, History, RowHistory } from "./model.js";
import { METRICS } from "./record.js";
import { compareAddress, type Repository } from "./repository.js";

export interface ChangeWords {
  readonly row: RowHistory;
  readonly change: ChangePoint;
  /** The metric, in the middle of a sentence. */
  readonly metric: string;
  readonly unit: string;
  /** `v1.1.0 to v1.2.0`, `0f3c2a9 to 1a2b3c4` */
  readonly range: string;
  /** Undefined where the repository or a commit is unknown. */
  readonly address?: string;
  /** What a reader must know before blaming a commit. */
  readonly cautions: readonly string[];
}

/** Newest first; of one run the largest first. */
export function changesOf(history: History, repository?: Repository): ChangeWords[] {
  const all = history.rows.flatMap((row) => row.changes.map((change) => ({ row, change })));
  all.sort((a, b) => b.change.run - a.change.run || Math.abs(b.change.change) - Math.abs(a.change.change));
  const crowds = crowdsOf(history);
  return all.map(({ row, change }) => wordsOf(history, row, change, { crowds, ...(repository && { repository }) }));
}

interface Surroundings {
  readonly crowds: ReadonlyMap<string, string>;
  readonly repository?: Repository;
}

function wordsOf(
  history: History,
  row: RowHistory,
  change: ChangePoint,
  { crowds, repository }: Surroundings,
): ChangeWords {
  const metric = METRICS.find(({ name }) => name === change.metric);
  const [before, after] = [history.runs[change.before], history.runs[change.run]];
  const address = compareAddress(repository, before?.sha, after?.sha);
  const crowd = crowds.get(crowdKey(change));
  return {
    row,
    change,
    metric: metric?.title ?? change.metric,
    unit: metric?.unit ?? "",
    range: `${runName(before)} to ${runName(after)}`,
    ...(address !== undefined && { address }),
    cautions: [
      ...(before?.sha !== undefined && before.sha === after?.sha
        ? ["Both runs measured the same commit: something else changed."]
        : []),
      ...versionsOf(row, change),
      ...(before?.uncommitted || after?.uncommitted ? ["A checkout had uncommitted changes."] : []),
      ...(crowd === undefined ? [] : [crowd]),
    ],
  };
}

function versionsOf({ cases }: RowHistory, { before, run }: ChangePoint): string[] {
  const [old, current] = [cases[before]?.server, cases[run]?.server];
  if (old?.version === undefined || current?.version === undefined || old.version === current.version) return [];
  return [`${current.title} went from ${old.version} to ${current.version}.`];
}

/** From here on, rows that change together point at the machine rather than at their code. */
const CROWD_SHARE = 0.5;
const CROWD_MIN = 4;

/** Changes in the same run and direction, of most rows of several servers or sets. */
function crowdsOf({ rows }: History): ReadonlyMap<string, string> {
  const changed = new Map<string, Set<RowHistory>>();
  for (const row of rows)
    for (const change of row.changes) {
      const key = crowdKey(change);
      changed.set(key, (changed.get(key) ?? new Set()).add(row));
    }
  const crowds = new Map<string, string>();
  for (const [key, of] of changed) {
    if (of.size < CROWD_MIN || of.size < CROWD_SHARE * rows.length) continue;
    crowds.set(key, `${of.size} of ${rows.length} benchmarks changed in this run: look at the machine first.`);
  }
  return crowds;
}

function crowdKey({ run, metric, verdict }: ChangePoint): string {
  return `${run} ${metric} ${verdict}`;
}

/** As many as GitHub shows; links have all. */
const SHA_DIGITS = 7;

/** The version of a release, else the commit, else the day. */
function runName(run: History["runs"][number] | undefined): string {
  if (run === undefined) return "unknown";
  return run.version?.tag ?? run.sha?.slice(0, SHA_DIGITS) ?? run.startedAt.slice(0, "2025-01-30".length);
}
