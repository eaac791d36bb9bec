/** One server process, started below the sampler, warmed up, and sampled under load. */
import { randomUUID } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describeExit, EXIT_NOTICE_MS, type ServerProcess } from "../../process/group.js";
import { limitOver } from "../../process/limit.js";
import { LinkedAbort } from "../../process/linked-abort.js";
import { logTail } from "../../process/log.js";
import { type ProcessStat, threadNames } from "../../process/proc.js";
import type { Tool } from "../../provision/types.js";
import type { Generator, Load } from "../generators/contract.js";
import { cpuBetween, sampleCpu } from "../machine/cpu.js";
import type { PairContext } from "../pairs/pair.js";
import type { PairSides } from "../pairs/pair-servers.js";
import { makeGenerator } from "../row.js";
import { rowLoad } from "../row-load.js";
import { makeExchange, writeBody } from "../server/exchange.js";
import { startAgainIfTaken } from "../server/start.js";
import { measureWindow } from "../window.js";
import { launchedCommand } from "./launcher.js";
import { pySpyCommand, pySpyFailure, type SamplingMode } from "./py-spy.js";

/** Seconds that each process is sampled. */
const SAMPLED_SEC = 4;
/** py-spy reads the symbols of all libraries before its first sample; the load goes on for that long. */
const PREPARING_SEC = 1.5;
const WARM_UP_SEC = 0.7;
/** After the load, for py-spy to write its file. One that takes longer hangs. */
const END_LIMIT_MS = 15_000;
/** py-spy writes some 400 KB. */
const STACKS_MAX_BYTES = 64 * 1024 * 1024;

export type SampleContext = Pick<PairContext, "run" | "cpus" | "generators" | "filesDir" | "env" | "connections"> & {
  readonly sampler: Tool;
  readonly mode: SamplingMode;
  /** Requests per second; undefined: as many as the server answers. */
  readonly ratePerSec: number | undefined;
  readonly extraEnv: Readonly<Record<string, string>>;
  /** Default: 4. */
  readonly sampledSec?: number;
  readonly endLimitMs?: number;
};

export interface ServerSample {
  readonly state: "sampled";
  /** Collapsed, as py-spy writes them. */
  readonly stacks: string;
  readonly requests: number;
  readonly cpuSec: number;
}
interface NoSample {
  readonly state: "failed";
  readonly reason: string;
}
/** It works in threads of Python, so it has to be sampled in the other mode. */
interface Threaded {
  readonly state: "threaded";
}

interface Running {
  readonly server: ServerProcess;
  readonly generator: Generator;
  readonly load: Load;
  readonly files: SamplerFiles;
}

interface SamplerFiles {
  readonly stacks: string;
  readonly log: string;
}

/** @throws the run's abort reason; the server and the sampler are gone by then */
export async function sampleServer(
  side: PairSides["base"],
  context: SampleContext,
): Promise<ServerSample | NoSample | Threaded> {
  const { row, ready } = side;
  const { sampledSec = SAMPLED_SEC } = context;
  const name = join(context.run.tempDir, `py-spy-${randomUUID()}`);
  const files: SamplerFiles = { stacks: `${name}.txt`, log: `${name}.log` };
  const sampler = pySpyCommand({
    mode: context.mode,
    program: context.sampler.path,
    cpus: context.cpus.client,
    seconds: sampledSec,
    stacks: files.stacks,
  });
  const command = launchedCommand(row.server.command, sampler, files.log);
  const launched = { ...row, server: { ...row.server, command } };
  const exchange = await makeExchange(row, context.filesDir);
  const started = await startAgainIfTaken(launched, ready, exchange, context);
  if (started.state === "failed") return failed(started.reason);
  await using server = started.server;
  try {
    const generator = makeGenerator(row, ready, context);
    const bodyFile = await writeBody(exchange, context.run.tempDir);
    const window = { connections: context.connections, seconds: sampledSec, waitOngoing: true, record: false };
    const load = rowLoad(row, { ...started, exchange, bodyFile }, window);
    const warm = { ...load, seconds: WARM_UP_SEC, waitOngoing: true };
    const warmUp = await measureWindow({ loaded: server }, generator, warm, context.cpus);
    if (warmUp.state === "failed") return failed(`warming up: ${warmUp.reason}`);
    if (context.mode === "native" && !isNative(side) && worksInThreads(serverProcesses(server)))
      return { state: "threaded" };
    return await sampleUnderLoad({ server, generator, load, files }, context);
  } finally {
    // Before its file is removed, the sampler must have ended.
    await server.stop();
    await rm(files.stacks, { force: true });
    await rm(files.log, { force: true });
  }
}

