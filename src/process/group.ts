/** A server in a separate session, on given CPUs. It ends with everything that it started. */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { plural } from "../messages/sentence.js";
import { childEnvironment } from "./environment.js";
import { Guard } from "./guard.js";
import { logTail } from "./log.js";
import { Members, SERVER_MARKER } from "./members.js";
import { defaultMemoryLimitMiB } from "./memory-use.js";
import type { ProcessStat } from "./proc.js";
import type { RunContext } from "./run.js";
import { type ServerExit, ServerStartError, type Supervised, startSupervised } from "./supervised.js";
import { endProcesses, forgetSession, noteSession, signalProcess } from "./sweep.js";

export { type ServerExit, ServerStartError, spawnFailure } from "./supervised.js";

/** This process learns of a server's end a moment after its connections broke. */
export const EXIT_NOTICE_MS = 100;
/** Time for the supervisor to see that no process is left. */
const SUPERVISOR_MS = 1000;
/** Length of a command in a warning. */
const NAME_CHARS = 100;
/** How many hidden processes a warning names. */
const NAMED = 3;

export interface ServerStart {
  /** argv; argv[0] is looked up in the PATH of `env`. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Where the allow-listed variables come from. */
  readonly sourceEnv: NodeJS.ProcessEnv;
  readonly extraEnv: Readonly<Record<string, string>>;
  /** CPU list as taskset takes it. */
  readonly cpuList: string;
  /** With it the server's addresses in memory are the same in every start, where Linux allows that. */
  readonly stackBytes?: number | undefined;
}

/** `exit code 1`, `signal SIGSEGV`, or why we ended it. */
export function describeExit(exit: ServerExit): string {
  if (exit.because !== undefined) return exit.because;
  return exit.signal === null ? `exit code ${exit.code}` : signalWords(exit.signal);
}

/** Signals by which the kernel says that a process reached a limit (setrlimit(2)). */
const LIMITS: Readonly<Record<string, string>> = {
  SIGXFSZ: "a file would have become larger than ulimit -f allows",
  SIGXCPU: "it used more CPU time than ulimit -t allows",
};

/** `signal SIGTERM` */
export function signalWords(signal: string): string {
  const limit = LIMITS[signal];
  return limit === undefined ? `signal ${signal}` : `signal ${signal}: ${limit}`;
}

export class ServerProcess implements AsyncDisposable {
  readonly pid: number;
  /** Resolves when the first process ends, for any reason. */
  readonly exited: Promise<ServerExit>;
  readonly #supervised: Supervised;
  readonly #members: Members;
  readonly #logFile: string;
  readonly #run: RunContext;
  readonly #guard: Guard;
  readonly #name: string;
  #because: string | undefined;
  #exit: ServerExit | undefined;

  /** @param name for messages */
  constructor(supervised: Supervised, marker: string, run: RunContext, log: string, name: string) {
    const { server, supervisor, exited } = supervised;
    this.pid = server.pid;
    this.#supervised = supervised;
    this.#members = new Members(server, marker, supervisor);
    this.#logFile = log;
    this.#run = run;
    this.#name = name;
    this.#guard = new Guard({
      supervisor: supervisor.pid,
      logFile: log,
      memoryLimitMiB: run.memoryLimitMiB ?? defaultMemoryLimitMiB(),
      end: (because) => {
        this.#because = because;
        for (const one of this.processes()) signalProcess(one, "SIGKILL");
      },
    });
    this.exited = exited.then((exit) => {
      this.#exit = { ...exit, ...(this.#because !== undefined && { because: this.#because }) };
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

  /** Moves all its processes to these CPUs. False: some could not be moved, or it has ended; then `exit` says so. */
  async move(cpus: readonly number[]): Promise<boolean> {
    const moved = await this.#supervised.move(cpus);
    if (!moved) await Promise.race([this.exited, sleep(EXIT_NOTICE_MS)]);
    return moved;
  }

  /** Whether its addresses in memory are fixed by the limit of its stack. */
  get fixedAddresses(): boolean {
    return this.#supervised.fixedAddresses;
  }

  /** The last lines of what the server wrote to stdout and stderr. */
  logTail(): string {
    return logTail(this.#logFile) || this.#guard.lastLines;
  }

  /** For the reader of the server's figures; undefined: nothing. */
  get logWarning(): string | undefined {
    const dropped = this.#guard.droppedLogMiB;
    if (dropped === 0) return undefined;
    return `The server wrote more than ${dropped} MiB of log, which slows it down: turn off its access log or its debug output.`;
  }

  /** TERM, a bounded wait, KILL, for all its processes. Can be called again. */
  async stop(): Promise<void> {
    this.#guard[Symbol.dispose]();
    this.#nameHidden();
    if (this.logWarning !== undefined) this.#run.warn?.(`${this.#name}: its log became too large and was emptied.`);
    const left = await endProcesses(() => this.processes());
    if (left.length === 0) await this.#endSupervisor();
    forgetSession(this.#run.tempDir, this.pid);
  }

  #nameHidden(): void {
    const hidden = this.#members.hidden();
    if (hidden.length === 0) return;
    this.#run.warn?.(
      `A server hid ${plural(hidden.length, "process", "processes")}; ${hidden.length === 1 ? "it was" : "they were"} ended: ${hidden.slice(0, NAMED).join("; ")}`,
    );
  }

  /** The supervisor ends after the server's last process, unless a process of the server has stopped it. */
  async #endSupervisor(): Promise<void> {
    const { supervisor, gone } = this.#supervised;
    const ended = new AbortController();
    const late = sleep(SUPERVISOR_MS, undefined, { signal: ended.signal }).then(
      () => signalProcess(supervisor, "SIGKILL"),
      () => {},
    );
    const end = await Promise.race([gone, late]);
    ended.abort();
    if (end === "killed")
      this.#run.warn?.(
        "A server killed its supervisor: its hidden processes may still run and disturb what is measured.",
      );
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#logFile, { force: true });
  }
}

/**
 * Starts a server below a supervisor, output to a file in the run's folder. It is not ready yet when this returns.
 * @throws ServerStartError where the folder is missing; SetupError where taskset is, or Python cannot supervise
 */
export async function startServer(start: ServerStart, run: RunContext): Promise<ServerProcess> {
  const { command, cwd, sourceEnv, extraEnv, cpuList, stackBytes } = start;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ServerStartError(`the folder of the app is missing: ${cwd}`);
  const marker = randomUUID();
  const logFile = join(run.tempDir, `server-${marker}.log`);
  const output = openSync(logFile, "a");
  try {
    const env = childEnvironment(sourceEnv, run.id, { ...extraEnv, [SERVER_MARKER]: marker });
    const paths = [sourceEnv.PATH, env.PATH].flatMap((path) => path?.split(delimiter) ?? []);
    const supervised = await startSupervised({ command, cwd, env, stackBytes }, { cpuList, output, paths });
    noteSession(run.tempDir, supervised);
    return new ServerProcess(
      supervised,
      marker,
      run,
      logFile,
      command.join(" ").replaceAll(/\s+/g, " ").slice(0, NAME_CHARS),
    );
  } catch (error) {
    const log = logTail(logFile);
    rmSync(logFile, { force: true });
    if (!(error instanceof ServerStartError) || log === "") throw error;
    throw new ServerStartError(`${error.message}: ${log}`);
  } finally {
    closeSync(output);
  }
}
