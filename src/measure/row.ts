/** One row: a server process of its own, and every concurrency of the row on it. */

import { join } from "node:path";
import { messageOf, SetupError } from "../errors.js";
import type { PlannedRow, Profile, Side } from "../plan/types.js";
import { childEnvironment } from "../process/environment.js";
import { describeExit } from "../process/group.js";
import type { RunContext } from "../process/run.js";
import type { ReadyEnvironment, Tool } from "../provision/types.js";
import type { CaseResult } from "../results/schema.js";
import { type CaseFigures, type CaseSetup, measureCase } from "./case.js";
import type { Generator } from "./generators/contract.js";
import { GENERATOR_MAKERS } from "./generators/registry.js";
import type { CpuSplit } from "./machine/cpus.js";
import { misplacement } from "./machine/placement.js";
import { RowResults } from "./row-results.js";
import { wrongAfterLoad } from "./server/after-load.js";
import { type Exchange, makeExchange, writeBody } from "./server/exchange.js";
import { probeOf, type Started, startAgainIfTaken } from "./server/start.js";
import { medianStart, startOf, startsBefore } from "./startup/starts.js";

export interface MeasureContext {
  readonly run: RunContext;
  readonly cpus: CpuSplit;
  /** Load generators by name. */
  readonly generators: ReadonlyMap<string, Tool>;
  readonly profile: Profile;
  /** Folder of the files that the project makes; servers see it as SERVER_BENCH_FILES. */
  readonly filesDir: string;
  readonly side: Side;
  /** Where the allow-listed variables of children come from. */
  readonly env: NodeJS.ProcessEnv;
  /** Awaited after each case. */
  onCase(result: CaseResult): Promise<void>;
  onPhase?(phase: "starting" | "warming up" | "measuring", connections?: number): void;
  /** Seconds of every load, warm-up included: the run's share under load is computed from them. */
  onLoad?(seconds: number): void;
}

/**
 * Measures the row's cases in order, on one server process. When the server fails, each case that was not yet
 * measured has failed.
 * @throws the signal's reason when the run is aborted, and SetupError where the machine lacks a tool; the server is
 *   gone by then
 */
export async function measureRow(
  row: PlannedRow,
  ready: ReadyEnvironment,
  context: MeasureContext,
): Promise<CaseResult[]> {
  const rowResults = new RowResults(row, ready, context);
  context.run.signal.throwIfAborted();
  const generator = makeGenerator(row, ready, context);
  context.onPhase?.("starting");
  let exchange: Exchange;
  try {
    exchange = await makeExchange(row, context.filesDir);
  } catch (error) {
    return await rowResults.failRest(messageOf(error), "");
  }
  rowResults.expects(exchange);
  const before = await startsBefore(row, ready, exchange, context);
  if (before.state === "failed") return await rowResults.failRest(before.reason, before.log);
  const started = await startAgainIfTaken(row, ready, exchange, context);
  if (started.state === "failed") return await rowResults.failRest(started.reason, started.log);
  await using server = started.server;
  const startup = row.startup && medianStart([...before.starts, startOf(started)]);
  const setup: CaseSetup = {
    row,
    generator,
    port: started.port,
    tempDir: context.run.tempDir,
    profile: context.profile,
    cpus: context.cpus,
    bodyFile: await writeBody(exchange, context.run.tempDir),
    exchange,
    certificate: started.certificate,
    socket: started.socket,
    startup,
    signal: context.run.signal,
    onLoad: (seconds) => context.onLoad?.(seconds),
    onPhase: (phase, connections) => context.onPhase?.(phase, connections),
  };
  for (const connections of row.connections) {
    const figures = await checked(await measureCase(server, connections, setup), started, setup, context.run.signal);
    if (server.exit !== undefined) {
      const reason = `the server ended under load (${describeExit(server.exit)}) at ${connections} connections`;
      return await rowResults.failRest(reason, server.logTail(), figures.generatorCommand);
    }
    const log = figures.state === "failed" ? (figures.log ?? server.logTail()) : "";
    // The last result waits for the server's end, so that its wall time includes it.
    if (rowResults.left === 1) await server.stop();
    await rowResults.add(connections, flagged(figures, server.logWarning), log);
  }
  return rowResults.results;
}

function flagged(figures: CaseFigures, warning: string | undefined): CaseFigures {
  if (figures.state === "failed" || warning === undefined) return figures;
  return { ...figures, warnings: [...figures.warnings, warning] };
}

/** The figures, or why they do not count: the server took another place, or its answers are wrong after the load. */
async function checked(
  figures: CaseFigures,
  { server, port, certificate, socket }: Started,
  { row, exchange, cpus }: CaseSetup,
  signal: AbortSignal,
): Promise<CaseFigures> {
  if (figures.state === "failed" || server.exit !== undefined) return figures;
  const probe = (route: Exchange["routes"][number]) => probeOf({ row, exchange, port, certificate, socket }, route);
  const wrong = misplacement(server.processes(), cpus.server) ?? (await wrongAfterLoad(exchange, probe, signal));
  if (wrong === undefined) return figures;
  return { state: "failed", reason: wrong, log: undefined, generatorCommand: figures.generatorCommand };
}

/** @throws SetupError where the generator was not set up */
export function makeGenerator(
  row: PlannedRow,
  ready: ReadyEnvironment,
  context: Pick<MeasureContext, "generators" | "cpus" | "env" | "run">,
): Generator {
  const tool = context.generators.get(row.generator);
  if (tool === undefined)
    throw new SetupError(`${row.id} needs the load generator ${row.generator}, which was not set up`);
  return GENERATOR_MAKERS[row.generator]({
    tool,
    cpus: context.cpus.client,
    env: childEnvironment(context.env, context.run.id),
    python: join(ready.binDir, "python3"),
    tempDir: context.run.tempDir,
    signal: context.run.signal,
  });
}
