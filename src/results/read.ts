/** Reads results files, which may come from an artifact: nothing in them is believed before it is checked. */
import { type FileHandle, open } from "node:fs/promises";
import { InputError } from "../errors.js";
import { checkResults } from "./check.js";
import type { Results } from "./schema.js";

/** A run of every set stays under 2 MiB. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** @throws InputError for a file that is missing, too large, cut off, of another version, or wrong in a field. */
export async function readResults(file: string): Promise<Results> {
  return parseResults(await readText(file), file);
}

/**
 * Text -> results.
 * @param source what the messages call it: the file's path
 * @throws InputError, `results.json: cases[3].summary.requestsPerSec: expected number, got "fast"`
 */
export function parseResults(text: string, source: string): Results {
  const checked = checkResults(parseJson(text, source));
  if (checked.state === "invalid") {
    throw new InputError(checked.problems.map((problem) => `${source}: ${problem}`).join("\n"));
  }
  return checked.results;
}

function parseJson(text: string, source: string): unknown {
  if (text.trim() === "") throw new InputError(`${source}: is empty; expected a results file`);
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
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

async function readText(file: string): Promise<string> {
  let handle: FileHandle;
  try {
    handle = await open(file, "r");
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    const kind = await handle.stat();
    if (kind.isDirectory()) throw new InputError(`${file}: is a folder; give the results.json in it`);
    if (!kind.isFile()) throw new InputError(`${file}: is not a regular file`);
    if (kind.size > MAX_FILE_BYTES) throw tooLarge(file, kind.size);
    return await readUpTo(handle, file);
  } finally {
    await handle.close();
  }
}

/** Counts while reading: a file may grow after it was looked at. */
async function readUpTo(handle: FileHandle, file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    const data = Buffer.from(chunk);
    bytes += data.length;
    if (bytes > MAX_FILE_BYTES) throw tooLarge(file, bytes);
    chunks.push(data);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(file: string, bytes: number): InputError {
  const mebibytes = (value: number) => `${Math.ceil(value / 1024 / 1024)} MiB`;
  return new InputError(
    `${file}: is too large for a results file: ${mebibytes(bytes)}, at most ${mebibytes(MAX_FILE_BYTES)}`,
  );
}

function unreadable(file: string, error: unknown): InputError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return new InputError(`${file}: no such file; expected a results.json`);
  if (code === "EACCES" || code === "EPERM") return new InputError(`${file}: may not be read by this user`);
  return new InputError(`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 200);
}
