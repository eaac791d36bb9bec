/** `run`: plan, provision, measure, report. */
import { availableParallelism } from "node:os";
import { Interrupted } from "../../errors.js";
import { readTopology, splitCpus } from "../../measure/machine/cpus.js";
import { withLatency } from "../../plan/latency.js";
import { rowsOf } from "../../plan/plan.js";
import type { ShardIndex } from "../../plan/shards.js";
import { provision } from "../../provision/provision.js";
import type { Results } from "../../results/schema.js";
import type { Display } from "../display.js";
import { planWithPythons } from "../planning.js";
import type { ProcessContext } from "../process-context.js";
import { checkOutputFolder, ResultsWriter } from "../results-writer.js";
import { Session } from "../session.js";
import { type BaseOptions, readBase } from "./base-plan.js";
import { type ConfirmOptions, checkConfirm } from "./confirmation.js";
import { emptyResults } from "./empty-results.js";
import { RowRunner, type RunState } from "./row-runner.js";
import { checkAnchors, readRunBaseline } from "./stored.js";
import { baseRowsOf, type ComparisonStrategy, planPairedRun, strategyOf } from "./strategy.js";

export const FAIL_ON = ["never", "worse", "failed"] as const;
export type FailOn = (typeof FAIL_ON)[number];

interface RunBaseline {
  readonly files: readonly string[];
  readonly anchors: readonly string[];
  /** What is known of the files beside their contents, for the comparison's account of its base. */
  readonly facts?: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly selectors: readonly string[];
  readonly profile: string;
  /** Absolute. */
  readonly out: string;
  readonly scenarios?: string;
  readonly servers: readonly string[];
  /** Versions or paths, separated by commas. */
  readonly python?: string;
  readonly failOn: FailOn;
  /** Compare latency in every row that is measured in pairs. */
  readonly latency?: boolean;
  /** Stored results to compare with, and the servers that are controls. */
  readonly baseline?: RunBaseline;
  /** The side to compare with, measured in this run. */
  readonly base?: BaseOptions;
  /** What rows are measured in pairs with, that look changed against the stored results. */
  readonly confirm?: ConfirmOptions;
  /** Its place among the shards of a plan. */
  readonly shard?: ShardIndex;
  /** For the reader of the report: what could not be had, and why. */
  readonly notes?: readonly string[];
  /** What repeats this run, for the report. */
  readonly command: readonly string[];
}

/** Called between rows, when nothing is measured; what they do is waited for. */
export interface RunHooks {
  /** @param rows that will be told */
  begin?(rows: number): Promise<void>;
  /** @param done rows that are told */
  between?(done: number): Promise<void>;
}

export interface RunOutcome {
  readonly exitCode: number;
  readonly results?: Results;
  readonly resultsPath?: string;
  readonly reportPath?: string;
}

export async function run(
  options: RunOptions,
  context: ProcessContext,
  display: Display,
  hooks: RunHooks = {},
): Promise<RunOutcome> {
  const planned = {
    root: context.root,
    cwd: context.cwd,
    selectors: options.selectors,
    profile: options.profile,
    servers: options.servers,
    cores: availableParallelism(),
    ...(options.scenarios === undefined ? {} : { scenarios: options.scenarios }),
  };
  checkConfirm(options);
  const source = await readBase(options.base, (options.baseline?.files.length ?? 0) > 0, context.cwd);
  for (const note of source?.notes ?? []) display.setup.note(note);
  const compare = await readRunBaseline(options, context.cwd);
  const selected = await planWithPythons(planned, options.python, context, display.setup);
  const plan = options.latency ? { ...selected, sets: withLatency(selected.sets) } : selected;
  checkAnchors(options, rowsOf(plan));
  await checkOutputFolder(options.out);
  await using session = await Session.open(context.env);
  let writer: ResultsWriter | undefined;
  try {
    const { tempDir } = session.context;
    const planning = { plan, options: planned, python: options.python, context, progress: display.setup, tempDir };
    const notes = [...(options.notes ?? [])];
    const paired = await planPairedRun(source, planning, options, (note) => {
      notes.push(note);
      display.setup.note(note);
    });
    display.begin(plan);
    await hooks.begin?.(rowsOf(plan).length);
    const rows = [...rowsOf(plan), ...baseRowsOf(paired)];
    const provisioned = await provision(rows, { run: session.context, env: context.env, progress: display.setup });
    const cpus = splitCpus(readTopology());
    const { id } = session.context;
    const inPairs = paired !== undefined;
    const empty = await emptyResults({ id, plan, provisioned, cpus, context, options, notes, inPairs });
    const comparing = strategyOf({ paired, compare, planning, options });
    writer = new ResultsWriter(options.out, empty, comparing.comparison);
    await writer.open();
    return await measure({ plan, provisioned, cpus, context, session, writer, display, hooks }, comparing, options);
  } catch (error) {
    if (!(error instanceof Interrupted) && !session.context.signal.aborted) throw error;
    const reason = session.context.signal.reason as Interrupted;
    const warnings = [
      ...(writer?.results.run.warnings ?? []),
      `The run was ${reason.message}: the rows after it were not measured.`,
    ];
    // finishedAt stays null: the file says itself that it is not whole.
    await writer?.finish({ warnings });
    display.interrupted(reason.message, writer);
    return { exitCode: reason.exitCode, ...(writer ? outcomeOf(writer) : {}) };
  } finally {
    display.close();
  }
}

async function measure(measuring: RunState, comparing: ComparisonStrategy, options: RunOptions): Promise<RunOutcome> {
  const { writer, display, plan } = measuring;
  const { paired } = comparing;
  const runner = await RowRunner.open(measuring);
  const started = performance.now();
  if (paired) await runner.measurePaired(paired.plan, paired.run, options.base?.budgetMinutes);
  else {
    await runner.measureRows(rowsOf(plan));
    await comparing.confirm(runner, measuring);
  }
  const measuredSec = (performance.now() - started) / 1000;
  await writer.finish({
    finishedAt: new Date().toISOString(),
    measuredSec,
    loadShare: Math.min(1, runner.loadSec / measuredSec),
  });
  display.finished(writer);
  return { exitCode: exitCodeOf(writer.results, options.failOn), ...outcomeOf(writer) };
}

function outcomeOf(writer: ResultsWriter): Omit<RunOutcome, "exitCode"> {
  return { results: writer.results, resultsPath: writer.resultsPath, reportPath: writer.reportPath };
}

/** 3 when nothing was measured, 1 when the user asked for that on rows proven worse or failed, else 0. */
export function exitCodeOf(results: Results, failOn: FailOn): number {
  const states = results.cases.map((result) => result.state);
  if (!states.includes("completed")) return 3;
  // A suspicion of stored results is no proof: it never fails the gate.
  if (failOn === "worse") return results.comparison?.rows.some((row) => row.verdict === "worse") ? 1 : 0;
  // What fails in base alone is mended by head.
  const failed = results.cases.some((result) => result.side === "head" && result.state === "failed");
  return failOn === "failed" && failed ? 1 : 0;
}
