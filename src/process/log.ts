/** The end of a log file, however long it is. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const TAIL_BYTES = 8192;
const TAIL_LINES = 30;

/** The last lines of a text, at most 30 and 8 KiB, without control characters but tabs. */
export function lastLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours and cursor movements are what is removed
  const plain = text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
  return plain.slice(-TAIL_BYTES).trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

/** The last lines of a file; "" where there is none. */
export function logTail(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return lastLines(buffer.toString("utf8", 0, read));
  } finally {
    closeSync(file);
  }
}
