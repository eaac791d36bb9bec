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

interface InstallMethod {
  readonly name: string;
  /** A program on PATH without which it is not tried. */
  readonly needs?: string;
  /** Reported before it is tried, after another method failed. */
  readonly announcement?: string;
  /** Reported when it failed and another method is tried: `the release could not be downloaded`. */
  readonly failed: string;
  /** @returns the program, where it comes from, and what to discard once it was moved. @throws Error with the reason */
  install(
    context: ProvisionContext,
    request: InstallRequest,
  ): Promise<{ readonly path: string; readonly origin: string; readonly leftover: string }>;
}

export interface Program {
  readonly name: string;
  /** The version that is installed, and the oldest one that is used. */
  readonly version: string;
  /** SHA-256 of the release's programs; none where it is always built. */
  readonly digests: readonly string[];
  /** The version of a program. @throws Error where it does not run or prints none */
  versionOf(context: ProvisionContext, path: string): Promise<string>;
  readonly methods: readonly InstallMethod[];
  /** What the user can do when all methods failed. */
  readonly remedy: string;
}

interface FailedAttempt {
  readonly method: string;
  readonly reason: string;
  readonly log: string;
}

/** @throws SetupError that lists each method and why it failed; the reason of the run's signal. */
export async function provideProgram(context: ProvisionContext, program: Program): Promise<Tool> {
  const failures: FailedAttempt[] = [];
  const { name, version } = program;
  const installed = await attempt(context, failures, "PATH", () => onPath(context, program));
  if (installed !== undefined) {
    context.progress.finished(`${name} ${installed.version}`, { seconds: 0, detail: installed.path, reused: true });
    return installed;
  }
  const target = `${process.platform}-${process.arch}`;
  const folder = join(context.cache, name, `${version}-${target}`);
  const request = { step: `${name} ${version}`, version, target, folder };
  const onWait = (holder: LockHolder): void =>
    context.progress.note(describeHolder(holder, `installs ${name} into ${folder}`));
  const lock = lockPath(context.cache, `${name}-${version}-${target}`);
  return withLock(lock, { signal: context.run.signal, onWait }, async () => {
    const cached = await inCache(context, program, folder);
    if (cached === undefined || !isTrusted(context, program, cached))
      return install(context, program, request, failures, cached?.tool);
    context.progress.finished(request.step, { seconds: 0, detail: cached.tool.path, reused: true });
    return cached.tool;
  });
}

/**
 * On a runner, an earlier job may have put it there: where a release with a known digest exists, that comes first. On a
 * machine of the user's, what was built there before is as good as what stands on PATH.
 */
function isTrusted({ env }: ProvisionContext, { digests }: Program, { pinned }: { readonly pinned: boolean }): boolean {
  return pinned || digests.length === 0 || env.GITHUB_ACTIONS !== "true";
}

/** @param built a program that an earlier run built: used where no release can be had */
async function install(
  context: ProvisionContext,
  program: Program,
  request: InstallRequest,
  failures: FailedAttempt[],
  built: Tool | undefined,
): Promise<Tool> {
  const started = performance.now();
  context.progress.started(request.step);
  await mkdir(dirname(request.folder), { recursive: true });
  await removeLeftovers(request.folder);
  let before = "";
  for (const method of program.methods) {
    const reused = method.needs === undefined ? undefined : await reuseBuilt(context, program, failures, built);
    if (reused !== undefined) {
      context.progress.note(`${request.step}: ${before}; using the one that was built on this machine before`);
      context.progress.finished(request.step, { seconds: 0, detail: reused.path, reused: true });
      return reused;
    }
    const tool = await attempt(context, failures, method.name, () =>
      installBy(context, program, method, request, before),
    );
    if (tool !== undefined) {
      context.progress.finished(request.step, { seconds: secondsSince(started), detail: tool.path, reused: false });
      return tool;
    }
    before = `${method.failed} (${failures.at(-1)?.reason})`;
  }
  const error = noMethodLeft(program, failures);
  context.progress.failed(request.step, error.message);
  throw error;
}

async function reuseBuilt(
  context: ProvisionContext,
  program: Program,
  failures: FailedAttempt[],
  built: Tool | undefined,
): Promise<Tool | undefined> {
  if (built === undefined) return undefined;
  const { path } = built;
  const reuse = async (): Promise<Tool> => ({ path, version: await checkedVersion(context, program, path) });
  return attempt(context, failures, "cache", reuse);
}

async function installBy(
  context: ProvisionContext,
  program: Program,
  { needs, announcement, install: run }: InstallMethod,
  request: InstallRequest,
  before: string,
): Promise<Tool> {
  if (needs !== undefined && (await findOnPath(needs, context.env)) === undefined)
    throw new Error(`there is no ${needs} on PATH`);
  if (before !== "" && announcement !== undefined) context.progress.note(`${request.step}: ${before}; ${announcement}`);
  const { path, origin, leftover } = await run(context, request);
  const check = async (candidate: string): Promise<void> => void (await checkedVersion(context, program, candidate));
  const binary = { name: program.name, version: program.version, origin, check };
  return publishBinary(path, request.folder, binary).finally(() => discard(leftover));
}

async function attempt(
  context: ProvisionContext,
  failures: FailedAttempt[],
  method: string,
  work: () => Promise<Tool>,
): Promise<Tool | undefined> {
  try {
    return await work();
  } catch (error) {
    context.run.signal.throwIfAborted();
    failures.push({ method, reason: messageOf(error), log: error instanceof SetupError ? error.log : "" });
    return undefined;
  }
}

async function onPath(context: ProvisionContext, program: Program): Promise<Tool> {
  const path = await findOnPath(program.name, context.env);
  if (path === undefined) throw new Error(`there is no ${program.name} on PATH`);
  return { path, version: await checkedVersion(context, program, path) };
}

async function inCache(context: ProvisionContext, program: Program, folder: string) {
  const { name, digests } = program;
  const cached = await cachedBinary(context, { folder, name, digests });
  if (cached === undefined) return undefined;
  const { path } = cached.tool;
  // Nothing that may be replaced by the release is run before that was tried.
  if (!isTrusted(context, program, cached)) return cached;
  try {
    return { ...cached, tool: { path, version: await checkedVersion(context, program, path) } };
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.note(`${path} was removed: ${messageOf(error)}; installing it again`);
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

function noMethodLeft({ name, version, remedy }: Program, failures: readonly FailedAttempt[]): SetupError {
  const methods = failures.map(({ method, reason }) => `\n  ${method}: ${reason}`).join("");
  return new SetupError(
    `no load generator: ${name} ${version} or newer could not be found or installed${methods}\n${remedy}`,
    failures.findLast(({ log }) => log !== "")?.log ?? "",
  );
}
