/** The payload files that the apps answer with, made here so that no binary is kept in the repository. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

/** Sizes in bytes, as the reference pages have them ("95bytes image", "~50KB JPEG image"). */
const PNG_SIZE = 95;
const JPEG_SIZE = 50_000;

/** File names as the apps and the requests of servers.yml know them. */
const PNG_NAME = "image-95.png";
const JPEG_NAME = "image-50k.jpg";

/**
 * Writes the payload files into `dir` (made where it is missing): the same bytes on every machine.
 * @throws the file system's own error, which names the path.
 */
export async function makeFiles(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await Promise.all([writeFile(join(dir, PNG_NAME), png()), writeFile(join(dir, JPEG_NAME), jpeg(JPEG_SIZE))]);
}

/** 16 x 9 black and white pixels. Stored, not compressed, so that its size does not depend on zlib's version. */
function png(): Buffer {
  const header = Buffer.from([0, 0, 0, 16, 0, 0, 0, 9, 1, 0, 0, 0, 0]);
  const rows = Array.from({ length: 9 }, (_, y) => (y % 2 === 0 ? [0, 0xaa, 0xaa] : [0, 0x55, 0x55]));
  const image = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.from(rows.flat()), { level: 0 })),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
  return ofSize(PNG_NAME, image, PNG_SIZE);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([uint32(data.length), typed, uint32(crc32(typed))]);
}

/** A grey baseline image of 8 x 8 pixels, filled up to `size` bytes with a comment. */
function jpeg(size: number): Buffer {
  const start = Buffer.from([0xff, 0xd8]);
  const before = [segment(0xe0, [...Buffer.from("JFIF\0", "latin1"), 1, 1, 0, 0, 1, 0, 1, 0, 0])];
  const after = [
    // One quantization table of ones.
    segment(0xdb, [0, ...new Array<number>(64).fill(1)]),
    // 8 bits, 8 x 8 pixels, one component, not subsampled.
    segment(0xc0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0]),
    // Huffman tables with one code of one bit: DC "no difference", AC "end of block".
    segment(0xc4, [0x00, 1, ...new Array<number>(15).fill(0), 0]),
    segment(0xc4, [0x10, 1, ...new Array<number>(15).fill(0), 0]),
    segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    // Both codes, filled up with ones; then the end of the image.
    Buffer.from([0x3f, 0xff, 0xd9]),
  ];
  const used = Buffer.concat([start, ...before, ...after]).length;
  const emptyComment = segment(0xfe, []).length;
  const comment = segment(0xfe, Buffer.alloc(size - used - emptyComment, "server-bench "));
  return ofSize(JPEG_NAME, Buffer.concat([start, ...before, comment, ...after]), size);
}

function segment(marker: number, payload: readonly number[] | Buffer): Buffer {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), Buffer.from(payload)]);
}

function ofSize(name: string, bytes: Buffer, size: number): Buffer {
  if (bytes.length !== size) throw new Error(`${name} has ${bytes.length} bytes, not ${size}`);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** CRC-32 of the PNG specification, annex D (node:zlib has one only since Node 20.15). */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
