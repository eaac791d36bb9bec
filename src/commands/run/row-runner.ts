/** Measures the rows of a run: one after the other, or head and base in pairs. */

import { join } from "node:path";
import type { RowPair } from "../../compare/sides.js";
import { SetupError } from "../../errors.js";
import { PairSeries } from "../../measure/pairs/pair.js";
import type { PairSides } from "../../measure/pairs/pair-servers.js";
import { explainedReason } from "../../measure/preparation/app-check.js";
import { PairPreparations } from "../../measure/preparation/pair-preparations.js";
import { besideServices, type Prepared, preparedRow, prepareSide } from "../../measure/preparation/prepare.js";
import { endOf } from "../../measure/preparation/service.js";
import { type MeasureContext, measureRow } from "../../measure/row.js";
import { RowResults, unmeasured } from "../../measure/row-results.js";
import { nameSome } from "../../messages/sentence.js";
import { isTimed, witnessesOf } from "../../plan/asked-metrics.js";
import { rowsOf } from "../../plan/plan.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import { environmentKey } from "../../provision/environments/key.js";
import { readyTools } from "../../provision/generators/generators.js";
import { makeFiles } from "../../provision/payload-files.js";
import type { EnvironmentState, Provisioned, ReadyEnvironment } from "../../provision/types.js";
import type { CaseResult, FailedCase, WitnessedRow } from "../../results/schema.js";
import { CANNOT_HAVE_CHANGED, type PairedPlan, pairsToMeasure } from "./base-plan.js";
import { BaseWatch } from "./base-watch.js";
import { measureHeadWitnesses, type ReadyRow } from "./head-witnesses.js";
import { NoiseFile } from "./noise-file.js";
import type { PairedRun } from "./paired-run.js";
import type { PairedRunning, PairedTarget } from "./paired-running.js";
import { notProfiled, type ProfileRows } from "./profile-rows.js";
import { profileRows } from "./profiling.js";
import type { RunState } from "./run-state.js";
import { UNREADY_SIDES, type Unready, whyUnready } from "./unready.js";
import type { WitnessRunning } from "./witness-rounds.js";

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
    if (isTimed(this.#run.metrics)) await this.#measureTimed(rows);
    await this.#measureWitnesses(rows);
  }

  async #measureTimed(rows: readonly PlannedRow[]): Promise<void> {
    for (const row of rows) {
      await this.#measureAlone(row);
      this.#done += 1;
      await this.#run.hooks.between?.(this.#done);
    }
  }

  /** Samples rows that were measured in pairs. @throws the run's abort reason */
  async profile(rows: readonly PairedTarget[], asked: ProfileRows): Promise<void> {
    const missed = notProfiled(rowsOf(this.#run.plan), rows, asked);
    if (missed.length > 0)
      this.#run.display.line(`note   not profiled, because they have no whole pairs: ${nameSome(missed)}`);
    await profileRows(rows, asked, this.#context(), this.#run);
  }

  /** Figures of head alone: without verdicts. */
  async #measureWitnesses(rows: readonly PlannedRow[]): Promise<void> {
    const { metrics, writer } = this.#run;
    const ready: ReadyRow[] = [];
    for (const row of witnessesOf(metrics).length > 0 ? rows : []) {
      const environment = this.#stateOf(row);
      if (environment.state === "ready") ready.push({ row, ready: environment });
      else if (!isTimed(metrics)) await this.#leaveOut(row, "head", environment);
    }
    const put = (figures: readonly WitnessedRow[]) => writer.putWitnesses(figures);
    await measureHeadWitnesses(ready, metrics, { running: this.#witnessRunning(), put });
  }

  #witnessRunning(): WitnessRunning {
    const { display } = this.#run;
    return {
      context: this.#context(),
      now: () => performance.now() / 1000,
      line: (text) => display.line(text),
      onRound: ({ sides }, kind, round) => {
        display.pairStarted(sides.head.row, { pair: round, rows: rowsOf(this.#run.plan).length, decided: this.#done });
        display.phase(kind === "memory" ? "sampling memory" : "counting instructions");
      },
    };
  }

  async #measureAlone(row: PlannedRow): Promise<void> {
    const { plan, session, writer, display } = this.#run;
    session.context.signal.throwIfAborted();
    const environment = this.#stateOf(row);
    display.rowStarted(row);
    if (environment.state !== "ready") return await this.#leaveOut(row, "head", environment);
    const onCase = async (result: CaseResult) => {
      await writer.add([result]);
      display.caseDone(result);
    };
    const context = this.#context();
    const prepared = await prepareSide(row, "head", environment, context);
    if (prepared.state === "failed") {
      await new RowResults(row, environment, { side: "head", onCase }).failRest(prepared.reason, prepared.log);
      return;
    }
    await using _ = prepared;
    const planned = preparedRow(row, prepared);
    const onMeasured = async (measured: CaseResult) => {
      const result = withEndedServices(measured, prepared);
      await onCase(result.state === "failed" ? await this.#explained(result, planned, environment) : result);
    };
    await measureRow(planned, environment, {
      ...context,
      cpus: besideServices(context.cpus, [prepared]),
      profile: plan.profile,
      side: "head",
      onCase: onMeasured,
      onPhase: (phase, connections) => display.phase(phase, connections),
    });
  }

  /** A row that fails before it is measured may fail because of its app: its first case has that reason. */
  async #explained(result: FailedCase, row: PlannedRow, environment: ReadyEnvironment): Promise<FailedCase> {
    const isFirst = row.connections[0] === result.connections;
    if (!isFirst || result.slices !== undefined || result.generatorCommand !== undefined) return result;
    return { ...result, reason: await explainedReason(result.reason, row, environment, this.#context()) };
  }

  /**
   * Measures rows in pairs. A row whose base does not work is measured alone.
   * @throws the run's abort reason
   */
  async measurePaired(plan: PairedPlan, paired: PairedRun, budgetMinutes: number | undefined): Promise<void> {
    const { writer, provisioned } = this.#run;
    for (const row of plan.identical) await this.#leaveOut(row, "head", { state: "skipped", reason: SKIPPED });
    const rows = pairsToMeasure(plan);
    for (const pair of rows) await this.#recordUnready(pair, provisioned);
    const alone: PlannedRow[] = [...plan.alone];
    const { withoutBase, leftOut } = await this.#besideBase(paired, rows, provisioned, {
      budgetMinutes,
      sidesOf: (pair) =>
        this.#sidesOf(pair, provisioned, ({ kind, reason }) => {
          paired.leaveUncompared(pair, kind, reason);
          alone.push(pair.head);
        }),
      put: (cases) => writer.put(cases),
      onFailed: (result) => this.#run.display.caseDone(result),
    });
    await this.measureRows(alone);
    for (const { row, reason } of leftOut) await this.#leaveOut(row, "head", { state: "skipped", reason });
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
    await this.#besideBase(pairs, rows, ofBase, {
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
  async #besideBase(
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
    this.#run.session.context.warn?.(`No row was compared: ${problem}`);
  }

  /** Measures pairs, and keeps their noise for later runs, also when the run is interrupted. */
  async #inPairs(pairs: PairedRun, running: OwnRunning): ReturnType<PairedRun["measure"]> {
    const { display, cpus, hooks, context, session, writer } = this.#run;
    const { fingerprint } = writer.results.environment;
    const noise = await NoiseFile.open({ ...session.context, env: { ...context.env }, machine: fingerprint });
    // Servers end before the services that they use.
    await using preparations = new PairPreparations((...pair) => series.measure(...pair));
    await using series = new PairSeries();
    try {
      return await pairs.measure({
        context: this.#context(),
        cpus,
        ...running,
        earlier: noise.earlier,
        measurePair: preparations.measure,
        witnesses: this.#witnessRunning(),
        now: () => performance.now() / 1000,
        onPair: (row, progress) => display.pairStarted(row, progress),
        onPhase: (phase, connections) => display.phase(phase, connections),
        onDecided: (row, control) => {
          preparations.release(row.id, row.connections);
          display.rowDecided(row, control);
        },
        between: async (decided) => {
          this.#done = Math.max(this.#done, decided);
          await hooks.between?.(this.#done);
        },
      });
    } finally {
      await noise.add(pairs.noise());
    }
  }

  #sidesOf({ base, head }: RowPair, ofBase: Provisioned, onUnready: (why: Unready) => void): PairSides | undefined {
    const states = { base: this.#stateOf(base, ofBase), head: this.#stateOf(head) };
    if (states.base.state === "ready" && states.head.state === "ready")
      return { base: { row: base, ready: states.base }, head: { row: head, ready: states.head } };
    onUnready(whyUnready(states.base, states.head));
    return undefined;
  }

  /** Records why base is not installed, with the last lines of its log. */
  async #recordUnready({ base, connections }: RowPair, ofBase: Provisioned): Promise<void> {
    const state = this.#stateOf(base, ofBase);
    if (state.state === "ready") return;
    await this.#run.writer.put(unmeasured({ ...base, connections: [connections] }, "base", state));
  }

  /** Base failed during the pairs. Unless earlier pairs have head's figures, head is measured alone now, and may fail too. */
  async #measureAfterBase(pair: RowPair, paired: PairedRun): Promise<void> {
    const { head } = pair;
    const ofHead = () =>
      this.#run.writer.results.cases.find((result) => result.id === head.id && result.side === "head");
    if (ofHead() === undefined) await this.#measureAlone(head);
    await this.#measureWitnesses([head]);
    const result = ofHead();
    if (result && result.state !== "completed")
      paired.leaveUncompared(pair, "unmeasured", `base failed, and head: ${result.reason}`);
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

/** What differs between the pairs of a run. */
type OwnRunning = Pick<PairedRunning, "budgetMinutes" | "sidesOf" | "put" | "onFailed">;
const SKIPPED = `cannot have changed: ${CANNOT_HAVE_CHANGED}`;

/** Without its service a server may have answered in another way. */
function withEndedServices(result: CaseResult, { services }: Prepared): CaseResult {
  const ended = services.flatMap((service) => endOf(service)?.reason ?? []);
  if (ended.length === 0) return result;
  if (result.state === "failed") return { ...result, reason: `${result.reason}; ${ended.join("; ")}` };
  if (result.state === "skipped") return result;
  return {
    ...result,
    warnings: [...(result.warnings ?? []), ...ended.map((reason) => `While it was measured, ${reason}.`)],
  };
}