async function sampleUnderLoad(
  { server, generator, load, files }: Running,
  { ratePerSec, run, sampledSec = SAMPLED_SEC, endLimitMs = END_LIMIT_MS }: SampleContext,
): Promise<ServerSample | NoSample> {
  const seconds = sampledSec + PREPARING_SEC;
  const open = ratePerSec === undefined ? {} : { open: { ratePerSec, settleSec: 0, windowSec: seconds } };
  if (server.exit !== undefined) return failed("the server ended before it was sampled");
  const before = sampleCpu(serverProcesses(server));
  process.kill(server.pid, "SIGUSR1");
  let cpuSec = 0;
  const readCpu = (): void => {
    cpuSec ||= cpuBetween(before, sampleCpu(serverProcesses(server)));
  };
  const outcome = await generator.run({ ...load, ...open, seconds, waitOngoing: true }, readCpu);
  readCpu();
  await sleep(EXIT_NOTICE_MS);
  if (serverProcesses(server).length === 0) return failed("the server ended while it was sampled");
  const exit = await endWithin(server, endLimitMs, run.signal);
  run.signal.throwIfAborted();
  if (exit === undefined) return failed("py-spy did not end in time and was ended");
  const stacks = await readStacks(files.stacks);
  if (exit.code !== 0 || stacks === "") return failed(pySpyFailure(describeExit(exit), logTail(files.log)));
  if (outcome.state === "failed") return failed(outcome.reason);
  if (outcome.requests === 0) return failed("no request succeeded while the server was sampled");
  return { state: "sampled", stacks, requests: outcome.requests, cpuSec };
}

/** Distributions of servers in native code: their own work would not be seen with the interpreter's lock. */
const NATIVE_SERVERS = ["granian", "uwsgi", "pyvoy", "socketify", "robyn", "bjoern", "fastwsgi", "fastpysgi"];

function isNative({ row, ready }: PairSides["base"]): boolean {
  // A Python without the lock, such as 3.14.0t, has nobody who holds it.
  return NATIVE_SERVERS.includes(row.environment.distribution) || ready.pythonVersion.endsWith("t");
}

/** With the main thread. Two can be a server and something that it does beside. */
const THREADS_MIN = 3;
/** Of libraries, by their names. */
const NATIVE_THREAD = /^(libuv|tokio|rayon)/;

function worksInThreads(processes: readonly ProcessStat[]): boolean {
  return processes.some(
    ({ pid }) => threadNames(pid).filter((name) => !NATIVE_THREAD.test(name)).length >= THREADS_MIN,
  );
}

/** How the sampler ended; undefined where it did not. */
async function endWithin({ exited }: ServerProcess, limitMs: number, signal: AbortSignal) {
  using ended = new LinkedAbort(signal);
  const exit = await Promise.race([exited, limitOver(limitMs, ended.signal)]);
  ended.abort();
  return exit;
}

/** "" where there is no such file, or one that py-spy cannot have written. */
async function readStacks(path: string): Promise<string> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  return size > 0 && size <= STACKS_MAX_BYTES ? await readFile(path, "utf8") : "";
}

/** Without the sampler, which leads their session. */
function serverProcesses(server: ServerProcess) {
  return server.processes().filter(({ pid }) => pid !== server.pid);
}

function failed(reason: string): NoSample {
  return { state: "failed", reason };
}
