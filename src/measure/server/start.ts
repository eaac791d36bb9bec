/** From a planned row to a server that gives the right answers. */
import { delimiter } from "node:path";
import { reason } from "../../messages/reasons.js";
import { fillPlaceholders, fillTexts } from "../../plan/prepared-variables.js";
import type { PlannedRow } from "../../plan/types.js";
import { type ServerProcess, ServerStartError, startServer } from "../../process/group.js";
import type { RunContext } from "../../process/run.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import { type CpuSplit, formatCpuList } from "../machine/cpus.js";
import { type Certificate, certificateOf } from "./certificate-files.js";
import { type Exchange, expectedOf, type Route } from "./exchange.js";
import { ANY_ANSWER } from "./expected.js";
import { learnAnswers } from "./learn.js";
import { isLearned } from "./learned.js";
import { freePort, HOST, otherPortIn, saysAddressInUse } from "./port.js";
import type { Probe } from "./probe.js";
import { awaitReady, elsewhereReason } from "./readiness.js";
import { socketPath } from "./unix-socket.js";

/** What a server is started with. */
export interface StartContext {
  readonly run: RunContext;
  readonly cpus: CpuSplit;
  readonly filesDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Further variables of the server; those that its row sets come first. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Limit of the server's stack, which fixes its addresses in memory. */
  readonly stackBytes?: number | undefined;
  /** Every answer is right: the caller looks at the answers itself. */
  readonly anyAnswer?: true;
  /** Called once the server's process exists; the server is not ready yet. */
  onSpawned?(): void;
}

export interface Started {
  readonly state: "ready";
  readonly server: ServerProcess;
  readonly port: number;
  /** Of a server that speaks TLS. */
  readonly certificate: Certificate | undefined;
  /** Path of its unix socket; undefined: TCP. */
  readonly socket: string | undefined;
  /** Seconds from when its process existed to its first right answer, to the first of the row's requests. */
  readonly readySec: number;
}
export interface NotReady {
  readonly state: "failed";
  readonly port: number;
  readonly reason: string;
  readonly log: string;
  /** Another process took its port before the server did. */
  readonly portTaken: boolean;
}

/** What commands and variables can name of a start. */
function placesOf({ port, certificate, socket }: Pick<Started, "port" | "certificate" | "socket">) {
  return {
    host: HOST,
    port: String(port),
    ...(socket !== undefined && { socket }),
    ...(certificate && { cert: certificate.cert, key: certificate.key }),
  };
}

/**
 * Starts the server and waits for the right answer to every request of the row. A server that does not give them has been
 * stopped when this returns.
 */
export async function startReady(
  row: PlannedRow,
  ready: ReadyEnvironment,
  exchange: Exchange,
  context: StartContext,
): Promise<Started | NotReady> {
  const { run, env, cpus, filesDir } = context;
  const given = await portOrReason();
  if (given.state === "failed") return { ...given, port: 0, log: "", portTaken: false };
  const { port } = given;
  const certificate = row.tls && (await certificateOf(run.tempDir));
  const socket = row.socket ? socketPath(run.tempDir, port) : undefined;
  const places = placesOf({ port, certificate, socket });
  const extraEnv = {
    // What is installed was compiled then; a server that writes bytecode would change files that must not change.
    PYTHONDONTWRITEBYTECODE: "1",
    ...context.extraEnv,
    ...fillPlaceholders(row.server.env, places),
    PATH: [ready.binDir, env.PATH ?? "/usr/bin:/bin"].join(delimiter),
    SERVER_BENCH_FILES: filesDir,
  };
  const command = fillTexts(row.server.command, places);
  const { stackBytes } = context;
  const start = {
    command,
    cwd: row.server.cwd,
    sourceEnv: env,
    extraEnv,
    cpuList: formatCpuList(cpus.server),
    stackBytes,
  };
  let server: ServerProcess;
  try {
    server = await startServer(start, run);
  } catch (error) {
    if (!(error instanceof ServerStartError)) throw error;
    return { state: "failed", port, reason: error.message, log: "", portTaken: false };
  }
  // The supervisor's own start, which comes before, is no part of the server's.
  const startedAt = performance.now();
  context.onSpawned?.();
  let handedOn = false;
  try {
    const readiness = await awaitRight(server, { row, exchange, port, certificate, socket }, context);
    if (readiness.state === "ready") {
      handedOn = true;
      const readySec = (readiness.answeredAt - startedAt) / 1000;
      return { state: "ready", server, port, certificate, socket, readySec };
    }
    const log = server.logTail();
    return { ...notReady(port, readiness.reason, log), ...inUse(server, { port, socket }, log, readiness.reason) };
  } finally {
    if (!handedOn) await server[Symbol.asyncDispose]();
  }
}

