/** Sentences about a whole history: the headline of the page, and the badge. */
import { type ChangePoint, type History, MIN_RUNS, type RowHistory } from "../../history/model.js";
import { type NetChange, netChange } from "../../history/net-change.js";
import { listed, plural } from "../../messages/sentence.js";

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

/** Rows whose newest run failed. */
function failingRows({ rows }: History): number {
  return rows.filter(({ cases }) => cases.at(-1)?.outcome.state === "failed").length;
}

/** Counts rows by what their changes come to. @param from the first run that counts */
function countChanges({ rows }: History, from: number): Record<NetChange, number> {
  const counts = { worse: 0, better: 0, back: 0, none: 0 };
  for (const row of rows) counts[netChange(row, from)] += 1;
  return counts;
}

export function historyHeadline(history: History): string {
  const failing = failingRows(history);
  const levels = levelsText(history);
  if (failing === 0) return levels;
  const fail = failing === 1 ? "fails" : "fail";
  const rest = levels.charAt(0).toLowerCase() + levels.slice(1);
  return `${failing} of ${plural(history.rows.length, "benchmark")} ${fail} in the newest run; ${rest}`;
}

function levelsText(history: History): string {
  const { rows, runs } = history;
  if (!canHaveChanges(history))
    return `${plural(rows.length, "benchmark")} in ${plural(runs.length, "run")}: too few to find changes of level`;
  const { worse, better, back } = countChanges(history, 0);
  const changed = worse + better + back;
  if (changed === 0)
    return `No change of level was found in ${plural(rows.length, "benchmark")} over ${plural(runs.length, "run")}`;
  const parts = [
    ...(worse > 0 ? [`${worse} got worse`] : []),
    ...(better > 0 ? [`${better} got better`] : []),
    ...(back > 0 ? [`${back} ${back === 1 ? "is back at its" : "are back at their"} first level`] : []),
  ];
  return `Levels changed in ${changed} of ${plural(rows.length, "benchmark")} over ${plural(runs.length, "run")}: in total ${listed(parts)}`;
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
  const failing = failingRows(history);
  const { worse, better } = countChanges(history, history.runs.length - BADGE_RUNS);
  const over = `in ${plural(Math.min(BADGE_RUNS, history.runs.length), "run")}`;
  const bad = [
    ...(failing > 0 ? [`${plural(failing, "benchmark")} ${failing === 1 ? "fails" : "fail"}`] : []),
    ...(worse > 0 ? [`${plural(worse, "benchmark")} worse ${over}`] : []),
  ];
  if (bad.length > 0) return { ...badge, message: bad.join(", "), color: "d55e00" };
  if (!canHaveChanges(history)) return { ...badge, message: "too few runs", color: "lightgrey" };
  if (better > 0) return { ...badge, message: `${plural(better, "benchmark")} better ${over}`, color: "0072b2" };
  return { ...badge, message: `no change ${over}`, color: "6e7781" };
}
