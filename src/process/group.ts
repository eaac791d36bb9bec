/** A server in a session of its own, on its own CPUs, which ends with everything that it started. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../errors.js";
import { childEnvironment } from "./environment.js";
import { logTail } from "./log.js";
import { Members, SERVER_MARKER } from "./members.js";
import { type ProcessStat, readStat } from "./proc.js";
import type { RunContext } from "./run.js";
import { endProcesses, forgetSession, noteSession } from "./sweep.js";

export interface ServerStart {
  /** argv; argv[0] is looked up in the PATH of `env`. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Where the allow-listed variables come from. */
  readonly sourceEnv: NodeJS.ProcessEnv;
  readonly extraEnv: Readonly<Record<string, string>>;
  /** CPU list as taskset takes it. */
  readonly cpuList: string;
}

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** `exit code 1` or `signal SIGSEGV`. */
export function describeExit(exit: ServerExit): string {
  return exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
}

/** The server could not be started at all: a defect of the row, not of the machine. */
export class ServerStartError extends Error {
  override readonly name = "ServerStartError";
}

export class ServerProcess implements AsyncDisposable {
  readonly pid: number;
  /** Resolves when the first process ends, whoever ended it. */
  readonly exited: Promise<ServerExit>;
  readonly #members: Members;
  readonly #logFile: string;
  readonly #tempDir: string;
  #exit: ServerExit | undefined;

  constructor(child: ChildProcess & { pid: number }, startTime: string, marker: string, run: RunContext, log: string) {
    this.pid = child.pid;
    this.#members = new Members(child.pid, startTime, marker);
    this.#logFile = log;
    this.#tempDir = run.tempDir;
    this.exited = once(child, "exit").then(([code, signal]) => {
      this.#exit = { code, signal };
      return this.#exit;
    });
  }

  /** How the first process ended, or undefined while it lives. */
  get exit(): ServerExit | undefined {
    return this.#exit;
  }

  /** Every live process of the server, also those that left its session. @param all every process of the machine */
  processes(all?: readonly ProcessStat[]): ProcessStat[] {
    return this.#members.find(all);
  }

  /** The last lines of what the server wrote to stdout and stderr. */
  logTail(): string {
    return logTail(this.#logFile);
  }

  /** TERM, a bounded wait, KILL, for all its processes. Can be called again. */
  async stop(): Promise<void> {
    const left = await endProcesses(() => this.processes());
    forgetSession(this.#tempDir, this.pid);
    if (left.length === 0) await this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#logFile, { force: true });
  }
}

/**
 * Starts a server under `taskset`, output to a file in the run's folder. It is not ready yet when this returns.
 * @throws ServerStartError where the folder is missing; SetupError where taskset is
 */
export async function startServer(start: ServerStart, run: RunContext): Promise<ServerProcess> {
  if (!statSync(start.cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ServerStartError(`the folder of the app is missing: ${start.cwd}`);
  const marker = randomUUID();
  const logFile = join(run.tempDir, `server-${marker}.log`);
  const output = openSync(logFile, "a");
  try {
    const child = spawn("taskset", ["-c", start.cpuList, ...start.command], {
      cwd: start.cwd,
      detached: true,
      env: childEnvironment(start.sourceEnv, run.id, { ...start.extraEnv, [SERVER_MARKER]: marker }),
      stdio: ["ignore", output, output],
    });
    const startTime = child.pid === undefined ? undefined : readStat(child.pid)?.startTime;
    if (child.pid === undefined || startTime === undefined) {
      const [error] = await once(child, "error");
      throw spawnFailure(error);
    }
    const server = new ServerProcess(Object.assign(child, { pid: child.pid }), startTime, marker, run, logFile);
    noteSession(run.tempDir, child.pid, startTime);
    return server;
  } finally {
    closeSync(output);
  }
}

/** What a failed spawn of taskset means. */
export function spawnFailure(error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT")
    return new SetupError(
      "taskset was not found on PATH; it keeps server and load generator apart: install util-linux",
    );
  return new ServerStartError(`cannot start a process: ${error instanceof Error ? error.message : String(error)}`);
}
