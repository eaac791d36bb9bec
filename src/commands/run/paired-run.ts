/** Measures rows in pairs until every row is decided or the budget is spent. It holds a valid comparison at every moment. */
import { randomInt } from "node:crypto";
import { measuredMax, nextRow } from "../../compare/budget.js";
import { type JudgedRow, judgePaired, type PairedRow, validPairs } from "../../compare/paired.js";
import { comparePaired } from "../../compare/paired-report.js";
import { type Precision, USUAL_PRECISION } from "../../compare/precision.js";
import { pairKey, type RowPair } from "../../compare/sides.js";
import { uncomparedRow } from "../../compare/uncompared.js";
import type { CpuSplit } from "../../measure/machine/cpus.js";
import { pairChance } from "../../measure/pairs/chance.js";
import { fixedRate } from "../../measure/pairs/open-slice.js";
import type { MeasuredSlice, measurePair, PairContext, PairSides } from "../../measure/pairs/pair.js";
import { type PairedCase, pairedCase, pairsClientBound } from "../../measure/pairs/pair-case.js";
import type { Failure } from "../../measure/pairs/schedule.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import type { ComparedRow, Comparison, Pair, UncomparedRow } from "../../results/comparison.js";
import type { CaseResult } from "../../results/schema.js";
import type { PairedPlan } from "./base-plan.js";

/** Progress of the pairs. */
export interface PairProgress {
  /** Number of the pair within its row, from 1. */
  readonly pair: number;
  readonly rows: number;
  /** Rows that are decided. */
  readonly decided: number;
}

/** What the pairs get from the run. */
export interface PairedRunning {
  readonly context: Omit<PairContext, "connections" | "onPhase">;
  readonly cpus: CpuSplit;
  /** For all pairs together. */
  readonly budgetMinutes: number | undefined;
  /** Seconds of a clock that never goes back. */
  now(): number;
  measurePair: typeof measurePair;
  /** The environments of both sides; undefined: the row cannot be paired. */
  sidesOf(pair: RowPair): PairSides | undefined;
  /** Replaces earlier results of the same cases. */
  put(cases: readonly CaseResult[]): Promise<void>;
  onPair(row: PlannedRow, progress: PairProgress): void;
  onPhase(phase: string, connections: number): void;
  /** @param control it is the same on both sides */
  onDecided(row: ComparedRow, control: boolean): void;
  /** After every pair, when nothing is measured. @param decided rows */
  between(decided: number): Promise<void>;
}

interface State {
  readonly pair: RowPair;
  readonly sides: PairSides;
  /** Of what is random about its pairs. */
  readonly seed: number;
  readonly pairs: Pair[];
  readonly slices: MeasuredSlice[];
  wallSec: number;
  failure: Failure | undefined;
  decided: boolean;
}

/** Rows that got no verdict from pairs. */
interface Unpaired {
  /** Base failed: head is measured alone. */
  readonly withoutBase: readonly PlannedRow[];
  /** The budget had no room for their first pairs. */
  readonly leftOut: readonly { readonly row: PlannedRow; readonly reason: string }[];
}

/** The state of one row. */
export type PairOutcome =
  | { readonly state: "decided"; readonly row: ComparedRow }
  | { readonly state: "failed"; readonly side: Side; readonly reason: string }
  /** The budget had no room for it. */
  | { readonly state: "left-out"; readonly reason: string }
  /** Pairs were still to come. */
  | { readonly state: "open" };

const NOTHING_YET = { wallSec: 0, failure: undefined, decided: false };
const SEED_MAX = 2 ** 32;

/** Expected seconds of a pair, until the first one is measured. */
const PAIR_SEC = 4.3;

export class PairedRun {
  readonly #plan: PairedPlan;
  readonly #command: readonly string[];
  readonly #precision: Precision;
  readonly #states: State[] = [];
  readonly #apart: UncomparedRow[] = [];
  /** By `pairKey`: why the row was never begun. */
  readonly #leftOut = new Map<string, string>();
  #cpus: CpuSplit | undefined;
  #ended = false;

