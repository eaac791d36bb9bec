/** `run`: plan, provision, measure, report. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { InputError, Interrupted } from "../errors.js";
import { type CpuSplit, readTopology, splitCpus } from "../measure/cpus.js";
import { readHost } from "../measure/host.js";
import { didYouMean } from "../plan/nearest.js";
import { type Planned, rowsOf } from "../plan/plan.js";
import type { PlannedRow } from "../plan/types.js";
import { readyTools } from "../provision/generators.js";
import { provision } from "../provision/provision.js";
import type { BaseSource } from "../provision/sides.js";
import type { Provisioned } from "../provision/types.js";
import { type Results, SCHEMA_NAME, SCHEMA_VERSION } from "../results/schema.js";
import { type BaseOptions, type PairedPlan, parseBudget, planPaired, readBase } from "./base.js";
import { checkAnchors, readRunBaseline } from "./baseline.js";
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
  /** Stored results to compare with, and the servers that are controls. */
  readonly baseline?: { readonly files: readonly string[]; readonly anchors: readonly string[] };
  /** The side to compare with, measured in this run. */
  readonly base?: BaseOptions;
  /** What repeats this run, for the report. */
  readonly command: readonly string[];
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
  const base = baseOf(parsed);
  return {
    ...(base && { base }),
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
function baseOf(parsed: ParsedCommand): BaseOptions | undefined {
  const [given, budget] = [textOf(parsed, "base"), textOf(parsed, "budget")];
  if (given === undefined) {
    if (budget !== undefined) throw new InputError("--budget has no meaning without a base: give --base REF or DIR");
    return undefined;
  }
  return { given, ...(budget !== undefined && { budgetMinutes: parseBudget(budget) }) };
}

/** @throws InputError for an unknown word. */
export function failOnNamed(name: string): FailOn {
  const found = FAIL_ON.find((known) => known === name);
  if (!found)
    throw new InputError(`invalid --fail-on "${name}": use ${FAIL_ON.join(", ")}${didYouMean(name, FAIL_ON)}`);
  return found;
}

export async function run(options: RunOptions, host: Host, display: Display): Promise<RunOutcome> {
  const planned = {
    root: host.root,
    cwd: host.cwd,
    selectors: options.selectors,
    profile: options.profile,
    servers: options.servers,
    cores: availableParallelism(),
    ...(options.scenarios === undefined ? {} : { scenarios: options.scenarios }),
  };
  const source = await readBase(options.base, (options.baseline?.files.length ?? 0) > 0, host.cwd);
  const compare = await readRunBaseline(options, host.cwd);
  const plan = await planWithPythons(planned, options.python, host, display.setup);
  checkAnchors(options, rowsOf(plan));
  await checkOutputFolder(options.out);
  await using session = await Session.open(host.env);
  let recorder: Recorder | undefined;
  try {
    const { tempDir } = session.context;
    const planning = { plan, options: planned, python: options.python, host, progress: display.setup, tempDir };
    const paired = await pairedOf(source, planning, options.command);
    display.begin(plan);
    const rows = [...rowsOf(plan), ...baseRowsOf(paired)];
    const provisioned = await provision(rows, { run: session.context, env: host.env, progress: display.setup });
    const cpus = splitCpus(readTopology());
    const empty = await emptyResults(plan, provisioned, cpus, options, host, session);
    recorder = new Recorder(options.out, empty, paired ? () => paired.run.comparison() : compare);
    await recorder.open();
    return await measure({ plan, provisioned, cpus, host, session, recorder, display }, paired, options);
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

async function measure(measuring: Measuring, paired: Paired | undefined, options: RunOptions): Promise<RunOutcome> {
  const { recorder, display, plan } = measuring;
  const measurer = await Measurer.open(measuring);
  const started = performance.now();
  if (paired) await measurer.measurePaired(paired.plan, paired.run, options.base?.budgetMinutes);
  else await measurer.measureRows(rowsOf(plan));
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
  planning: Omit<Parameters<typeof planPaired>[0], "source">,
  command: readonly string[],
): Promise<Paired | undefined> {
  if (source === undefined) return undefined;
  const plan = await planPaired({ ...planning, source });
  return { plan, run: new PairedRun(plan, command) };
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
  return failOn === "failed" && states.includes("failed") ? 1 : 0;
}

/** The plan speaks of rows that are measured alone. */
const IN_PAIRS =
  "Rows that both sides have are measured in pairs, at their first concurrency, as the comparison says; the rest holds for the others.";

async function emptyResults(
  plan: Planned,
  provisioned: Provisioned,
  cpus: CpuSplit,
  options: RunOptions,
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
      warnings: [...cpus.warnings],
      measuredSec: 0,
      loadShare: 0,
    },
    environment: await readHost(ready?.pythonVersion ?? "none", readyTools(provisioned.generators), cpus),
    sets: plan.sets.map(({ rows: _rows, ...info }) => ({
      ...info,
      methodology: [...(options.base ? [IN_PAIRS] : []), ...info.methodology],
      columns: [...info.columns],
      knobColumns: { ...info.knobColumns },
      leadColumns: { ...info.leadColumns },
      charts: [...(info.charts ?? [])],
    })),
    cases: [],
  };
}
