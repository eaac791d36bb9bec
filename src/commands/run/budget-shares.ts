/** One budget for all that is measured: each stage gets an equal share of what is left. */
import { furtherMetricsOf, isTimed, type SelectedMetrics } from "../../plan/selected-metrics.js";
import { type FurtherKind, firstRounds } from "./further-rounds.js";

interface Budget {
  readonly budgetMinutes: number | undefined;
  /** Seconds of a clock that never goes back. */
  now(): number;
}

export class BudgetShares {
  readonly #budget: Budget;
  readonly #started: number;
  #stages: number;

  constructor(budget: Budget, asked: SelectedMetrics) {
    this.#budget = budget;
    this.#started = budget.now();
    this.#stages = stagesOf(asked);
  }

  /** Seconds of the next stage; undefined: no limit. */
  next(): number | undefined {
    const { budgetMinutes, now } = this.#budget;
    const stages = Math.max(1, this.#stages);
    this.#stages -= 1;
    if (budgetMinutes === undefined) return undefined;
    return Math.max(0, this.#started + budgetMinutes * 60 - now()) / stages;
  }
}

function stagesOf(asked: SelectedMetrics): number {
  return (isTimed(asked) ? 1 : 0) + furtherMetricsOf(asked).length;
}

export function spentReason(budgetMinutes: number): string {
  return `the budget of ${budgetMinutes} min was spent`;
}

/** @param enoughSec for the first rounds of all rows */
export function noRoomReason(
  kind: FurtherKind,
  budgetMinutes: number,
  enoughSec: number,
  asked: SelectedMetrics,
): string {
  // A stage gets at least its equal share.
  const enough = Math.max(Math.ceil((enoughSec * stagesOf(asked)) / 60), Math.floor(budgetMinutes) + 1);
  const first = `first ${firstRounds(kind)} ${kind === "memory" ? "pairs" : "rounds"}`;
  return `the budget of ${budgetMinutes} min had no room for its ${first}; about ${enough} min are enough for those of all rows`;
}
