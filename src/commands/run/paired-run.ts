/** Measures rows in pairs until every row is decided or the budget is spent. It holds a valid comparison at every moment. */
import { randomInt } from "node:crypto";
import { measuredMax, nextRow } from "../../compare/budget.js";
import { totalSec, validPairs } from "../../compare/counted-pairs.js";
import { type EarlierRow, expectedNoise } from "../../compare/earlier-noise.js";
import { firstLook, PAIRS_MIN } from "../../compare/looks.js";
import { type JudgedRow, judgePaired, type PairedRow } from "../../compare/paired.js";
import { comparePaired } from "../../compare/paired-report.js";
import { type Precision, USUAL_PRECISION } from "../../compare/precision.js";
import { pairKey, type RowPair } from "../../compare/sides.js";
import { ENDED_BEFORE, uncomparedRow } from "../../compare/uncompared.js";
import { FurtherSubject } from "../../measure/further-subject.js";
import type { CpuSplit } from "../../measure/machine/cpus.js";
import { pairChance } from "../../measure/pairs/chance.js";
import { fixedRate } from "../../measure/pairs/open-slice.js";
import { pairsClientBound } from "../../measure/pairs/pair-case.js";
import type { Failure } from "../../measure/pairs/schedule.js";
import { LearnedAnswers } from "../../measure/server/learned.js";
import { furtherMetricsOf, isTimed, type SelectedMetrics, USUAL_METRICS } from "../../plan/selected-metrics.js";
import { LinkedAbort } from "../../process/linked-abort.js";
import type { Comparison, UncomparedRow } from "../../results/comparison.js";
import { type PairedPlan, pairsToMeasure } from "./base-plan.js";
import { BudgetShares, noRoomReason, spentReason } from "./budget-shares.js";
import { expectedPairSec } from "./expected-time.js";
import {
  canCountAnyTime,
  type FurtherKind,
  type FurtherRunning,
  firstRoundsSec,
  measureRounds,
} from "./further-rounds.js";
import { asCase, casesOf, keyOf, notesOf, type PairedRowState } from "./paired-row.js";
import type { PairedRunning, PairedTarget, PairOutcome, Unpaired } from "./paired-running.js";

const NOTHING_YET = { wallSec: 0, failure: undefined, decided: false };
const SEED_MAX = 2 ** 32;
/** A pair that takes longer than it seemed may end so long after the budget; then it is ended, and does not count. */
const OVERRUN_SEC = 10;
const LATE = new Error("the budget is spent");
const TIMER_MAX_MS = 2 ** 31 - 1;

/** What the rows are judged by. */
export interface Judging {
  /** Metrics that have a verdict; default: the usual ones. */
  readonly metrics?: SelectedMetrics | undefined;
  /** Instructions are counted where a row may have changed. */
  readonly countsSuspects?: boolean;
}

/** A row that can have a verdict. */
interface JudgedState extends JudgedRow {
  readonly state: PairedRowState;
}

export class PairedRun {
  readonly #plan: PairedPlan;
  readonly #command: readonly string[];
  readonly #precision: Precision;
  readonly #selectedMetrics: SelectedMetrics;
  readonly #countsSuspects: boolean;
  readonly #states: PairedRowState[] = [];
  /** By `pairKey`: rows that are not compared, each with the last reason. */
  readonly #uncompared = new Map<string, UncomparedRow>();
  /** By `pairKey`: why the row was never begun. */
  readonly #leftOut = new Map<string, string>();
  /** The further metrics that were never begun, because the budget had no room for them. */
  readonly #noRoom = new Map<FurtherSubject, Set<FurtherKind>>();
  #cpus: CpuSplit | undefined;
  #measuring: FurtherRunning | undefined;
  #budgetMinutes: number | undefined;
  #ended = false;

  constructor(
    plan: PairedPlan,
    command: readonly string[],
    precision: Precision = USUAL_PRECISION,
    { metrics = USUAL_METRICS, countsSuspects = false }: Judging = {},
  ) {
    this.#plan = plan;
    this.#command = command;
    this.#precision = precision;
    this.#selectedMetrics = metrics;
    this.#countsSuspects = countsSuspects;
  }