  constructor(plan: PairedPlan, command: readonly string[], precision: Precision = USUAL_PRECISION) {
    this.#plan = plan;
    this.#command = command;
    this.#precision = precision;
  }

  /** Lists a row of head as not compared. */
  leaveUncompared(row: PlannedRow, kind: UncomparedRow["kind"], reason: string): void {
    this.#apart.push(uncomparedRow(row, kind, reason));
  }

  /** The pairs so far do not compare head with base. */
  voidAll(reason: string): void {
    for (const state of this.#states) {
      if (state.failure === undefined) this.leaveUncompared(state.pair.head, "voided", reason);
      state.failure = { state: "failed", side: "base", reason, log: "" };
    }
  }

  /** From the pairs so far. */
  comparison(): Comparison {
    return comparePaired({
      base: this.#plan.base,
      rows: this.#judge().map(({ compared }) => compared),
      controls: this.#judgeControl().map(({ compared }) => compared),
      apart: [...this.#plan.apart, ...this.#apart],
      command: this.#command,
      precision: this.#precision,
    });
  }

  /** By `pairKey`, of every row that was measured in pairs. */
  outcomes(): ReadonlyMap<string, PairOutcome> {
    const judged = new Map(this.#all().map(({ compared }) => [pairKey(compared), compared]));
    return new Map(
      this.#states.map((state): [string, PairOutcome] => {
        const key = keyOf(state);
        const row = judged.get(key);
        const { failure, decided } = state;
        const leftOut = this.#leftOut.get(key);
        if (failure) return [key, { state: "failed", side: failure.side, reason: failure.reason }];
        if (leftOut !== undefined) return [key, { state: "left-out", reason: leftOut }];
        return [key, decided && row ? { state: "decided", row } : { state: "open" }];
      }),
    );
  }

