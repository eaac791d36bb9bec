/** `run`: plan, provision, measure, report. */
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { InputError, Interrupted, SetupError } from "../errors.js";
import { type CpuSplit, readTopology, splitCpus } from "../measure/cpus.js";
import { readHost } from "../measure/host.js";
import { unmeasured } from "../measure/recorder.js";
import { measureRow } from "../measure/row.js";
import { didYouMean } from "../plan/nearest.js";
import { type Planned, rowsOf } from "../plan/plan.js";
import type { PlannedRow } from "../plan/types.js";
import { makeFiles } from "../provision/files.js";
import { readyTools } from "../provision/generators.js";
import { environmentKey } from "../provision/key.js";
import { provision } from "../provision/provision.js";
import type { EnvironmentState, Provisioned } from "../provision/types.js";
import { type Results, SCHEMA_NAME, SCHEMA_VERSION } from "../results/schema.js";
import { checkAnchors, readRunBaseline } from "./baseline.js";
import { type Display, openDisplay } from "./display.js";
import { readGit } from "./git.js";
import type { Host } from "./host.js";
import { DEFAULTS, joinedOf, type ParsedCommand, repeatOf, textOf } from "./options.js";
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
  return {
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
  const compare = await readRunBaseline(options, host.cwd);
  const plan = await planWithPythons(planned, options.python, host, display.setup);
  checkAnchors(options, rowsOf(plan));
  await checkOutputFolder(options.out);
  await using session = await Session.open(host.env);
  let recorder: Recorder | undefined;
  try {
    display.begin(plan);
    const provisioned = await provision(rowsOf(plan), { run: session.context, env: host.env, progress: display.setup });
    const cpus = splitCpus(readTopology());
    const empty = await emptyResults(plan, provisioned, cpus, options, host, session);
    recorder = new Recorder(options.out, empty, compare);
    await recorder.open();
    return await measure(plan, provisioned, cpus, { options, host, session, recorder, display });
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

interface Measuring {
  readonly options: RunOptions;
  readonly host: Host;
  readonly session: Session;
  readonly recorder: Recorder;
  readonly display: Display;
}

async function measure(plan: Planned, provisioned: Provisioned, cpus: CpuSplit, run: Measuring): Promise<RunOutcome> {
  const { session, recorder, display } = run;
  const filesDir = join(session.context.tempDir, "files");
  await makeFiles(filesDir);
  const started = performance.now();
  let loadSec = 0;
  for (const row of rowsOf(plan)) {
    session.context.signal.throwIfAborted();
    const environment = unmeasurable(row, provisioned) ?? stateOf(row, provisioned);
    display.rowStarted(row);
    if (environment.state !== "ready") {
      const cases = unmeasured(row, "head", environment);
      await recorder.add(cases);
      for (const result of cases) display.caseDone(result);
      continue;
    }
    await measureRow(row, environment, {
      run: session.context,
      cpus,
      generators: readyTools(provisioned.generators),
      profile: plan.profile,
      filesDir,
      side: "head",
      env: { ...run.host.env },
      onCase: async (result) => {
        await recorder.add([result]);
        display.caseDone(result);
      },
      onPhase: (phase, connections) => display.phase(phase, connections),
      onLoad: (seconds) => {
        loadSec += seconds;
      },
    });
  }
  const measuredSec = (performance.now() - started) / 1000;
  await recorder.finish({
    finishedAt: new Date().toISOString(),
    measuredSec,
    loadShare: Math.min(1, loadSec / measuredSec),
  });
  display.finished(recorder);
  return { exitCode: exitCodeOf(recorder.results, run.options.failOn), ...outcomeOf(recorder) };
}

/** A row without its load generator has failed like one without its environment. */
function unmeasurable(row: PlannedRow, { generators }: Provisioned): EnvironmentState | undefined {
  const generator = generators.get(row.generator);
  return generator?.state === "failed" ? generator : undefined;
}

function stateOf(row: PlannedRow, provisioned: Provisioned): EnvironmentState {
  const state = provisioned.environments.get(environmentKey(row.environment));
  if (!state) throw new SetupError(`no environment was made for the row ${row.id}`);
  return state;
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
      methodology: [...info.methodology],
      columns: [...info.columns],
      knobColumns: { ...info.knobColumns },
      leadColumns: { ...info.leadColumns },
      charts: [...(info.charts ?? [])],
    })),
    cases: [],
  };
}
