/** One builder at a time for a thing in the cache, over all processes; a killed builder's lock is taken over. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as v from "valibot";
import { SetupError } from "../../errors.js";
import { codeOf, temporarySibling } from "./cache.js";

/** How often a waiting run looks again. */
const POLL_MS = 200;
/** How often the holder shows that it lives; only holders on other hosts are judged by it. */
const HEARTBEAT_MS = 10_000;
/** A holder on another host (a shared cache) that was silent for so long is gone. */
const SILENT_MS = 120_000;
/** Longer than the slowest build that is waited for (a load generator on one core). */
const LONGEST_WAIT_MS = 30 * 60_000;

const holderSchema = v.object({ pid: v.number(), started: v.string(), host: v.string(), token: v.string() });
type Holder = v.InferOutput<typeof holderSchema>;

export interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once, when another run holds the lock. */
  readonly onWait?: (holder: { readonly pid: number }) => void;
}

/**
 * Runs `work` with the lock `path` held.
 * @throws SetupError after half an hour of waiting; the signal's reason when it is aborted.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const content = await acquire(path, options);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    // Only our own: on a shared cache another host may have taken it over.
    if ((await readText(path)) === content) await rm(path, { force: true });
  }
}

async function acquire(path: string, { signal, onWait }: LockOptions): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + LONGEST_WAIT_MS;
  const content = JSON.stringify(ourselves());
  let told = false;
  for (;;) {
    signal.throwIfAborted();
    if (await create(path, content)) return content;
    const held = await readText(path);
    if (held === undefined) continue;
    if (await isStale(path, held)) {
      await takeAway(path, held);
      continue;
    }
    const pid = parseHolder(held)?.pid ?? 0;
    if (!told) onWait?.({ pid });
    told = true;
    if (Date.now() > deadline)
      throw new SetupError(
        `waited ${LONGEST_WAIT_MS / 60_000} minutes for process ${pid}, which holds ${path}; end it`,
      );
    await delay(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Creates the file with its content in one step: a lock without a holder is never seen. */
async function create(path: string, content: string): Promise<boolean> {
  const temporary = temporarySibling(path);
  await writeFile(temporary, content);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Moves a stale lock away. Two runs may try: the one that finds it moved a newer lock puts that one back. */
async function takeAway(path: string, seen: string): Promise<void> {
  const aside = temporarySibling(path);
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if ((await readText(aside)) !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isStale(path: string, content: string): Promise<boolean> {
  const holder = parseHolder(content);
  if (holder === undefined) return true;
  if (holder.host === hostname()) return startOf(holder.pid) !== holder.started;
  const seen = await stat(path).catch(() => undefined);
  return seen !== undefined && Date.now() - seen.mtimeMs > SILENT_MS;
}

function ourselves(): Holder {
  const started = startOf(process.pid) ?? "";
  return { pid: process.pid, started, host: hostname(), token: randomBytes(8).toString("hex") };
}

function parseHolder(content: string): Holder | undefined {
  try {
    return v.parse(holderSchema, JSON.parse(content));
  } catch {
    return undefined;
  }
}

/** When a process started, in ticks since boot (a pid alone may be another process by now); undefined: it is gone. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Behind the name in parentheses, which may hold anything: state is field 3, starttime field 22 (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : (fields[19] ?? "");
  } catch {
    if (process.platform === "linux") return undefined;
  }
  try {
    process.kill(pid, 0);
    return "";
  } catch (error) {
    return codeOf(error) === "EPERM" ? "" : undefined;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
