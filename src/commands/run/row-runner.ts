/** Measures the rows of a run: one after the other, or head and base in pairs. */
import { join } from "node:path";
import type { RowPair } from "../../compare/sides.js";
import { SetupError } from "../../errors.js";
import { measurePair, type PairSides } from "../../measure/pairs/pair.js";
import { type MeasureContext, measureRow } from "../../measure/row.js";
import { unmeasured } from "../../measure/row-results.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import { environmentKey } from "../../provision/environments/key.js";
import { unreadyReason } from "../../provision/failure-text.js";
import { readyTools } from "../../provision/generators/generators.js";
import { makeFiles } from "../../provision/payload-files.js";
import type { EnvironmentState, Provisioned } from "../../provision/types.js";
import { CANNOT_HAVE_CHANGED, type PairedPlan } from "./base-plan.js";
import { BaseWatch } from "./base-watch.js";
import type { PairedRun, PairedRunning } from "./paired-run.js";
import type { RunState } from "./run-state.js";

/** Measures rows alone, and gives the pairs what they need of the run. */
export class RowRunner {
  readonly #run: RunState;
  readonly #filesDir: string;
  /** Seconds of load, warm-up included. */
  loadSec = 0;
  /** Rows that are measured or decided. */
  #done = 0;

  private constructor(run: RunState, filesDir: string) {
    this.#run = run;
    this.#filesDir = filesDir;
  }

  static async open(run: RunState): Promise<RowRunner> {
    const filesDir = join(run.session.context.tempDir, "files");
    await makeFiles(filesDir);
    return new RowRunner(run, filesDir);
  }

  /** @throws the run's abort reason */
  async measureRows(rows: readonly PlannedRow[]): Promise<void> {
    for (const row of rows) {
      await this.#measureAlone(row);
      this.#done += 1;
      await this.#run.hooks.between?.(this.#done);
    }
  }

