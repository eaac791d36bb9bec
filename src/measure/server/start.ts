/** From a planned row to a server that gives the right answer. */
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { PlannedRow } from "../../plan/types.js";
import { type ServerProcess, ServerStartError, startServer } from "../../process/group.js";
import type { RunContext } from "../../process/run.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import { type CpuSplit, formatCpuList } from "../machine/cpus.js";
import { bodyBytes } from "./body.js";
import { freePort, HOST, saysAddressInUse } from "./port.js";
import { awaitReady, type Expected } from "./readiness.js";

/** What a server is started with. */
export interface StartContext {
  readonly run: RunContext;
  readonly cpus: CpuSplit;
  readonly filesDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Further variables of the server; those that its row sets come first. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Called once the server's process exists; the server is not ready yet. */
  onSpawned?(): void;
}

/** The request and the expected answer, as bytes. */
export interface Exchange {
  readonly body: Buffer | undefined;
  readonly expected: Expected;
}
export interface Started {
  readonly state: "ready";
  readonly server: ServerProcess;
  readonly port: number;
}
export interface NotReady {
  readonly state: "failed";
  readonly port: number;
  readonly reason: string;
  readonly log: string;
  /** Another process took its port before the server did. */
  readonly portTaken: boolean;
}

/** argv with host and port filled in. */
function filledCommand(command: readonly string[], port: number): string[] {
  return command.map((part) => part.replaceAll("{host}", HOST).replaceAll("{port}", String(port)));
}

/** @throws Error naming a file that is missing */
export async function makeExchange(row: PlannedRow, filesDir: string): Promise<Exchange> {
  const { body, expect } = row.request;
  return {
    body: body === undefined ? undefined : await bodyBytes(body, filesDir),
    expected: { status: expect.status, body: await bodyBytes(expect.body, filesDir) },
  };
}

/** The request's body as a file for the load generator; undefined where it has none. */
export async function writeBody(row: PlannedRow, exchange: Exchange, tempDir: string): Promise<string | undefined> {
  if (exchange.body === undefined) return undefined;
  const path = join(tempDir, `body-${row.request.name}`);
  await writeFile(path, exchange.body);
  return path;
}

/** Starts the server and waits for the right answer; a server that does not give it has been stopped when this returns. */
export async function startReady(
  row: PlannedRow,
  ready: ReadyEnvironment,
  exchange: Exchange,
  context: StartContext,
): Promise<Started | NotReady> {
  const { run, env, cpus, filesDir } = context;
  const port = await freePort();
  const extraEnv = {
    // What is installed was compiled then; a server that writes bytecode would change files that must not change.
    PYTHONDONTWRITEBYTECODE: "1",
    ...context.extraEnv,
    ...row.server.env,
    PATH: [ready.binDir, env.PATH ?? "/usr/bin:/bin"].join(delimiter),
    SERVER_BENCH_FILES: filesDir,
  };
  const command = filledCommand(row.server.command, port);
  const start = { command, cwd: row.server.cwd, sourceEnv: env, extraEnv, cpuList: formatCpuList(cpus.server) };
  let server: ServerProcess;
  try {
    server = await startServer(start, run);
    context.onSpawned?.();
  } catch (error) {
    if (!(error instanceof ServerStartError)) throw error;
    return { state: "failed", port, reason: error.message, log: "", portTaken: false };
  }
  let handedOn = false;
  try {
    const { method, path, headers, grpc } = row.request;
    const call = grpc === undefined ? {} : { grpc: true };
    const probe = { port, method, path, headers, body: exchange.body, http: row.http, ...call };
    const readiness = await awaitReady(server, probe, exchange.expected, row.server.readyTimeoutSec, run.signal);
    if (readiness.state === "ready") {
      handedOn = true;
      return { state: "ready", server, port };
    }
    const log = server.logTail();
    return {
      state: "failed",
      port,
      reason: `the server did not get ready: ${readiness.reason}`,
      log,
      portTaken: server.exit !== undefined && saysAddressInUse(log),
    };
  } finally {
    if (!handedOn) await server[Symbol.asyncDispose]();
  }
}
