/** What a reader takes of a file that is too large, is no file, or grows. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileKind, parseJson, RESULTS, readText } from "../../src/results/read.js";

const SMALL: FileKind = { what: "a small file", name: "small.json", maxBytes: 10 };
/** More values make a file too large, whatever its bytes. */
const VALUES_MAX = 2_000_000;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-limits-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function parsed(text: string, kind = RESULTS): unknown {
  try {
    return parseJson(text, "f.json", kind);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

describe("a text", () => {
  it("may have as many characters as its kind allows", () => {
    expect(parsed('"12345678"', SMALL)).toBe("12345678");
    expect(parsed('"123456789"', SMALL)).toBe("f.json: is too large for a small file: 1 MiB, at most 1 MiB");
  });

  it("may have two million values", () => {
    const array = (values: number) => `[${"0,".repeat(values - 1)}0]`;
    expect(parsed(array(VALUES_MAX))).toHaveLength(VALUES_MAX);
    expect(parsed(array(VALUES_MAX + 1))).toBe("f.json: has more than 2000000 values: too large for a results file");
    const long = "x".repeat(2 * VALUES_MAX);
    expect(parsed(`"${long}"`)).toBe(long);
  });

  it("was cut off where its JSON ends too early, blanks at the end or not", () => {
    expect(parsed('{"a": 1,\n\n  ')).toBe("f.json: the file ends in the middle (12 characters): fetch it again");
    expect(parsed('{"a": [1')).toBe("f.json: the file ends in the middle (8 characters): fetch it again");
    expect(parsed('\n\n{"a": Unexpected end, "b": 1}')).toMatch(/^f\.json: not valid JSON: /);
  });

  it("has its error on one short line", () => {
    const message = String(parsed(`{\n\n  "a": x\n}${" ".repeat(300)}`));
    expect(message).toMatch(/^f\.json: not valid JSON: .*"\{ "a": x/);
    expect(message.length).toBeLessThan(240);
  });

  it("is not blank", () => {
    expect(parsed(" \n")).toBe("f.json: is empty; expected a results file");
  });
});

describe("a file", () => {
  async function read(file: string, kind = SMALL): Promise<string> {
    return await readText(file, kind).catch((error: Error) => error.message.replaceAll(folder, "."));
  }
  async function written(text: string): Promise<string> {
    const file = join(folder, "f.json");
    await writeFile(file, text);
    return file;
  }

  it("may have as many bytes as its kind allows", async () => {
    expect(await read(await written("0123456789"))).toBe("0123456789");
    expect(await read(await written("0123456789a"))).toBe(
      "./f.json: is too large for a small file: 1 MiB, at most 1 MiB",
    );
  });

  it("is read to its end where its size says nothing, up to the limit", async () => {
    // The kernel says 0 bytes.
    const large = { ...SMALL, maxBytes: 1_000_000 };
    expect(await read("/proc/self/status", large)).toMatch(/^Name:.*nonvoluntary_ctxt_switches:\t\d+\n$/s);
    expect(await read("/proc/self/status")).toMatch(/^\/proc\/self\/status: is too large for a small file/);
  });

  it("is named where it is none", async () => {
    const file = await written("1");
    expect(await read(join(folder, "missing"))).toBe("./missing: no such file; expected a small.json");
    expect(await read(join(file, "below"))).toBe("./f.json/below: no such file; expected a small.json");
    expect(await read(folder)).toBe(".: is a folder; give the small.json in it");
    expect(await read("/dev/null")).toBe("/dev/null: is not a regular file");
    expect(await read("\0")).toMatch(/: cannot be read: /);
    expect(await read(join(folder, "x".repeat(300)))).toMatch(/: cannot be read: ENAMETOOLONG/);
  });
});
