/** `--confirm`: rows that look changed against stored results are measured in pairs with base before they are reported. */
import { type Confirmed, confirmRows, suspectRows } from "../compare/confirmed.js";
import { PAIRS_MIN } from "../compare/looks.js";
import { TOO_FEW_PAIRS } from "../compare/paired.js";
import { pairKey, type RowPair } from "../compare/sides.js";
import { InputError } from "../errors.js";
import type { RunContext } from "../process/run.js";
import { provision } from "../provision/provision.js";
import { describeSource, findBase } from "../provision/sides/sides.js";
import type { ComparedRow, Comparison } from "../results/comparison.js";
import { type BaseOptions, type BasePlanning, CANNOT_HAVE_CHANGED, type PlannedPairs, planPairs } from "./base.js";
import type { Display } from "./display.js";
import type { Measurer } from "./measuring.js";
import { PAIR_SEC, PairedRun } from "./paired.js";
import type { RunOptions } from "./run.js";

export interface ConfirmOptions {
  readonly base: BaseOptions;
}

interface Confirming {
  readonly planning: Omit<BasePlanning, "source">;
  readonly measurer: Measurer;
  readonly context: RunContext;
  readonly display: Display;
}

/** @throws InputError where there are no stored results whose suspicions could be confirmed */
export function checkConfirm({ confirm, baseline }: Pick<RunOptions, "confirm" | "baseline">): void {
  if (confirm && (baseline?.files.length ?? 0) === 0)
    throw new InputError("--confirm has no meaning without stored results: give --base-results FILE");
}

/** Whatever fails here leaves head's results and the stored verdicts as they are, with the reason. */
export class Confirmation {
  readonly #options: BaseOptions;
  readonly #outcomes = new Map<string, Confirmed>();
  #base: Readonly<Record<string, string>> | undefined;
  #pairs: PairedRun | undefined;
  #trouble: string | undefined;

  constructor({ base }: ConfirmOptions) {
    this.#options = base;
  }

  /** What is known so far, in a comparison of head's results with the stored ones. */
  applyTo(stored: Comparison): Comparison {
    const rows = new Map(this.#outcomes);
    for (const [key, outcome] of this.#pairs?.outcomes() ?? []) {
      if (outcome.state === "failed") rows.set(key, notConfirmed(`${outcome.side} failed: ${outcome.reason}`));
      if (outcome.state === "told") rows.set(key, confirmedBy(outcome.row));
    }
    const [base, trouble] = [this.#base, this.#trouble];
    return confirmRows(stored, { rows, ...(base && { base }), ...(trouble !== undefined && { trouble }) });
  }

  /**
   * Measures what the comparison suspects; nothing is provisioned where it suspects nothing.
   * @throws the run's abort reason
   */
  async measure(stored: Comparison, confirming: Confirming): Promise<void> {
    const suspects = suspectRows(stored);
    if (suspects.length === 0) return;
    for (const row of suspects) this.#outcomes.set(pairKey(row), notConfirmed(PENDING));
    const { context, display } = confirming;
    const count = suspects.length === 1 ? "1 row looks" : `${suspects.length} rows look`;
    display.line(`${count} changed against the stored results: measuring in pairs with ${this.#options.given}`);
    try {
      await this.#measure(suspects, confirming);
    } catch (error) {
      context.signal.throwIfAborted();
      this.#fail(error instanceof Error ? error.message : String(error), display);
    }
  }

  async #measure(suspects: readonly ComparedRow[], confirming: Confirming): Promise<void> {
    const { planning, measurer, context, display } = confirming;
    const { given, kind, budgetMinutes } = this.#options;
    const source = await findBase(given, planning.options.cwd, kind, "base");
    for (const note of source.notes) display.setup.note(note);
    this.#base = describeSource(source);
    const wanted = suspects.flatMap(({ id, connections }) => (connections === undefined ? [] : { id, connections }));
    const planned = await planPairs({ ...planning, source }, wanted);
    this.#leaveOut(planned);
    const pairs = this.#within(planned.pairs);
    if (pairs.length === 0) return;
    const rows = pairs.map((pair) => pair.base);
    const { env } = planning.host;
    const provisioned = await provision(rows, { run: context, env: { ...env }, progress: display.setup });
    const none = { control: undefined, same: [], alone: [], apart: [] };
    this.#pairs = new PairedRun({ base: this.#base, measured: pairs, ...none }, []);
    await measurer.confirm(this.#pairs, pairs, provisioned, {
      budgetMinutes,
      onUnready: (pair, reason) => {
        this.#outcomes.set(keyOf(pair), notConfirmed(reason));
      },
    });
  }

  /** Every row that is begun gets its first pairs: a budget decides how many are, the most striking ones first. */
  #within(pairs: readonly RowPair[]): readonly RowPair[] {
    const { budgetMinutes } = this.#options;
    if (budgetMinutes === undefined) return pairs;
    const count = Math.max(1, Math.floor((budgetMinutes * 60) / FIRST_PAIRS_SEC));
    for (const pair of pairs.slice(count))
      this.#outcomes.set(keyOf(pair), notConfirmed(`the time for it (${budgetMinutes} min) went to other rows`));
    return pairs.slice(0, count);
  }

  #leaveOut({ refused, same }: PlannedPairs): void {
    for (const [key, reason] of refused) this.#outcomes.set(key, notConfirmed(reason));
    for (const key of same) this.#outcomes.set(key, { state: "cannot-have-changed", reason: CANNOT_HAVE_CHANGED });
  }

  /** Rows that were told before keep their verdict. */
  #fail(reason: string, display: Display): void {
    this.#trouble = reason;
    for (const [key, outcome] of this.#outcomes)
      if (outcome.state === "not-confirmed" && outcome.reason === PENDING)
        this.#outcomes.set(key, notConfirmed(reason));
    display.line(`suspected rows could not be measured in pairs: ${reason}`);
  }
}

/** Until it is known better. */
const PENDING = "the run ended before it";
const FIRST_PAIRS_SEC = PAIRS_MIN * PAIR_SEC;

function keyOf({ head, connections }: RowPair): string {
  return pairKey({ id: head.id, connections });
}

function notConfirmed(reason: string): Confirmed {
  return { state: "not-confirmed", reason };
}

function confirmedBy(row: ComparedRow): Confirmed {
  const none = Object.keys(row.metrics).length === 0;
  return none ? notConfirmed(row.notes?.join("; ") ?? TOO_FEW_PAIRS) : { state: "paired", row };
}
