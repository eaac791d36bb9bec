/** Text in a PNG file: a chunk `tEXt` with a keyword (PNG specification, 11.3.3). */
import { crc32 } from "node:zlib";

/** The signature and the header come first: 8 bytes, and 13 of data with 12 around them. */
const FIRST_CHUNK = 8;
const AFTER_HEADER = FIRST_CHUNK + 25;

export function withText(png, keyword, text) {
  const body = Buffer.from(`tEXt${keyword}\0${text}`, "latin1");
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, AFTER_HEADER), chunk, png.subarray(AFTER_HEADER)]);
}

/** Undefined where the file has none. */
export function textOf(png, keyword) {
  for (let at = FIRST_CHUNK; at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const chunk = png.toString("latin1", at + 4, at + 8 + png.readUInt32BE(at));
    if (chunk.startsWith(`tEXt${keyword}\0`)) return chunk.slice(keyword.length + 5);
  }
  return undefined;
}
