/** `run`: provision, measure, compare, report. */

import { join } from "node:path";
import { steadyDate } from "../../clock.js";
import { Interrupted, messageLine } from "../../errors.js";
import { MachineLock } from "../../machine-lock/machine-lock.js";
import { countedRow } from "../../measure/instructions/count-process.js";
import { checkConnectionLimits } from "../../measure/machine/connection-limits.js";
import { type CpuSplit, readTopology, splitCpus, splitWithServices } from "../../measure/machine/cpus.js";
import { readSettings } from "../../measure/machine/settings.js";
import { checkSocketPath } from "../../measure/server/unix-socket.js";
import { DEFAULTS } from "../../options/options.js";
import { COMMAND_LINE } from "../../plan/option-names.js";
import { rowsOf } from "../../plan/plan.js";
import { furtherMetricsOf, isTimed, type SelectedMetrics, USUAL_METRICS } from "../../plan/selected-metrics.js";
import type { PlannedRow } from "../../plan/types.js";
import { keepHeapSmall } from "../../process/steady-heap.js";
import { environmentKey } from "../../provision/environments/key.js";
import { replacedNotes } from "../../provision/environments/replaced.js";
import { provision } from "../../provision/provision.js";
import type { Provisioned } from "../../provision/types.js";
import type { Display } from "../display.js";
import type { ProcessContext } from "../process-context.js";
import { ResultsWriter } from "../results-writer.js";
import { Session } from "../session.js";
import { measuredBase } from "./against.js";
import { InstallWatch } from "./base-watch.js";
import { chooseMetrics } from "./choose-metrics.js";
import { emptyResults } from "./empty-results.js";
import { exitCodeOf, isAnythingMeasured } from "./exit-code.js";
import { expectedRunSec, startLine } from "./expected-time.js";
import { waitProgress, whatIsMeasured } from "./machine-wait.js";
import { CHANGED_ROWS, type ProfileRows } from "./profile-rows.js";
import { profileRows } from "./profiling.js";
import { LOGS_FOLDER, type RunHooks, type RunOutcome, type RunRequest, type WrittenResults } from "./request.js";
import { RowRunner } from "./row-runner.js";
import type { RunState } from "./run-state.js";
import { baseRowsOf, type ComparisonStrategy, chooseStrategy } from "./strategy.js";

/** What the steps of a run share. */
interface RunScope {
  readonly request: RunRequest;
  readonly context: ProcessContext;
  readonly display: Display;
  readonly session: Session;
  readonly machine: MachineLock;
  readonly strategy: ComparisonStrategy;
  readonly metrics: SelectedMetrics;
}

/** @throws InputError for a base that lacks the scenarios, where that is wrong input; SetupError for a tool that is missing */
export async function run(
  request: RunRequest,
  context: ProcessContext,
  display: Display,
  hooks: RunHooks = {},
): Promise<RunOutcome> {
  keepHeapSmall();
  // Opened before the session, so that its file is closed after the session has ended every process.
  await using machine = MachineLock.open(context.env);
  await using session = await Session.open(context.env, { memoryLimitMiB: request.memoryLimitMiB });
  const started: { writer?: ResultsWriter } = {};
  try {
    const { metrics: chosen, ...counts } = await chooseMetrics(request, context, display, session);
    const strategy = await openStrategy({ ...request, metrics: chosen, ...counts }, context, display, session);
    // Without a base, counts that nobody asked for would have no verdict.
    const metrics = counts.countsAreExtra && !strategy.paired ? USUAL_METRICS : chosen;
    const scope: RunScope = { request, context, display, session, machine, strategy, metrics };
    const { plan } = request.head;
    const expectedSec = announce(scope);
    await hooks.begin?.(rowsOf(plan).length);
    const { rows, provisioned, baseProblem } = await install(scope);
    // Where nothing of head was installed, nothing is measured: the reasons need not wait for another run.
    if (isAnyReady(rowsOf(plan), provisioned)) await takeMachine(scope, hooks, expectedSec);
    const cpus = splitFor(rows);
    const writer = await writerFor(scope, provisioned, cpus);
    started.writer = writer;
    await writer.open();
    const machineHooks = withTimeLeft(hooks, machine, expectedSec, rowsOf(plan).length);
    const state: RunState = {
      plan,
      provisioned,
      baseProblem,
      cpus,
      context,
      session,
      writer,
      display,
      hooks: machineHooks,
      metrics,
      countsAreExtra: counts.countsAreExtra,
    };
    await measure(state, strategy, request.profileRows ?? CHANGED_ROWS, machine);
    return { exitCode: exitCodeOf(writer.results, request.failOn), written: writtenBy(writer) };
  } catch (error) {
    if (error instanceof Interrupted || session.context.signal.aborted)
      return await interrupted(session, started.writer, display);
    const failure = session.explain(error);
    await keepMeasured(failure, { session, writer: started.writer, display, hooks });
    throw failure;
  } finally {
    display.close();
    // Before the session is closed: until then a further signal ends neither this process nor its report.
    await session.endProcesses();
    await machine.release();
  }
}

