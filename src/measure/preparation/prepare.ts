/** What an app needs before its first server of a row starts: services, and commands such as a migration. */
import { mkdtemp, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { DATA_VARIABLE, fillPlaceholders, fillTexts } from "../../plan/prepared-variables.js";
import type { PlannedPreparation, PlannedRow, Side } from "../../plan/types.js";
import { describeExit } from "../../process/group.js";
import type { RunContext } from "../../process/run.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import { type CpuSplit, formatCpuList } from "../machine/cpus.js";
import { freePort, HOST } from "../server/port.js";
import { type CommandEnd, lastLine, runCommand, shown } from "./command.js";
import { type PreparationFailure, type RunningService, serviceVariables, startService } from "./service.js";
import type { SideContext } from "./side-context.js";

export interface PreparationContext {
  readonly run: RunContext;
  readonly cpus: CpuSplit;
  readonly env: NodeJS.ProcessEnv;
  /** Files of the project, as servers see them. */
  readonly filesDir: string;
}

/** One side of a row that is ready for its servers. Disposing ends the services and removes the data. */
export interface Prepared extends AsyncDisposable {
  readonly state: "prepared";
  /** Variables that the servers need beside their own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly services: readonly RunningService[];
}

const NOTHING: Prepared = { state: "prepared", variables: {}, services: [], [Symbol.asyncDispose]: async () => {} };

/**
 * Starts the row's services and runs the app's commands, once for a row and a side.
 * @throws the run's abort reason; everything that was started has ended then
 */
export async function prepareSide(
  row: PlannedRow,
  side: Side,
  ready: ReadyEnvironment,
  context: PreparationContext,
): Promise<Prepared | PreparationFailure> {
  if (row.preparation === undefined) return NOTHING;
  // Both sides' names have the same length: a longer variable would move a server's memory.
  const dataDir = await mkdtemp(join(context.run.tempDir, `data-${side}-`));
  const started: RunningService[] = [];
  const end = async () => {
    for (const { process } of started.toReversed()) await process[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  };
  let handedOn = false;
  try {
    const variables = { ...programVariables(row, ready, context), [DATA_VARIABLE]: dataDir };
    const failure = await prepare(row, row.preparation, { ...sideContext(context, dataDir), variables }, started);
    if (failure) return failure;
    handedOn = true;
    return {
      state: "prepared",
      variables: { [DATA_VARIABLE]: dataDir, ...serviceVariables(started) },
      services: started,
      [Symbol.asyncDispose]: end,
    };
  } finally {
    if (!handedOn) await end();
  }
}

async function prepare(
  row: PlannedRow,
  { services, before, beforeTimeoutSec, beforeAt }: PlannedPreparation,
  context: SideContext,
  started: RunningService[],
): Promise<PreparationFailure | undefined> {
  const someAddress = await anyAddress();
  const withServices = () => {
    const variables = { ...context.variables, ...serviceVariables(started) };
    return { ...context, variables: fillPlaceholders(variables, { ...variables, ...someAddress }) };
  };
  for (const service of services) {
    const running = await startService(service, withServices());
    if (running.state === "failed") return running;
    started.push(running);
  }
  for (const [index, command] of before.entries()) {
    const { run, env, variables, serverCpus } = withServices();
    const filled = fillTexts(command, variables);
    const start = { command: filled, cwd: row.server.cwd, sourceEnv: env, extraEnv: variables, cpuList: serverCpus };
    const problem = problemOf(await runCommand(start, beforeTimeoutSec, run), beforeTimeoutSec);
    if (problem) return { ...problem, reason: `${beforeAt}[${index}]: ${shown(command)} ${problem.reason}` };
  }
  return undefined;
}

function problemOf(end: CommandEnd, limitSec: number): PreparationFailure | undefined {
  if (end.state === "unstarted") return { state: "failed", reason: `cannot be started: ${end.reason}`, log: "" };
  const { log } = end;
  if (end.state === "late")
    return { state: "failed", reason: `did not end within ${limitSec} s (before-timeout) and was ended`, log };
  if (end.exit.code === 0) return undefined;
  const last = lastLine(log);
  return { state: "failed", reason: `failed (${describeExit(end.exit)})${last === "" ? "" : `: ${last}`}`, log };
}

function sideContext({ run, cpus, env }: PreparationContext, dataDir: string): Omit<SideContext, "variables"> {
  const serverCpus = formatCpuList(cpus.server);
  return { run, env, dataDir, serverCpus, serviceCpus: formatCpuList(cpus.services ?? cpus.client) };
}

/** As the servers get them: a command may use the app's own settings. */
export function programVariables(
  { server }: PlannedRow,
  { binDir }: ReadyEnvironment,
  { env, filesDir }: PreparationContext,
): Record<string, string> {
  return {
    PYTHONDONTWRITEBYTECODE: "1",
    ...server.env,
    PATH: [binDir, env.PATH ?? "/usr/bin:/bin"].join(delimiter),
    SERVER_BENCH_FILES: filesDir,
  };
}

/** The row with what its servers need of the preparation. */
export function preparedRow(row: PlannedRow, { variables }: Prepared): PlannedRow {
  const env = { ...variables, ...fillPlaceholders(row.server.env, variables) };
  return { ...row, server: { ...row.server, command: fillTexts(row.server.command, variables), env } };
}

/** For what runs without the server: settings that take a port's number from a variable must be able to read one. */
export async function anyAddress(): Promise<{ readonly host: string; readonly port: string }> {
  return { host: HOST, port: String(await freePort()) };
}

/** The CPUs, and the services that share those of the load generator: their work there is no disturbance. */
export function besideServices(cpus: CpuSplit, prepared: readonly Prepared[]): CpuSplit {
  const companions = prepared.flatMap(({ services }) => services.map(({ process }) => process));
  return cpus.services !== undefined || companions.length === 0 ? cpus : { ...cpus, companions };
}
