/** Measures head and base in pairs, and alone the rows that have no base. */
import type { RowPair } from "../../compare/sides.js";
import { PairSeries } from "../../measure/pairs/pair.js";
import type { PairSides } from "../../measure/pairs/pair-servers.js";
import { PairPreparations } from "../../measure/preparation/pair-preparations.js";
import { unmeasured } from "../../measure/row-results.js";
import type { PlannedRow } from "../../plan/types.js";
import type { Provisioned } from "../../provision/types.js";
import { CANNOT_HAVE_CHANGED, type PairedPlan, pairsToMeasure } from "./base-plan.js";
import { BaseWatch } from "./base-watch.js";
import { NoiseFile } from "./noise-file.js";
import type { PairedRun } from "./paired-run.js";
import type { PairedRunning } from "./paired-running.js";
import type { RowRunner } from "./row-runner.js";
import type { RunState } from "./run-state.js";
import { UNREADY_SIDES, type Unready, whyUnready } from "./unready.js";

export class PairRunner {
  readonly #rows: RowRunner;
  readonly #run: RunState;

  constructor(rows: RowRunner, run: RunState) {
    this.#rows = rows;
    this.#run = run;
  }

  /**
   * Measures rows in pairs. A row whose base does not work is measured alone.
   * @throws the run's abort reason
   */
  async measure(plan: PairedPlan, paired: PairedRun, budgetMinutes: number | undefined): Promise<void> {
    const { writer, provisioned } = this.#run;
    for (const row of plan.identical) await this.#rows.leaveOut(row, { state: "skipped", reason: SKIPPED });
    const rows = pairsToMeasure(plan);
    for (const pair of rows) await this.#recordUnready(pair, provisioned);
    const alone: PlannedRow[] = [...plan.alone];
    const { withoutBase, leftOut } = await this.#againstBase(paired, rows, provisioned, {
      budgetMinutes,
      sidesOf: (pair) =>
        this.#sidesOf(pair, provisioned, ({ kind, reason }) => {
          paired.leaveUncompared(pair, kind, reason);
          alone.push(pair.head);
        }),
      put: (cases) => writer.put(cases),
      onFailed: (result) => this.#run.display.caseDone(result),
    });
    await this.#rows.measureRows(alone);
    for (const { row, reason } of leftOut) await this.#rows.leaveOut(row, { state: "skipped", reason });
    for (const pair of withoutBase) await this.#measureAfterBase(pair, paired);
  }

  /**
   * Measures rows again, in pairs, that were measured alone before. Head's cases stay; only base's are added.
   * @param ofBase what was installed for base
   * @param onUnready called where a side of a row is not installed
   * @throws the run's abort reason
   */
  async confirm(
    pairs: PairedRun,
    rows: readonly RowPair[],
    ofBase: Provisioned,
    options: {
      readonly budgetMinutes: number | undefined;
      readonly onUnready: (pair: RowPair, reason: string) => void;
    },
  ): Promise<void> {
    for (const pair of rows) await this.#recordUnready(pair, ofBase);
    await this.#againstBase(pairs, rows, ofBase, {
      budgetMinutes: options.budgetMinutes,
      sidesOf: (pair) =>
        this.#sidesOf(pair, ofBase, ({ kind, reason }) => options.onUnready(pair, `${UNREADY_SIDES[kind]}: ${reason}`)),
      put: (cases) => this.#run.writer.put(cases.filter(({ side }) => side === "base")),
      // What head did before stays: its failure in these pairs is the reason why nothing is confirmed.
      onFailed: (result) => {
        if (result.side === "base") this.#run.display.caseDone(result);
      },
    });
  }

  /** Measures pairs. If base's files change meanwhile, all are void, also where the run is interrupted: its verdicts are reported. */
  async #againstBase(
    pairs: PairedRun,
    rows: readonly RowPair[],
    ofBase: Provisioned,
    running: OwnRunning,
  ): ReturnType<PairedRun["measure"]> {
    const watch = await BaseWatch.begin(rows.flatMap((pair) => this.#sidesOf(pair, ofBase, () => {}) ?? []));
    try {
      return await this.#inPairs(pairs, running);
    } finally {
      await this.#voidIfChanged(watch, pairs);
    }
  }

  async #voidIfChanged(watch: BaseWatch, pairs: PairedRun): Promise<void> {
    const problem = this.#run.baseProblem ?? (await watch.problem());
    if (problem === undefined) return;
    pairs.voidAll(problem);
    this.#run.session.context.warn?.(`No benchmark was compared: ${problem}`);
  }

  /** Measures pairs, and keeps their noise for later runs, also when the run is interrupted. */
  async #inPairs(pairs: PairedRun, running: OwnRunning): ReturnType<PairedRun["measure"]> {
    const { display, cpus, context, session, writer } = this.#run;
    const { fingerprint } = writer.results.environment;
    const noise = await NoiseFile.open({ ...session.context, env: { ...context.env }, machine: fingerprint });
    // Servers end before the services that they use.
    await using preparations = new PairPreparations((...pair) => series.measure(...pair));
    await using series = new PairSeries();
    try {
      return await pairs.measure({
        context: this.#rows.context(),
        cpus,
        ...running,
        earlier: noise.earlier,
        measurePair: preparations.measure,
        furtherMetrics: this.#rows.furtherRunning(),
        now: () => performance.now() / 1000,
        onPair: (row, progress) => display.pairStarted(row, progress),
        onPhase: (phase, connections) => display.phase(phase, connections),
        onDecided: (row, control) => {
          preparations.release(row.id, row.connections);
          display.rowDecided(row, control);
        },
        between: (decided) => this.#rows.reportDone(decided),
      });
    } finally {
      await noise.add(pairs.noise());
    }
  }

  #sidesOf({ base, head }: RowPair, ofBase: Provisioned, onUnready: (why: Unready) => void): PairSides | undefined {
    const states = { base: this.#rows.stateOf(base, ofBase), head: this.#rows.stateOf(head) };
    if (states.base.state === "ready" && states.head.state === "ready")
      return { base: { row: base, ready: states.base }, head: { row: head, ready: states.head } };
    onUnready(whyUnready(states.base, states.head));
    return undefined;
  }

  /** Records why base is not installed, with the last lines of its log. */
  async #recordUnready({ base, connections }: RowPair, ofBase: Provisioned): Promise<void> {
    const state = this.#rows.stateOf(base, ofBase);
    if (state.state === "ready") return;
    await this.#run.writer.put(unmeasured({ ...base, connections: [connections] }, "base", state));
  }

  /** Base failed during the pairs. Unless earlier pairs have head's figures, head is measured alone now, and may fail too. */
  async #measureAfterBase(pair: RowPair, paired: PairedRun): Promise<void> {
    const { head } = pair;
    const ofHead = () =>
      this.#run.writer.results.cases.find((result) => result.id === head.id && result.side === "head");
    if (ofHead() === undefined) await this.#rows.measureTimed(head);
    await this.#rows.measureFurtherMetrics([head]);
    const result = ofHead();
    if (result && result.state !== "completed")
      paired.leaveUncompared(pair, "unmeasured", `base failed, and head: ${result.reason}`);
  }
}

/** What differs between the pairs of a run. */
type OwnRunning = Pick<PairedRunning, "budgetMinutes" | "sidesOf" | "put" | "onFailed">;
const SKIPPED = `cannot have changed: ${CANNOT_HAVE_CHANGED}`;
