/** `run`: provision, measure, compare, report. */

import { join } from "node:path";
import { Interrupted } from "../../errors.js";
import { readTopology, splitCpus } from "../../measure/machine/cpus.js";
import { COMMAND_LINE } from "../../plan/option-names.js";
import { rowsOf } from "../../plan/plan.js";
import { provision } from "../../provision/provision.js";
import type { Display } from "../display.js";
import type { ProcessContext } from "../process-context.js";
import { ResultsWriter } from "../results-writer.js";
import { Session } from "../session.js";
import { measuredBase } from "./against.js";
import { emptyResults } from "./empty-results.js";
import { exitCodeOf } from "./exit-code.js";
import { startLine } from "./expected-time.js";
import { LOGS_FOLDER, type RunHooks, type RunOutcome, type RunRequest, type WrittenResults } from "./request.js";
import { RowRunner } from "./row-runner.js";
import type { RunState } from "./run-state.js";
import { baseRowsOf, type ComparisonStrategy, chooseStrategy } from "./strategy.js";

/** @throws InputError for a base that lacks the scenarios, where that is wrong input; SetupError for a tool that is missing */
export async function run(
  request: RunRequest,
  context: ProcessContext,
  display: Display,
  hooks: RunHooks = {},
): Promise<RunOutcome> {
  await using session = await Session.open(context.env);
  const started: { writer?: ResultsWriter } = {};
  try {
    const strategy = await openStrategy(request, context, display, session);
    const { plan } = request.head;
    const { names = COMMAND_LINE } = request.head.options;
    display.begin(
      plan,
      startLine({
        ...{ plan, paired: strategy.paired, quickProfile: names.quickProfile },
        base: measuredBase(request.against),
      }),
    );
    await hooks.begin?.(rowsOf(plan).length);
    const rows = [...rowsOf(plan), ...baseRowsOf(strategy)];
    const provisioned = await provision(rows, {
      ...{ run: session.context, env: context.env, progress: display.setup },
      logDir: join(request.out, LOGS_FOLDER),
    });
    const cpus = splitCpus(readTopology());
    const empty = await emptyResults({
      id: session.context.id,
      ...{ plan, provisioned, cpus, context, notes: request.notes, nothingToCompare: strategy.nothingToCompare },
      ...{ command: request.command, shard: request.shard, inPairs: strategy.paired !== undefined },
    });
    const writer = new ResultsWriter(request.out, empty, strategy.comparison);
    started.writer = writer;
    await writer.open();
    const state: RunState = { plan, provisioned, cpus, context, session, writer, display, hooks };
    await measure(state, strategy);
    return { exitCode: exitCodeOf(writer.results, request.failOn), written: writtenBy(writer) };
  } catch (error) {
    if (!(error instanceof Interrupted) && !session.context.signal.aborted) throw error;
    return await interrupted(session, started.writer, display);
  } finally {
    display.close();
  }
}

async function openStrategy(
  { head, against, ...request }: RunRequest,
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

async function measure(state: RunState, strategy: ComparisonStrategy): Promise<void> {
  const { writer, display } = state;
  const runner = await RowRunner.open(state);
  const started = performance.now();
  await strategy.measure(runner, state);
  const measuredSec = (performance.now() - started) / 1000;
  await writer.finish({
    warnings: [...writer.results.run.warnings, ...state.session.warnings],
    finishedAt: new Date().toISOString(),
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
    `The run was ${reason.message}: the rows after it were not measured.`,
  ];
  await writer?.finish({ warnings });
  display.interrupted(reason.message, writer);
  return { exitCode: reason.exitCode, written: writer && writtenBy(writer) };
}

function writtenBy({ results, resultsPath, reportPath }: ResultsWriter): WrittenResults {
  return { results, resultsPath, reportPath };
}