/** Starts the server, again where another process took its port meanwhile. */
export async function startAgainIfTaken(...args: Parameters<typeof startReady>): Promise<Started | NotReady> {
  const started = await startReady(...args);
  if (started.state === "ready" || !started.portTaken) return started;
  const again = await startReady(...args);
  if (again.state === "ready" || !again.portTaken) return again;
  return { ...again, reason: `${again.reason}; ${reason("own-address")}` };
}

async function portOrReason() {
  try {
    return { state: "free", port: await freePort() } as const;
  } catch (error) {
    if (!(error instanceof ServerStartError)) throw error;
    return { state: "failed", reason: error.message } as const;
  }
}

interface Asking {
  readonly row: PlannedRow;
  readonly exchange: Exchange;
  readonly port: number;
  readonly certificate: Certificate | undefined;
  readonly socket: string | undefined;
}

/** @param route one of the row's requests */
export function probeOf({ row, exchange, port, certificate, socket }: Asking, { request }: Route): Probe {
  const { method, path, headers, grpc } = request;
  return {
    port,
    method,
    path,
    headers,
    body: exchange.body,
    http: row.http,
    ...(grpc && { grpc: true }),
    authority: certificate?.authorityText,
    ...(socket !== undefined && { socket }),
  };
}

type Right =
  | {
      readonly state: "ready";
      /** When the first of the requests had its right answer, by `performance.now()`. */
      readonly answeredAt: number;
    }
  | { readonly state: "failed"; readonly reason: string };

/** The right answer to every request, one after the other; then what is to be learned is learned. */
async function awaitRight(
  server: ServerProcess,
  asking: Asking,
  { run: { signal }, anyAnswer }: StartContext,
): Promise<Right> {
  const { row, exchange } = asking;
  const { routes, learned } = exchange;
  const until = performance.now() + row.server.readyTimeoutSec * 1000;
  let answeredAt: number | undefined;
  for (const route of routes) {
    const probe = probeOf(asking, route);
    // Later requests of a server that answers get a second, whatever the first one took.
    const timeoutSec = Math.max(1, Math.round((until - performance.now()) / 1000));
    const expected = anyAnswer ? ANY_ANSWER : expectedOf(route, learned);
    const ready = await awaitReady(server, probe, expected, timeoutSec, signal);
    if (ready.state === "failed")
      return {
        state: "failed",
        reason: `${routes.length > 1 ? `request "${route.request.name}": ` : ""}${ready.reason}`,
      };
    answeredAt ??= performance.now();
    if (!anyAnswer && isLearned(route.request)) await learnAnswers(probe, route, learned, ready.answer, signal);
  }
  return { state: "ready", answeredAt: answeredAt ?? performance.now() };
}

function notReady(port: number, why: string, log: string) {
  return { state: "failed", port, reason: `the server did not get ready: ${why}`, log, portTaken: false } as const;
}

/** A server that ended because its port was taken: the port that it was given, or one that it insists on. */
function inUse(server: ServerProcess, { port, socket }: Pick<Started, "port" | "socket">, log: string, why: string) {
  if (server.exit === undefined || !saysAddressInUse(log)) return {};
  const other = otherPortIn(log, port);
  if (other === undefined) return { portTaken: true };
  const given = { port, ...(socket !== undefined && { socket }) };
  return {
    reason: `the server did not get ready: ${why}; ${elsewhereReason("tried to listen", `port ${other}, which is in use,`, given)}`,
  };
}