/** The first line. @returns seconds that measuring usually takes */
function announce({ request, display, strategy, metrics }: RunScope): number {
  const { plan, options } = request.head;
  const { names = COMMAND_LINE } = options;
  const { paired } = strategy;
  const start = { plan, paired, base: measuredBase(request.against), metrics, quickProfile: names.quickProfile };
  display.begin(plan, startLine(start));
  return expectedRunSec(start);
}

/** Installs what the rows of head and base need. */
async function install({ request, context, display, session, strategy, metrics }: RunScope) {
  const rows = provisionedRows([...rowsOf(request.head.plan), ...baseRowsOf(strategy)], metrics);
  checkConnectionLimits(rows, strategy.paired !== undefined, readSettings([]));
  checkSocketPath(rows, session.context.tempDir);
  const watch = strategy.paired && new InstallWatch(strategy.paired, session.context.tempDir);
  const options = {
    run: session.context,
    env: context.env,
    progress: display.setup,
    logDir: join(request.out, LOGS_FOLDER),
  };
  const provisioned = await provision(rows, options, watch);
  return { rows, provisioned, baseProblem: watch?.problem };
}

function isAnyReady(rows: readonly PlannedRow[], { environments }: Provisioned): boolean {
  return rows.some(({ environment }) => environments.get(environmentKey(environment))?.state === "ready");
}

/** Waits while another run measures on this machine. */
async function takeMachine(
  { request, display, session, machine }: RunScope,
  hooks: RunHooks,
  expectedSec: number,
): Promise<void> {
  const waitMinutes = request.waitMinutes ?? DEFAULTS.waitMinutes;
  await machine.take(session.context, {
    waitMinutes,
    what: whatIsMeasured(request.head.plan),
    expectedSec,
    progress: waitProgress(display.setup, hooks, waitMinutes),
  });
  // Only now: the lock's file can have been made anew while this run installed or waited.
  await session.holdOpen([machine.descriptor]);
}

function splitFor(rows: readonly PlannedRow[]): CpuSplit {
  const hasServices = rows.some(({ preparation }) => (preparation?.services.length ?? 0) > 0);
  return (hasServices ? splitWithServices : splitCpus)(readTopology());
}

async function writerFor(scope: RunScope, provisioned: Provisioned, cpus: CpuSplit): Promise<ResultsWriter> {
  const { request, context, session, strategy } = scope;
  const empty = await emptyResults({
    id: session.context.id,
    plan: request.head.plan,
    provisioned,
    cpus,
    context,
    notes: [...request.notes, ...replacedNotes(provisioned)],
    nothingToCompare: strategy.nothingToCompare,
    command: (strategy.nothingToCompare && request.commandAlone) ?? request.command,
    tag: request.tag,
    shard: request.shard,
    againstBase: strategy.paired !== undefined,
  });
  const order = rowsOf(request.head.plan).map(({ id }) => id);
  return new ResultsWriter(request.out, empty, strategy.comparison, order);
}

