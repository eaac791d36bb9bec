/** Id, temporary folder, watchdog and signal handlers of one run. Disposing removes all of them. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Interrupted, messageOf, SetupError } from "../errors.js";
import { FOLDER_PREFIX, noteOwner, OWNER_FILE, removeAbandoned } from "../process/abandoned.js";
import type { RunContext } from "../process/run.js";
import { sweepRun } from "../process/sweep.js";
import { startWatchdog, type Watchdog } from "../process/watchdog.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SessionOptions {
  /** Of each server; absent: the usual share of the machine. */
  readonly memoryLimitMiB?: number | undefined;
}

export class Session implements AsyncDisposable {
  readonly context: RunContext;
  /** What the run's stages had to say to the reader of its results. */
  readonly warnings: ReadonlySet<string>;
  readonly #env: NodeJS.ProcessEnv;
  readonly #onSignal: (signal: NodeJS.Signals) => void;
  #watchdog: Watchdog;

  private constructor(
    context: RunContext,
    warnings: ReadonlySet<string>,
    env: NodeJS.ProcessEnv,
    onSignal: (signal: NodeJS.Signals) => void,
  ) {
    this.context = context;
    this.warnings = warnings;
    this.#env = env;
    this.#watchdog = startWatchdog(context, env);
    this.#onSignal = onSignal;
  }

  static async open(
    env: Readonly<Record<string, string | undefined>>,
    { memoryLimitMiB }: SessionOptions = {},
  ): Promise<Session> {
    const abort = new AbortController();
    const onSignal = (signal: NodeJS.Signals) => abort.abort(new Interrupted(signal));
    // Before there is a folder: a signal would end this process, and leave it. A second signal changes nothing: the first one
    // already ends everything, in bounded time.
    for (const signal of SIGNALS) process.on(signal, onSignal);
    try {
      const id = randomUUID();
      const parent = env.RUNNER_TEMP || tmpdir();
      await removeAbandoned(parent);
      const tempDir = await temporaryFolder(parent);
      const warnings = new Set<string>();
      const warn = (text: string) => void warnings.add(text);
      const context: RunContext = { id, tempDir, signal: abort.signal, warn, memoryLimitMiB };
      try {
        noteOwner(context);
        return new Session(context, warnings, { ...env }, onSignal);
      } catch (error) {
        await rm(tempDir, { recursive: true, force: true });
        throw error;
      }
    } catch (error) {
      stopListening(onSignal);
      throw error;
    }
  }

  /** Lets the watchdog hold open files: what they lock stays locked until it has cleaned up. */
  async holdOpen(files: readonly number[]): Promise<void> {
    const earlier = this.#watchdog;
    this.#watchdog = startWatchdog(this.context, this.#env, files);
    await earlier[Symbol.asyncDispose]();
  }

  /** Ends every process of the run. */
  async endProcesses(): Promise<void> {
    await sweepRun(this.context);
  }

  /** The error itself, unless it comes of the run's folder: somebody has removed that. */
  explain(error: unknown): unknown {
    const { tempDir } = this.context;
    // Whoever makes a folder in it makes it anew, but not this file.
    if (existsSync(join(tempDir, OWNER_FILE)) || !(error instanceof Error)) return error;
    return new SetupError(
      `the run's temporary folder ${tempDir} was removed while it was in use (${error.message}); set TMPDIR to a folder that is not emptied during a run`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endProcesses();
    await this.#watchdog[Symbol.asyncDispose]();
    await rm(this.context.tempDir, { recursive: true, force: true });
    stopListening(this.#onSignal);
  }
}

function stopListening(onSignal: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}

async function temporaryFolder(parent: string): Promise<string> {
  try {
    return await mkdtemp(join(parent, FOLDER_PREFIX));
  } catch (error) {
    throw new SetupError(
      `cannot make a temporary folder in ${parent}: ${messageOf(error)}; set TMPDIR to a folder that can be written`,
    );
  }
}