  async #measureAlone(row: PlannedRow): Promise<void> {
    const { plan, session, writer, display } = this.#run;
    session.context.signal.throwIfAborted();
    const environment = this.#stateOf(row);
    display.rowStarted(row);
    if (environment.state !== "ready") return await this.#leaveOut(row, "head", environment);
    await measureRow(row, environment, {
      ...this.#context(),
      profile: plan.profile,
      side: "head",
      onCase: async (result) => {
        await writer.add([result]);
        display.caseDone(result);
      },
      onPhase: (phase, connections) => display.phase(phase, connections),
    });
  }

  /**
   * Measures rows in pairs. A row whose base does not work is measured alone.
   * @throws the run's abort reason
   */
  async measurePaired(plan: PairedPlan, paired: PairedRun, budgetMinutes: number | undefined): Promise<void> {
    const { writer, provisioned } = this.#run;
    for (const row of plan.same) await this.#leaveOut(row, "head", { state: "skipped", reason: SKIPPED });
    for (const pair of [...plan.measured, ...(plan.control ? [plan.control] : [])])
      await this.#recordUnready(pair, provisioned);
    const alone: PlannedRow[] = [...plan.alone];
    const watch = await this.#watchBase([...plan.measured, ...(plan.control ? [plan.control] : [])], provisioned);
    const { withoutBase, leftOut } = await paired.measure({
      ...this.#pairing(budgetMinutes),
      sidesOf: (pair) =>
        this.#sidesOf(pair, provisioned, ({ kind, reason }) => {
          paired.leaveUncompared(pair.head, kind, reason);
          alone.push(pair.head);
        }),
      put: (cases) => writer.put(cases),
    });
    await this.#voidIfChanged(watch, paired);
    await this.measureRows(alone);
    for (const { row, reason } of leftOut) await this.#leaveOut(row, "head", { state: "skipped", reason });
    for (const row of withoutBase) await this.#measureAfterBase(row, paired);
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
    const watch = await this.#watchBase(rows, ofBase);
    await pairs.measure({
      ...this.#pairing(options.budgetMinutes),
      sidesOf: (pair) =>
        this.#sidesOf(pair, ofBase, ({ kind, reason }) => options.onUnready(pair, `${SAID[kind]}: ${reason}`)),
      put: (cases) => this.#run.writer.put(cases.filter(({ side }) => side === "base")),
    });
    await this.#voidIfChanged(watch, pairs);
  }

  async #watchBase(pairs: readonly RowPair[], ofBase: Provisioned): Promise<BaseWatch> {
    return await BaseWatch.begin(pairs.flatMap((pair) => this.#sidesOf(pair, ofBase, () => {}) ?? []));
  }

  async #voidIfChanged(watch: BaseWatch, pairs: PairedRun): Promise<void> {
    const problem = await watch.problem();
    if (problem === undefined) return;
    pairs.voidAll(problem);
    this.#run.session.context.warn?.(`No row was compared: ${problem}`);
  }

  /** What all pairs of the run share. */
  #pairing(budgetMinutes: number | undefined): Omit<PairedRunning, "sidesOf" | "put"> {
    const { display, cpus, hooks } = this.#run;
    return {
      ...{ context: this.#context(), cpus },
      budgetMinutes,
      measurePair,
      now: () => performance.now() / 1000,
      onPair: (row, progress) => display.pairStarted(row, progress),
      onPhase: (phase, connections) => display.phase(phase, connections),
      onDecided: (row, control) => display.rowDecided(row, control),
      between: async (decided) => {
        this.#done = Math.max(this.#done, decided);
        await hooks.between?.(this.#done);
      },
    };
  }

  #sidesOf({ base, head }: RowPair, ofBase: Provisioned, onUnready: (why: Unready) => void): PairSides | undefined {
    const states = { base: this.#stateOf(base, ofBase), head: this.#stateOf(head) };
    if (states.base.state === "ready" && states.head.state === "ready")
      return { base: { row: base, ready: states.base }, head: { row: head, ready: states.head } };
    onUnready(whyNot(states.base, states.head));
    return undefined;
  }

  /** Records why base is not installed, with the last lines of its log. */
  async #recordUnready({ base, connections }: RowPair, ofBase: Provisioned): Promise<void> {
    const state = this.#stateOf(base, ofBase);
    if (state.state === "ready") return;
    await this.#run.writer.put(unmeasured({ ...base, connections: [connections] }, "base", state));
  }

  /** Base failed during the pairs. Head, measured alone now, may fail too. */
  async #measureAfterBase(row: PlannedRow, paired: PairedRun): Promise<void> {
    await this.#measureAlone(row);
    const { cases } = this.#run.writer.results;
    const of = (side: Side) => cases.find((result) => result.id === row.id && result.side === side);
    const base = of("base");
    const reason = base && base.state !== "completed" ? base.reason : "base failed";
    paired.leaveUncompared(row, of("head")?.state === "completed" ? "failed-in-base" : "unmeasured", reason);
  }

  #context(): Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
    onLoad(seconds: number): void;
  } {
    const { session, cpus, provisioned, context } = this.#run;
    return {
      run: session.context,
      cpus,
      generators: readyTools(provisioned.generators),
      filesDir: this.#filesDir,
      env: { ...context.env },
      onLoad: (seconds) => {
        this.loadSec += seconds;
      },
    };
  }

  async #leaveOut(
    row: PlannedRow,
    side: Side,
    state: Exclude<EnvironmentState, { readonly state: "ready" }>,
  ): Promise<void> {
    const cases = unmeasured(row, side, state);
    await this.#run.writer.add(cases);
    for (const result of cases) this.#run.display.caseDone(result);
  }

  /** The state of the environment, or of the load generator where that could not be made. */
  #stateOf(row: PlannedRow, provisioned = this.#run.provisioned): EnvironmentState {
    const { generators, environments } = provisioned;
    const generator = generators.get(row.generator);
    if (generator?.state === "failed") return generator;
    const state = environments.get(environmentKey(row.environment));
    if (!state) throw new SetupError(`no environment was made for the row ${row.id}`);
    return state;
  }
}

const SKIPPED = `cannot have changed: ${CANNOT_HAVE_CHANGED}`;

interface Unready {
  readonly kind: "failed-in-base" | "failed-in-head" | "unmeasured";
  readonly reason: string;
}

/** Which sides were not ready, for messages. */
const SAID: Readonly<Record<Unready["kind"], string>> = {
  "failed-in-base": "base",
  "failed-in-head": "head",
  unmeasured: "base and head",
};

function whyNot(base: EnvironmentState, head: EnvironmentState): Unready {
  const reason = (state: EnvironmentState, side: Side) => (state.state === "ready" ? "" : unreadyReason(state, side));
  if (head.state === "ready") return { kind: "failed-in-base", reason: reason(base, "base") };
  if (base.state === "ready") return { kind: "failed-in-head", reason: reason(head, "head") };
  return { kind: "unmeasured", reason: reason(head, "head") };
}
