/** Writes the results file. A reader finds a whole and valid file at any time. */
import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SetupError } from "../errors.js";
import { checkOwnResults } from "./check.js";
import type { Results } from "./schema.js";
import { withinLimits } from "./within-limits.js";

/**
 * Replaces `file` atomically: a sibling is written, flushed to the disk and renamed over it.
 * The folder must exist.
 * @throws Error when the results break their own schema (a defect: nothing is written)
 * @throws SetupError when the disk refuses; the earlier file stays
 */
export async function writeResults(file: string, results: Results): Promise<void> {
  await writeChecked(file, checkedForWriting(file, results));
}

/**
 * The results as `file` may hold them: texts that are too long are cut.
 * @throws Error when they break their own schema otherwise: a defect
 */
export function checkedForWriting(file: string, results: Results): Results {
  const given = checkOwnResults(results);
  const checked = given.state === "valid" ? given : checkOwnResults(withinLimits(results));
  if (checked.state === "invalid") throw new Error(`refused to write ${file}: ${checked.problems.join("; ")}`);
  return checked.results;
}

/** @throws SetupError when the disk refuses; the earlier file stays */
export async function writeChecked(file: string, checked: Results): Promise<void> {
  await replaceFile(file, gathered(pieces(checked, "", 0)));
}

/** JSON with what fits on a line on one line, and a slice or a pair on each: readable, and little larger than without. */
export function formatResults(results: Results): string {
  return [...pieces(results, "", 0), "\n"].join("");
}

const LINE_WIDTH = 120;
/** Objects in arrays this deep are figures by the hundred: slices, pairs. */
const FIGURES_DEPTH = 4;
/** What is written in pieces, so that a large file is never one string. */
const PIECES_DEPTH = 2;
const WRITE_CHARACTERS = 256 * 1024;

function* pieces(value: unknown, indent: string, depth: number): Generator<string> {
  if (!isContainer(value) || depth > PIECES_DEPTH || !holdsRecords(value)) {
    yield format(value, indent, depth, false).text;
    return;
  }
  const inner = `${indent}  `;
  const [opening, closing] = bracketsOf(value);
  let before = `${opening}\n`;
  for (const [key, item] of entriesOf(value)) {
    yield `${before}${inner}${key === undefined ? "" : `${key}: `}`;
    yield* pieces(item, inner, depth + 1);
    before = ",\n";
  }
  yield `\n${indent}${closing}`;
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** An array of objects, or an object that has one. */
function holdsRecords(value: Container): boolean {
  const isRecords = (item: unknown) => Array.isArray(item) && item.some(isContainer);
  return isRecords(value) || Object.values(value).some(isRecords);
}

function bracketsOf(value: Container): readonly [string, string] {
  return Array.isArray(value) ? ["[", "]"] : ["{", "}"];
}

/** Keys as JSON; none in an array. */
function entriesOf(value: Container): readonly (readonly [string | undefined, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, item] as const);
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [JSON.stringify(key), item] as const);
}

interface Formatted {
  readonly text: string;
  /** On one line because it fits. */
  readonly flat: boolean;
}

/** From the inside out, so that everything is turned into text once. */
function format(value: unknown, indent: string, depth: number, inArray: boolean): Formatted {
  if (!isContainer(value)) return { text: JSON.stringify(value), flat: true };
  if (inArray && depth >= FIGURES_DEPTH) return oneLine(JSON.stringify(value), indent);
  const inner = `${indent}  `;
  const [opening, closing] = bracketsOf(value);
  const items = entriesOf(value).map(([key, item]) => ({
    key,
    ...format(item, inner, depth + 1, Array.isArray(value)),
  }));
  if (items.every(({ flat }) => flat)) {
    const flat = items.map(({ key, text }) => (key === undefined ? text : `${key}:${text}`)).join(",");
    const line = oneLine(`${opening}${flat}${closing}`, indent);
    if (line.flat) return line;
  }
  const lines = items.map(({ key, text }) => `${inner}${key === undefined ? "" : `${key}: `}${text}`);
  return { text: `${opening}\n${lines.join(",\n")}\n${indent}${closing}`, flat: false };
}

function oneLine(text: string, indent: string): Formatted {
  return { text, flat: text.length + indent.length <= LINE_WIDTH };
}

/** Few large writes instead of many small ones. */
function* gathered(texts: Iterable<string>): Generator<string> {
  let waiting: string[] = [];
  let characters = 0;
  for (const text of texts) {
    waiting.push(text);
    characters += text.length;
    if (characters < WRITE_CHARACTERS) continue;
    yield waiting.join("");
    waiting = [];
    characters = 0;
  }
  yield `${waiting.join("")}\n`;
}

/** Removes what killed runs had begun to write beside `file`. */
export async function removeUnfinished(file: string): Promise<void> {
  const prefix = unfinishedPrefix(file);
  for (const name of await readdir(dirname(file)).catch(() => [])) {
    const pid = name.startsWith(prefix) && name.endsWith(".tmp") ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (pid > 0 && !isAlive(pid)) await rm(join(dirname(file), name), { force: true });
  }
}

function unfinishedPrefix(file: string): string {
  return `.${basename(file)}.`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process lives, and is not ours to ask.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function replaceFile(file: string, texts: Iterable<string>): Promise<void> {
  // In the same folder, because a rename is atomic within one file system only.
  const sibling = join(dirname(file), `${unfinishedPrefix(file)}${process.pid}-${randomUUID()}.tmp`);
  try {
    const handle = await open(sibling, "wx");
    try {
      await handle.writeFile(texts);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(sibling, file);
  } catch (error) {
    await rm(sibling, { force: true }).catch(() => undefined);
    const detail = error instanceof Error ? error.message : String(error);
    throw new SetupError(
      `cannot write ${file}: ${detail}: check that its folder exists, is writable and has space left`,
    );
  }
}
