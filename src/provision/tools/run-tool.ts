/** Runs one-shot tools (uv, pip, cargo) with their output in a log file, the last lines at hand, and errors that help. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { messageOf, SetupError } from "../../errors.js";
import { duration } from "../../messages/duration.js";
import { installerEnvironment } from "../../process/environment.js";
import { kept } from "../../process/keeper.js";
import { startLimit } from "../../process/limit.js";
import type { ProvisionContext } from "../context.js";
import { endTool, TOOL_MARKER } from "./end-tool.js";
import { findOnPath, isProgram } from "./find-on-path.js";

/** Of a tool that works. Three times the longest build that is known: a compiler in Rust on one slow core. */
export const LIMIT_SEC = 60 * 60;
/** Enough to show a compiler's complaint with what led to it. */
const LAST_LINES = 25;
const LONGEST_LINE = 500;
const LONGEST_WORD = 200;
/** More than any tool prints that we read. */
const STDOUT_MAX_BYTES = 4 * 1024 * 1024;
/** Of a log file. More than the longest build writes; a tool that never stops must not fill the disk. */
const LOG_MAX_BYTES = 64 * 1024 * 1024;
/** A longer line is split: output without line ends must not become slower with each piece. */
const LINE_MAX_CHARACTERS = 64 * 1024;
/** For output that comes after the tool's end. */
const OUTPUT_GRACE_MS = 10_000;
/** On a terminal, Ctrl-C reaches the tool too: its end may be noticed before our own signal. */
const ABORT_GRACE_MS = 50;
/** Git asks for passwords on the terminal, whoever started it. */
const NO_QUESTIONS = { GIT_TERMINAL_PROMPT: "0" };

export interface ToolCommand {
  /** What is being done, as errors begin: `installing granian`. */
  readonly step: string;
  /** argv; a program without a slash is looked up in PATH. */
  readonly command: readonly [string, ...string[]];
  /** Default: the run's temporary folder. */
  readonly cwd?: string;
  /** The file that its output is added to; default: one named after the step, in the run's temporary folder. */
  readonly logFile?: string;
  /**
   * A Python of the machine, for a tool that runs foreign code: no process of the tool outlives it. Otherwise those that it leaves are
   * ended with the run, by the run's marker.
   */
  readonly keeper?: string;
  /** Variables beside those that installers get. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the user can do about a failure; given the last lines of the output. */
  readonly remedy: (log: string) => string;
  /** Each line of output, as it comes; a progress bar's redraws are lines too. */
  readonly onLine?: (line: string) => void;
  /** For a tool that answers at once. */
  readonly timeoutSec?: number;
  /** For a tool that works; default: an hour. */
  readonly limitSec?: number;
  /** Exit codes that are no failure; default: 0. */
  readonly exitCodes?: readonly number[];
}

/** A tool that failed: step, command, exit code and remedy in its message, the last lines of its output in `log`. */
export class ToolError extends SetupError {
  /** undefined: it was killed, hung, or could not be started. */
  readonly exitCode: number | undefined;
  constructor(message: string, log: string, exitCode: number | undefined) {
    super(message, log);
    this.exitCode = exitCode;
  }
}

/** It took too long; what it does can be seen only where it runs. */
class LimitError extends Error {
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Runs the tool to its end and gives its standard output. A tool that takes too long is ended, with all that it started.
 * @throws ToolError; the reason of the run's signal when that is aborted (the tool carries the run's marker and is ended
 * with the run).
 */
export async function runTool(context: ProvisionContext, tool: ToolCommand): Promise<string> {
  const { signal, tempDir } = context.run;
  signal.throwIfAborted();
  await mkdir(tempDir, { recursive: true });
  const logFile = tool.logFile ?? join(tempDir, `${tool.step.replace(/[^\w.-]+/g, "-")}.log`);
  const output = collectOutput(logFile, tool.onLine);
  const ended = new AbortController();
  const marker = randomUUID();
  let exitCode: number | undefined;
  try {
    const limits = [rejectOnAbort(signal, ended.signal), rejectAfter(tool, ended.signal)];
    const code = await Promise.race([start(context, tool, output, marker), ...limits]);
    exitCode = code ?? undefined;
    if (code === null || !(tool.exitCodes ?? [0]).includes(code))
      throw new Error(code === null ? "was killed by a signal" : `ended with exit code ${code}`);
    return output.stdout();
  } catch (error) {
    if (error instanceof LimitError) await endTool(marker);
    await delay(ABORT_GRACE_MS);
    signal.throwIfAborted();
    const log = output.lastLines();
    const remedy = (error instanceof LimitError && error.remedy) || tool.remedy(log);
    const message = `${tool.step}: ${quoteCommand(tool.command)} ${messageOf(error)}; ${remedy}`;
    throw new ToolError(redact(message), log, exitCode);
  } finally {
    ended.abort();
    await output.close();
  }
}

