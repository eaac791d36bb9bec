/** Zips made by hand, so that a field can say what no packer would write. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly data: string | Buffer;
  /** 0 stored, 8 deflated (default). */
  readonly method?: number;
  /** General purpose flags; 0x800, names are UTF-8, is always set. */
  readonly flags?: number;
  /** Unix mode, with its type bits; default: none, as archives of other systems have it. */
  readonly mode?: number;
  /** What the directory says, where that is not the truth. */
  readonly declared?: {
    readonly bytes?: number;
    readonly packedBytes?: number;
    readonly crc?: number;
    readonly offset?: number;
  };
  /** Extra fields of the directory's entry. */
  readonly extra?: Buffer;
}

export interface ZipOptions {
  /** What the end of the directory says; default: the number of entries. */
  readonly entryCount?: number;
  /** The same in a zip64 record, which takes its place. */
  readonly zip64EntryCount?: bigint;
}

export function makeZip(entries: readonly ZipEntry[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = makeEntry(entry, offset);
    parts.push(local);
    directory.push(central);
    offset += local.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const zip64 = options.zip64EntryCount === undefined ? [] : zip64End(options.zip64EntryCount, size, offset);
  return Buffer.concat([...parts, ...directory, ...zip64, end(options.entryCount ?? entries.length, size, offset)]);
}

function makeEntry(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const { method = 8, flags = 0, declared = {}, extra = Buffer.alloc(0) } = entry;
  const name = Buffer.from(entry.name);
  const data = Buffer.from(entry.data);
  const packed = method === 8 ? deflateRawSync(data) : data;
  // From "version needed" to the length of the name: the same in both headers.
  const common = Buffer.alloc(24);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(0x800 | flags, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(declared.crc ?? crc32(data), 10);
  common.writeUInt32LE(declared.packedBytes ?? packed.length, 14);
  common.writeUInt32LE(declared.bytes ?? data.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([uint32(0x04034b50), common, uint16(0), name, packed]);
  const central = Buffer.concat([
    ...[uint32(0x02014b50), uint16((3 << 8) | 20), common, uint16(extra.length)],
    // Comment length, disk number, internal attributes.
    ...[uint16(0), uint16(0), uint16(0)],
    ...[uint32((entry.mode ?? 0) * 0x10000), uint32(declared.offset ?? offset), name, extra],
  ]);
  return { local, central };
}

function end(entryCount: number, size: number, offset: number): Buffer {
  return Buffer.concat([
    ...[uint32(0x06054b50), uint16(0), uint16(0), uint16(entryCount), uint16(entryCount)],
    ...[uint32(size), uint32(offset), uint16(0)],
  ]);
}

function zip64End(entryCount: bigint, size: number, offset: number): Buffer[] {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(entryCount, 24);
  record.writeBigUInt64LE(entryCount, 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
