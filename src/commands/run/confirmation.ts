/** Rows that may have changed since the stored results are measured in pairs with base before they are reported. */

import { type Confirmed, confirmRows, suspectRows } from "../../compare/confirmed.js";
import { detectOf } from "../../compare/precision.js";
import { TOO_FEW_PAIRS } from "../../compare/row-notes.js";
import { pairKey, type RowPair } from "../../compare/sides.js";
import { ENDED_BEFORE } from "../../compare/uncompared.js";
import { messageOf } from "../../errors.js";
import { plural } from "../../messages/sentence.js";
import type { RunContext } from "../../process/run.js";
import { provision } from "../../provision/provision.js";
import { describeSource } from "../../provision/sides/sides.js";
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import type { Display } from "../display.js";
import type { MeasuredBase } from "./against.js";
import { type BasePlanning, CANNOT_HAVE_CHANGED, type PlannedPairs, planPairs } from "./base-plan.js";
import type { PairRunner } from "./pair-runner.js";
import { type Judging, PairedRun } from "./paired-run.js";
import type { PairedTarget } from "./paired-running.js";

interface Confirming {
  readonly planning: Omit<BasePlanning, "source">;
  readonly pairs: PairRunner;
  readonly run: RunContext;
  readonly display: Display;
}

/** A failure here leaves head's results and the stored verdicts as they are, with the reason as a note. */
export class Confirmation {
  readonly #options: MeasuredBase;
  readonly #judging: Judging;
  readonly #outcomes = new Map<string, Confirmed>();
  #base: Readonly<Record<string, string>> | undefined;
  #pairs: PairedRun | undefined;
  #trouble: string | undefined;

  constructor(base: MeasuredBase, judging: Judging) {
    this.#options = base;
    this.#judging = judging;
  }

  /** The rows that were measured in pairs. */
  targets(): PairedTarget[] {
    return this.#pairs?.targets() ?? [];
  }

  /** Puts the verdicts known so far into a comparison of head with stored results. */
  applyTo(stored: Comparison): Comparison {
    const rows = new Map(this.#outcomes);
    for (const [key, outcome] of this.#pairs?.outcomes() ?? []) {
      if (outcome.state === "failed") rows.set(key, notConfirmed(`${outcome.side} failed: ${outcome.reason}`));
      if (outcome.state === "left-out") rows.set(key, notConfirmed(outcome.reason));
      if (outcome.state === "decided") rows.set(key, confirmedBy(outcome.row));
    }
    const [base, trouble, detect] = [this.#base, this.#trouble, detectOf(this.#options.precision)];
    return confirmRows(stored, {
      rows,
      ...(base && { base }),
      ...(detect !== undefined && { detect }),
      ...(trouble !== undefined && { trouble }),
    });
  }

  /**
   * Measures the rows that the comparison suspects. Without suspects nothing is provisioned.
   * @throws the run's abort reason
   */
  async measure(stored: Comparison, confirming: Confirming): Promise<void> {
    const suspects = suspectRows(stored);
    if (suspects.length === 0) return;
    for (const row of suspects) this.#outcomes.set(pairKey(row), notConfirmed(ENDED_BEFORE));
    const { run, display } = confirming;
    const rows = plural(suspects.length, "benchmark");
    display.line(
      `${rows} may have changed since the stored results: measuring in pairs with ${this.#options.source.given}`,
    );
    try {
      await this.#measure(suspects, confirming);
    } catch (error) {
      run.signal.throwIfAborted();
      this.#fail(messageOf(error), display);
    }
  }

  async #measure(suspects: readonly ComparedRow[], confirming: Confirming): Promise<void> {
    const { planning, pairs: runner, run, display } = confirming;
    const { source, budgetMinutes, precision } = this.#options;
    for (const note of source.notes) display.setup.note(note);
    this.#base = describeSource(source);
    const wanted = suspects.flatMap(({ id, connections }) => (connections === undefined ? [] : { id, connections }));
    const planned = await planPairs({ ...planning, source }, wanted);
    this.#leaveOut(planned);
    const { pairs } = planned;
    if (pairs.length === 0) return;
    const rows = pairs.map((pair) => pair.base);
    const { env } = planning.context;
    const provisioned = await provision(rows, { run, env: { ...env }, progress: display.setup });
    const none = { control: undefined, identical: [], alone: [], uncompared: [] };
    this.#pairs = new PairedRun({ base: this.#base, measured: pairs, ...none }, [], precision, this.#judging);
    await runner.confirm(this.#pairs, pairs, provisioned, {
      budgetMinutes,
      onUnready: (pair, reason) => {
        this.#outcomes.set(keyOf(pair), notConfirmed(reason));
      },
    });
  }

  #leaveOut({ refused, identical }: PlannedPairs): void {
    for (const [key, reason] of refused) this.#outcomes.set(key, notConfirmed(reason));
    for (const key of identical) this.#outcomes.set(key, { state: "cannot-have-changed", reason: CANNOT_HAVE_CHANGED });
  }

  /** Rows that were decided before keep their verdict. */
  #fail(reason: string, display: Display): void {
    this.#trouble = reason;
    for (const [key, outcome] of this.#outcomes)
      if (outcome.state === "not-confirmed" && outcome.reason === ENDED_BEFORE)
        this.#outcomes.set(key, notConfirmed(reason));
    display.line(`suspected benchmarks could not be measured in pairs: ${reason}`);
  }
}

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
