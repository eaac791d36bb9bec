/** Id, temporary folder, watchdog and signal handlers of one run. Disposing removes all of them. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Interrupted } from "../errors.js";
import type { RunContext } from "../process/run.js";
import { sweepRun } from "../process/sweep.js";
import { startWatchdog, type Watchdog } from "../process/watchdog.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class Session implements AsyncDisposable {
  readonly context: RunContext;
  /** What the run's stages had to say to the reader of its results. */
  readonly warnings: ReadonlySet<string>;
  readonly #watchdog: Watchdog;
  readonly #onSignal: (signal: NodeJS.Signals) => void;

  private constructor(
    context: RunContext,
    warnings: ReadonlySet<string>,
    watchdog: Watchdog,
    onSignal: (signal: NodeJS.Signals) => void,
  ) {
    this.context = context;
    this.warnings = warnings;
    this.#watchdog = watchdog;
    this.#onSignal = onSignal;
  }

  static async open(env: Readonly<Record<string, string | undefined>>): Promise<Session> {
    const id = randomUUID();
    const tempDir = await mkdtemp(join(env.RUNNER_TEMP || tmpdir(), "server-bench-"));
    const abort = new AbortController();
    const onSignal = (signal: NodeJS.Signals) => abort.abort(new Interrupted(signal));
    const warnings = new Set<string>();
    const warn = (text: string) => void warnings.add(text);
    const context: RunContext = { id, tempDir, signal: abort.signal, warn };
    const watchdog = startWatchdog(context, { ...env });
    // A second signal changes nothing: the first one already ends everything, in bounded time.
    for (const signal of SIGNALS) process.on(signal, onSignal);
    return new Session(context, warnings, watchdog, onSignal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await sweepRun(this.context);
    await this.#watchdog[Symbol.asyncDispose]();
    await rm(this.context.tempDir, { recursive: true, force: true });
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }
}
