/** Writes the results file. A reader finds a whole and valid file at any time. */
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../errors.js";
import { replaceFile, unfinishedPrefix } from "../replace-file.js";
import { checkOwnResults } from "./check.js";
import { piecesOf } from "./layout.js";
import type { Results } from "./schema.js";
import { withinLimits } from "./within-limits.js";
import { withinSize } from "./within-size.js";

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

/**
 * Writes no more than a reader accepts.
 * @returns what the file holds
 * @throws SetupError when the disk refuses; the earlier file stays
 */
export async function writeChecked(file: string, checked: Results): Promise<Results> {
  const written = withinSize(checked);
  await replaceFile(file, gathered(piecesOf(written)), { durable: true });
  return written;
}

const WRITE_CHARACTERS = 256 * 1024;

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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process lives, and is not ours to ask.
    return codeOf(error) === "EPERM";
  }
}
