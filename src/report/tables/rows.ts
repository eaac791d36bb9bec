/** Cases -> the rows of a set: the unit that tables, notes and the summary line count. */
import type { CaseResult, Results } from "../../results/schema.js";

export type SetInfo = Results["sets"][number];

/** One row of a set: its cases differ in concurrency only. */
export interface Row {
  readonly id: string;
  readonly cases: readonly [CaseResult, ...CaseResult[]];
  /** The case in the table: the completed one with the highest throughput, of those that nothing disturbed if there are any. */
  readonly shown: CaseResult;
}

/** `RSGI bytes (c256)` */
export function label(result: Pick<CaseResult, "title" | "connections">): string {
  return `${result.title} (c${result.connections})`;
}

/** The rows of head. Base's cases are compared, not ranked. */
export function rowsOf(set: SetInfo, cases: readonly CaseResult[]): Row[] {
  const byId = new Map<string, [CaseResult, ...CaseResult[]]>();
  for (const result of cases) {
    if (result.set !== set.name || result.side !== "head") continue;
    const row = byId.get(result.id);
    if (row) row.push(result);
    else byId.set(result.id, [result]);
  }
  return [...byId].map(([id, of]) => ({ id, cases: of, shown: best(of) }));
}

/** Heading of a table -> its rows; undefined where the rows have no group. */
export function groupsOf(rows: readonly Row[]): Map<string | undefined, Row[]> {
  const groups = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.shown.group);
    if (group) group.push(row);
    else groups.set(row.shown.group, [row]);
  }
  return groups;
}

function best(cases: readonly [CaseResult, ...CaseResult[]]): CaseResult {
  const completed = cases.filter((result) => result.state === "completed");
  if (completed.length > 0) return completed.reduce((a, b) => (isBetter(b, a) ? b : a));
  return cases.find((result) => result.state === "failed") ?? cases[0];
}

/** Successful requests per second; -1 where there is no figure. */
function throughput(result: CaseResult): number {
  return result.state === "completed" ? result.summary.requestsPerSec : -1;
}

/** Whether it is the better figure to show: one that nothing disturbed, then the higher throughput. */
export function isBetter(result: CaseResult, than: CaseResult): boolean {
  const [own, other] = [isDisturbed(result), isDisturbed(than)];
  return own === other ? throughput(result) > throughput(than) : other;
}

function isDisturbed(result: CaseResult): boolean {
  return result.state === "completed" && result.disturbed === true;
}

export interface RowCounts {
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Rows of head over all sets; a row with one failed case is a failed row. */
export function countRows({ sets, cases }: Results): RowCounts {
  const counts = { completed: 0, failed: 0, skipped: 0 };
  for (const row of sets.flatMap((set) => rowsOf(set, cases))) {
    const states = row.cases.map((result) => result.state);
    counts[states.includes("failed") ? "failed" : row.shown.state] += 1;
  }
  return counts;
}
