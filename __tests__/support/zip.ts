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
  readonly declared?: { readonly [field in "bytes" | "packedBytes" | "crc" | "offset"]?: number };
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
  const { entryCount = entries.length, zip64EntryCount } = options;
  let files = Buffer.alloc(0);
  let directory = Buffer.alloc(0);
  for (const entry of entries) {
    const { local, central } = makeEntry(entry, files.length);
    files = Buffer.concat([files, local]);
    directory = Buffer.concat([directory, central]);
  }
  const place = { size: directory.length, offset: files.length };
  const zip64 = zip64EntryCount === undefined ? [] : [zip64End(zip64EntryCount, place)];
  const counts = [entryCount, entryCount].map(u16);
  const end = [u32(0x06054b50), u32(0), ...counts, u32(place.size), u32(place.offset), u16(0)];
  return Buffer.concat([files, directory, ...zip64, ...end]);
}

function makeEntry(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const { method = 8, flags = 0, mode = 0, declared = {}, extra = Buffer.alloc(0) } = entry;
  const name = Buffer.from(entry.name);
  const data = Buffer.from(entry.data);
  const packed = method === 8 ? deflateRawSync(data) : data;
  const { crc = crc32(data), packedBytes = packed.length, bytes = data.length } = declared;
  // From "version needed" to the length of the name: the same in both headers. No time, the first day.
  const facts = [20, 0x800 | flags, method, 0, 0x21].map(u16);
  const common = [...facts, u32(crc), u32(packedBytes), u32(bytes), u16(name.length)];
  const local = [u32(0x04034b50), ...common, u16(0), name, packed];
  // Comment length, disk number and internal attributes are 0.
  const attributes = [u16(0), u16(0), u16(0), u32(mode * 0x10000), u32(declared.offset ?? offset)];
  const central = [u32(0x02014b50), u16((3 << 8) | 20), ...common, u16(extra.length), ...attributes, name, extra];
  return { local: Buffer.concat(local), central: Buffer.concat(central) };
}

/** The record, and where it is. */
function zip64End(count: bigint, { size, offset }: { readonly size: number; readonly offset: number }): Buffer {
  const record = [u32(0x06064b50), u64(44n), u64(0n), u32(0), u64(count), u64(count), u64(BigInt(size))];
  const locator = [u32(0x07064b50), u32(0), u64(BigInt(offset + size)), u32(1)];
  return Buffer.concat([...record, u64(BigInt(offset)), ...locator]);
}

const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