  /**
   * Measures until nothing is open or the budget is spent.
   * @throws the run's abort reason
   */
  async measure(running: PairedRunning): Promise<Unpaired> {
    this.#cpus = running.cpus;
    const wanted = [...this.#plan.measured, ...(this.#plan.control ? [this.#plan.control] : [])];
    for (const pair of wanted) {
      const sides = running.sidesOf(pair);
      if (sides) this.#states.push({ pair, sides, seed: randomInt(SEED_MAX), ...NOTHING_YET, pairs: [], slices: [] });
    }
    const started = running.now();
    for (;;) {
      const state = this.#next(running.now() - started, running.budgetMinutes);
      if (!state) break;
      await this.#measureOne(state, running);
      this.#announce(running);
      await running.between(this.#states.filter(({ decided }) => decided).length);
    }
    this.#ended = true;
    const leftOut = this.#leaveOutUnbegun(running.budgetMinutes);
    this.#announce(running);
    const withoutBase = this.#states.flatMap(({ failure, pair }) => (failure?.side === "base" ? [pair.head] : []));
    return { withoutBase, leftOut };
  }

  #leaveOutUnbegun(budgetMinutes: number | undefined): Unpaired["leftOut"] {
    if (budgetMinutes === undefined) return [];
    const unbegun = this.#states.filter(({ failure, pairs }) => failure === undefined && pairs.length === 0);
    const reason = `the budget of ${budgetMinutes} min was spent`;
    return unbegun.map((state) => {
      state.decided = true;
      this.#leftOut.set(keyOf(state), reason);
      this.leaveUncompared(state.pair.head, "unmeasured", reason);
      return { row: state.pair.head, reason };
    });
  }

  #next(elapsedSec: number, budgetMinutes: number | undefined): State | undefined {
    const candidates = this.#all().map(({ compared, open, suspicious }) => {
      const id = pairKey(compared);
      const pairs = this.#stateOf(id)?.pairs ?? [];
      return { id, pairs: validPairs({ pairs }), measured: pairs.length, open, suspicious };
    });
    const measured = this.#states.flatMap(({ pairs }) => pairs);
    const pairSec = measured.length === 0 ? PAIR_SEC : totalSec(measured) / measured.length;
    const limit = budgetMinutes === undefined ? {} : { limitSec: budgetMinutes * 60 };
    const id = nextRow(candidates, { elapsedSec, pairSec, ...limit }, this.#precision);
    return id === undefined ? undefined : this.#stateOf(id);
  }

  async #measureOne(state: State, running: PairedRunning): Promise<void> {
    const { pair, sides } = state;
    running.context.run.signal.throwIfAborted();
    const decided = this.#states.filter((one) => one.decided).length;
    running.onPair(pair.head, { pair: state.pairs.length + 1, rows: this.#states.length, decided });
    const started = running.now();
    const chance = pairChance(state.seed, state.pairs.length);
    const outcome = await running.measurePair(sides, chance, {
      ...running.context,
      connections: pair.connections,
      ...(pair.head.latency && { latency: { ratePerSec: fixedRate(state.slices) } }),
      onPhase: (phase) => running.onPhase(phase, pair.connections),
    });
    const seconds = running.now() - started;
    state.wallSec += seconds;
    state.slices.push(...outcome.slices);
    if (outcome.state === "failed") await this.#fail(state, outcome, running);
    else {
      const { hashSeed, padBytes } = chance;
      const slices = outcome.slices.map(({ paired }) => paired);
      state.pairs.push({ seconds, chance: { hashSeed, padBytes }, slices });
      await running.put(casesOf(state, running.cpus));
    }
  }

  async #fail(state: State, failure: Failure, running: PairedRunning): Promise<void> {
    const { side, reason, log } = failure;
    state.failure = { state: "failed", side, reason, log };
    state.decided = true;
    await running.put(casesOf(state, running.cpus));
    if (side === "head") this.leaveUncompared(state.pair.head, "failed-in-head", reason);
  }

  #announce(running: PairedRunning): void {
    for (const judged of this.#all()) {
      const state = this.#stateOf(pairKey(judged.compared));
      if (!state || state.decided || (judged.open && !this.#ended)) continue;
      state.decided = true;
      running.onDecided(judged.compared, state.pair === this.#plan.control);
    }
  }

  #all(): JudgedRow[] {
    return [...this.#judge(), ...this.#judgeControl()];
  }

  #judge(): JudgedRow[] {
    return judgePaired(
      this.#rows((state) => state.pair !== this.#plan.control),
      this.#precision,
    );
  }

  /** Judged apart from the others: it must not share their error budget. */
  #judgeControl(): JudgedRow[] {
    return judgePaired(
      this.#rows((state) => state.pair === this.#plan.control),
      this.#precision,
    );
  }

  #rows(of: (state: State) => boolean): PairedRow[] {
    return this.#states
      .filter((state) => of(state) && state.failure === undefined && !this.#leftOut.has(keyOf(state)))
      .map((state) => ({
        ...{ id: state.pair.head.id, connections: state.pair.connections, title: state.pair.head.title },
        pairs: state.pairs,
        clientBound: this.#cpus !== undefined && pairsClientBound(asCase(state), this.#cpus),
        ended: this.#ended || state.pairs.length >= measuredMax(this.#precision),
        notes: failureNotes(state),
      }));
  }

  #stateOf(key: string): State | undefined {
    return this.#states.find((state) => keyOf(state) === key);
  }
}

function totalSec(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { seconds }) => sum + seconds, 0);
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
  // Where base failed, head is measured alone afterwards.
  const sides = failure?.side === "base" ? (["base"] as const) : (["base", "head"] as const);
  return sides.flatMap((side) => pairedCase(paired, side, cpus, failure));
}

function failureNotes({ slices }: State): string[] {
  const failures = (side: "base" | "head") =>
    slices.filter(({ paired }) => paired.side === side).reduce((sum, { slice }) => sum + slice.failures.total, 0);
  const [base, head] = [failures("base"), failures("head")];
  return head > 0 && base === 0 ? [`${head} failed requests in head, none in base`] : [];
}
