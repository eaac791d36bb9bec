/** What a run is compared with, and how: base in pairs, stored results, and what is confirmed of their suspicions. */
import { InputError } from "../../errors.js";
import type { PlannedRow } from "../../plan/types.js";
import type { BaseSource } from "../../provision/sides/sides.js";
import type { Comparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { type BasePlanning, type PairedPlan, planPaired } from "./base-plan.js";
import { Confirmation } from "./confirmation.js";
import { PairedRun } from "./paired-run.js";
import type { RowRunner, RunState } from "./row-runner.js";
import type { RunOptions } from "./run.js";

interface Paired {
  readonly plan: PairedPlan;
  readonly run: PairedRun;
}

/** What the results are compared with, and how. */
export interface ComparisonStrategy {
  readonly paired: Paired | undefined;
  /** Of the results as they are. */
  readonly comparison: ((head: Results) => Comparison) | undefined;
  /** After all rows: those that look changed, in pairs. */
  confirm(runner: RowRunner, measuring: RunState): Promise<void>;
}

export function strategyOf(parts: {
  readonly paired: Paired | undefined;
  readonly compare: ((head: Results) => Comparison) | undefined;
  readonly planning: Omit<BasePlanning, "source">;
  readonly options: RunOptions;
}): ComparisonStrategy {
  const { paired, compare, planning, options } = parts;
  const confirm = async () => {};
  if (paired) return { paired, comparison: () => paired.run.comparison(), confirm };
  if (!compare || !options.confirm) return { paired, comparison: compare, confirm };
  const confirmation = new Confirmation(options.confirm);
  return {
    paired,
    comparison: (head) => confirmation.applyTo(compare(head)),
    confirm: async (runner, { writer, session, display }) =>
      await confirmation.measure(compare(writer.results), {
        ...{ planning, runner, display },
        context: session.context,
      }),
  };
}

/** Base beside head, where one was asked for. @throws InputError for a base that cannot be planned */
export async function planPairedRun(
  source: BaseSource | undefined,
  planning: Omit<BasePlanning, "source">,
  { base, command }: Pick<RunOptions, "base" | "command">,
  note: (text: string) => void,
): Promise<Paired | undefined> {
  if (source === undefined) return undefined;
  try {
    const plan = await planPaired({ ...planning, source });
    return { plan, run: new PairedRun(plan, command) };
  } catch (error) {
    if (!base?.optional || !(error instanceof InputError)) throw error;
    note(`Nothing to compare with: ${error.message}`);
    return undefined;
  }
}

export function baseRowsOf(paired: Paired | undefined): readonly PlannedRow[] {
  if (!paired) return [];
  const { measured, control } = paired.plan;
  return [...measured, ...(control ? [control] : [])].map(({ base }) => base);
}