async function start(
  context: ProvisionContext,
  tool: ToolCommand,
  output: Output,
  marker: string,
): Promise<number | null> {
  const [program, ...args] = tool.command;
  const path = program.includes("/") ? program : await findOnPath(program, context.env);
  if (path === undefined) throw new Error("is not on PATH");
  if (!(await isProgram(path))) throw new Error("is not there, or is not a program");
  const argv = [path, ...args] as const;
  const [first, ...others] = tool.keeper === undefined ? argv : kept(tool.keeper, argv);
  const child = spawn(first, others, {
    cwd: tool.cwd ?? context.run.tempDir,
    env: installerEnvironment(context.env, context.run.id, { ...NO_QUESTIONS, ...tool.env, [TOOL_MARKER]: marker }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Without file handles there are no pipes either.
  if (child.pid === undefined) throw (await once(child, "error"))[0];
  child.stdout.on("data", output.onStdout);
  child.stderr.on("data", output.onStderr);
  return await endOf(child);
}

/** Its exit code, null after a signal; with all of its output, unless a process that it started keeps that open. */
async function endOf(child: ChildProcess): Promise<number | null> {
  const closed = once(child, "close").catch(() => undefined);
  const [code] = await once(child, "exit");
  const over = new AbortController();
  await Promise.race([closed, delay(OUTPUT_GRACE_MS, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
  return code;
}

interface Output {
  readonly onStdout: (data: Buffer) => void;
  readonly onStderr: (data: Buffer) => void;
  readonly stdout: () => string;
  readonly lastLines: () => string;
  readonly close: () => Promise<void>;
}

function collectOutput(path: string, onLine?: (line: string) => void): Output {
  const file = createWriteStream(path, { flags: "a" });
  // The log is for reading afterwards; a full disk must not hide the tool's own failure.
  file.on("error", () => undefined);
  const last: string[] = [];
  const chunks: Buffer[] = [];
  let bytes = 0;
  let logged = 0;
  const log = (data: Buffer): void => {
    if (logged < LOG_MAX_BYTES) file.write(data);
    logged += data.length;
  };
  const keep = (raw: string): void => {
    const line = redact(stripVTControlCharacters(raw).trimEnd());
    if (line.trim() === "") return;
    onLine?.(line);
    if (isProgressBar(line)) return;
    last.push(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} ...` : line);
    if (last.length > LAST_LINES) last.shift();
  };
  const [outLines, errLines] = [lineSplitter(keep), lineSplitter(keep)];
  return {
    onStdout: (data) => {
      log(data);
      bytes += data.length;
      if (bytes <= STDOUT_MAX_BYTES) chunks.push(data);
      outLines.push(data);
    },
    onStderr: (data) => {
      log(data);
      errLines.push(data);
    },
    stdout: () => Buffer.concat(chunks).toString("utf8"),
    lastLines: () => {
      outLines.flush();
      errLines.flush();
      return last.join("\n");
    },
    close: async () => {
      file.end();
      await finished(file).catch(() => undefined);
    },
  };
}

function lineSplitter(onLine: (line: string) => void): { push: (data: Buffer) => void; flush: () => void } {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    push: (data) => {
      const lines = (rest + decoder.decode(data, { stream: true })).split(/[\r\n]/);
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
      if (rest.length <= LINE_MAX_CHARACTERS) return;
      onLine(rest);
      rest = "";
    },
    flush: () => {
      if (rest !== "") onLine(rest);
      rest = "";
    },
  };
}

/** Cargo's `Building [=====>   ] 12/371: ...` is progress, not news. */
function isProgressBar(line: string): boolean {
  return /\[=*>? *\]\s+\d+\/\d+/.test(line);
}

/** Hides what stands between `//` and `@` in an address: a name and a password. */
export function redact(text: string): string {
  return text.replace(/\/\/[^/\s@]+@/g, "//***@");
}

/** As one would type it; of a whole program among the arguments only the start is shown. */
function quoteCommand(command: readonly string[]): string {
  const words = command.map((word) => {
    const short = word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD)}...` : word;
    const line = short.replace(/\s+/g, " ");
    return /^[\w@%+=:,./~-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
  });
  return `\`${words.join(" ")}\``;
}

function rejectOnAbort(signal: AbortSignal, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    // The option `signal` does not remove it for sure: Node 20 holds what removes a listener weakly, one for each signal.
    ended.addEventListener("abort", () => signal.removeEventListener("abort", abort), { once: true });
  });
}

function rejectAfter({ timeoutSec, limitSec = LIMIT_SEC }: ToolCommand, ended: AbortSignal): Promise<never> {
  const error =
    timeoutSec === undefined
      ? new LimitError(
          `did not end within ${limitText(limitSec)} and was ended`,
          "the last lines of its output show what it was doing: run it by hand to see what it waits for",
        )
      : new LimitError(`gave no answer within ${timeoutSec} s`);
  return new Promise((_, reject) => {
    const endLimit = startLimit((timeoutSec ?? limitSec) * 1000, () => reject(error));
    ended.addEventListener("abort", endLimit, { once: true });
  });
}

/** `60 min`; tests need less than a second. */
function limitText(seconds: number): string {
  return seconds < 1 ? `${seconds} s` : duration(seconds);
}
