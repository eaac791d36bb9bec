/** The logs of base's failed rows, which no table has: the tables are head's. */
import type { CaseResult } from "../../results/schema.js";
import { codeBlock, escapeHtml, logLines } from "../text/escape.js";
import { folded } from "../text/markdown.js";

/** A build that fails has one log for all its rows; more than a few different ones are for the results file. */
const SHOWN = 3;

/** A fold for each different log; "" where base has none. */
export function baseLogs(cases: readonly CaseResult[]): string {
  return failedLogs(cases)
    .map(({ reason, log }) => folded(`Log of base: ${escapeHtml(reason)}`, codeBlock(logLines(log), "text")))
    .join("\n\n");
}

interface FailedLog {
  readonly reason: string;
  readonly log: string;
}

/** The first different logs of base's failed rows; not yet escaped. */
export function failedLogs(cases: readonly CaseResult[]): FailedLog[] {
  const reasons = new Map<string, string>();
  for (const result of cases) {
    if (result.side !== "base" || result.state !== "failed" || !result.log) continue;
    if (!reasons.has(result.log)) reasons.set(result.log, result.reason);
  }
  return [...reasons].slice(0, SHOWN).map(([log, reason]) => ({ reason, log }));
}
