/** Reads results files, which may come from an artifact: nothing in them is believed before it is checked. */
import { constants, type FileHandle, open } from "node:fs/promises";
import { codeOf, InputError, messageOf } from "../errors.js";
import { checkResults } from "./check.js";
import { countValues } from "./count-values.js";
import { withCurrentNames } from "./earlier-names.js";
import { FILE_BYTES_MAX, VALUES_MAX } from "./limits.js";
import type { Results } from "./schema.js";

/** What a file should be, for its messages and limits. */
export interface FileKind {
  readonly what: string;
  readonly name: string;
  readonly maxBytes: number;
}

export const RESULTS: FileKind = { what: "a results file", name: "results.json", maxBytes: FILE_BYTES_MAX };

/** @throws InputError for a file that is missing, too large, cut off, of another version, or wrong in a field. */
export async function readResults(file: string): Promise<Results> {
  return parseResults(await readText(file, RESULTS), file);
}

/**
 * Text -> results.
 * @param source what the messages call it: the file's path
 * @throws InputError, `results.json: cases[3].summary.requestsPerSec: expected number, got "fast"`
 */
export function parseResults(text: string, source: string): Results {
  const checked = checkResults(withCurrentNames(parseJson(text, source, RESULTS)));
  if (checked.state === "invalid") {
    throw new InputError(checked.problems.map((problem) => `${source}: ${problem}`).join("\n"));
  }
  return checked.results;
}

/** @throws InputError for a text that is empty, too long, cut off or no JSON */
export function parseJson(text: string, source: string, kind: FileKind): unknown {
  const { what, maxBytes } = kind;
  // A character has a byte or more.
  if (text.length > maxBytes) throw tooLarge(source, text.length, kind);
  if (mayExceed(text, VALUES_MAX))
    throw new InputError(`${source}: has more than ${VALUES_MAX} values: too large for ${what}`);
  if (!/\S/.test(text)) throw new InputError(`${source}: is empty; expected ${what}`);
  try {
    // Editors and PowerShell put a byte order mark before a text, which JSON.parse refuses.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const detail = messageOf(error);
    // Files are written whole and renamed, so half a file was cut off on its way here.
    const position = Number(/at position (\d+)/.exec(detail)?.[1] ?? Number.NaN);
    const cut = /^(Unexpected end|Unterminated)/.test(detail) || position >= text.trimEnd().length;
    throw new InputError(
      cut
        ? `${source}: the file ends in the middle (${text.length} characters): fetch it again`
        : `${source}: not valid JSON: ${oneLine(detail)}`,
    );
  }
}

function mayExceed(text: string, limit: number): boolean {
  // The shortest value has two characters, with the comma before it.
  return text.length >= 2 * limit && countValues(text) > limit;
}

/** @throws InputError for a file that is missing, too large, or none that can be read */
export async function readText(file: string, kind: FileKind): Promise<string> {
  let handle: FileHandle;
  try {
    // Opening a pipe would wait for its writer.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error, kind);
  }
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw new InputError(`${file}: is a folder; give the ${kind.name} in it`);
    if (!found.isFile()) throw new InputError(`${file}: is not a regular file`);
    if (found.size > kind.maxBytes) throw tooLarge(file, found.size, kind);
    return await readUpTo(handle, file, kind, found.size);
  } finally {
    await handle.close();
  }
}

/** Counts while reading: a file may grow after it was looked at. */
async function readUpTo(handle: FileHandle, file: string, kind: FileKind, expectedBytes: number): Promise<string> {
  // One more than there should be shows that it is the end.
  let data = Buffer.allocUnsafe(expectedBytes + 1);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(data, bytes, data.length - bytes);
    if (bytesRead === 0) return data.toString("utf8", 0, bytes);
    bytes += bytesRead;
    if (bytes > kind.maxBytes) throw tooLarge(file, bytes, kind);
    if (bytes === data.length) data = Buffer.concat([data], 2 * bytes);
  }
}

function tooLarge(file: string, bytes: number, { what, maxBytes }: FileKind): InputError {
  const mebibytes = (value: number) => `${Math.ceil(value / 1024 / 1024)} MiB`;
  return new InputError(`${file}: is too large for ${what}: ${mebibytes(bytes)}, at most ${mebibytes(maxBytes)}`);
}

function unreadable(file: string, error: unknown, { name }: FileKind): InputError {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return new InputError(`${file}: no such file; expected a ${name}`);
  if (code === "EACCES" || code === "EPERM") return new InputError(`${file}: may not be read by this user`);
  return new InputError(`${file}: cannot be read: ${messageOf(error)}`);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 200);
}
