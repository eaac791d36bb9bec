/** oha, the load generator: from PATH, the cache, its GitHub release or its crate, in this order. */
import { join } from "node:path";
import { SetupError } from "../errors.js";
import { cachedBinary, publishBinary } from "./binary.js";
import { discard, messageOf, removeFolder, removeLeftovers } from "./cache.js";
import { openContext, type ProvisionContext, type ProvisionOptions, secondsSince } from "./context.js";
import { findOnPath } from "./find-on-path.js";
import { withLock } from "./lock.js";
import { buildWithCargo } from "./oha-cargo.js";
import { downloadRelease, RELEASE_LIMITS, type ReleaseLimits } from "./oha-release.js";
import { runTool } from "./run-tool.js";
import type { Tool } from "./types.js";
import { isAtLeast, parseVersion } from "./version.js";

/** The version that is installed, and the oldest one that is used: the first whose JSON this project was tried with. */
const OHA_VERSION = "1.16.0";
/** `oha --version` takes milliseconds; a program that hangs there is not oha. */
const VERSION_TIMEOUT_SEC = 10;
const STEP = `oha ${OHA_VERSION}`;

interface FailedWay {
  readonly way: string;
  readonly reason: string;
  readonly log: string;
}

/**
 * Gives an oha that is new enough, and installs it into the cache where the machine has none.
 * @throws SetupError that lists each way and why it failed; the reason of the run's signal.
 */
export async function provideOha(options: ProvisionOptions, limits: ReleaseLimits = RELEASE_LIMITS): Promise<Tool> {
  const context = await openContext(options);
  const failed: FailedWay[] = [];
  const installed = await tryWay(context, failed, "PATH", () => ohaOnPath(context));
  if (installed !== undefined) {
    context.progress.finished(`oha ${installed.version}`, { seconds: 0, detail: installed.path, reused: true });
    return installed;
  }
  const target = `${process.platform}-${process.arch}`;
  const folder = join(context.cache, "oha", `${OHA_VERSION}-${target}`);
  const onWait = ({ pid }: { pid: number }): void =>
    context.progress.note(`waiting for process ${pid}, which installs oha into ${folder}`);
  return withLock(`${folder}.lock`, { signal: context.run.signal, onWait }, async () => {
    const cached = await ohaInCache(context, folder);
    if (cached !== undefined) {
      context.progress.finished(STEP, { seconds: 0, detail: cached.path, reused: true });
      return cached;
    }
    return install(context, { folder, target, limits, failed });
  });
}

interface Installation {
  readonly folder: string;
  readonly target: string;
  readonly limits: ReleaseLimits;
  readonly failed: FailedWay[];
}

async function install(context: ProvisionContext, { folder, target, limits, failed }: Installation): Promise<Tool> {
  const started = performance.now();
  context.progress.started(STEP);
  await removeLeftovers(folder);
  const request = { step: STEP, version: OHA_VERSION, target, folder };
  const publish = (path: string, origin: string): Promise<Tool> =>
    publishBinary(path, folder, {
      name: "oha",
      version: OHA_VERSION,
      origin,
      check: async (program) => void (await versionOf(context, program)),
    });
  let tool = await tryWay(context, failed, "GitHub release", async () => {
    const { path, origin } = await downloadRelease(context, request, limits);
    return publish(path, origin).finally(() => discard(path));
  });
  tool ??= await tryWay(context, failed, "cargo", async () => {
    context.progress.note(`${STEP}: no release asset (${failed.at(-1)?.reason}); building it with cargo takes minutes`);
    const { path, origin, root } = await buildWithCargo(context, request);
    return publish(path, origin).finally(() => discard(root));
  });
  if (tool === undefined) {
    const error = noWayLeft(failed);
    context.progress.failed(STEP, error.message);
    throw error;
  }
  context.progress.finished(STEP, { seconds: secondsSince(started), detail: tool.path, reused: false });
  return tool;
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

async function ohaOnPath(context: ProvisionContext): Promise<Tool> {
  const path = await findOnPath("oha", context.env);
  if (path === undefined) throw new Error("there is no oha on PATH");
  return { path, version: await versionOf(context, path) };
}

async function ohaInCache(context: ProvisionContext, folder: string): Promise<Tool | undefined> {
  const cached = await cachedBinary(context, folder, "oha");
  if (cached === undefined) return undefined;
  try {
    return { path: cached.path, version: await versionOf(context, cached.path) };
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.note(`${cached.path} was removed: ${messageOf(error)}; installing it again`);
    await removeFolder(folder);
    return undefined;
  }
}

/** The version that it tells itself. @throws Error when it does not run, or is too old. */
async function versionOf(context: ProvisionContext, path: string): Promise<string> {
  const output = await runTool(context, {
    step: "asking oha for its version",
    command: [path, "--version"],
    wayOut: () => "it does not run on this machine",
    timeoutSec: VERSION_TIMEOUT_SEC,
  });
  const version = parseVersion(output);
  if (version === undefined) throw new Error(`${path} --version does not tell a version`);
  if (!isAtLeast(version, OHA_VERSION)) throw new Error(`${path} is ${version}, and ${OHA_VERSION} or newer is needed`);
  return version;
}

function noWayLeft(failed: readonly FailedWay[]): SetupError {
  const ways = failed.map(({ way, reason }) => `\n  ${way}: ${reason}`).join("");
  return new SetupError(
    `no load generator: oha ${OHA_VERSION} or newer could not be found or installed${ways}\n` +
      "put oha on PATH (a program from https://github.com/hatoo/oha/releases), or install Rust (https://rustup.rs) " +
      "so that it can be built",
    failed.findLast(({ log }) => log !== "")?.log ?? "",
  );
}
