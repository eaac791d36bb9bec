/** What `--json` prints and the action's outputs are made of. */
import type { Results } from "../results/schema.js";

export interface RunSummary {
  readonly rows: { readonly completed: number; readonly failed: number; readonly skipped: number };
  readonly failed: readonly { readonly id: string; readonly connections: number; readonly reason: string }[];
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
    interrupted: run.finishedAt === null,
    measuredSec: run.measuredSec,
    loadShare: run.loadShare,
    resultsPath,
    reportPath,
  };
}
