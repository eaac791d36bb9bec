/**
 * Callgrind: Valgrind's tool that counts the instructions of a program. It counts nothing until counting is switched on, which makes the
 * start of a server five times as fast. A dump writes what each process has executed since the last dump, and starts again at 0.
 * (Valgrind's manual, "Callgrind: a call-graph generating cache and branch prediction profiler".)
 */
import { execFile } from "node:child_process";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { hasEnded } from "../../process/proc.js";
import type { Valgrind } from "./valgrind.js";

/** A process below Valgrind answers within this time, or it hangs. */
const ANSWER_SEC = 20;
/** A process that waits in the kernel is interrupted after this time. */
const INVOKE_MS = 10;
/** For a process that ends. */
const END_MS = 3000;
const END_STEP_MS = 50;
/** The last line of a dump has the sum. */
const TAIL_BYTES = 256;

export class CallgrindError extends Error {}

export class Callgrind implements AsyncDisposable {
  readonly #valgrind: Valgrind;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  /** Processes that count. */
  readonly #counting = new Set<number>();

  private constructor(valgrind: Valgrind, folder: string, env: Readonly<Record<string, string>>) {
    this.#valgrind = valgrind;
    this.#folder = folder;
    this.#env = env;
  }

  /** @param folder of this server's dumps; it must not exist yet @param env of vgdb, with the server's names of user and host */
  static async open(valgrind: Valgrind, folder: string, env: Readonly<Record<string, string>>): Promise<Callgrind> {
    await mkdir(folder, { recursive: true });
    return new Callgrind(valgrind, folder, env);
  }

  /** argv before the server's own. */
  get prefix(): readonly string[] {
    return [
      this.#valgrind.path,
      ...["-q", "--tool=callgrind", "--trace-children=yes", "--instr-atstart=no"],
      `--callgrind-out-file=${join(this.#folder, "dump.%p")}`,
      `--vgdb-prefix=${this.#vgdbPrefix}`,
    ];
  }

  get #vgdbPrefix(): string {
    return join(this.#folder, "vgdb");
  }

  /**
   * Instructions of all processes since the last call; a process that was not there then counts from now on.
   * @param pids of the server; those that do not run below Valgrind are left out
   * @throws CallgrindError, also where a program was started and ended since the last call: it counted nothing
   */
  async count(pids: readonly number[]): Promise<number> {
    const below = await this.#below(pids);
    if (below.length === 0) throw new CallgrindError("no process of the server runs below Valgrind");
    const isFirst = this.#counting.size === 0;
    await Promise.all(below.map((pid) => this.#countOne(pid)));
    let sum = 0;
    for (const { pid, total } of await this.#takeDumps()) {
      // A forked process counts as its parent does; only a new program starts without counting.
      if (!isFirst && total === 0 && !this.#counting.has(pid))
        throw new CallgrindError("the app starts programs while it answers, and their work cannot be counted");
      sum += total;
    }
    return sum;
  }

  async #takeDumps(): Promise<{ readonly pid: number; readonly total: number }[]> {
    const dumps: { readonly pid: number; readonly total: number }[] = [];
    for (const name of await readdir(this.#folder)) {
      const pid = /^dump\.(\d+)(?:\.\d+)?$/.exec(name)?.[1];
      if (pid === undefined) continue;
      const path = join(this.#folder, name);
      // Valgrind makes an empty file at the start of each process, and writes it at the end.
      if ((await stat(path)).size === 0) continue;
      dumps.push({ pid: Number(pid), total: await totalOf(path) });
      await rm(path);
    }
    return dumps;
  }

  async #countOne(pid: number): Promise<void> {
    if (!this.#counting.has(pid)) await this.#send(pid, ["instrumentation", "on"]);
    this.#counting.add(pid);
    await this.#send(pid, ["dump"]);
  }

  /** Each process below Valgrind has a pipe with its number in the name. */
  async #below(pids: readonly number[]): Promise<number[]> {
    const names = await readdir(this.#folder);
    const found = new Set(names.map((name) => Number(/^vgdb-from-vgdb-to-(\d+)-/.exec(name)?.[1])));
    return pids.filter((pid) => found.has(pid));
  }

  async #send(pid: number, command: readonly string[]): Promise<void> {
    const argv = [`--vgdb-prefix=${this.#vgdbPrefix}`, `--pid=${pid}`, `--max-invoke-ms=${INVOKE_MS}`];
    const limit = `--cmd-time-out=${ANSWER_SEC}`;
    try {
      await promisify(execFile)(this.#valgrind.vgdb, [...argv, limit, ...command], {
        env: this.#env,
        timeout: 2 * ANSWER_SEC * 1000,
      });
    } catch (error) {
      // A process may end between two windows: what it executed is in the dump of its end.
      if (await endsSoon(pid)) return;
      const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
      throw new CallgrindError(`process ${pid} did not answer vgdb ${command.join(" ")}: ${said}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Its pipe is gone before it is: writing the last dump takes more than a second. */
async function endsSoon(pid: number): Promise<boolean> {
  const giveUpAt = performance.now() + END_MS;
  while (!hasEnded(pid) && performance.now() < giveUpAt) await sleep(END_STEP_MS);
  return hasEnded(pid);
}

/** The sum stands in the last line: `totals: 1544038`. */
async function totalOf(path: string): Promise<number> {
  await using file = await open(path);
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
  const total = /^totals: (\d+)/m.exec(buffer.toString("latin1", 0, bytesRead))?.[1];
  if (total === undefined) throw new CallgrindError(`${path} has no sum: the dump is not whole`);
  return Number(total);
}
