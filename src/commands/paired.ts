/** Measures rows in pairs until every row is told or the time is up; what it says is a comparison at every moment. */
import { MEASURED_MAX, nextRow } from "../compare/budget.js";
import { type JudgedRow, judgePaired, type PairedRow, validPairs } from "../compare/paired.js";
import { comparePaired } from "../compare/paired-report.js";
import { pairKey, type RowPair } from "../compare/sides.js";
import { uncomparedRow } from "../compare/uncompared.js";
import type { CpuSplit } from "../measure/machine/cpus.js";
import { fixedRate } from "../measure/pairs/open-slice.js";
import { type MeasuredSlice, measurePair, type PairContext, type PairSides } from "../measure/pairs/pair.js";
import { type PairedCase, pairedCase, pairsClientBound } from "../measure/pairs/pair-case.js";
import type { Failure } from "../measure/pairs/schedule.js";
import type { PlannedRow, Side } from "../plan/types.js";
import type { ComparedRow, Comparison, Pair, UncomparedRow } from "../results/comparison.js";
import type { CaseResult } from "../results/schema.js";
import type { PairedPlan } from "./base.js";

/** What the pairs need of the run. */
export interface PairedRunning {
  readonly context: Omit<PairContext, "connections" | "onPhase">;
  readonly cpus: CpuSplit;
  readonly budgetSec: number | undefined;
  /** What is installed for both sides of a row; undefined: the row cannot be paired. */
  sidesOf(pair: RowPair): PairSides | undefined;
  /** Replaces earlier results of the same cases. */
  put(cases: readonly CaseResult[]): Promise<void>;
  onPair(row: PlannedRow, place: { readonly pair: number; readonly rows: number; readonly closed: number }): void;
  onPhase(phase: string, connections: number): void;
  onClosed(judged: JudgedRow): void;
  /** After every pair, when nothing is measured. @param closed rows that are told */
  between(closed: number): Promise<void>;
}

interface State {
  readonly pair: RowPair;
  readonly sides: PairSides;
  readonly pairs: Pair[];
  readonly slices: MeasuredSlice[];
  wallSec: number;
  failure: Failure | undefined;
  told: boolean;
}

/** How far one row came. */
export type PairOutcome =
  | { readonly state: "told"; readonly row: ComparedRow }
  | { readonly state: "failed"; readonly side: Side; readonly reason: string }
  /** Pairs were still to come. */
  | { readonly state: "open" };

/** A guess until the first pair is done. */
export const PAIR_SEC = 4.5;

export class PairedRun {
  readonly #plan: PairedPlan;
  readonly #command: readonly string[];
  readonly #states: State[] = [];
  readonly #apart: UncomparedRow[] = [];
  #cpus: CpuSplit | undefined;
  #ended = false;

  constructor(plan: PairedPlan, command: readonly string[]) {
    this.#plan = plan;
    this.#command = command;
  }

  /** A row of head without a partner that works. */
  leaveUncompared(row: PlannedRow, kind: UncomparedRow["kind"], reason: string): void {
    this.#apart.push(uncomparedRow(row, kind, reason));
  }

  /** What the pairs so far say. */
  comparison(): Comparison {
    return comparePaired({
      base: this.#plan.base,
      rows: this.#judge().map(({ compared }) => compared),
      controls: this.#judgeControl().map(({ compared }) => compared),
      apart: [...this.#plan.apart, ...this.#apart],
      command: this.#command,
    });
  }

  /** By `pairKey`, of every row that was measured in pairs. */
  outcomes(): ReadonlyMap<string, PairOutcome> {
    const judged = new Map(this.#all().map(({ compared }) => [pairKey(compared), compared]));
    return new Map(
      this.#states.map((state): [string, PairOutcome] => {
        const key = keyOf(state);
        const row = judged.get(key);
        const { failure, told } = state;
        if (failure) return [key, { state: "failed", side: failure.side, reason: failure.reason }];
        return [key, told && row ? { state: "told", row } : { state: "open" }];
      }),
    );
  }