  /** Lists a row of head as not compared. A later reason replaces an earlier one, but a void row stays void: it fails the gate. */
  leaveUncompared({ head, connections }: RowPair, kind: UncomparedRow["kind"], reason: string): void {
    const key = pairKey({ id: head.id, connections });
    if (this.#uncompared.get(key)?.kind === "voided") return;
    this.#uncompared.set(key, uncomparedRow({ ...head, connections }, kind, reason));
  }

  /** The pairs so far do not compare head with base. A base that failed may have failed because its files changed. */
  voidAll(reason: string): void {
    for (const state of this.#states) {
      if (state.failure?.side !== "head" && !this.#leftOut.has(keyOf(state)))
        this.leaveUncompared(state.pair, "voided", reason);
      state.failure = { state: "failed", side: "base", reason, log: "" };
    }
  }

  /** From the pairs so far. Rows that are still to come are listed as they are if the run ends now. */
  comparison(): Comparison {
    const toCome = new Set(this.#ended ? [] : this.#unbegun());
    const unmeasured = [...toCome]
      .filter((state) => !this.#isControl(state) && !this.#uncompared.has(keyOf(state)))
      .map(({ pair: { head, connections } }) => uncomparedRow({ ...head, connections }, "unmeasured", ENDED_BEFORE));
    const begun = (judged: readonly JudgedState[]) =>
      judged.filter(({ state }) => !toCome.has(state)).map(({ compared }) => compared);
    return comparePaired({
      base: this.#plan.base,
      rows: begun(this.#judgeRows()),
      controls: begun(this.#judgeControl()),
      uncompared: [...this.#plan.uncompared, ...this.#uncompared.values(), ...unmeasured],
      command: this.#command,
      precision: this.#precision,
      selectedMetrics: this.#selectedMetrics,
      notes: this.#plan.notes ?? [],
    });
  }

  /** For later runs: how noisy the rows were that have their first pairs. */
  noise(): readonly EarlierRow[] {
    return this.#judgeAll()
      .filter(({ state }) => validPairs(state.pairs) >= PAIRS_MIN)
      .map(({ state, noise }) => ({ key: keyOf(state), noise }));
  }

  /** The rows that have pairs of two sides that work, control rows included. */
  targets(): PairedTarget[] {
    return this.#judgeAll()
      .filter(({ state }) => state.pairs.length > 0)
      .map(({ state, compared }) => {
        const { sides, pair } = state;
        return { sides, connections: pair.connections, compared, control: this.#isControl(state) };
      });
  }

  /** By `pairKey`, of every row that was measured in pairs. */
  outcomes(): ReadonlyMap<string, PairOutcome> {
    const compared = new Map(this.#judgeAll().map((judged) => [judged.state, judged.compared]));
    return new Map(
      this.#states.map((state): [string, PairOutcome] => {
        const key = keyOf(state);
        const row = compared.get(state);
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
    this.#measuring = running.furtherMetrics;
    this.#budgetMinutes = running.budgetMinutes;
    for (const pair of pairsToMeasure(this.#plan)) {
      const sides = running.sidesOf(pair);
      if (!sides) continue;
      const expected = expectedNoise(running.earlier, pairKey({ id: pair.head.id, connections: pair.connections }));
      const chosen = { pair, sides, seed: randomInt(SEED_MAX), expectedNoise: expected };
      const learned = { base: new LearnedAnswers(), head: new LearnedAnswers() };
      const subject = new FurtherSubject(sides, pair.connections);
      this.#states.push({ ...chosen, subject, ...NOTHING_YET, pairs: [], slices: [], learned });
    }
    const shares = new BudgetShares(running, this.#selectedMetrics);
    const kinds = furtherMetricsOf(this.#selectedMetrics);
    // Before the pairs what takes least: a row that is proven worse needs fewer of them.
    const first = kinds.filter((kind) => kind === "instructions" && isTimed(this.#selectedMetrics));
    for (const kind of first) await this.#measureFurtherMetrics(kind, running, shares.next());
    if (isTimed(this.#selectedMetrics)) await this.#measurePairs(running, shares.next());
    for (const kind of kinds)
      if (!first.includes(kind)) await this.#measureFurtherMetrics(kind, running, shares.next());
    this.#ended = true;
    const leftOut = this.#leaveOutUnbegun();
    this.#announce(running);
    const withoutBase = this.#states.flatMap(({ failure, pair }) => (failure?.side === "base" ? [pair] : []));
    return { withoutBase, leftOut };
  }

  /** @param limitSec from now on */
  async #measurePairs(running: PairedRunning, limitSec: number | undefined): Promise<void> {
    const started = running.now();
    const { run } = running.context;
    using over = new LinkedAbort(run.signal);
    const limited = { ...running, context: { ...running.context, run: { ...run, signal: over.signal } } };
    const endMs = Math.min(TIMER_MAX_MS, ((limitSec ?? Number.POSITIVE_INFINITY) + OVERRUN_SEC) * 1000);
    const timer = setTimeout(() => over.abort(LATE), endMs);
    try {
      for (;;) {
        await this.#countSuspects(running, limitSec === undefined ? undefined : limitSec - (running.now() - started));
        const state = this.#next(running.now() - started, limitSec);
        if (!state) break;
        await this.#measureOne(state, limited);
        this.#announce(running);
        await running.between(this.#countDecided());
      }
    } catch (error) {
      run.signal.throwIfAborted();
      if (error !== LATE) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Counts the instructions of rows that may have changed. A row that could not be counted keeps its pairs. @param limitSec from now on */
  async #countSuspects(running: PairedRunning, limitSec: number | undefined): Promise<void> {
    if (!this.#countsSuspects || (limitSec ?? Number.POSITIVE_INFINITY) < firstRoundsSec("instructions")) return;
    const subjects = this.#openFor("instructions");
    if (subjects.length > 0) await this.#measureRounds("instructions", subjects, running, limitSec);
  }

  /** @param limitSec from now on */
  async #measureFurtherMetrics(kind: FurtherKind, running: PairedRunning, limitSec: number | undefined): Promise<void> {
    const subjects = this.#states.filter(({ failure }) => failure === undefined).map(({ subject }) => subject);
    const ended = await this.#measureRounds(kind, subjects, running, limitSec);
    if (running.budgetMinutes === undefined || ended === undefined) return;
    for (const subject of ended.unbegun) {
      const reason = noRoomReason(kind, running.budgetMinutes, ended.enoughSec, this.#selectedMetrics);
      subject.problems[kind] = { reason };
      this.#noRoom.set(subject, new Set([...(this.#noRoom.get(subject) ?? []), kind]));
    }
  }

  async #measureRounds(
    kind: FurtherKind,
    subjects: readonly FurtherSubject[],
    running: PairedRunning,
    limitSec: number | undefined,
  ): ReturnType<typeof measureRounds> {
    if (!running.furtherMetrics) return undefined;
    const between = async () => {
      this.#announce(running);
      await running.put([]);
      await running.between(this.#countDecided());
    };
    return await measureRounds(
      { kind, subjects, open: () => this.#openFor(kind), limitSec, between },
      running.furtherMetrics,
    );
  }

  /** The rows whose verdict another round could change. */
  #openFor(kind: FurtherKind): FurtherSubject[] {
    return this.#judgeAll()
      .filter(({ openFurtherMetrics }) => openFurtherMetrics.includes(kind))
      .map(({ state }) => state.subject);
  }

  /** Rows without any figures. A row whose failure is known is not among them. */
  #unbegun(): PairedRowState[] {
    return this.#states.filter(
      ({ failure, pairs, subject }) =>
        failure === undefined &&
        !subject.hasFailed() &&
        pairs.length + subject.pairs.length + subject.rounds.length === 0,
    );
  }

  /** Because of the budget. */
  #leaveOutUnbegun(): Unpaired["leftOut"] {
    const budgetMinutes = this.#budgetMinutes;
    if (budgetMinutes === undefined) return [];
    const unbegun = this.#unbegun().filter(({ subject }) => isTimed(this.#selectedMetrics) || this.#hadNoRoom(subject));
    return unbegun.map((state) => {
      const { problems } = state.subject;
      const reason = isTimed(this.#selectedMetrics)
        ? spentReason(budgetMinutes)
        : (problems.instructions?.reason ?? problems.memory?.reason ?? spentReason(budgetMinutes));
      state.decided = true;
      this.#leftOut.set(keyOf(state), reason);
      this.leaveUncompared(state.pair, "unmeasured", reason);
      return { row: state.pair.head, reason };
    });
  }

  #hadNoRoom(subject: FurtherSubject): boolean {
    return furtherMetricsOf(this.#selectedMetrics).every((kind) => this.#noRoom.get(subject)?.has(kind));
  }

  #next(elapsedSec: number, limitSec: number | undefined): PairedRowState | undefined {
    const judged = this.#judgeAll();
    const slowness = this.#slowness();
    const candidates = judged.map(({ state, open, suspicious }) => {
      const { pairs, pair } = state;
      const pairSec = pairs.length > 0 ? totalSec(pairs) / pairs.length : slowness * expectedPairSec(pair.head);
      return { id: keyOf(state), pairs: validPairs(pairs), measured: pairs.length, pairSec, open, suspicious };
    });
    const limit = limitSec === undefined ? {} : { limitSec };
    const id = nextRow(candidates, { elapsedSec, ...limit }, this.#precision);
    return judged.find(({ state }) => keyOf(state) === id)?.state;
  }

  /** How many times as long as expected pairs take. */
  #slowness(): number {
    const measured = this.#states.filter(({ pairs }) => pairs.length > 0);
    const expected = measured.reduce((sum, { pair, pairs }) => sum + pairs.length * expectedPairSec(pair.head), 0);
    return expected === 0 ? 1 : totalSec(measured.flatMap(({ pairs }) => pairs)) / expected;
  }

  async #measureOne(state: PairedRowState, running: PairedRunning): Promise<void> {
    const { pair, sides } = state;
    running.context.run.signal.throwIfAborted();
    const progress = { pair: state.pairs.length + 1, rows: this.#states.length, decided: this.#countDecided() };
    running.onPair(pair.head, progress);
    const started = running.now();
    const chance = pairChance(state.seed, state.pairs.length);
    const outcome = await running.measurePair(sides, chance, {
      ...running.context,
      connections: pair.connections,
      earlierPairs: state.pairs,
      learned: state.learned,
      ...(pair.head.latency && {
        latency: { ratePerSec: pair.head.ratePerSec ?? fixedRate(state.slices), share: pair.head.rateShare },
      }),
      onPhase: (phase) => running.onPhase(phase, pair.connections),
    });
    running.context.run.signal.throwIfAborted();
    const seconds = running.now() - started;
    state.wallSec += seconds;
    state.slices.push(...outcome.slices);
    if (outcome.state === "failed") await this.#fail(state, outcome, running);
    else {
      const { hashSeed, padBytes: pad, stackBytes } = chance;
      const { sameAddresses } = outcome;
      state.pairs.push({
        seconds,
        chance: { hashSeed, padBytes: { base: pad, head: pad }, stackBytes },
        ...(sameAddresses && { sameAddresses }),
        slices: outcome.slices.map(({ paired }) => paired),
      });
      await running.put(casesOf(state, running.cpus));
    }
  }

  async #fail(state: PairedRowState, failure: Failure, running: PairedRunning): Promise<void> {
    const { side, reason, log } = failure;
    state.failure = { state: "failed", side, reason, log };
    state.decided = true;
    const cases = casesOf(state, running.cpus);
    await running.put(cases);
    for (const result of cases) if (result.side === side && result.state === "failed") running.onFailed(result);
    this.leaveUncompared(state.pair, side === "head" ? "failed-in-head" : "failed-in-base", reason);
  }

  #announce(running: PairedRunning): void {
    const isNew = ({ state, open, openFurtherMetrics }: JudgedState) =>
      !state.decided && (this.#ended || (!open && openFurtherMetrics.length === 0));
    const decided = new Set(this.#judgeAll().flatMap((judged) => (isNew(judged) ? judged.state : [])));
    if (decided.size === 0) return;
    for (const state of decided) state.decided = true;
    for (const { state, compared } of this.#judgeAll((one) => one.decided))
      if (decided.has(state)) running.onDecided(compared, this.#isControl(state));
  }

  #countDecided(): number {
    return this.#states.filter(({ decided }) => decided).length;
  }

  #isControl({ pair }: PairedRowState): boolean {
    return pair === this.#plan.control;
  }

  /** @param hasEnded rows that are judged as those that no further pair follows, as at the end of the run */
  #judgeAll(hasEnded?: (state: PairedRowState) => boolean): JudgedState[] {
    return [...this.#judgeRows(hasEnded), ...this.#judgeControl(hasEnded)];
  }

  #judgeRows(hasEnded?: (state: PairedRowState) => boolean): JudgedState[] {
    return this.#judge(
      this.#states.filter((state) => !this.#isControl(state)),
      hasEnded,
    );
  }

  /** Judged apart from the others: it must not share their error budget. */
  #judgeControl(hasEnded?: (state: PairedRowState) => boolean): JudgedState[] {
    return this.#judge(
      this.#states.filter((state) => this.#isControl(state)),
      hasEnded,
    );
  }

  /** As rows of one report. Those that failed or were left out have no verdict. */
  #judge(states: readonly PairedRowState[], hasEnded: (state: PairedRowState) => boolean = () => false): JudgedState[] {
    const judgeable = states.filter((state) => state.failure === undefined && !this.#leftOut.has(keyOf(state)));
    const rows = judgeable.map((state) => this.#asRow(state, hasEnded(state)));
    const judged = judgePaired(rows, this.#precision, this.#selectedMetrics);
    return judgeable.flatMap((state, i) => {
      const row = judged[i];
      return row ? [{ ...row, state }] : [];
    });
  }

  #asRow(state: PairedRowState, hasEnded: boolean): PairedRow {
    const { pair, pairs, expectedNoise } = state;
    return {
      id: pair.head.id,
      connections: pair.connections,
      title: pair.head.title,
      started: pair.started,
      pairs,
      expectedNoise,
      clientBound: this.#cpus !== undefined && pairsClientBound(asCase(state), this.#cpus),
      ended: hasEnded || this.#ended || pairs.length >= measuredMax(this.#precision),
      notes: [...notesOf(state), ...this.#notesOnBudget(state)],
      ...this.#furtherMetricsOf(state, !hasEnded && !this.#ended),
    };
  }

  /** @param more further rounds may follow */
  #furtherMetricsOf(
    state: PairedRowState,
    more: boolean,
  ): Pick<PairedRow, "furtherMetrics" | "moreFurtherMetrics" | "countable"> {
    const furtherMetrics = state.subject.furtherMetrics();
    if (furtherMetricsOf(this.#selectedMetrics).length > 0) return { furtherMetrics, moreFurtherMetrics: more };
    // The control is the same on both sides: what it shows is noise, and should stay in it.
    if (!this.#countsSuspects || this.#isControl(state)) return {};
    const countable = this.#measuring !== undefined && canCountAnyTime(state.subject, this.#measuring);
    return { ...(Object.keys(furtherMetrics).length > 0 && { furtherMetrics }), moreFurtherMetrics: more, countable };
  }

  /** Why the pairs of a row are too few. */
  #notesOnBudget({ pairs }: PairedRowState): string[] {
    if (!this.#ended || this.#budgetMinutes === undefined || pairs.length === 0) return [];
    return validPairs(pairs) < firstLook(this.#precision.looks) ? [spentReason(this.#budgetMinutes)] : [];
  }
}
