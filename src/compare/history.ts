/** Which of the base files may be compared with head, and which rows of them. */
import type { BaseRun, UncomparedRow } from "../results/comparison.js";
import type { CaseResult, CompletedCase, Results } from "../results/schema.js";
import { isWhole } from "../results/whole.js";
import { caseDifferences, fileDifferences } from "./comparable.js";
import { pairKey } from "./sides.js";
import { ENDED_BEFORE, uncomparedRow } from "./uncompared.js";

/** Older runs measured older code. */
const NEWEST_RUNS = 10;

export interface StoredRun {
  /** Its name in messages: the file's path. */
  readonly source: string;
  readonly results: Results;
}

export interface History {
  /** Comparable, oldest first. */
  readonly runs: readonly StoredRun[];
  /** Every file that was given, with the reason where it is left out. */
  readonly all: readonly BaseRun[];
}

export function chooseRuns(base: readonly StoredRun[], head: Results): History {
  const newestFirst = [...base].sort((a, b) => startOf(b.results) - startOf(a.results));
  const used: StoredRun[] = [];
  const all: BaseRun[] = [];
  for (const run of newestFirst) {
    const leftOut = whyNot(run, head, used);
    if (leftOut === undefined) used.push(run);
    all.push(baseRun(run, leftOut));
  }
  return { runs: used.reverse(), all };
}

function startOf({ run }: Results): number {
  return Date.parse(run.startedAt);
}

function whyNot({ results }: StoredRun, head: Results, newer: readonly StoredRun[]): string | undefined {
  const { id } = results.run;
  if (id === head.run.id) return "it is the head run itself";
  const same = newer.find((other) => other.results.run.id === id);
  if (same) return `the same run as ${same.source}`;
  if (isOfSeveralMachines(results)) return "merged from runs of different machines";
  if (isOfSeveralMachines(head)) return "head was merged from runs of different machines";
  const differing = fileDifferences(results, head);
  if (differing.length > 0) return differing.join("; ");
  return newer.length >= NEWEST_RUNS ? `older than the newest ${NEWEST_RUNS}` : undefined;
}

function isOfSeveralMachines({ run: { parts = [] } }: Results): boolean {
  return new Set(parts.map(({ fingerprint }) => fingerprint)).size > 1;
}

function baseRun({ source, results: { run } }: StoredRun, leftOut: string | undefined): BaseRun {
  return {
    source,
    id: run.id,
    startedAt: run.startedAt,
    ...(run.git && { sha: run.git.sha }),
    ...(leftOut !== undefined && { leftOut }),
  };
}

/** A case of head with the same case of each base run; undefined where a run does not have it. */
export interface Matched {
  readonly key: string;
  readonly head: CompletedCase;
  readonly base: readonly (CompletedCase | undefined)[];
}

export interface Matches {
  readonly matched: readonly Matched[];
  readonly uncompared: readonly UncomparedRow[];
}

/** @param inScope whether head was asked for this row; a row that it was not asked for is not missing */
export function matchRows(runs: readonly StoredRun[], head: Results, inScope: (id: string) => boolean): Matches {
  const bases = runs.map(({ results }) => casesByKey(results));
  const heads = casesByKey(head);
  const newest = runs.at(-1)?.results.run;
  const cutOff = newest !== undefined && !isWhole(newest);
  const matched: Matched[] = [];
  const uncompared: UncomparedRow[] = [];
  for (const [key, result] of heads) {
    const found = matchCase(
      key,
      result,
      bases.map((cases) => cases.get(key)),
      cutOff,
    );
    if ("head" in found) matched.push(found);
    else uncompared.push(found);
  }
  const sets = new Set(head.sets.map((set) => set.name));
  for (const [key, result] of bases.at(-1) ?? []) {
    if (heads.has(key) || !sets.has(result.set) || !inScope(result.id)) continue;
    uncompared.push(
      head.run.finishedAt === null
        ? uncomparedRow(result, "unmeasured", ENDED_BEFORE)
        : uncomparedRow(result, "removed"),
    );
  }
  return { matched, uncompared };
}

function casesByKey({ cases }: Results): Map<string, CaseResult> {
  const own = cases.filter((result) => result.side === "head");
  return new Map(own.map((result) => [pairKey(result), result]));
}

/** @param cutOff the newest run of base did not measure all rows */
function matchCase(
  key: string,
  head: CaseResult,
  base: readonly (CaseResult | undefined)[],
  cutOff: boolean,
): Matched | UncomparedRow {
  const known = base.filter((result) => result !== undefined);
  const newest = known.at(-1);
  if (!newest && cutOff) return uncomparedRow(head, "not-comparable", "the stored run ended before it");
  if (!newest) return uncomparedRow(head, "new", head.state === "completed" ? undefined : failureOf(head));
  // A disturbed run would shift or widen what head is compared with.
  const alike = base.map((result) =>
    result?.state === "completed" && !result.disturbed && caseDifferences(result, head).length === 0
      ? result
      : undefined,
  );
  const completed = known.filter((result) => result.state === "completed");
  if (head.state === "skipped") return uncomparedRow(head, "unmeasured", head.reason);
  // What a later run of base failed at is no news of head.
  const worked = known.findLast(({ state }) => state !== "skipped")?.state === "completed";
  if (head.state === "failed")
    return worked
      ? uncomparedRow(head, "failed-in-head", failureOf(head))
      : uncomparedRow(head, "unmeasured", failureOf(head));
  if (completed.length === 0 && newest.state === "skipped")
    return uncomparedRow(head, "not-comparable", `the stored run skipped it: ${newest.reason}`);
  if (completed.length === 0) return uncomparedRow(head, "failed-in-base", failureOf(newest));
  if (alike.some((result) => result !== undefined)) return { key, head, base: alike };
  const measured = completed.findLast(({ disturbed }) => !disturbed) ?? completed.at(-1) ?? newest;
  return uncomparedRow(head, "not-comparable", caseDifferences(measured, head).join("; ") || ALL_DISTURBED);
}

const ALL_DISTURBED = "other processes disturbed it in every stored run";

function failureOf(result: CaseResult): string | undefined {
  return result.state === "completed" ? undefined : `${result.state}: ${result.reason}`;
}