  /**
   * Measures until nothing is open or the budget is spent.
   * @returns the rows whose base failed, to be measured by themselves
   * @throws the run's abort reason
   */
  async measure(running: PairedRunning): Promise<PlannedRow[]> {
    this.#cpus = running.cpus;
    const wanted = [...this.#plan.measured, ...(this.#plan.control ? [this.#plan.control] : [])];
    for (const pair of wanted) {
      const sides = running.sidesOf(pair);
      if (sides) this.#states.push({ pair, sides, pairs: [], slices: [], wallSec: 0, failure: undefined, told: false });
    }
    const started = performance.now();
    for (;;) {
      const elapsedSec = (performance.now() - started) / 1000;
      const state = this.#next(elapsedSec, running.budgetSec);
      if (!state) break;
      await this.#measureOne(state, running);
      this.#tell(running);
      await running.between(this.#states.filter(({ told }) => told).length);
    }
    this.#ended = true;
    this.#tell(running);
    return this.#states.flatMap(({ failure, pair }) => (failure?.side === "base" ? [pair.head] : []));
  }

  #next(elapsedSec: number, limitSec: number | undefined): State | undefined {
    const candidates = this.#all().map(({ compared, open, suspicious }) => {
      const id = pairKey(compared);
      const pairs = this.#stateOf(id)?.pairs ?? [];
      return { id, pairs: validPairs({ pairs }), measured: pairs.length, open, suspicious };
    });
    const measured = candidates.reduce((sum, candidate) => sum + candidate.measured, 0);
    const pairSec = measured === 0 ? PAIR_SEC : elapsedSec / measured;
    const id = nextRow(candidates, { elapsedSec, pairSec, ...(limitSec === undefined ? {} : { limitSec }) });
    return id === undefined ? undefined : this.#stateOf(id);
  }

  async #measureOne(state: State, running: PairedRunning): Promise<void> {
    const { pair, sides } = state;
    running.context.run.signal.throwIfAborted();
    const closed = this.#states.filter(({ told }) => told).length;
    running.onPair(pair.head, { pair: state.pairs.length + 1, rows: this.#states.length, closed });
    const started = performance.now();
    const outcome = await measurePair(sides, state.pairs.length, {
      ...running.context,
      connections: pair.connections,
      ...(pair.head.latency && { latency: { ratePerSec: fixedRate(state.slices) } }),
      onPhase: (phase) => running.onPhase(phase, pair.connections),
    });
    const seconds = (performance.now() - started) / 1000;
    state.wallSec += seconds;
    state.slices.push(...outcome.slices);
    if (outcome.state === "failed") await this.#fail(state, outcome, running);
    else {
      state.pairs.push({ seconds, slices: outcome.slices.map(({ paired }) => paired) });
      await running.put(casesOf(state, running.cpus));
    }
  }

  async #fail(state: State, failure: Failure, running: PairedRunning): Promise<void> {
    const { side, reason, log } = failure;
    state.failure = { state: "failed", side, reason, log };
    state.told = true;
    await running.put(casesOf(state, running.cpus));
    if (side === "head") this.leaveUncompared(state.pair.head, "failed-in-head", reason);
  }

  #tell(running: PairedRunning): void {
    for (const judged of this.#all()) {
      const state = this.#stateOf(pairKey(judged.compared));
      if (!state || state.told || (judged.open && !this.#ended)) continue;
      state.told = true;
      running.onClosed(judged);
    }
  }

  #all(): JudgedRow[] {
    return [...this.#judge(), ...this.#judgeControl()];
  }

  #judge(): JudgedRow[] {
    return judgePaired(this.#rows((state) => state.pair !== this.#plan.control));
  }

  /** By itself: it must not add to what others have to prove. */
  #judgeControl(): JudgedRow[] {
    return judgePaired(this.#rows((state) => state.pair === this.#plan.control));
  }

  #rows(of: (state: State) => boolean): PairedRow[] {
    return this.#states
      .filter((state) => of(state) && state.failure === undefined)
      .map((state) => ({
        ...{ id: state.pair.head.id, connections: state.pair.connections, title: state.pair.head.title },
        pairs: state.pairs,
        clientBound: this.#cpus !== undefined && pairsClientBound(asCase(state), this.#cpus),
        ended: this.#ended || state.pairs.length >= MEASURED_MAX,
        notes: failureNotes(state),
      }));
  }

  #stateOf(key: string): State | undefined {
    return this.#states.find((state) => keyOf(state) === key);
  }
}

function keyOf({ pair: { head, connections } }: State): string {
  return pairKey({ id: head.id, connections });
}

function asCase(state: State): PairedCase {
  const { sides, slices, wallSec, pair } = state;
  return { sides, slices, wallSec, connections: pair.connections };
}

function casesOf(state: State, cpus: CpuSplit): CaseResult[] {
  const paired = asCase(state);
  const { failure } = state;
  // Base's own failure leaves head to be measured by itself.
  const sides = failure?.side === "base" ? (["base"] as const) : (["base", "head"] as const);
  return sides.flatMap((side) => pairedCase(paired, side, cpus, failure));
}

function failureNotes({ slices }: State): string[] {
  const failures = (side: "base" | "head") =>
    slices.filter(({ paired }) => paired.side === side).reduce((sum, { slice }) => sum + slice.failures.total, 0);
  const [base, head] = [failures("base"), failures("head")];
  return head > 0 && base === 0 ? [`${head} failed requests in head, none in base`] : [];
}
