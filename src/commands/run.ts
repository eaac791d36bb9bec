/** `run`: plan, provision, measure, report. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { InputError, Interrupted } from "../errors.js";
import { type CpuSplit, readTopology, splitCpus } from "../measure/cpus.js";
import { readHost } from "../measure/host.js";
import { withLatency } from "../plan/latency.js";
import { didYouMean } from "../plan/nearest.js";
import { type Planned, rowsOf } from "../plan/plan.js";
import { parseShard, type ShardPlace } from "../plan/shards.js";
import type { PlannedRow } from "../plan/types.js";
import { readyTools } from "../provision/generators.js";
import { provision } from "../provision/provision.js";
import { type BaseSource, findBase } from "../provision/sides.js";
import type { Provisioned } from "../provision/types.js";
import type { Comparison } from "../results/comparison.js";
import { type Results, SCHEMA_NAME, SCHEMA_VERSION } from "../results/schema.js";
import { type BaseOptions, type BasePlanning, type PairedPlan, parseBudget, planPaired, readBase } from "./base.js";
import { checkAnchors, readRunBaseline } from "./baseline.js";
import { Confirmation, type ConfirmOptions, checkConfirm } from "./confirm.js";
import { type Display, openDisplay } from "./display.js";
import { readGit } from "./git.js";
import type { Host } from "./host.js";
import { Measurer, type Measuring } from "./measuring.js";
import { DEFAULTS, joinedOf, type ParsedCommand, repeatOf, textOf } from "./options.js";
import { PairedRun } from "./paired.js";
import { planWithPythons } from "./planning.js";
import { checkOutputFolder, Recorder } from "./recorder.js";
import { Session } from "./session.js";
import { type RunSummary, summaryOf } from "./summary.js";
import { toolVersion } from "./version.js";

export const FAIL_ON = ["never", "worse", "failed"] as const;
type FailOn = (typeof FAIL_ON)[number];

export interface RunBaseline {
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
  readonly shard?: ShardPlace;
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

export async function runCommand(parsed: ParsedCommand, host: Host): Promise<number> {
  const json = parsed.flags.has("json");
  const options = optionsOf(parsed, host);
  // A typing error is told before head is measured; whatever fails later leaves head's results whole.
  if (options.confirm) await findBase(options.confirm.base.given, host.cwd, "--confirm");
  const display = openDisplay(json ? host.stderr : host.stdout, host.env);
  const outcome = await run(options, host, display);
  if (json && outcome.results && outcome.resultsPath && outcome.reportPath) {
    const summary: RunSummary = summaryOf(outcome.results, outcome.resultsPath, outcome.reportPath);
    host.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  }
  return outcome.exitCode;
}

function optionsOf(parsed: ParsedCommand, host: Host): RunOptions {
  const scenarios = textOf(parsed, "scenarios");
  const python = joinedOf(parsed, "python");
  const shard = textOf(parsed, "shard");
  return {
    ...sidesOf(parsed),
    ...(parsed.flags.has("latency") && { latency: true }),
    ...(shard !== undefined && { shard: parseShard(shard) }),
    selectors: parsed.positionals.length === 0 ? DEFAULTS.selectors : parsed.positionals,
    profile: textOf(parsed, "profile") ?? DEFAULTS.profile,
    out: resolve(host.cwd, textOf(parsed, "out") ?? DEFAULTS.out),
    ...(scenarios === undefined ? {} : { scenarios: resolve(host.cwd, scenarios) }),
    servers: parsed.values.get("server") ?? [],
    ...(python === undefined ? {} : { python }),
    failOn: failOnNamed(textOf(parsed, "fail-on") ?? DEFAULTS.failOn),
    command: repeatOf(parsed),
    baseline: { files: parsed.values.get("base-results") ?? [], anchors: parsed.values.get("anchor") ?? [] },
  };
}

/** @throws InputError for a budget without a base, or one that is no number */
function sidesOf(parsed: ParsedCommand): Pick<RunOptions, "base" | "confirm"> {
  const [base, confirm, budget] = [textOf(parsed, "base"), textOf(parsed, "confirm"), textOf(parsed, "budget")];
  if (budget !== undefined && base === undefined && confirm === undefined)
    throw new InputError("--budget has no meaning without a base: give --base REF or DIR");
  if (parsed.flags.has("latency") && base === undefined && confirm === undefined)
    throw new InputError("--latency has no meaning without a base: give --base REF or DIR");
  const minutes = budget === undefined ? {} : { budgetMinutes: parseBudget(budget) };
  return {
    ...(base !== undefined && { base: { given: base, ...minutes } }),
    ...(confirm !== undefined && { confirm: { base: { given: confirm, ...minutes } } }),
  };
}

