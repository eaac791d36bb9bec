/** One pair of processes under a load of a fixed number of requests, in chunks: after each chunk its server's memory is read. */

import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { allEnded } from "../../all-ended.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import { describeExit, EXIT_NOTICE_MS, type ServerProcess } from "../../process/group.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { ExpectedAnswer } from "../../results/answers.js";
import type { MemorySide } from "../../results/further-metrics.js";
import type { Generator, Load, Measured } from "../generators/contract.js";
import { type HeldIdle, holdIdle, pairClosedIdle } from "../idle-memory.js";
import { peakMemoryMiB } from "../machine/memory.js";
import { type MeasureContext, makeGenerator } from "../row.js";
import { leftItsRange, rowLoad } from "../row-load.js";
import { wrongAfterLoad } from "../server/after-load.js";
import { BodyError } from "../server/body.js";
import { type Exchange, expectedAnswers, makeExchange, routeAnswers, writeBody } from "../server/exchange.js";
import { probeOf, type Started, startAgainIfTaken } from "../server/start.js";
import { describeFailures } from "../window.js";
import { sampleMemory } from "./sample.js";

/** The first quarter is the rest of the warm-up; see `growth` of the comparison. */
const CHUNKS = 24;
/** Of one chunk, at the speed of the side that is ready first. */
const CHUNK_SEC = 0.2;
const WARM_UP_SEC = 0.5;
/** For one chunk of a server that became slower. One that takes longer counts as hung. */
const CHUNK_MAX_SEC = 60;
/** Of a chunk's requests. A lost connection now and then changes no memory; a server that answers less allocates less. */
const FAILED_SHARE_MAX = 0.01;

export type MemoryContext = Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
  readonly connections: number;
};

/** Requests of a chunk: the same for both sides and all pairs of a row. */
export interface ChunkSize {
  requests: number | undefined;
}

interface MemorySource {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}
/** Without base, head alone is sampled. */
export interface MemorySources {
  readonly base?: MemorySource | undefined;
  readonly head: MemorySource;
}

export type SampledPair =
  | {
      readonly state: "sampled";
      readonly base?: MemorySide;
      readonly head: MemorySide;
      /** What each side's answers were checked for. */
      readonly answers: { readonly base?: readonly ExpectedAnswer[]; readonly head: readonly ExpectedAnswer[] };
    }
  | { readonly state: "failed"; readonly failedIn: Side; readonly reason: string };

interface Sampling {
  readonly row: PlannedRow;
  readonly server: ServerProcess;
  readonly started: Started;
  readonly idle: HeldIdle;
  readonly generator: Generator;
  readonly exchange: Exchange;
  load: Load;
  readonly samplesMiB: number[];
  source: MemorySide["source"];
}

class Failed extends Error {}

interface Starting {
  readonly hashSeed: number;
  readonly context: MemoryContext;
  readonly folder: string;
  /** Servers that have to be ended. */
  readonly servers: ServerProcess[];
}

/**
 * Whatever goes wrong in a server is a failure.
 * @throws the run's abort reason; both servers are gone by then
 */
