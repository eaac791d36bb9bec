/** The beginning and the end of a log, where the whole is more than an artifact should hold. */
import { constants, lstat, open, rename, writeFile } from "node:fs/promises";
import { isTooDense } from "../github/archive.js";

/** Both ends together. */
const KEPT_BYTES = 1024 * 1024;
/** Of what is kept, the share of the beginning: it has the command and the versions, the end has the error. */
const BEGINNING = 1 / 16;

/**
 * Replaces a long log by its two ends, and keeps the whole beside it, with `.whole` behind its name. A log of one line again and
 * again is made so short that it does not look like a hostile archive. Whatever is no regular file stays as it is.
 * @returns whether the log was shortened
 */
export async function shortenLog(path: string): Promise<boolean> {
  const stats = await lstat(path);
  if (!stats.isFile()) return false;
  let kept = Math.min(stats.size, KEPT_BYTES);
  let text = await readEnds(path, stats.size, kept);
  while (isTooDense(text)) {
    kept = Math.floor(kept / 2);
    text = await readEnds(path, stats.size, kept);
  }
  if (kept === stats.size) return false;
  await rename(path, `${path}.whole`);
  await writeFile(path, text, { flag: "wx" });
  return true;
}

async function readEnds(path: string, size: number, kept: number): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const read = async (from: number, bytes: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.subarray(0, bytesRead);
  };
  if (kept === size) return await read(0, size);
  const first = upToLineEnd(await read(0, Math.floor(kept * BEGINNING)));
  const last = fromLineStart(await read(size - (kept - first.length), kept - first.length));
  const between = `[${size - first.length - last.length} bytes left out]\n`;
  return Buffer.concat([first, Buffer.from(between), last]);
}

function upToLineEnd(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
}

function fromLineStart(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf("\n") + 1);
}
