/** Sentences about a whole history: the headline of the page, and the badge. */
import { type ChangePoint, type History, MIN_RUNS, type RowHistory } from "../../history/model.js";
import { plural } from "../text/format.js";

/** The newest change of a row; of several in the same run the worse one, then the larger one. */
export function lastChange(changes: readonly ChangePoint[]): ChangePoint | undefined {
  const rank = ({ run, verdict, change }: ChangePoint) => [run, Number(verdict === "suspect-worse"), Math.abs(change)];
  return [...changes].sort((a, b) => {
    const [ranksA, ranksB] = [rank(a), rank(b)];
    const at = ranksA.findIndex((value, i) => value !== ranksB[i]);
    return at < 0 ? 0 : (ranksB[at] ?? 0) - (ranksA[at] ?? 0);
  })[0];
}

/** Whether any row has enough runs that were measured alike. */
function canHaveChanges({ rows }: History): boolean {
  return rows.some(hasEnoughRuns);
}

export function hasEnoughRuns({ series }: Pick<RowHistory, "series">): boolean {
  const counts = new Map<number, number>();
  for (const one of series) if (one >= 0) counts.set(one, (counts.get(one) ?? 0) + 1);
  return Math.max(0, ...counts.values()) >= MIN_RUNS;
}

interface Counts {
  readonly worse: number;
  readonly better: number;
}

/** Rows by their newest change. @param from the first run that counts */
function countChanges({ rows }: History, from: number): Counts {
  const last = rows.map(({ changes }) => lastChange(changes)?.run ?? -1);
  const verdicts = rows.flatMap(({ changes }, i) => ((last[i] ?? -1) >= from ? [lastChange(changes)?.verdict] : []));
  return {
    worse: verdicts.filter((verdict) => verdict === "suspect-worse").length,
    better: verdicts.filter((verdict) => verdict === "suspect-better").length,
  };
}

export function historyHeadline(history: History): string {
  const { rows, runs } = history;
  if (!canHaveChanges(history))
    return `${plural(rows.length, "row")} in ${plural(runs.length, "run")}: too few to find changes of level`;
  const { worse, better } = countChanges(history, 0);
  if (worse + better === 0)
    return `No change of level was found in ${plural(rows.length, "row")} over ${plural(runs.length, "run")}`;
  const parts = [...(worse > 0 ? [`${worse} got worse`] : []), ...(better > 0 ? [`${better} got better`] : [])];
  const whose = worse + better === 1 ? "its" : "their";
  return `Levels changed in ${worse + better} of ${plural(rows.length, "row")} over ${plural(runs.length, "run")}: ${parts.join(" and ")} at ${whose} last change`;
}

/** Runs that the badge speaks of. */
const BADGE_RUNS = 30;

interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/** For shields.io/badges/endpoint-badge. */
export function badgeOf(history: History): Badge {
  const badge = { schemaVersion: 1 as const, label: "benchmarks" };
  if (!canHaveChanges(history)) return { ...badge, message: "too few runs", color: "lightgrey" };
  const { worse, better } = countChanges(history, history.runs.length - BADGE_RUNS);
  const over = `in ${plural(Math.min(BADGE_RUNS, history.runs.length), "run")}`;
  if (worse > 0) return { ...badge, message: `${plural(worse, "row")} worse ${over}`, color: "d55e00" };
  if (better > 0) return { ...badge, message: `${plural(better, "row")} better ${over}`, color: "0072b2" };
  return { ...badge, message: `no change ${over}`, color: "6e7781" };
}
