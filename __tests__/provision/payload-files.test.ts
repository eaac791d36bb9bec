import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFiles } from "../../src/provision/payload-files.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "server-bench-files-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe("makeFiles", () => {
  it("makes the folder and the two images in it", async () => {
    const inner = join(dir, "a", "b");
    await makeFiles(inner);
    expect((await readdir(inner)).sort()).toEqual(["image-50k.jpg", "image-95.png"]);
  });

  it("writes a PNG of 95 bytes whose pixels fill its dimensions", async () => {
    await makeFiles(dir);
    const png = await readFile(join(dir, "image-95.png"));
    expect(png).toHaveLength(95);
    expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    const chunks = pngChunks(png);
    expect(chunks.map((chunk) => chunk.type)).toEqual(["IHDR", "IDAT", "IEND"]);
    const [header, data, end] = chunks;
    const width = header?.data.readUInt32BE(0) ?? 0;
    const height = header?.data.readUInt32BE(4) ?? 0;
    expect(inflateSync(data?.data ?? Buffer.alloc(0))).toHaveLength(height * (1 + width / 8));
    // The checksum of an empty IEND is the same in every PNG.
    expect(end?.crc).toBe(0xae426082);
  });

  it("writes a JPEG of 50,000 bytes whose segments lead from its start to its end", async () => {
    await makeFiles(dir);
    const jpeg = await readFile(join(dir, "image-50k.jpg"));
    expect(jpeg).toHaveLength(50_000);
    expect(jpegMarkers(jpeg)).toEqual([0xd8, 0xe0, 0xfe, 0xdb, 0xc0, 0xc4, 0xc4, 0xda]);
    expect(jpeg.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]));
  });

  it("writes the same bytes again, also over a damaged file", async () => {
    await makeFiles(dir);
    const names = await readdir(dir);
    const first = await Promise.all(names.map((name) => readFile(join(dir, name))));
    await Promise.all(names.map((name) => writeFile(join(dir, name), "damaged")));
    await makeFiles(dir);
    expect(await Promise.all(names.map((name) => readFile(join(dir, name))))).toEqual(first);
  });

  it("names the path when it cannot write", async () => {
    const file = join(dir, "taken");
    await writeFile(file, "");
    await expect(makeFiles(file)).rejects.toThrow(file);
  });
});

function pngChunks(png: Buffer): { type: string; data: Buffer; crc: number }[] {
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, end),
      crc: png.readUInt32BE(end),
    });
    at = end + 4;
  }
  return chunks;
}

/** Markers up to the start of the scan. */
function jpegMarkers(jpeg: Buffer): number[] {
  const markers = [jpeg.readUInt8(1)];
  for (let at = 2; markers.at(-1) !== 0xda; at += 2 + jpeg.readUInt16BE(at + 2)) {
    expect(jpeg.readUInt8(at)).toBe(0xff);
    markers.push(jpeg.readUInt8(at + 1));
  }
  return markers;
}
