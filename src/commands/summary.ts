/** What `run --json` and `report --json` print. */
import { type HeadFigures, headFigures } from "../compare/further-metrics/figures.js";
import { failedMeasurements } from "../compare/further-metrics/problems.js";
import { headline, headlineText } from "../report/comparison/headline.js";
import { isChange } from "../report/comparison/metric-text.js";
import { countRows, type RowCounts } from "../report/tables/rows.js";
import type { ComparedRow, Comparison, UncomparedRow, Verdict } from "../results/comparison.js";
import type { CaseResult, Results } from "../results/schema.js";

interface UnmeasuredCase extends Pick<CaseResult, "id" | "side"> {
  /** Absent where instructions were counted or memory was sampled. */
  readonly connections?: number;
  readonly reason: string;
}

interface ComparisonSummary {
  readonly verdict: string;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly changed: readonly Pick<ComparedRow, "id" | "connections" | "verdict" | "basis">[];
  /** Rows without a verdict, and why. */
  readonly notCompared: readonly UncomparedRow[];
  readonly notComparable: readonly string[];
}

export interface RunSummary {
  /** Of head: a row with one failed case is a failed row. */
  readonly rows: RowCounts;
  /** Cases of head and base. */
  readonly failed: readonly UnmeasuredCase[];
  readonly skipped: readonly UnmeasuredCase[];
  /** Rows by verdict, and the rows that changed; absent without a base. */
  readonly comparison?: ComparisonSummary;
  /** Rows that were counted or sampled without a base. */
  readonly furtherMetrics?: readonly (HeadFigures & { readonly id: string })[];
  readonly interrupted: boolean;
  readonly measuredSec: number;
  readonly loadShare: number;
  readonly resultsPath: string;
  readonly reportPath: string;
}

export function summaryOf(results: Results, resultsPath: string, reportPath: string): RunSummary {
  const { cases, run } = results;
  return {
    rows: countRows(results),
    failed: [...unmeasuredCases(cases, "failed"), ...failedBeside(results)],
    skipped: unmeasuredCases(cases, "skipped"),
    ...(results.comparison && { comparison: comparisonSummary(results.comparison) }),
    ...(results.furtherMetrics && {
      furtherMetrics: results.furtherMetrics.map((row) => ({ id: row.id, ...headFigures(row) })),
    }),
    interrupted: run.finishedAt === null,
    measuredSec: run.measuredSec,
    loadShare: run.loadShare,
    resultsPath,
    reportPath,
  };
}

function unmeasuredCases(cases: readonly CaseResult[], state: "failed" | "skipped"): UnmeasuredCase[] {
  return cases.flatMap((result) => {
    if (result.state === "completed" || result.state !== state) return [];
    const { id, connections, side, reason } = result;
    return [{ id, connections, side, reason }];
  });
}

function failedBeside({ comparison, furtherMetrics = [] }: Results): UnmeasuredCase[] {
  return [...(comparison?.rows ?? []), ...furtherMetrics].flatMap((row) =>
    failedMeasurements(row).map(({ kind, side, reason }) => ({ id: row.id, side, reason: `${kind}: ${reason}` })),
  );
}

function comparisonSummary(comparison: Comparison): ComparisonSummary {
  const verdicts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of comparison.rows) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return {
    verdict: headlineText(headline(comparison)),
    verdicts,
    changed: comparison.rows
      .filter((row) => isChange(row.verdict))
      .map(({ id, connections, verdict, basis }) => ({ id, connections, verdict, ...(basis && { basis }) })),
    notCompared: comparison.notCompared ?? [],
    notComparable: comparison.notComparable ?? [],
  };
}
