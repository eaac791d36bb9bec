/** `run`: plan, provision, measure, report. */
import { availableParallelism } from "node:os";
import { Interrupted } from "../errors.js";
import { readTopology, splitCpus } from "../measure/machine/cpus.js";
import { withLatency } from "../plan/latency.js";
import { rowsOf } from "../plan/plan.js";
import { provision } from "../provision/provision.js";
import type { Results } from "../results/schema.js";
import type { ShardIndex } from "../results/shard.js";
import { type BaseOptions, readBase } from "./base.js";
import { checkAnchors, readRunBaseline } from "./baseline.js";
import { baseRowsOf, type Comparing, comparingOf, pairedOf } from "./comparing.js";
import { type ConfirmOptions, checkConfirm } from "./confirm.js";
import type { Display } from "./display.js";
import { emptyResults } from "./empty-results.js";
import type { Host } from "./host.js";
import { Measurer, type Measuring } from "./measuring.js";
import { planWithPythons } from "./planning.js";
import { checkOutputFolder, Recorder } from "./recorder.js";
import { Session } from "./session.js";

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
  host: Host,
  display: Display,
  hooks: RunHooks = {},
): Promise<RunOutcome> {
  const planned = {
    root: host.root,
    cwd: host.cwd,
    selectors: options.selectors,
    profile: options.profile,
    servers: options.servers,
    cores: availableParallelism(),
    ...(options.scenarios === undefined ? {} : { scenarios: options.scenarios }),
  };
  checkConfirm(options);
  const source = await readBase(options.base, (options.baseline?.files.length ?? 0) > 0, host.cwd);
  for (const note of source?.notes ?? []) display.setup.note(note);
  const compare = await readRunBaseline(options, host.cwd);
  const selected = await planWithPythons(planned, options.python, host, display.setup);
  const plan = options.latency ? { ...selected, sets: withLatency(selected.sets) } : selected;
  checkAnchors(options, rowsOf(plan));
  await checkOutputFolder(options.out);
  await using session = await Session.open(host.env);
  let recorder: Recorder | undefined;
  try {
    const { tempDir } = session.context;
    const planning = { plan, options: planned, python: options.python, host, progress: display.setup, tempDir };
    const notes = [...(options.notes ?? [])];
    const paired = await pairedOf(source, planning, options, (note) => {
      notes.push(note);
      display.setup.note(note);
    });
    display.begin(plan);
    await hooks.begin?.(rowsOf(plan).length);
    const rows = [...rowsOf(plan), ...baseRowsOf(paired)];
    const provisioned = await provision(rows, { run: session.context, env: host.env, progress: display.setup });
    const cpus = splitCpus(readTopology());
    const { id } = session.context;
    const inPairs = paired !== undefined;
    const empty = await emptyResults({ id, plan, provisioned, cpus, host, options, notes, inPairs });
    const comparing = comparingOf({ paired, compare, planning, options });
    recorder = new Recorder(options.out, empty, comparing.comparison);
    await recorder.open();
    return await measure({ plan, provisioned, cpus, host, session, recorder, display, hooks }, comparing, options);
  } catch (error) {
    if (!(error instanceof Interrupted) && !session.context.signal.aborted) throw error;
    const reason = session.context.signal.reason as Interrupted;
    const warnings = [
      ...(recorder?.results.run.warnings ?? []),
      `The run was ${reason.message}: the rows after it were not measured.`,
    ];
    // finishedAt stays null: the file says itself that it is not whole.
    await recorder?.finish({ warnings });
    display.interrupted(reason.message, recorder);
    return { exitCode: reason.exitCode, ...(recorder ? outcomeOf(recorder) : {}) };
  } finally {
    display.close();
  }
}

async function measure(measuring: Measuring, comparing: Comparing, options: RunOptions): Promise<RunOutcome> {
  const { recorder, display, plan } = measuring;
  const { paired } = comparing;
  const measurer = await Measurer.open(measuring);
  const started = performance.now();
  if (paired) await measurer.measurePaired(paired.plan, paired.run, options.base?.budgetMinutes);
  else {
    await measurer.measureRows(rowsOf(plan));
    await comparing.confirm(measurer, measuring);
  }
  const measuredSec = (performance.now() - started) / 1000;
  await recorder.finish({
    finishedAt: new Date().toISOString(),
    measuredSec,
    loadShare: Math.min(1, measurer.loadSec / measuredSec),
  });
  display.finished(recorder);
  return { exitCode: exitCodeOf(recorder.results, options.failOn), ...outcomeOf(recorder) };
}

function outcomeOf(recorder: Recorder): Omit<RunOutcome, "exitCode"> {
  return { results: recorder.results, resultsPath: recorder.resultsPath, reportPath: recorder.reportPath };
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
