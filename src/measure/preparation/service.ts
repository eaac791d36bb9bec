/** A program beside the app: started on a free port, waited for, and ended with the row. */
import { mkdtemp } from "node:fs/promises";
import http from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { reason } from "../../messages/reasons.js";
import { fillPlaceholders, fillTexts, servicePrefix } from "../../plan/prepared-variables.js";
import type { PlannedService } from "../../plan/types.js";
import { describeExit, type ServerProcess, ServerStartError, startServer } from "../../process/group.js";
import { RunningTime } from "../../process/limit.js";
import { freePort, HOST, saysAddressInUse } from "../server/port.js";
import { lastLine, runCommand, shown } from "./command.js";
import type { SideContext } from "./side-context.js";

export interface RunningService {
  readonly name: string;
  readonly process: ServerProcess;
  readonly port: number;
}

/** Why a service that was ready is not there any more; undefined: it runs. */
export function endOf({ name, process }: RunningService): PreparationFailure | undefined {
  if (process.exit === undefined) return undefined;
  return {
    state: "failed",
    reason: `the service ${name} ended (${describeExit(process.exit)})`,
    log: process.logTail(),
  };
}

export interface PreparationFailure {
  readonly state: "failed";
  readonly reason: string;
  readonly log: string;
}

const POLL_MS = 50;
/** Of one attempt to connect, to ask, or of the command. */
const ATTEMPT_SEC = 5;
/** No attempt takes longer. */
const ROUND_MS = 10_000;

/** SERVICE_CACHE_HOST and SERVICE_CACHE_PORT, for the app, its commands and other services. */
export function serviceVariables(services: readonly Pick<RunningService, "name" | "port">[]): Record<string, string> {
  return Object.fromEntries(
    services.flatMap(({ name, port }) => {
      const prefix = servicePrefix(name);
      return [
        [`${prefix}_HOST`, HOST],
        [`${prefix}_PORT`, String(port)],
      ];
    }),
  );
}

/** @throws the run's abort reason; the service has ended then */
export async function startService(
  service: PlannedService,
  context: SideContext,
): Promise<({ readonly state: "running" } & RunningService) | PreparationFailure> {
  const first = await tryStart(service, context);
  // Another process can take the port before the service does.
  return first.state === "failed" && saysAddressInUse(first.log) ? await tryStart(service, context) : first;
}

async function tryStart(service: PlannedService, context: SideContext): ReturnType<typeof startService> {
  const { run } = context;
  const { name, timeoutSec, folder } = service;
  const because = (why: string, log: string): PreparationFailure => ({
    state: "failed",
    reason: `${service.at}: ${why}`,
    log,
  });
  const failed = (how: string, log = "") => because(`the service ${name} ${how}`, log);
  let place: Place;
  let process: ServerProcess;
  try {
    place = { port: await freePort(), data: await mkdtemp(join(context.dataDir, `${name}-`)), folder };
    process = await startServer(startOf(service.command, service, place, context), run);
  } catch (error) {
    if (error instanceof ServerStartError) return failed(`cannot be started: ${error.message}`);
    throw error;
  }
  let handedOn = false;
  try {
    const problem = await awaitService(service, process, place, context);
    if (problem === undefined) {
      handedOn = true;
      return { state: "running", name, process, port: place.port };
    }
    const log = process.logTail();
    if (process.exit === undefined)
      return because(
        reason("service-late", { service: `the service ${name}`, seconds: timeoutSec, seen: problem }),
        log,
      );
    return failed(`ended (${describeExit(process.exit)}) before it was ready: ${lastLine(log)}`, log);
  } finally {
    if (!handedOn) await process[Symbol.asyncDispose]();
  }
}

interface Place {
  readonly port: number;
  readonly data: string;
  readonly folder: string;
}

function startOf(command: readonly string[], { env }: PlannedService, place: Place, context: SideContext) {
  const known = { ...context.variables, host: HOST, port: String(place.port) };
  const filled = (text: string) => text.replaceAll("{data}", place.data).replaceAll("{folder}", place.folder);
  return {
    command: fillTexts(command.map(filled), known),
    cwd: place.data,
    sourceEnv: context.env,
    extraEnv: {
      ...context.variables,
      ...fillPlaceholders(Object.fromEntries(Object.entries(env).map(([k, v]) => [k, filled(v)])), known),
    },
    cpuList: context.serviceCpus,
  };
}

/** @returns what was seen last, where the service ended or took too long */
async function awaitService(
  service: PlannedService,
  process: ServerProcess,
  place: Place,
  context: SideContext,
): Promise<string | undefined> {
  const { signal } = context.run;
  const time = new RunningTime(ROUND_MS);
  let seen = "it was not asked";
  while (time.read() < service.timeoutSec * 1000 && process.exit === undefined) {
    const problem = await problemOf(service, place, context);
    signal.throwIfAborted();
    // Another process may answer on the port of a service that has just ended.
    if (problem === undefined && process.exit === undefined) return undefined;
    seen = problem ?? seen;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
  return seen;
}

async function problemOf(service: PlannedService, place: Place, context: SideContext): Promise<string | undefined> {
  const { ready } = service;
  if (ready.kind === "port") return await connects(place.port);
  if (ready.kind === "http") return await answers(place.port, ready.path);
  const end = await runCommand(startOf(ready.command, service, place, context), ATTEMPT_SEC, context.run);
  if (end.state === "ended" && end.exit.code === 0) return undefined;
  if (end.state === "unstarted") return end.reason;
  const how = end.state === "late" ? `gave no answer within ${ATTEMPT_SEC} s` : `ended with ${describeExit(end.exit)}`;
  return `${shown(ready.command)} ${how}`;
}

async function connects(port: number): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ host: HOST, port, timeout: ATTEMPT_SEC * 1000 });
    const settle = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => settle());
    socket.once("timeout", () => settle(`no connection to port ${port}`));
    socket.once("error", () => settle(`no connection to port ${port}`));
  });
}

async function answers(port: number, path: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const request = http.get({ host: HOST, port, path, agent: false, timeout: ATTEMPT_SEC * 1000 }, (response) => {
      response.destroy();
      const status = response.statusCode ?? 0;
      resolve(status >= 200 && status < 400 ? undefined : `${path} answered ${status}`);
    });
    request.once("timeout", () => request.destroy(new Error("no answer")));
    request.once("error", () => resolve(`no answer from port ${port}`));
  });
}
