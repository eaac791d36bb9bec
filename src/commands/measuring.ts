/** The rows of a run on what was provisioned: one after the other, or head and base in pairs. */
import { join } from "node:path";
import type { RowPair } from "../compare/sides.js";
import { SetupError } from "../errors.js";
import type { CpuSplit } from "../measure/machine/cpus.js";
import type { PairSides } from "../measure/pairs/pair.js";
import { type MeasureContext, measureRow } from "../measure/row.js";
import { unmeasured } from "../measure/row-results.js";
import type { Plan, PlannedRow, Side } from "../plan/types.js";
import { environmentKey } from "../provision/environments/key.js";
import { readyTools } from "../provision/generators/generators.js";
import { makeFiles } from "../provision/payload-files.js";
import type { EnvironmentState, Provisioned } from "../provision/types.js";
import { CANNOT_HAVE_CHANGED, type PairedPlan } from "./base.js";
import { BaseWatch } from "./base-watch.js";
import type { Display } from "./display.js";
import type { Host } from "./host.js";
import type { PairedRun, PairedRunning } from "./paired.js";
import type { Recorder } from "./recorder.js";
import type { RunHooks } from "./run.js";
import type { Session } from "./session.js";

export interface Measuring {
  readonly plan: Plan;
  readonly provisioned: Provisioned;
  readonly cpus: CpuSplit;
  readonly host: Host;
  readonly session: Session;
  readonly recorder: Recorder;
  readonly display: Display;
  readonly hooks: RunHooks;
}

/** Rows that are measured without base, and all that the measuring of a run shares. */
export class Measurer {
  readonly #run: Measuring;
  readonly #filesDir: string;
  /** Seconds of load, warm-up included. */
  loadSec = 0;
  /** Rows. */
  #told = 0;

  private constructor(run: Measuring, filesDir: string) {
    this.#run = run;
    this.#filesDir = filesDir;
  }

  static async open(run: Measuring): Promise<Measurer> {
    const filesDir = join(run.session.context.tempDir, "files");
    await makeFiles(filesDir);
    return new Measurer(run, filesDir);
  }

  /** @throws the run's abort reason */
  async measureRows(rows: readonly PlannedRow[]): Promise<void> {
    for (const row of rows) {
      await this.#measureAlone(row);
      this.#told += 1;
      await this.#run.hooks.between?.(this.#told);
    }
  }

  async #measureAlone(row: PlannedRow): Promise<void> {
    const { plan, session, recorder, display } = this.#run;
    session.context.signal.throwIfAborted();
    const environment = this.#stateOf(row);
    display.rowStarted(row);
    if (environment.state !== "ready") return await this.#leaveOut(row, "head", environment);
    await measureRow(row, environment, {
      ...this.#context(),
      profile: plan.profile,
      side: "head",
      onCase: async (result) => {
        await recorder.add([result]);
        display.caseDone(result);
      },
      onPhase: (phase, connections) => display.phase(phase, connections),
    });
  }

  /**
   * Rows of both sides in pairs; a row whose base does not work is measured by itself.
   * @throws the run's abort reason
   */
  async measurePaired(plan: PairedPlan, paired: PairedRun, budgetMinutes: number | undefined): Promise<void> {
    const { recorder, provisioned } = this.#run;
    for (const row of plan.same) await this.#leaveOut(row, "head", { state: "skipped", reason: SKIPPED });
    for (const pair of [...plan.measured, ...(plan.control ? [plan.control] : [])])
      await this.#recordUnready(pair, provisioned);
    const alone: PlannedRow[] = [...plan.alone];
    const watch = await this.#watchBase([...plan.measured, ...(plan.control ? [plan.control] : [])], provisioned);
    const without = await paired.measure({
      ...this.#pairing(budgetMinutes),
      sidesOf: (pair) =>
        this.#sidesOf(pair, provisioned, ({ kind, reason }) => {
          paired.leaveUncompared(pair.head, kind, reason);
          alone.push(pair.head);
        }),
      put: (cases) => recorder.put(cases),
    });
    await this.#voidIfChanged(watch, paired);
    await this.measureRows(alone);
    for (const row of without) await this.#measureAfterBase(row, paired);
  }

  /**
   * Rows that were measured alone, once more in pairs. Head's own cases stay: of these only base's are added.
   * @param ofBase what was installed for base
   * @param onUnready where one side of a row is not there
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
      put: (cases) => this.#run.recorder.put(cases.filter(({ side }) => side === "base")),
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
      budgetSec: budgetMinutes === undefined ? undefined : budgetMinutes * 60,
      onPair: (row, place) => display.pairStarted(row, place),
      onPhase: (phase, connections) => display.phase(phase, connections),
      onClosed: ({ compared }) => display.rowCompared(compared),
      between: async (closed) => {
        this.#told = Math.max(this.#told, closed);
        await hooks.between?.(this.#told);
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

  /** Why base is not there, with the last lines of its installation. */
  async #recordUnready({ base, connections }: RowPair, ofBase: Provisioned): Promise<void> {
    const state = this.#stateOf(base, ofBase);
    if (state.state === "ready") return;
    await this.#run.recorder.put(unmeasured({ ...base, connections: [connections] }, "base", state));
  }

  /** Base failed under way: head may do the same. */
  async #measureAfterBase(row: PlannedRow, paired: PairedRun): Promise<void> {
    await this.#measureAlone(row);
    const { cases } = this.#run.recorder.results;
    const of = (side: Side) => cases.find((result) => result.id === row.id && result.side === side);
    const base = of("base");
    const reason = base && base.state !== "completed" ? base.reason : "base failed";
    paired.leaveUncompared(row, of("head")?.state === "completed" ? "failed-in-base" : "unmeasured", reason);
  }

  #context(): Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
    onLoad(seconds: number): void;
  } {
    const { session, cpus, provisioned, host } = this.#run;
    return {
      run: session.context,
      cpus,
      generators: readyTools(provisioned.generators),
      filesDir: this.#filesDir,
      env: { ...host.env },
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
    await this.#run.recorder.add(cases);
    for (const result of cases) this.#run.display.caseDone(result);
  }

  /** A row without its load generator has failed like one without its environment. */
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

/** The kinds, of a row that was measured alone. */
const SAID: Readonly<Record<Unready["kind"], string>> = {
  "failed-in-base": "base",
  "failed-in-head": "head",
  unmeasured: "base and head",
};

function whyNot(base: EnvironmentState, head: EnvironmentState): Unready {
  const reason = (state: EnvironmentState) => (state.state === "ready" ? "" : `${state.state}: ${state.reason}`);
  if (head.state === "ready") return { kind: "failed-in-base", reason: reason(base) };
  if (base.state === "ready") return { kind: "failed-in-head", reason: reason(head) };
  return { kind: "unmeasured", reason: reason(head) };
}
