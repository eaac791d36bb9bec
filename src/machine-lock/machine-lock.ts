/** Only one run at a time measures on a machine, whichever user started it: two would measure each other. */
import { closeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { MachineBusy } from "../errors.js";
import { RUN_MARKER } from "../process/environment.js";
import type { RunContext } from "../process/run.js";
import { tryLock, unlock, waitForLock } from "./flock.js";
import { clearHolder, currentUser, describeHolder, type Holder, readHolder, writeHolder } from "./holder.js";
import { isStillThere, lockFilePath, openLockFile } from "./lock-file.js";

/** A holder writes its note immediately after it got the lock. */
const NOTE_POLL_MS = 20;
const NOTE_POLLS = 25;
const MINUTE_MS = 60_000;
/** How often a terminal shows the other run's note again. Reading a small file does not disturb that run. */
const UPDATE_MS = 10_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** What a waiting run shows. */
export interface WaitProgress {
  /**
   * Another run measures; this one waits.
   * @param until when the other run is expected to end, ISO 8601; null: unknown, or in the past
   */
  waiting(text: string, until: string | null): Promise<void>;
  update(text: string): void;
  /** The machine is free now. */
  over(seconds: number): Promise<void>;
}

export interface TakeOptions {
  readonly waitMinutes: number;
  /** What this run measures, for others that wait for it. */
  readonly what: string;
  /** Seconds that it expects to take; undefined: not known. */
  readonly expectedSec: number | undefined;
  readonly progress: WaitProgress;
}

export class MachineLock implements AsyncDisposable {
  readonly #path: string;
  readonly #env: Variables;
  #file: number;
  #holder: Holder | undefined;

  private constructor(path: string, env: Variables) {
    this.#path = path;
    this.#env = env;
    this.#file = openLockFile(path);
  }

  /** Opens the lock's file. The machine is not locked yet. @throws SetupError where the file cannot be opened */
  static open(env: Variables): MachineLock {
    return new MachineLock(lockFilePath(env), env);
  }

  /** A child that inherits this descriptor holds the lock too: it is free when both have ended. */
  get descriptor(): number {
    return this.#file;
  }

  /**
   * Waits until no other run measures on this machine.
   * @throws MachineBusy when the wait is over; SetupError without flock; the signal's reason when it is aborted
   */
  async take(run: RunContext, options: TakeOptions): Promise<void> {
    const startedAt = performance.now();
    const flock = { env: this.#flockEnvironment(run.id), signal: run.signal };
    while (!(await this.#isOurs(flock))) await this.#wait(run, options, startedAt);
    const now = new Date();
    this.#holder = {
      pid: process.pid,
      user: currentUser(),
      since: now.toISOString(),
      what: options.what,
      expectedEnd: endAfter(now, options.expectedSec),
    };
    writeHolder(this.#file, this.#holder);
  }

  /** Tells waiting runs when this one is expected to end. @param leftSec seconds until then */
  expect(leftSec: number): void {
    if (this.#holder === undefined) return;
    this.#holder = { ...this.#holder, expectedEnd: endAfter(new Date(), leftSec) };
    writeHolder(this.#file, this.#holder);
  }

  /**
   * Lets the next run measure. Call it when this run has measured everything and none of its processes runs.
   * @returns what was wrong with the lock, for the reader of the results; undefined: nothing
   */
  async release(): Promise<string | undefined> {
    if (this.#holder === undefined) return undefined;
    this.#holder = undefined;
    const lost = !isStillThere(this.#path, this.#file);
    // Before the lock is free, so that the next holder's note stays.
    clearHolder(this.#file);
    await unlock(this.#file, { env: this.#flockEnvironment() });
    return lost
      ? `${this.#path} was removed while this run measured: another run may have measured at the same time.`
      : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
    closeSync(this.#file);
  }

  async #isOurs(flock: Parameters<typeof tryLock>[1]): Promise<boolean> {
    for (;;) {
      if (!(await tryLock(this.#file, flock))) return false;
      if (isStillThere(this.#path, this.#file)) return true;
      // Somebody has removed the file. Other runs lock the one that was made after it.
      closeSync(this.#file);
      this.#file = openLockFile(this.#path);
    }
  }

  /** Returns when the lock is ours. The file may have been removed meanwhile. */
  async #wait(run: RunContext, { waitMinutes, progress }: TakeOptions, startedAt: number): Promise<void> {
    const holder = await this.#readNote();
    const limitMs = waitMinutes * MINUTE_MS;
    const describe = () => describeHolder(readHolder(this.#file) ?? holder, new Date());
    if (waitMinutes === 0) throw this.#busy(describe(), 0);
    await progress.waiting(`${describe()}; this run waits for it, ${waitMinutes} min at most`, laterEnd(holder));
    const limit = AbortSignal.timeout(Math.max(1, Math.ceil(startedAt + limitMs - performance.now())));
    const signal = AbortSignal.any([run.signal, limit]);
    const updates = setInterval(() => progress.update(describe()), UPDATE_MS);
    try {
      await waitForLock(this.#file, { env: this.#flockEnvironment(run.id), signal });
    } catch (error) {
      run.signal.throwIfAborted();
      throw limit.aborted ? this.#busy(describe(), waitMinutes) : error;
    } finally {
      clearInterval(updates);
    }
    await progress.over((performance.now() - startedAt) / 1000);
  }

  async #readNote(): Promise<Holder | undefined> {
    for (let poll = 0; poll < NOTE_POLLS; poll += 1) {
      const holder = readHolder(this.#file);
      if (holder !== undefined) return holder;
      await sleep(NOTE_POLL_MS);
    }
    return undefined;
  }

  #busy(who: string, waitedMinutes: number): MachineBusy {
    const waited = waitedMinutes === 0 ? "" : `, and still does after ${waitedMinutes} min`;
    return new MachineBusy(
      `another run measures on this machine${waited}: ${who}. Two runs at once would measure each other, so nothing was measured; start again later, or wait longer with --wait MINUTES (input: wait). The lock file is ${this.#path}`,
    );
  }

  /** The run's marker is for a program that waits: it is then ended with the run. */
  #flockEnvironment(runId?: string): Record<string, string> {
    return { PATH: this.#env.PATH ?? "/usr/bin:/bin", ...(runId !== undefined && { [RUN_MARKER]: runId }) };
  }
}

/** An expected end that has passed tells nothing. */
function laterEnd(holder: Holder | undefined): string | null {
  const end = holder?.expectedEnd ?? null;
  return end !== null && Date.parse(end) > Date.now() ? end : null;
}

function endAfter(now: Date, seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000).toISOString();
}
