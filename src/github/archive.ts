/**
 * Reads known files of an untrusted zip: the artifact of a run that executed a stranger's code.
 *
 * Nothing is written to disk. The wanted texts are made in memory, so that no name, link or mode of the archive has
 * anything to act upon; files that were not asked for are not unpacked. The archive is refused as a whole when
 * anything in it is not what this project's upload makes.
 */

import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { InputError, messageOf } from "../errors.js";
import { clip } from "../messages/clip.js";

/** A results folder holds three files, a few charts per set, logs, and stacks. The upload leaves out what is more. */
export const MAX_ENTRIES = 200;
/** Unpacked, all entries together. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
/** results.json compresses 7 to 11 times, a thousand equal rows 98 times; deflate cannot do better than 1032 times. */
const MAX_RATIO = 200;

const FILE_TYPE_MASK = 0o170000;
/** Type bits of a regular file and of a folder; 0 where the archive was not made on Unix. */
const PLAIN_TYPES: readonly number[] = [0, 0o100000, 0o040000];

/** Whether an archive with this file is refused. What uploads it packs it as zlib does by default. */
export function isTooDense(bytes: Buffer): boolean {
  return bytes.length > zlib.deflateRawSync(bytes).length * MAX_RATIO;
}

/**
 * The texts of the wanted files at the archive's root; one that is not there is absent.
 * @param source what messages call the archive
 * @throws InputError naming archive and entry, for any archive that is damaged, too large, or hostile
 */
export async function readArchive(
  zip: Buffer,
  wanted: ReadonlySet<string> | string,
  source = "the archive",
): Promise<ReadonlyMap<string, string>> {
  try {
    return await readWanted(zip, typeof wanted === "string" ? new Set([wanted]) : wanted);
  } catch (error) {
    const detail = messageOf(error);
    throw new InputError(`${source}: refused: ${printable(detail)}`);
  }
}

async function readWanted(zip: Buffer, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  // Strict names: a backslash is an error instead of a slash. Absolute names and ".." always are.
  const archive = await fromBufferPromise(zip, { strictFileNames: true });
  if (archive.entryCount > MAX_ENTRIES) throw new Error(`${archive.entryCount} entries, at most ${MAX_ENTRIES}`);
  const texts = new Map<string, string>();
  let declaredBytes = 0;
  for await (const entry of archive.eachEntry()) {
    checkEntry(entry);
    declaredBytes += entry.uncompressedSize;
    if (declaredBytes > MAX_UNPACKED_BYTES) throw about(entry, tooLarge("the entries up to here"));
    if (!wanted.has(entry.fileName)) continue;
    if (texts.has(entry.fileName)) throw about(entry, "is there twice");
    texts.set(entry.fileName, await readText(archive, entry));
  }
  return texts;
}

/** Checks what the directory says of an entry. The read checks it against the bytes. */
function checkEntry(entry: Entry): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (!PLAIN_TYPES.includes(type)) throw about(entry, `is a link or a device (mode ${type.toString(8)})`);
  if (entry.isEncrypted()) throw about(entry, "is encrypted");
  if (!entry.canDecodeFileData()) throw about(entry, `has the unknown compression ${entry.compressionMethod}`);
  if (entry.uncompressedSize > MAX_UNPACKED_BYTES) throw about(entry, tooLarge("it"));
  if (entry.uncompressedSize > mostBytes(entry)) throw about(entry, tooDense(entry));
}

async function readText(archive: ZipFile, entry: Entry): Promise<string> {
  const bytes = await readBytes(archive, entry);
  // A digest covers the whole archive; this is for those that have none.
  if (zlib.crc32(bytes) !== entry.crc32) throw about(entry, "its checksum (CRC-32) does not match: it is damaged");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw about(entry, "is not UTF-8 text");
  }
}

/** Counts while reading: yauzl stops at more bytes than the entry declares, and this at more than may be. */
async function readBytes(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    const stream: Readable = await archive.openReadStreamPromise(entry);
    for await (const chunk of stream) {
      const data = Buffer.from(chunk);
      bytes += data.length;
      if (bytes > mostBytes(entry)) throw new Error(tooDense(entry));
      chunks.push(data);
    }
  } catch (error) {
    throw about(entry, messageOf(error));
  }
  return Buffer.concat(chunks);
}

function mostBytes(entry: Entry): number {
  return Math.min(MAX_UNPACKED_BYTES, entry.compressedSize * MAX_RATIO);
}

function tooLarge(what: string): string {
  return `${what} would unpack to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB`;
}

function tooDense(entry: Entry): string {
  return `its ${entry.compressedSize} bytes unpack to more than ${MAX_RATIO} times as many`;
}

function about(entry: Entry, problem: string): Error {
  return new Error(`entry ${JSON.stringify(entry.fileName)}: ${problem}`);
}

/** Names and messages come from the archive: one line of plain characters, so that a log shows what it says. */
function printable(text: string): string {
  return clip(text.replace(/[^\x20-\x7e]+/g, "?"), 300);
}