/** Other runs that wait for this machine see how long this one still takes. */
function withTimeLeft(hooks: RunHooks, machine: MachineLock, expectedSec: number, rows: number): RunHooks {
  return {
    ...hooks,
    between: async (done) => {
      machine.expect(expectedSec * Math.max(0, 1 - done / rows));
      await hooks.between?.(done);
    },
  };
}

/** Without time, and for further metrics beside it, a row may need another load generator. */
function provisionedRows(rows: readonly PlannedRow[], metrics: SelectedMetrics): readonly PlannedRow[] {
  const measured = furtherMetricsOf(metrics).length > 0 ? rows.map(countedRow) : [];
  return isTimed(metrics) ? [...rows, ...measured] : measured;
}

async function openStrategy(
  { head, against, ...request }: Parameters<typeof chooseStrategy>[0],
  context: ProcessContext,
  display: Display,
  session: Session,
): Promise<ComparisonStrategy> {
  if (against.kind === "paired") for (const note of against.base.source.notes) display.setup.note(note);
  const planning = { ...head, context, progress: display.setup, tempDir: session.context.tempDir };
  const chosen = await chooseStrategy({ ...request, head, against }, planning);
  const { nothingToCompare } = chosen;
  if (nothingToCompare) display.setup.note(`Nothing to compare with: ${nothingToCompare.reason}`);
  return chosen;
}

async function measure(
  state: RunState,
  strategy: ComparisonStrategy,
  asked: ProfileRows,
  machine: MachineLock,
): Promise<void> {
  const { writer, display } = state;
  const runner = await RowRunner.open(state);
  const started = performance.now();
  await strategy.measure(runner, state);
  const measuredSec = (performance.now() - started) / 1000;
  if (strategy.nothingToCompare === undefined) await profileRows(strategy.targets(), asked, runner.context(), state);
  // A report may take its time: the next run need not wait for it.
  const lost = await machine.release();
  if (lost !== undefined) state.session.context.warn?.(lost);
  await writer.finish({
    warnings: [...writer.results.run.warnings, ...state.session.warnings],
    finishedAt: steadyDate().toISOString(),
    measuredSec,
    loadShare: Math.min(1, runner.loadSec / measuredSec),
  });
  display.finished(writer);
}

/** Keeps what was measured. `finishedAt` stays null: it marks a file that is not whole. */
async function interrupted(session: Session, writer: ResultsWriter | undefined, display: Display): Promise<RunOutcome> {
  const reason = session.context.signal.reason as Interrupted;
  const warnings = [
    ...(writer?.results.run.warnings ?? []),
    ...session.warnings,
    `The run was ${reason.message}: the benchmarks after it were not measured.`,
  ];
  await writer?.finish({ warnings });
  display.interrupted(reason.message, writer);
  return { exitCode: reason.exitCode, written: writer && writtenBy(writer) };
}

interface Stopped {
  readonly session: Session;
  readonly writer: ResultsWriter | undefined;
  readonly display: Display;
  readonly hooks: RunHooks;
}

/** A later failure loses nothing: what was measured before it has its report. The caller throws the failure. */
async function keepMeasured(failure: unknown, { session, writer, display, hooks }: Stopped): Promise<void> {
  if (!writer || !isAnythingMeasured(writer.results)) return;
  const warning = `The run stopped (${messageLine(failure)}): the benchmarks after it were not measured.`;
  // Where only the report failed, all rows were measured.
  const { finishedAt } = writer.results.run;
  try {
    if (finishedAt === null)
      await writer.finish({ warnings: [...writer.results.run.warnings, ...session.warnings, warning] });
  } catch {
    // The same disk or the same defect: the failure itself is reported. The results file is as it was after the last row.
  }
  display.line(`what was measured before is in ${writer.resultsPath}`);
  hooks.stopped?.(writtenBy(writer));
}

function writtenBy({ results, resultsPath, reportPath }: ResultsWriter): WrittenResults {
  return { results, resultsPath, reportPath };
}
