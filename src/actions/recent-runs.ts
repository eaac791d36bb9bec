/** The last stored runs of base, for the trend of rows that changed. If they cannot be read, the comment has no trend. */
import { messageLine } from "../errors.js";
import type { BaseOf } from "../github/base-runs.js";
import { findBaseline } from "../github/baseline.js";
import { RECENT_RUNS } from "../report/comment/recent.js";
import { isChange } from "../report/comparison/metric-text.js";
import type { Results } from "../results/schema.js";
import { storedResultsName } from "./artifact-names.js";
import type { ActionContext } from "./context.js";

/** The comment must not wait long for them. */
const TIME_LIMIT_MS = 30_000;

/** Asks GitHub only where a row changed: a history costs three calls for each run. Never throws. */
export async function recentRuns(
  { github, inputs, log }: ActionContext,
  { comparison }: Results,
  of: BaseOf | undefined,
): Promise<readonly Results[]> {
  const changed = comparison?.rows.some(({ verdict }) => isChange(verdict)) ?? false;
  if (!github || of === undefined || !changed) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), TIME_LIMIT_MS);
  });
  try {
    const options = { ...of, artifactName: storedResultsName(inputs), history: RECENT_RUNS };
    const found = await Promise.race([findBaseline(github, options), late]);
    if (found === "late") log("recent runs of base: not shown, because GitHub took longer than 30 s to give them");
    else if (found.state === "found") return [found, ...found.history].map(({ results }) => results);
    else if (found.state === "refused") log(`recent runs of base: not shown: ${found.failure.message}`);
  } catch (error) {
    log(`recent runs of base: not shown: ${messageLine(error)}`);
  } finally {
    clearTimeout(timer);
  }
  return [];
}
