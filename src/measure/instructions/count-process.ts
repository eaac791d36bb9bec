/** One server process below Valgrind: started, warmed up, and loaded in windows of a fixed number of requests. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { PlannedRow } from "../../plan/types.js";
import { childEnvironment } from "../../process/environment.js";
import { describeExit, type ServerProcess } from "../../process/group.js";
import { signalProcess } from "../../process/sweep.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { ExpectedAnswer } from "../../results/answers.js";
import type { Generator, Load, Measured } from "../generators/contract.js";
import { holdIdle, pairClosedIdle } from "../idle-memory.js";
import { type MeasureContext, makeGenerator } from "../row.js";
import { leftItsRange, rowLoad } from "../row-load.js";
import { wrongAfterLoad } from "../server/after-load.js";
import { BodyError } from "../server/body.js";
import { type Exchange, expectedAnswers, makeExchange, routeAnswers, writeBody } from "../server/exchange.js";
import { probeOf, startAgainIfTaken } from "../server/start.js";
import { describeFailures } from "../window.js";
import { Callgrind, CallgrindError } from "./callgrind.js";
import { loadWindow } from "./load-window.js";
import { untilAtRest } from "./settled.js";
import type { Valgrind } from "./valgrind.js";
import {
  areSteady,
  COUNTED_WINDOWS,
  type RequestCost,
  requestsPerWindow,
  SIZING_REQUESTS,
  WINDOWS_MAX,
} from "./windows.js";

/** Programs start some five times as slowly below Valgrind. */
const START_FACTOR = 6;
const START_MAX_SEC = 90;
/** For all windows of a process. A window that has begun is finished. */
const WINDOWS_SEC = 60;
/** Loads that show the size of a window. */
const SIZINGS_MAX = 3;
/** A window that takes longer counts as hung. */
const WINDOW_MAX_SEC = 120;
/** With one connection the server never answers several requests at once, so that its work does not depend on time. */
const CONNECTIONS = 1;
/** Of rows whose app waits: one request after the other would take minutes. */
const WAITING_CONNECTIONS = 16;
/** The smallest broadcast: one client alone has no other to send to. */
const BROADCAST_CONNECTIONS = 2;

export type CountContext = Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
  readonly valgrind: Valgrind;
};

/** Requests of a window, the same for both sides and all processes of a row. The first process that is ready determines the number. */
export interface WindowSize {
  requests: number | undefined;
}

export type CountedProcess =
  | {
      readonly state: "counted";
      /** Instructions per request of each window that counts. */
      readonly windows: readonly number[];
      /** What its answers were checked for. */
      readonly answers: readonly ExpectedAnswer[];
    }
  | { readonly state: "failed"; readonly reason: string };

/** The load of a row while its instructions are counted. */
export function countedConnections({ waits, generator }: Pick<PlannedRow, "waits" | "generator">): number {
  if (generator === "websocket") return BROADCAST_CONNECTIONS;
  return waits ? WAITING_CONNECTIONS : CONNECTIONS;
}

/** The row as it is loaded here: wrk cannot send a fixed number of requests. */
export function countedRow(row: PlannedRow): PlannedRow {
  return row.generator === "wrk" ? { ...row, generator: "oha" } : row;
}

/**
 * Whatever goes wrong in the server or in Valgrind is a failure.
 * @throws the run's abort reason; the server is gone by then
 */
export async function countProcess(
  row: PlannedRow,
  ready: ReadyEnvironment,
  hashSeed: number,
  size: WindowSize,
  context: CountContext,
): Promise<CountedProcess> {
  const { run, env, valgrind, filesDir, generators } = context;
  run.signal.throwIfAborted();
  if (!generators.has(row.generator)) return failed(`the load generator ${row.generator} could not be set up`, "");
  const folder = join(run.tempDir, `callgrind-${randomUUID()}`);
  const names = { ...childEnvironment(env, run.id), ...namesOf(row.server.env) };
  await using callgrind = await Callgrind.open(valgrind, folder, names);
  try {
    const exchange = await makeExchange(row, filesDir);
    const starting = { ...context, extraEnv: { PYTHONHASHSEED: String(hashSeed) } };
    const started = await startAgainIfTaken(below(row, callgrind), ready, exchange, starting);
    if (started.state === "failed") return failed(`below Valgrind ${started.reason}`, started.log);
    await using server = started.server;
    const idle = await holdIdle(server, { row, port: started.port, signal: run.signal });
    if (idle.state === "failed") return failed(`below Valgrind ${idle.reason}`, server.logTail());
    using held = idle;
    await untilAtRest(server, run.signal);
    const generator = makeGenerator(row, ready, { ...context, run: { ...run, tempDir: folder } });
    const bodyFile = await writeBody(exchange, folder);
    const load = countedLoad(row, { ...started, exchange, bodyFile });
    const counted = await countWindows({ server, generator, exchange, load, callgrind, size });
    if (counted.state === "failed") return counted;
    const wrong =
      pairClosedIdle(row, held.figures()) ??
      (await wrongAfterLoad(exchange, (route) => probeOf({ ...started, row, exchange }, route), run.signal));
    if (wrong !== undefined) return failed(`below Valgrind ${wrong}`, server.logTail());
    killProcesses(server);
    return { ...counted, answers: expectedAnswers(exchange) };
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof CallgrindError || error instanceof BodyError) return failed(error.message, "");
    throw error;
  }
}

