/** Runs a load generator (or another short tool of a measurement) to its end, on given CPUs, with limits of time and output. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { signalWords, spawnFailure } from "./group.js";
import { startLimit } from "./limit.js";
import { lastLines } from "./log.js";
import { type ProcessStat, readStat } from "./proc.js";
import { endProcesses } from "./sweep.js";

/** Our tools write less. Further output is dropped. */
const OUTPUT_LIMIT_CHARS = 16 * 1024 * 1024;
/** How long to wait for the end of a tool that was killed. */
const KILL_GRACE_MS = 500;
/** stdin, stdout and stderr. */
const FIRST_FILES = 3;

export interface ChildRun {
  readonly argv: readonly string[];
  readonly cpuList: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends it when aborted; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Milliseconds after which it is ended; `extend` of `onOutput` restarts them. */
  readonly timeoutMs: number;
  /**
   * Files that it has room for from the start. A program with threads that opens more of them waits while Linux makes room, until every CPU has
   * passed through its scheduler (`expand_fdtable` in fs/file.c): on two busy CPUs 7 to 11 ms for the 64th file, and again for the 128th.
   */
  readonly roomForFiles?: number | undefined;
  /** Called when it was started: it leads the process group of this number. */
  readonly onSpawned?: ((pid: number) => void) | undefined;
  /** Called for each piece of stdout with all of it so far. */
  readonly onOutput?: (stdout: string, pid: number, extend: (timeoutMs: number) => void) => void;
}

export interface ChildOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** What went wrong, in words, or undefined where nothing did. */
export function childFailure(outcome: ChildOutcome, name: string): string | undefined {
  if (outcome.timedOut) return `${name} did not end in time and was ended`;
  if (outcome.code === 0) return undefined;
  return `${name} ended with ${outcome.signal === null ? `exit code ${outcome.code}` : signalWords(outcome.signal)}`;
}

/** The last lines of its stderr, or else of its stdout. */
export function childTail(outcome: ChildOutcome): string {
  return lastLines(outcome.stderr.trim() === "" ? outcome.stdout : outcome.stderr);
}

/** @throws SetupError where taskset is missing; the signal's reason when it is aborted */
export async function runChild(run: ChildRun): Promise<ChildOutcome> {
  run.signal.throwIfAborted();
  const child = spawnWithRoom(run);
  const pid = child.pid;
  if (pid === undefined) return await new Promise((_, reject) => child.on("error", (e) => reject(spawnFailure(e))));
  const started = readStat(pid);
  run.onSpawned?.(pid);
  let stdout = "";
  let stderr = "";
  let timedOut = false;
  let endLimit = (): void => {};
  const end = (): void => void endProcesses(() => sameProcess(started), KILL_GRACE_MS);
  const extend = (timeoutMs: number): void => {
    endLimit();
    endLimit = startLimit(timeoutMs, () => {
      timedOut = true;
      end();
    });
  };
  extend(run.timeoutMs);
  run.signal.addEventListener("abort", end);
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    // The callback reads all of it for each further piece, which would take minutes.
    if (stdout.length >= OUTPUT_LIMIT_CHARS) return;
    stdout += piece;
    run.onOutput?.(stdout, pid, extend);
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr = (stderr + piece).slice(-OUTPUT_LIMIT_CHARS / 256);
  });
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on("error", reject).on("close", (...exit) => resolve(exit));
    });
    run.signal.throwIfAborted();
    return { code, signal, timedOut, stdout, stderr };
  } finally {
    endLimit();
    run.signal.removeEventListener("abort", end);
  }
}

/** It inherits a file of the highest number: so the room is there before it has threads. */
function spawnWithRoom({ argv, cpuList, env, roomForFiles = 0 }: ChildRun) {
  const highest = openSync("/dev/null", "r");
  const unused = roomForFiles - FIRST_FILES - 1;
  const room = unused < 0 ? [] : [...Array<"ignore">(unused).fill("ignore"), highest];
  try {
    return spawn("taskset", ["-c", cpuList, ...argv], {
      detached: true,
      env,
      stdio: ["ignore", "pipe", "pipe", ...room],
    }) as ChildProcessByStdio<null, Readable, Readable>;
  } finally {
    closeSync(highest);
  }
}

function sameProcess(started: ProcessStat | undefined): ProcessStat[] {
  const now = started === undefined ? undefined : readStat(started.pid);
  return now !== undefined && now.startTime === started?.startTime && now.state !== "Z" ? [now] : [];
}
