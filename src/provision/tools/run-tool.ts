/** Runs one-shot tools (uv, pip, cargo) with their output in a log file, the last lines at hand, and errors that help. */
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { exec } from "@actions/exec";
import { messageOf, SetupError } from "../../errors.js";
import { installerEnvironment } from "../../process/environment.js";
import type { ProvisionContext } from "../context.js";
import { findOnPath, isProgram } from "./find-on-path.js";

/** Enough to show a compiler's complaint with what led to it. */
const LAST_LINES = 25;
const LONGEST_LINE = 500;
const LONGEST_WORD = 200;
/** More than any tool here prints to be read by us. */
const STDOUT_MAX_BYTES = 4 * 1024 * 1024;
/** On a terminal, Ctrl-C reaches the tool too: its end may be noticed before our own signal. */
const ABORT_GRACE_MS = 50;
/** Git asks for passwords on the terminal, whoever started it. */
const NO_QUESTIONS = { GIT_TERMINAL_PROMPT: "0" };

export interface ToolCommand {
  /** What is being done, as errors begin: `installing granian`. */
  readonly step: string;
  /** argv; a program without a slash is looked up in PATH. */
  readonly command: readonly [string, ...string[]];
  /** The file that its output is added to; default: one named after the step, in the run's temporary folder. */
  readonly logFile?: string;
  /** Variables beside those that installers get. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the user can do about a failure; given the last lines of the output. */
  readonly remedy: (log: string) => string;
  /** Each line of output, as it comes; a progress bar's redraws are lines too. */
  readonly onLine?: (line: string) => void;
  /** For a tool that answers at once. */
  readonly timeoutSec?: number;
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

/**
 * Runs the tool to its end and gives its standard output.
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
  let exitCode: number | undefined;
  try {
    const limits = [rejectOnAbort(signal, ended.signal)];
    if (tool.timeoutSec !== undefined) limits.push(rejectAfter(tool.timeoutSec, ended.signal));
    const code = await Promise.race([start(context, tool, output), ...limits]);
    exitCode = code ?? undefined;
    if (code === null || !(tool.exitCodes ?? [0]).includes(code))
      throw new Error(code === null ? "was killed by a signal" : `ended with exit code ${code}`);
    return output.stdout();
  } catch (error) {
    await delay(ABORT_GRACE_MS);
    signal.throwIfAborted();
    const log = output.lastLines();
    const message = `${tool.step}: ${quoteCommand(tool.command)} ${messageOf(error)}; ${tool.remedy(log)}`;
    throw new ToolError(redact(message), log, exitCode);
  } finally {
    ended.abort();
    await output.close();
  }
}

async function start(context: ProvisionContext, tool: ToolCommand, output: Output): Promise<number | null> {
  const [program, ...args] = tool.command;
  const path = program.includes("/") ? program : await findOnPath(program, context.env);
  if (path === undefined) throw new Error("is not on PATH");
  if (!(await isProgram(path))) throw new Error("is not there, or is not a program");
  // exec splits its first argument at spaces unless they are quoted.
  return exec(`"${path.replaceAll('"', '\\"')}"`, args, {
    cwd: context.run.tempDir,
    env: installerEnvironment(context.env, context.run.id, { ...NO_QUESTIONS, ...tool.env }),
    silent: true,
    ignoreReturnCode: true,
    // No `input`: exec writes it even when it is empty, and a tool that ends first would end us with EPIPE.
    listeners: { stdout: output.onStdout, stderr: output.onStderr },
  });
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
      file.write(data);
      bytes += data.length;
      if (bytes <= STDOUT_MAX_BYTES) chunks.push(data);
      outLines.push(data);
    },
    onStderr: (data) => {
      file.write(data);
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
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: ended });
  });
}

function rejectAfter(seconds: number, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`gave no answer within ${seconds} s`)), seconds * 1000);
    ended.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
