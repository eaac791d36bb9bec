/** How a run compares head: not at all, with stored results, in pairs with base, or with stored results and then in pairs. */

import { InputError } from "../../errors.js";
import { rowsOf } from "../../plan/plan.js";
import { USUAL_METRICS } from "../../plan/selected-metrics.js";
import type { PlannedRow } from "../../plan/types.js";
import type { Comparison } from "../../results/comparison.js";
import type { NothingToCompare, Results } from "../../results/schema.js";
import type { Against, MeasuredBase } from "./against.js";
import { type BasePlanning, OtherLoad, type PairedPlan, pairsToMeasure, planPaired } from "./base-plan.js";
import { Confirmation } from "./confirmation.js";
import { PairRunner } from "./pair-runner.js";
import { PairedRun } from "./paired-run.js";
import type { PairedTarget } from "./paired-running.js";
import type { RunRequest } from "./request.js";
import type { RowRunner } from "./row-runner.js";
import type { RunState } from "./run-state.js";
import { storedComparison } from "./stored.js";

export interface ComparisonStrategy {
  /** Undefined where head is measured alone. */
  readonly paired: PairedPlan | undefined;
  /** Of the results as they are so far; undefined where there is nothing to compare with. */
  readonly comparison: ((head: Results) => Comparison) | undefined;
  /** Why `comparison` is undefined, where one was requested. */
  readonly nothingToCompare: NothingToCompare | undefined;
  /** Measures all rows. @throws the run's abort reason */
  measure(runner: RowRunner, state: RunState): Promise<void>;
  /** Rows that were measured in pairs. */
  targets(): readonly PairedTarget[];
}

interface StrategyRequest extends RunRequest {
  /** In pairs: instructions are counted in rows that may have changed. */
  readonly countsSuspects: boolean;
}

type Planning = Omit<BasePlanning, "source">;

const ALONE: ComparisonStrategy = {
  paired: undefined,
  comparison: undefined,
  nothingToCompare: undefined,
  measure: async (runner, { plan }) => await runner.measureRows(rowsOf(plan)),
  targets: () => [],
};

/** @throws InputError for a base that cannot be planned, where that is wrong input */
export async function chooseStrategy(request: StrategyRequest, planning: Planning): Promise<ComparisonStrategy> {
  const { against } = request;
  switch (against.kind) {
    case "none":
      return { ...ALONE, nothingToCompare: against.because };
    case "stored":
      return { ...ALONE, comparison: storedComparison(against.stored, request) };
    case "storedThenPaired":
      return confirmedInPairs(storedComparison(against.stored, request), against.base, request, planning);
    case "paired":
      return await planPairedRun(against, request, planning);
  }
}

function confirmedInPairs(
  stored: (head: Results) => Comparison,
  base: MeasuredBase,
  { metrics = USUAL_METRICS, countsSuspects }: Pick<StrategyRequest, "metrics" | "countsSuspects">,
  planning: Planning,
): ComparisonStrategy {
  const confirmation = new Confirmation(base, { metrics, countsSuspects });
  return {
    ...ALONE,
    comparison: (head) => confirmation.applyTo(stored(head)),
    targets: () => confirmation.targets(),
    measure: async (runner, state) => {
      await ALONE.measure(runner, state);
      const { writer, session, display } = state;
      const pairs = new PairRunner(runner, state);
      await confirmation.measure(stored(writer.results), { planning, pairs, display, run: session.context });
    },
  };
}

async function planPairedRun(
  { base, ifUnusable }: Extract<Against, { readonly kind: "paired" }>,
  { command, metrics, countsSuspects }: StrategyRequest,
  planning: Planning,
): Promise<ComparisonStrategy> {
  try {
    // If a missing base is no failure, head is the first to have the scenarios; the report has that note.
    const lendsScenarios = ifUnusable === "fail";
    const paired = await planPaired({ ...planning, source: base.source, lendsScenarios });
    const run = new PairedRun(paired, command, base.precision, { metrics, countsSuspects });
    return {
      ...ALONE,
      paired,
      comparison: () => run.comparison(),
      targets: () => run.targets(),
      measure: async (runner, state) => await new PairRunner(runner, state).measure(paired, run, base.budgetMinutes),
    };
  } catch (error) {
    if (ifUnusable === "fail" || !(error instanceof InputError)) throw error;
    const reason = `${error.message}.${error instanceof OtherLoad ? "" : " Head may be the first to have it."}`;
    return { ...ALONE, nothingToCompare: { kind: "base", reason } };
  }
}

/** Rows of base that are measured beside head's. */
export function baseRowsOf({ paired }: ComparisonStrategy): readonly PlannedRow[] {
  return paired ? pairsToMeasure(paired).map(({ base }) => base) : [];
}
