/** Measures rows of head alone, one after the other. */

import { join } from "node:path";
import { SetupError } from "../../errors.js";
import { explainedReason } from "../../measure/preparation/app-check.js";
import { besideServices, type Prepared, preparedRow, prepareSide } from "../../measure/preparation/prepare.js";
import { endOf } from "../../measure/preparation/service.js";
import { type MeasureContext, measureRow } from "../../measure/row.js";
import { RowResults, unmeasured } from "../../measure/row-results.js";
import { rowsOf } from "../../plan/plan.js";
import { furtherMetricsOf, isTimed } from "../../plan/selected-metrics.js";
import type { PlannedRow } from "../../plan/types.js";
import { environmentKey } from "../../provision/environments/key.js";
import { readyTools } from "../../provision/generators/generators.js";
import { makeFiles } from "../../provision/payload-files.js";
import type { EnvironmentState, ReadyEnvironment } from "../../provision/types.js";
import type { CaseResult, FailedCase, FurtherRow } from "../../results/schema.js";
import type { FurtherRunning } from "./further-rounds.js";
import { measureHeadFurtherMetrics, type ReadyRow } from "./head-further-metrics.js";
import type { RunState } from "./run-state.js";

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
    const timed = isTimed(this.#run.metrics) ? rows : [];
    for (const [i, row] of timed.entries()) {
      await this.measureTimed(row);
      await this.reportDone(this.#done + 1);
      const next = timed[i + 1];
      if (next !== undefined && next.set !== row.set) this.#run.display.setDone(row.set, this.#run.writer.results);
    }
    await this.measureFurtherMetrics(rows);
  }

  /** Tells of the rows that are measured or decided so far. */
  async reportDone(rows: number): Promise<void> {
    this.#done = Math.max(this.#done, rows);
    await this.#run.hooks.between?.(this.#done);
  }

  /** Figures of head alone: without verdicts. */
  async measureFurtherMetrics(rows: readonly PlannedRow[]): Promise<void> {
    const { metrics, writer } = this.#run;
    const ready: ReadyRow[] = [];
    for (const row of furtherMetricsOf(metrics).length > 0 ? rows : []) {
      const environment = this.stateOf(row);
      if (environment.state === "ready") ready.push({ row, ready: environment });
      else if (!isTimed(metrics)) await this.leaveOut(row, environment);
    }
    const put = (figures: readonly FurtherRow[]) => writer.putFurtherMetrics(figures);
    await measureHeadFurtherMetrics(ready, metrics, { running: this.furtherRunning(), put });
  }

  furtherRunning(): FurtherRunning {
    const { display } = this.#run;
    return {
      context: this.context(),
      now: () => performance.now() / 1000,
      line: (text) => display.line(text),
      countsAreExtra: this.#run.countsAreExtra,
      onRound: ({ sides }, kind, round) => {
        display.pairStarted(sides.head.row, { pair: round, rows: rowsOf(this.#run.plan).length, decided: this.#done });
        display.phase(kind === "memory" ? "sampling memory" : "counting instructions");
      },
    };
  }

  /** One row. @throws the run's abort reason */
  async measureTimed(row: PlannedRow): Promise<void> {
    const { plan, session, writer, display } = this.#run;
    session.context.signal.throwIfAborted();
    const environment = this.stateOf(row);
    display.rowStarted(row);
    if (environment.state !== "ready") return await this.leaveOut(row, environment);
    const onCase = async (result: CaseResult) => {
      await writer.add([result]);
      display.caseDone(result);
    };
    const context = this.context();
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
    return { ...result, reason: await explainedReason(result.reason, row, environment, this.context()) };
  }

  context(): Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
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

  /** Records a row that is not measured. */
  async leaveOut(row: PlannedRow, state: Exclude<EnvironmentState, { readonly state: "ready" }>): Promise<void> {
    const cases = unmeasured(row, "head", state);
    await this.#run.writer.add(cases);
    for (const result of cases) this.#run.display.caseDone(result);
  }

  /** The state of the environment, or of the load generator where that could not be made. */
  stateOf(row: PlannedRow, provisioned = this.#run.provisioned): EnvironmentState {
    const { generators, environments } = provisioned;
    const generator = generators.get(row.generator);
    if (generator?.state === "failed") return generator;
    const state = environments.get(environmentKey(row.environment));
    if (!state) throw new SetupError(`no environment was made for the row ${row.id}`);
    return state;
  }
}

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
