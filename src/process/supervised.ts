/** Starts a process below a supervisor, and reads the supervisor's reports. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { delimiter } from "node:path";
import type { Duplex } from "node:stream";
import { codeOf, messageOf, SetupError } from "../errors.js";
import { supervisingPython } from "./interpreter.js";
import { startLimit } from "./limit.js";
import { readStat } from "./proc.js";
import { SUPERVISOR } from "./supervisor.js";

export interface Order {
  /** argv; argv[0] is looked up in the PATH of `env`. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Limit of its stack, with which its addresses in memory are the same in every start; undefined: the kernel draws them. */
  readonly stackBytes?: number | undefined;
}

export interface SupervisorStart {
  /** CPU list as taskset takes it. */
  readonly cpuList: string;
  /** Open file that the process writes its output to. */
  readonly output: number;
  /** Folders of programs, the machine's own first, so that the supervisor's Python is never one of a checkout. */
  readonly paths: readonly string[];
}

/** Names one process for ever: the kernel gives a pid again to another process. */
export interface ProcessName {
  readonly pid: number;
  readonly startTime: string;
}

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why we ended it. */
  readonly because?: string;
}

export interface Supervised {
  readonly server: ProcessName;
  readonly supervisor: ProcessName;
  /** Whether its addresses are those of `stackBytes`. */
  readonly fixedAddresses: boolean;
  /** How the server ended; if only its supervisor ended, how the supervisor did. */
  readonly exited: Promise<ServerExit>;
  /** How the supervisor ended: after its last descendant, or killed. Killed, it no longer holds the server's orphans. */
  readonly gone: Promise<"ended" | "killed">;
  /** Moves all processes to these CPUs, the supervisor too. False: some could not be moved, or there are none. */
  move(cpus: readonly number[]): Promise<boolean>;
}

/** For all processes of a server to be moved. */
const MOVE_LIMIT_MS = 2000;

/** The server could not be started at all: a defect of the row, not of the machine. */
export class ServerStartError extends Error {
  override readonly name = "ServerStartError";
}

/**
 * @throws SetupError where taskset is missing or Python cannot supervise; ServerStartError where the supervisor ended
 */
export async function startSupervised(order: Order, { cpuList, output, paths }: SupervisorStart): Promise<Supervised> {
  const env = { PATH: paths.join(delimiter), ...(process.env.HOME !== undefined && { HOME: process.env.HOME }) };
  const python = await supervisingPython(env);
  const child = spawn("taskset", ["-c", cpuList, python, "-I", "-S", "-c", SUPERVISOR], {
    // A folder of the app could choose another Python, or keep a file system busy.
    cwd: "/",
    detached: true,
    env,
    stdio: ["ignore", output, output, "pipe"],
  });
  if (child.pid === undefined) {
    const [error] = await once(child, "error");
    throw spawnFailure(error);
  }
  const supervisor = { pid: child.pid, startTime: readStat(child.pid)?.startTime ?? "" };
  return { supervisor, ...(await listen(child, order)) };
}

/** Sends the order, and resolves when the server was started. */
async function listen(child: ChildProcess, order: Order): Promise<Omit<Supervised, "supervisor">> {
  const control = child.stdio[3] as Duplex;
  const started = deferred<Pick<Supervised, "server" | "fixedAddresses">>();
  const exited = deferred<ServerExit>();
  const moves: ((done: boolean) => void)[] = [];
  const onLine = (line: string): void => {
    const [word = "", first = "", second = "", third = ""] = line.split(" ");
    if (word === "started")
      started.resolve({ server: { pid: Number(first), startTime: second }, fixedAddresses: third === "fixed" });
    if (word === "failed") started.reject(cannotSupervise(line.slice(word.length + 1)));
    if (word === "exit") exited.resolve({ code: Number(first), signal: null });
    if (word === "signal") exited.resolve({ code: null, signal: signalName(Number(first)) });
    if (word === "moved" || word === "unmoved") moves.shift()?.(word === "moved");
  };
  let text = "";
  control.setEncoding("utf8").on("error", () => {});
  control.on("data", (piece: string) => {
    const lines = (text + piece).split("\n");
    text = lines.pop() ?? "";
    lines.forEach(onLine);
  });
  const gone = once(child, "close").then(([code, signal]) => {
    started.reject(new ServerStartError("the server's supervisor ended before it started the server"));
    exited.resolve({ code, signal });
    for (const done of moves.splice(0)) done(false);
    return signal === null ? "ended" : "killed";
  });
  const move = (cpus: readonly number[]) =>
    new Promise<boolean>((resolve) => {
      if (!control.writable) return resolve(false);
      // A server may have stopped its supervisor.
      const endLimit = startLimit(MOVE_LIMIT_MS, () => resolve(false));
      moves.push((done) => {
        endLimit();
        resolve(done);
      });
      control.write(`move ${cpus.join(",")}\n`);
    });
  control.write(`${JSON.stringify(order)}\n`);
  return { ...(await started.promise), exited: exited.promise, gone, move };
}

function deferred<T>() {
  let settle = { resolve: (_: T): void => {}, reject: (_: Error): void => {} };
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

function signalName(number: number): NodeJS.Signals {
  const names = Object.entries(constants.signals).find(([, value]) => value === number);
  return (names?.[0] ?? "SIGKILL") as NodeJS.Signals;
}

function cannotSupervise(reason: string): SetupError {
  return new SetupError(
    `python3 cannot hold on to the processes of a server: ${reason}; put a python3 with ctypes on PATH: apt-get install python3`,
  );
}

/** What a failed spawn of taskset means. */
export function spawnFailure(error: unknown): Error {
  const code = codeOf(error);
  if (code === "ENOENT")
    return new SetupError(
      "taskset was not found on PATH; it keeps server and load generator on separate CPUs: install util-linux",
    );
  return new ServerStartError(`cannot start a process: ${messageOf(error)}`);
}