function below(row: PlannedRow, callgrind: Callgrind): PlannedRow {
  const { command, readyTimeoutSec } = row.server;
  const server = {
    ...row.server,
    command: [...callgrind.prefix, ...command],
    readyTimeoutSec: Math.min(START_MAX_SEC, START_FACTOR * readyTimeoutSec),
  };
  return { ...row, server };
}

function countedLoad(row: PlannedRow, target: Parameters<typeof rowLoad>[1]): Load {
  const load = rowLoad(row, target, {
    connections: countedConnections(row),
    seconds: WINDOW_MAX_SEC,
    waitOngoing: true,
    record: differ(routeAnswers(target.exchange)),
  });
  return {
    ...load,
    // A clock would leave the number of requests open.
    ratePerSec: undefined,
    streams: 1,
    timeoutSec: Math.max(row.timeoutSec, WINDOW_MAX_SEC),
    generatorThreads: 1,
  };
}

/** Where right answers differ in status or size, only a recording can count them. */
function differ(answers: Load["answers"]): boolean {
  const kinds = answers.flatMap(({ status, size }) => [`${status} ${size?.least}`, `${status} ${size?.most}`]);
  return new Set(kinds).size > 1;
}

interface Counting {
  readonly server: ServerProcess;
  readonly generator: Generator;
  readonly exchange: Exchange;
  load: Load;
  readonly callgrind: Callgrind;
  readonly size: WindowSize;
}

interface Windows {
  readonly state: "counted";
  readonly windows: readonly number[];
}
type Failed = Extract<CountedProcess, { readonly state: "failed" }>;

async function countWindows(counting: Counting): Promise<Windows | Failed> {
  const { server, callgrind, size } = counting;
  await callgrind.count(pidsOf(server));
  const sized = await sizing(counting);
  if (sized.state === "failed") return sized;
  size.requests ??= requestsPerWindow(sized);
  const windows: number[] = [];
  let unsettled = 0;
  const giveUpAt = performance.now() + WINDOWS_SEC * 1000;
  // The first window is part of the warm-up.
  while (windows.length <= WINDOWS_MAX && !areSteady(windows.slice(1))) {
    if (performance.now() >= giveUpAt && windows.length > 1) break;
    const counted = await window(counting, size.requests);
    if (counted.state === "failed") return counted;
    // The start of a process is not the work of a request.
    if (counted.startedProcess) unsettled += 1;
    else windows.push(counted.instructions);
    if (unsettled > WINDOWS_MAX)
      return failed("below Valgrind processes of the server start in every window: workers must live longer", "");
  }
  return { state: "counted", windows: windows.slice(1).slice(-COUNTED_WINDOWS) };
}

/** The first requests of a process import and compile: they are repeated until they cost no less. */
async function sizing(counting: Counting): Promise<CountedWindow | Failed> {
  let least = await window(counting, SIZING_REQUESTS);
  if (counting.size.requests !== undefined) return least;
  for (let i = 1; i < SIZINGS_MAX && least.state === "counted"; i += 1) {
    const next = await window(counting, SIZING_REQUESTS);
    if (next.state === "failed") return next;
    const settled = next.instructions > least.instructions / 2;
    least = next.instructions < least.instructions ? next : least;
    if (settled) break;
  }
  return least;
}

/** Valgrind and vgdb put them into the name of their pipe, each from its own environment. */
function namesOf(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => ["LOGNAME", "USER", "HOST", "HOSTNAME"].includes(name)),
  );
}

/** What a server does at its end is not counted, and takes more than a second below Valgrind. */
function killProcesses(server: ServerProcess): void {
  for (const process of server.processes()) signalProcess(process, "SIGKILL");
}

function pidsOf(server: ServerProcess): number[] {
  return server.processes().map(({ pid }) => pid);
}

/** Per request. */
interface CountedWindow extends RequestCost {
  readonly state: "counted";
  /** A process of the server was started in it. */
  readonly startedProcess: boolean;
}

async function window(counting: Counting, requests: number): Promise<CountedWindow | Failed> {
  const { server, generator, load, callgrind } = counting;
  const before = new Set(pidsOf(server));
  const outcome = await loadWindow(generator, load, requests);
  if (server.exit !== undefined)
    return failed(`below Valgrind the server ended under load (${describeExit(server.exit)})`, server.logTail());
  if (outcome.state === "failed") return failed(`below Valgrind: ${outcome.reason}`, outcome.log ?? server.logTail());
  if (leftItsRange(outcome.failures, counting.exchange)) {
    counting.load = { ...load, answers: routeAnswers(counting.exchange) };
    await callgrind.count(pidsOf(server));
    return await window(counting, requests);
  }
  if (outcome.failures.total > 0 || !outcome.exact || outcome.requests === 0)
    return failed(`below Valgrind ${describeWrong(outcome, requests)}`, server.logTail());
  const after = pidsOf(server);
  return {
    state: "counted",
    instructions: (await callgrind.count(after)) / outcome.requests,
    seconds: outcome.seconds / outcome.requests,
    startedProcess: after.some((pid) => !before.has(pid)),
  };
}

function describeWrong({ failures, exact }: Measured, requests: number): string {
  if (failures.total === 0 && !exact) return "some bodies had a wrong size";
  return `${failures.total} of ${requests} requests failed: ${describeFailures(failures.byKind)}`;
}

/** The last line of a log often has the error. */
function failed(reason: string, log: string): Failed {
  const last = log.trim().split("\n").at(-1) ?? "";
  return { state: "failed", reason: last === "" || reason.includes(last) ? reason : `${reason}: ${last}` };
}