export async function sampleMemoryPair(
  sources: MemorySources,
  hashSeed: number,
  first: Side,
  size: ChunkSize,
  context: MemoryContext,
): Promise<SampledPair> {
  const folder = join(context.run.tempDir, `memory-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  const servers: ServerProcess[] = [];
  const running = new Map<Side, Sampling>();
  let at = first;
  const ofEach = async (act: (one: Sampling) => Promise<void>): Promise<void> => {
    for (const [side, one] of running) {
      at = side;
      await act(one);
    }
  };
  try {
    for (const side of inOrder(first)) {
      at = side;
      const source = sources[side];
      if (source) running.set(side, await started(source, { hashSeed, context, folder, servers }));
    }
    await ofEach((one) => warmUp(one, size));
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) await ofEach((one) => sampleChunk(one, size));
    await ofEach((one) => check(one, context.run.signal));
    return sampled(running);
  } catch (error) {
    context.run.signal.throwIfAborted();
    if (error instanceof Failed || error instanceof BodyError)
      return { state: "failed", failedIn: at, reason: error.message };
    throw error;
  } finally {
    for (const { idle } of running.values()) idle[Symbol.dispose]();
    await allEnded(servers.map((server) => server[Symbol.asyncDispose]()));
    await rm(folder, { recursive: true, force: true });
  }
}

function inOrder(first: Side): readonly Side[] {
  return first === "base" ? ["base", "head"] : ["head", "base"];
}

function sampled(running: ReadonlyMap<Side, Sampling>): SampledPair {
  const [base, head] = [running.get("base"), running.get("head")].map((one) => one && sideOf(one));
  if (!head) return { state: "failed", failedIn: "head", reason: "head was not sampled" };
  const answersOf = (side: Side) => {
    const one = running.get(side);
    return one && expectedAnswers(one.exchange);
  };
  const [ofBase, ofHead = []] = [answersOf("base"), answersOf("head")];
  return { state: "sampled", ...(base && { base }), head, answers: { ...(ofBase && { base: ofBase }), head: ofHead } };
}

function sideOf({ server, source, samplesMiB }: Sampling): MemorySide {
  const peakMiB = Math.max(peakMemoryMiB(server.processes()), ...samplesMiB);
  return { source, peakMiB, samplesMiB: [...samplesMiB] };
}

/** One run's temporary folder holds files of both sides. */
async function started(
  { row, ready }: MemorySource,
  { hashSeed, context, folder, servers }: Starting,
): Promise<Sampling> {
  const { run, filesDir, connections } = context;
  const exchange = await makeExchange(row, filesDir);
  const starting = { ...context, extraEnv: { PYTHONHASHSEED: String(hashSeed) } };
  const start = await startAgainIfTaken(row, ready, exchange, starting);
  if (start.state === "failed") throw new Failed(start.reason);
  const { server } = start;
  servers.push(server);
  const bodyFile = await writeBody(exchange, folder);
  const window = { connections, seconds: WARM_UP_SEC, waitOngoing: true, record: false };
  const { generatorThreads: _, ...asMeasured } = rowLoad(row, { ...start, exchange, bodyFile }, window);
  // A clock would leave the number of requests open.
  const load: Load = { ...asMeasured, ratePerSec: undefined };
  const generator = makeGenerator(row, ready, { ...context, run: { ...run, tempDir: folder } });
  const idle = await holdIdle(server, { row, port: start.port, signal: run.signal });
  if (idle.state === "failed") throw new Failed(idle.reason);
  return { row, server, started: start, idle, generator, exchange, load, samplesMiB: [], source: "pss" };
}

async function warmUp(sampling: Sampling, size: ChunkSize): Promise<void> {
  const { requests, seconds, failures, exact } = await loaded(sampling);
  if (requests === 0) throw new Failed(`no request succeeded: ${describeFailures(failures.byKind)}`);
  if (!exact) checkRange(await loaded(sampling), sampling);
  size.requests ??= Math.max(sampling.load.connections, Math.round((requests / seconds) * CHUNK_SEC));
}

/** Right bodies that vary may leave the range of the first ones: then their size is not checked. */
function checkRange({ failures }: Measured, sampling: Sampling): void {
  const { load, exchange } = sampling;
  if (leftItsRange(failures, exchange)) sampling.load = { ...load, answers: routeAnswers(exchange) };
}

async function sampleChunk(sampling: Sampling, size: ChunkSize): Promise<void> {
  const { requests = 1 } = size;
  const { requests: right, failures } = await loaded(sampling, { requests, seconds: CHUNK_MAX_SEC });
  // Every client of a broadcast gets every message: their number is not always the one that was asked for.
  if (sampling.row.generator === "websocket" && failures.total === 0) size.requests = right;
  const all = right + failures.total;
  if (right === 0 || failures.total > FAILED_SHARE_MAX * all) {
    const why = describeFailures(failures.byKind);
    throw new Failed(`${failures.total} of ${all} requests failed: ${why}`);
  }
  const { source, mib } = sampleMemory(sampling.server.processes());
  if (source === "rss") sampling.source = source;
  sampling.samplesMiB.push(mib);
}

/** What a side no longer does costs it no memory. */
async function check({ row, server, exchange, started, idle }: Sampling, signal: AbortSignal): Promise<void> {
  if (server.exit !== undefined) throw new Failed(`the server ended (${describeExit(server.exit)})`);
  const wrong =
    pairClosedIdle(row, idle.figures()) ??
    (await wrongAfterLoad(exchange, (route) => probeOf({ ...started, row, exchange }, route), signal));
  if (wrong !== undefined) throw new Failed(wrong);
}

/** Once the generator's summary cannot tell right answers from wrong ones, all further loads of the process are recorded. */
async function loaded(sampling: Sampling, change: Partial<Load> = {}): Promise<Measured> {
  const { server, generator, load } = sampling;
  const outcome = await generator.run({ ...load, ...change }, () => {});
  const suspect = outcome.state === "failed" || outcome.failures.total > 0;
  if (server.exit === undefined && suspect) await sleep(EXIT_NOTICE_MS);
  if (server.exit !== undefined) throw new Failed(`the server ended under load (${describeExit(server.exit)})`);
  if (outcome.state === "failed") throw new Failed(outcome.reason);
  if (!outcome.exact) sampling.load = { ...load, record: true };
  return outcome;
}
