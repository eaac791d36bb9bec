import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { MAX_ENTRIES, readArchive } from "../../src/github/archive.js";
import { makeZip, type ZipEntry } from "../support/zip.js";

const text = JSON.stringify({
  schema: "server-bench/results",
  rows: Array.from({ length: 40 }, (_, i) => `row ${i} é`),
});
const good: ZipEntry = { name: "results.json", data: text };
const MiB = 1024 * 1024;

async function refusal(zip: Buffer, wanted: string | ReadonlySet<string> = "results.json"): Promise<string> {
  try {
    await readArchive(zip, wanted, "artifact x");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "accepted";
}

/** A zip64 extra field that holds the sizes in place of 0xffffffff. */
function zip64Sizes(bytes: bigint, packedBytes: bigint): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(bytes, 4);
  extra.writeBigUInt64LE(packedBytes, 12);
  return extra;
}

describe("readArchive", () => {
  it.each([0, 8])("reads the wanted file (method %i) and leaves the others alone", async (method) => {
    const zip = makeZip([
      { name: "report.md", data: "# report" },
      { name: "charts/", data: "", method: 0, mode: 0o040755 },
      // Not a valid deflate stream: it would fail if it were read.
      { name: "charts/rps.svg", data: Buffer.from("garbage"), method: 0, mode: 0o100644 },
      { ...good, method, mode: 0o100644 },
      { name: "charts/results.json", data: "{}" },
    ]);
    expect(await readArchive(zip, "results.json")).toEqual(new Map([["results.json", text]]));
  });

  it("does not unpack what nobody asked for", async () => {
    const broken = makeZip([{ name: "index.html", data: "x".repeat(100), declared: { bytes: 50 } }, good]);
    expect([...(await readArchive(broken, "results.json")).keys()]).toEqual(["results.json"]);
    expect(await refusal(broken, "index.html")).toMatch(/entry "index\.html": too many bytes/);
  });

  it("reads several, and leaves out what is not at the root", async () => {
    const zip = makeZip([good, { name: "plan.json", data: "{}" }, { name: "a/other.json", data: "{}" }]);
    const texts = await readArchive(zip, new Set(["results.json", "plan.json", "other.json"]));
    expect([...texts.keys()].sort()).toEqual(["plan.json", "results.json"]);
    expect(await readArchive(makeZip([]), "results.json")).toEqual(new Map());
  });

  it.each([
    ["../results.json", /invalid relative path: \.\.\/results\.json$/],
    ["a/../../results.json", /invalid relative path/],
    ["/etc/passwd", /absolute path: \/etc\/passwd$/],
    ["C:/x", /absolute path/],
    ["a\\..\\results.json", /invalid characters/],
  ])("refuses the name %s, wanted or not", async (name, message) => {
    for (const entries of [
      [good, { name, data: "x" }],
      [{ name, data: "x" }, good],
    ]) {
      expect(await refusal(makeZip(entries))).toMatch(/^artifact x: refused: /);
      expect(await refusal(makeZip(entries))).toMatch(message);
    }
  });

  it.each([
    ["a link", { mode: 0o120777 }, /"results\.json": is a link or a device \(mode 120000\)/],
    ["a device", { mode: 0o020666 }, /is a link or a device/],
    ["encrypted", { flags: 1 }, /"results\.json": is encrypted/],
    ["encrypted strongly", { flags: 0x41 }, /strong encryption/],
    ["packed in another way", { method: 12 }, /unknown compression 12/],
    ["more bytes than it says", { declared: { bytes: 100 } }, /"results\.json": too many bytes in the stream/],
    ["fewer bytes than it says", { declared: { bytes: text.length + 100 } }, /"results\.json": not enough bytes/],
    ["stored with another size", { method: 0, declared: { bytes: 10 } }, /size mismatch/],
    ["beyond the end", { declared: { packedBytes: 100_000 } }, /overflows file bounds/],
    ["elsewhere", { declared: { offset: 7 } }, /invalid local file header/],
    ["far away", { declared: { offset: 0xfffffff0 } }, /EOF|not enough bytes/],
    ["of another checksum", { declared: { crc: 1 } }, /checksum \(CRC-32\) does not match/],
    ["not text", { data: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, /is not UTF-8 text/],
    [
      "huge by zip64",
      { declared: { bytes: 0xffffffff, packedBytes: 0xffffffff }, extra: zip64Sizes(2n ** 62n, 2n ** 60n) },
      /more than 64 MiB/,
    ],
    ["without zip64 sizes", { declared: { bytes: 0xffffffff }, extra: Buffer.from([1, 0, 2, 0, 9, 9]) }, /zip64/],
    ["with extra fields that overflow", { extra: Buffer.from([1, 0, 255, 255]) }, /extra field length/],
  ] satisfies [string, Partial<ZipEntry>, RegExp][])("refuses an entry that is %s", async (_, change, message) => {
    expect(await refusal(makeZip([{ ...good, ...change }]))).toMatch(message);
  });

  it("refuses 20 KB that unpack to 20 MB, whether they say so or not, wanted or not", async () => {
    const bomb = { name: "results.json", data: Buffer.alloc(20 * MiB) };
    expect(makeZip([bomb]).length).toBeLessThan(25_000);
    expect(await refusal(makeZip([bomb]))).toMatch(
      /entry "results\.json": its \d+ bytes unpack to more than 200 times/,
    );
    expect(await refusal(makeZip([{ ...bomb, name: "index.html" }, good]))).toMatch(/"index\.html": its \d+ bytes/);
    expect(await refusal(makeZip([{ ...bomb, declared: { bytes: 1000 } }]))).toMatch(/too many bytes in the stream/);
  });

  it("refuses entries that are small enough each and too large together", async () => {
    const part = { data: "", method: 8, declared: { bytes: 20 * MiB, packedBytes: MiB } };
    const entries = ["a", "b", "c", "d"].map((name) => ({ ...part, name }));
    expect(await refusal(makeZip(entries))).toMatch(
      /entry "d": the entries up to here would unpack to more than 64 MiB/,
    );
    expect(await refusal(makeZip([{ ...good, declared: { bytes: 65 * MiB, packedBytes: MiB } }]))).toMatch(
      /"results\.json": it would unpack to more than 64 MiB/,
    );
  });

  it("refuses too many entries, and a count that is not true", async () => {
    const many = Array.from({ length: MAX_ENTRIES + 1 }, (_, i) => ({ name: `${i}`, data: "" }));
    expect(await refusal(makeZip(many))).toMatch(/201 entries, at most 200/);
    expect(await refusal(makeZip([good], { zip64EntryCount: 2n ** 63n }))).toMatch(/entries, at most 200/);
    expect(await refusal(makeZip([good], { entryCount: 2 }))).toMatch(/unexpected EOF/);
  });

  it("refuses the same wanted name twice", async () => {
    const other = { name: "results.json", data: "{}" };
    expect(await refusal(makeZip([good, other]))).toMatch(/entry "results\.json": is there twice/);
  });

  it("takes names for names only", async () => {
    const zip = makeZip([{ name: "__proto__", data: '{"a":1}' }, { name: "constructor", data: "x" }, good]);
    expect(await readArchive(zip, new Set(["results.json", "__proto__"]))).toEqual(
      new Map([
        ["__proto__", '{"a":1}'],
        ["results.json", text],
      ]),
    );
  });

  it("shows a name in one plain line", async () => {
    const name = `x\n::error::boo\u001b[31m${"y".repeat(1000)}`;
    const message = await refusal(makeZip([{ name, data: "", mode: 0o120777 }]));
    expect(message).toMatch(/^[\x20-\x7e]{1,400}$/);
  });

  it("says that something is no zip", async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from("PK"),
      Buffer.from("not a zip at all, but long enough for one"),
    ]) {
      expect(await refusal(bytes)).toMatch(/^artifact x: refused: /);
    }
  });

  it("survives an archive that was cut off anywhere", async () => {
    const zip = makeZip([{ name: "report.md", data: "# report" }, good]);
    for (let length = 0; length < zip.length; length += 1) {
      expect(await refusal(zip.subarray(0, length)), `cut at ${length}`).not.toBe("accepted");
    }
  });

  it("survives any one flipped byte: it is refused, or the text is the same", async () => {
    const zip = makeZip([{ name: "report.md", data: "# report" }, good]);
    let refused = 0;
    for (let at = 0; at < zip.length; at += 1) {
      const changed = Buffer.from(zip);
      changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
      try {
        const texts = await readArchive(changed, "results.json");
        expect([undefined, text], `byte ${at}`).toContain(texts.get("results.json"));
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(InputError);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(zip.length / 2);
  });
});
