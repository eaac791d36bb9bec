/** The rows of a run on what was provisioned: one after the other, or head and base in pairs. */
import { join } from "node:path";
import { SetupError } from "../errors.js";
import type { CpuSplit } from "../measure/cpus.js";
import { unmeasured } from "../measure/recorder.js";
import { type MeasureContext, measureRow } from "../measure/row.js";
import type { Plan, PlannedRow, Side } from "../plan/types.js";
import { makeFiles } from "../provision/files.js";
import { readyTools } from "../provision/generators.js";
import { environmentKey } from "../provision/key.js";
import type { EnvironmentState, Provisioned } from "../provision/types.js";
import { CANNOT_HAVE_CHANGED, type PairedPlan } from "./base.js";
import type { Display } from "./display.js";
import type { Host } from "./host.js";
import type { PairedRun } from "./paired.js";
import type { Recorder } from "./recorder.js";
import type { Session } from "./session.js";

export interface Measuring {
  readonly plan: Plan;
  readonly provisioned: Provisioned;
  readonly cpus: CpuSplit;
  readonly host: Host;
  readonly session: Session;
  readonly recorder: Recorder;
  readonly display: Display;
}

/** Rows that are measured without base, and all that the measuring of a run shares. */
export class Measurer {
  readonly #run: Measuring;
  readonly #filesDir: string;
  /** Seconds of load, warm-up included. */
  loadSec = 0;

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
    for (const row of rows) await this.#measureAlone(row);
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
    const { recorder, display, cpus } = this.#run;
    for (const row of plan.same) await this.#leaveOut(row, "head", { state: "skipped", reason: SKIPPED });
    const alone: PlannedRow[] = [...plan.alone];
    const without = await paired.measure({
      context: this.#context(),
      cpus,
      budgetSec: budgetMinutes === undefined ? undefined : budgetMinutes * 60,
      sidesOf: ({ base, head }) => {
        const states = { base: this.#stateOf(base), head: this.#stateOf(head) };
        if (states.base.state === "ready" && states.head.state === "ready")
          return { base: { row: base, ready: states.base }, head: { row: head, ready: states.head } };
        const { kind, reason } = whyNot(states.base, states.head);
        paired.setApart(head, kind, reason);
        alone.push(head);
        return undefined;
      },
      put: (cases) => recorder.put(cases),
      onPair: (row, place) => display.pairStarted(row, place),
      onPhase: (phase, connections) => display.phase(phase, connections),
      onClosed: ({ compared }) => display.rowCompared(compared),
    });
    await this.measureRows(alone);
    for (const row of without) await this.#measureAfterBase(row, paired);
  }

  /** Base failed under way: head may do the same. */
  async #measureAfterBase(row: PlannedRow, paired: PairedRun): Promise<void> {
    await this.#measureAlone(row);
    const { cases } = this.#run.recorder.results;
    const of = (side: Side) => cases.find((result) => result.id === row.id && result.side === side);
    const base = of("base");
    const reason = base && base.state !== "completed" ? base.reason : "base failed";
    paired.setApart(row, of("head")?.state === "completed" ? "failed-in-base" : "unmeasured", reason);
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
  #stateOf(row: PlannedRow): EnvironmentState {
    const { generators, environments } = this.#run.provisioned;
    const generator = generators.get(row.generator);
    if (generator?.state === "failed") return generator;
    const state = environments.get(environmentKey(row.environment));
    if (!state) throw new SetupError(`no environment was made for the row ${row.id}`);
    return state;
  }
}

const SKIPPED = `cannot have changed: ${CANNOT_HAVE_CHANGED}`;

function whyNot(base: EnvironmentState, head: EnvironmentState) {
  const reason = (state: EnvironmentState) => (state.state === "ready" ? "" : `${state.state}: ${state.reason}`);
  if (head.state === "ready") return { kind: "failed-in-base", reason: reason(base) } as const;
  if (base.state === "ready") return { kind: "failed-in-head", reason: reason(head) } as const;
  return { kind: "unmeasured", reason: reason(head) } as const;
}
