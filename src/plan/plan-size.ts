/** How large a plan may be: its results have to fit into a results file, which is limited. */
import { InputError } from "../errors.js";
import { BARS_MAX, CASES_MAX, SETS_MAX } from "../results/limits.js";
import type { PlannedSet } from "./types.js";

/** @throws InputError */
export function checkPlanSize(sets: readonly PlannedSet[]): void {
  if (sets.length > SETS_MAX)
    throw new InputError(`${sets.length} sets are selected, at most ${SETS_MAX}: select fewer of them`);
  const counts = sets.map(({ rows }) => rows.reduce((sum, { connections }) => sum + connections.length, 0));
  const cases = counts.reduce((sum, count) => sum + count, 0);
  if (cases > CASES_MAX)
    throw new InputError(`the selected rows have ${cases} cases, at most ${CASES_MAX}: select fewer of them`);
  const bars = sets.reduce((sum, { charts = [] }, i) => sum + charts.length * (counts[i] ?? 0), 0);
  if (bars > BARS_MAX)
    throw new InputError(`the charts of the selected sets have ${bars} bars, at most ${BARS_MAX}: select fewer sets`);
}
