/** Reads and writes recordings: JSON, compressed with gzip, whose checksum shows damage. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { InputError, messageLine } from "../../src/errors.js";
import { checkShape } from "../../src/results/check.js";
import { decode, encode, recordingForm } from "./format.js";
import type { Recording } from "./recording.js";

/** 100,000 pairs of 16 slices. */
const MAX_BYTES = 256 * 1024 * 1024;
const BEST_COMPRESSION = 9;

/** In one step: a killed recorder leaves the pairs so far. @returns the number of bytes */
export async function writeRecording(file: string, recording: Recording): Promise<number> {
  const bytes = gzipSync(JSON.stringify(encode(recording)), { level: BEST_COMPRESSION });
  await writeFile(`${file}.tmp`, bytes);
  await rename(`${file}.tmp`, file);
  return bytes.length;
}

/** @throws InputError that names the file, and the field where one is wrong */
export async function readRecording(file: string): Promise<Recording> {
  const bytes = await readFile(file).catch((error) => {
    throw new InputError(`${file}: ${messageLine(error)}`);
  });
  return parseRecording(bytes, file);
}

/** @param source what the messages call it */
export function parseRecording(bytes: Uint8Array, source: string): Recording {
  const checked = checkShape(recordingForm, parseJson(unpacked(bytes, source), source));
  if (checked.state === "invalid")
    throw new InputError(checked.problems.map((problem) => `${source}: ${problem}`).join("\n"));
  return decode(checked.value);
}

function unpacked(bytes: Uint8Array, source: string): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString("utf8");
  } catch (error) {
    throw new InputError(`${source}: not a whole gzip file of a recording: ${messageLine(error)}`);
  }
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${source}: not valid JSON: ${messageLine(error)}`);
  }
}
