/** Who measures on this machine: written into the lock file by the run that holds it, read by those that wait. */
import { ftruncateSync, readSync, writeSync } from "node:fs";
import { userInfo } from "node:os";
import { coarse } from "../report/text/format.js";

export interface Holder {
  readonly pid: number;
  readonly user: string;
  /** ISO 8601. */
  readonly since: string;
  /** What it measures, in a few words. */
  readonly what: string;
  /** When it is expected to end; null: unknown. ISO 8601. */
  readonly expectedEnd: string | null;
}

/** Our notes are shorter. */
const NOTE_MAX_BYTES = 2000;
const TEXT_MAX_CHARACTERS = 100;

/** Replaces the note. A file that we may only read gets none. */
export function writeHolder(file: number, holder: Holder): void {
  const text = Buffer.from(`${JSON.stringify(holder)}\n`);
  try {
    writeSync(file, text, 0, text.length, 0);
    ftruncateSync(file, text.length);
  } catch {
    // Another user's file, or a full disk: the lock works without the note.
  }
}

export function clearHolder(file: number): void {
  try {
    ftruncateSync(file, 0);
  } catch {
    // Another user's file.
  }
}

/** Anybody may write this file, so its text is checked. @returns undefined where it holds no note of ours */
export function readHolder(file: number): Holder | undefined {
  const buffer = Buffer.alloc(NOTE_MAX_BYTES);
  try {
    return parseHolder(buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, 0)));
  } catch {
    // Somebody else's file, or the note is being written.
    return undefined;
  }
}

function parseHolder(text: string): Holder | undefined {
  const read: unknown = JSON.parse(text);
  if (typeof read !== "object" || read === null) return undefined;
  const { pid, user, since, what, expectedEnd } = read as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(pid) || typeof pid !== "number" || pid <= 0 || !isTime(since)) return undefined;
  return { pid, user: plain(user), since, what: plain(what), expectedEnd: isTime(expectedEnd) ? expectedEnd : null };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}

function plain(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/[^\x20-\x7e]/g, "").slice(0, TEXT_MAX_CHARACTERS) : "";
}

/** `process 4711 of runner, since 12:03 UTC (interfaces: 18 rows), expected to end in about 6 min` */
export function describeHolder(holder: Holder | undefined, now: Date): string {
  if (holder === undefined) return "an unknown process";
  const { pid, user, since, what, expectedEnd } = holder;
  const of = user === "" ? "" : ` of ${user}`;
  return `process ${pid}${of}, since ${since.slice(11, 16)} UTC (${what}), ${expectation(expectedEnd, now)}`;
}

function expectation(expectedEnd: string | null, now: Date): string {
  if (expectedEnd === null) return "expected end unknown";
  const leftSec = (Date.parse(expectedEnd) - now.getTime()) / 1000;
  return leftSec > 0 ? `expected to end in about ${coarse(leftSec)}` : "past its expected end";
}

/** The login name. A container may run as a user id that has none. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