/** @throws InputError for an unknown word. */
export function failOnNamed(name: string): FailOn {
  const found = FAIL_ON.find((known) => known === name);
  if (!found)
    throw new InputError(`invalid --fail-on "${name}": use ${FAIL_ON.join(", ")}${didYouMean(name, FAIL_ON)}`);
  return found;
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
    const empty = await emptyResults(
      plan,
      provisioned,
      cpus,
      { ...options, notes, inPairs: paired !== undefined },
      host,
      session,
    );
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

interface Paired {
  readonly plan: PairedPlan;
  readonly run: PairedRun;
}

/** What the results are compared with, and how. */
interface Comparing {
  readonly paired: Paired | undefined;
  /** Of the results as they are. */
  readonly comparison: ((head: Results) => Comparison) | undefined;
  /** After all rows: those that look changed, in pairs. */
  confirm(measurer: Measurer, measuring: Measuring): Promise<void>;
}

function comparingOf(parts: {
  readonly paired: Paired | undefined;
  readonly compare: ((head: Results) => Comparison) | undefined;
  readonly planning: Omit<BasePlanning, "source">;
  readonly options: RunOptions;
}): Comparing {
  const { paired, compare, planning, options } = parts;
  const confirm = async () => {};
  if (paired) return { paired, comparison: () => paired.run.comparison(), confirm };
  if (!compare || !options.confirm) return { paired, comparison: compare, confirm };
  const confirmation = new Confirmation(options.confirm);
  return {
    paired,
    comparison: (head) => confirmation.applyTo(compare(head)),
    confirm: async (measurer, { recorder, session, display }) =>
      await confirmation.measure(compare(recorder.results), {
        ...{ planning, measurer, display },
        context: session.context,
      }),
  };
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

/** Base beside head, where one was asked for. @throws InputError for a base that cannot be planned */
async function pairedOf(
  source: BaseSource | undefined,
  planning: Omit<BasePlanning, "source">,
  { base, command }: Pick<RunOptions, "base" | "command">,
  note: (text: string) => void,
): Promise<Paired | undefined> {
  if (source === undefined) return undefined;
  try {
    const plan = await planPaired({ ...planning, source });
    return { plan, run: new PairedRun(plan, command) };
  } catch (error) {
    if (!base?.optional || !(error instanceof InputError)) throw error;
    note(`Nothing to compare with: ${error.message}`);
    return undefined;
  }
}

function baseRowsOf(paired: Paired | undefined): readonly PlannedRow[] {
  if (!paired) return [];
  const { measured, control } = paired.plan;
  return [...measured, ...(control ? [control] : [])].map(({ base }) => base);
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

/** The plan speaks of rows that are measured alone. */
const IN_PAIRS =
  "Rows that both sides have are measured in pairs, at the first concurrency that both have, as the comparison says; the rest holds for the others.";

async function emptyResults(
  plan: Planned,
  provisioned: Provisioned,
  cpus: CpuSplit,
  options: RunOptions & { readonly inPairs: boolean },
  host: Host,
  session: Session,
): Promise<Results> {
  const git = await readGit(host.cwd);
  const ready = [...provisioned.environments.values()].find((state) => state.state === "ready");
  return {
    schema: SCHEMA_NAME,
    version: SCHEMA_VERSION,
    run: {
      id: session.context.id,
      startedAt: new Date().toISOString(),
      finishedAt: null,
      tool: { version: await toolVersion(host.root) },
      ...(git === undefined ? {} : { git }),
      profile: plan.profile.name,
      command: [...options.command],
      warnings: [...cpus.warnings, ...(options.notes ?? [])],
      measuredSec: 0,
      loadShare: 0,
      ...(options.shard && { shard: options.shard }),
    },
    environment: await readHost(ready?.pythonVersion ?? "none", readyTools(provisioned.generators), cpus),
    sets: plan.sets.map(({ rows: _rows, ...info }) => ({
      ...info,
      methodology: [...(options.inPairs ? [IN_PAIRS] : []), ...info.methodology],
      columns: [...info.columns],
      knobColumns: { ...info.knobColumns },
      leadColumns: { ...info.leadColumns },
      charts: [...(info.charts ?? [])],
    })),
    cases: [],
  };
}
