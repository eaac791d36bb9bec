/** A program that is on PATH, in the cache, or installed into the cache: in this order. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, SetupError } from "../../errors.js";
import { discard, removeFolder, removeLeftovers } from "../cache/cache.js";
import { describeHolder, type LockHolder, lockPath, withLock } from "../cache/lock.js";
import { cachedBinary, publishBinary } from "../cache/programs.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import type { Tool } from "../types.js";
import { findOnPath } from "./find-on-path.js";
import { isAtLeast } from "./version.js";

export interface InstallRequest {
  /** What the progress calls it. */
  readonly step: string;
  readonly version: string;
  /** Platform and architecture, `linux-x64`. */
  readonly target: string;
  /** The program's folder in the cache; what is installed first stands beside it, on the same file system. */
  readonly folder: string;
}

interface InstallWay {
  readonly name: string;
  /** @returns the program, where it comes from, and what to discard once it was moved. @throws Error with the reason */
  install(
    context: ProvisionContext,
    request: InstallRequest,
  ): Promise<{ readonly path: string; readonly origin: string; readonly leftover: string }>;
  /** Said before it is tried, after the way before it failed. */
  readonly note?: string;
}

export interface Program {
  readonly name: string;
  /** The version that is installed, and the oldest one that is used. */
  readonly version: string;
  /** The version of a program. @throws Error where it does not run or does not tell one */
  versionOf(context: ProvisionContext, path: string): Promise<string>;
  readonly ways: readonly InstallWay[];
  /** What the user can do when all ways failed. */
  readonly wayOut: string;
}

interface FailedWay {
  readonly way: string;
  readonly reason: string;
  readonly log: string;
}

/** @throws SetupError that lists each way and why it failed; the reason of the run's signal. */
export async function provideProgram(context: ProvisionContext, program: Program): Promise<Tool> {
  const failed: FailedWay[] = [];
  const { name, version } = program;
  const installed = await tryWay(context, failed, "PATH", () => onPath(context, program));
  if (installed !== undefined) {
    context.progress.finished(`${name} ${installed.version}`, { seconds: 0, detail: installed.path, reused: true });
    return installed;
  }
  const target = `${process.platform}-${process.arch}`;
  const folder = join(context.cache, name, `${version}-${target}`);
  const request = { step: `${name} ${version}`, version, target, folder };
  const onWait = (holder: LockHolder): void =>
    context.progress.note(describeHolder(holder, `installs ${name} into ${folder}`));
  return withLock(
    lockPath(context.cache, `${name}-${version}-${target}`),
    { signal: context.run.signal, onWait },
    async () => {
      const cached = await inCache(context, program, folder);
      if (cached === undefined) return install(context, program, request, failed);
      context.progress.finished(request.step, { seconds: 0, detail: cached.path, reused: true });
      return cached;
    },
  );
}

async function install(
  context: ProvisionContext,
  program: Program,
  request: InstallRequest,
  failed: FailedWay[],
): Promise<Tool> {
  const started = performance.now();
  context.progress.started(request.step);
  await mkdir(dirname(request.folder), { recursive: true });
  await removeLeftovers(request.folder);
  for (const way of program.ways) {
    const tool = await tryWay(context, failed, way.name, async () => {
      if (way.note !== undefined)
        context.progress.note(`${request.step}: ${failed.at(-1)?.way} failed (${failed.at(-1)?.reason}); ${way.note}`);
      const { path, origin, leftover } = await way.install(context, request);
      const check = async (candidate: string): Promise<void> =>
        void (await checkedVersion(context, program, candidate));
      const binary = { name: program.name, version: program.version, origin, check };
      return publishBinary(path, request.folder, binary).finally(() => discard(leftover));
    });
    if (tool === undefined) continue;
    context.progress.finished(request.step, { seconds: secondsSince(started), detail: tool.path, reused: false });
    return tool;
  }
  const error = noWayLeft(program, failed);
  context.progress.failed(request.step, error.message);
  throw error;
}

async function tryWay(
  context: ProvisionContext,
  failed: FailedWay[],
  way: string,
  attempt: () => Promise<Tool>,
): Promise<Tool | undefined> {
  try {
    return await attempt();
  } catch (error) {
    context.run.signal.throwIfAborted();
    failed.push({ way, reason: messageOf(error), log: error instanceof SetupError ? error.log : "" });
    return undefined;
  }
}

async function onPath(context: ProvisionContext, program: Program): Promise<Tool> {
  const path = await findOnPath(program.name, context.env);
  if (path === undefined) throw new Error(`there is no ${program.name} on PATH`);
  return { path, version: await checkedVersion(context, program, path) };
}

async function inCache(context: ProvisionContext, program: Program, folder: string): Promise<Tool | undefined> {
  const cached = await cachedBinary(context, folder, program.name);
  if (cached === undefined) return undefined;
  try {
    return { path: cached.path, version: await checkedVersion(context, program, cached.path) };
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.note(`${cached.path} was removed: ${messageOf(error)}; installing it again`);
    await removeFolder(folder);
    return undefined;
  }
}

async function checkedVersion(context: ProvisionContext, program: Program, path: string): Promise<string> {
  const version = await program.versionOf(context, path);
  if (!isAtLeast(version, program.version))
    throw new Error(`${path} is ${version}, and ${program.version} or newer is needed`);
  return version;
}

function noWayLeft({ name, version, wayOut }: Program, failed: readonly FailedWay[]): SetupError {
  const ways = failed.map(({ way, reason }) => `\n  ${way}: ${reason}`).join("");
  return new SetupError(
    `no load generator: ${name} ${version} or newer could not be found or installed${ways}\n${wayOut}`,
    failed.findLast(({ log }) => log !== "")?.log ?? "",
  );
}
