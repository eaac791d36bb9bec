/** What `run --json` and `report --json` print. */
import { type HeadFigures, headFigures } from "../compare/witnesses/figures.js";
import { headline, isChange } from "../report/comparison/view.js";
import type { ComparedRow, Comparison, Verdict } from "../results/comparison.js";
import type { Results } from "../results/schema.js";

interface ComparisonSummary {
  readonly verdict: string;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly changed: readonly Pick<ComparedRow, "id" | "connections" | "verdict" | "standsOn">[];
  readonly notComparable: readonly string[];
}

export interface RunSummary {
  readonly rows: { readonly completed: number; readonly failed: number; readonly skipped: number };
  readonly failed: readonly { readonly id: string; readonly connections: number; readonly reason: string }[];
  /** Rows by verdict, and the rows that changed; absent without a base. */
  readonly comparison?: ComparisonSummary;
  /** Rows that were counted or sampled without a base. */
  readonly witnesses?: readonly (HeadFigures & { readonly id: string })[];
  readonly interrupted: boolean;
  readonly measuredSec: number;
  readonly loadShare: number;
  readonly resultsPath: string;
  readonly reportPath: string;
}

export function summaryOf(results: Results, resultsPath: string, reportPath: string): RunSummary {
  const { cases, run } = results;
  const count = (state: string) => cases.filter((result) => result.state === state).length;
  return {
    rows: { completed: count("completed"), failed: count("failed"), skipped: count("skipped") },
    failed: cases.flatMap((result) =>
      result.state === "failed" ? [{ id: result.id, connections: result.connections, reason: result.reason }] : [],
    ),
    ...(results.comparison && { comparison: comparisonSummary(results.comparison) }),
    ...(results.witnesses && { witnesses: results.witnesses.map((row) => ({ id: row.id, ...headFigures(row) })) }),
    interrupted: run.finishedAt === null,
    measuredSec: run.measuredSec,
    loadShare: run.loadShare,
    resultsPath,
    reportPath,
  };
}

function comparisonSummary(comparison: Comparison): ComparisonSummary {
  const verdicts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of comparison.rows) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return {
    verdict: headline(comparison),
    verdicts,
    changed: comparison.rows
      .filter((row) => isChange(row.verdict))
      .map(({ id, connections, verdict, standsOn }) => ({ id, connections, verdict, ...(standsOn && { standsOn }) })),
    notComparable: comparison.notComparable ?? [],
  };
}
