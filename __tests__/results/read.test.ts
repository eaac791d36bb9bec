import { execFileSync } from "node:child_process";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { formatResults } from "../../src/results/layout.js";
import { FILE_BYTES_MAX } from "../../src/results/limits.js";
import { parseResults, readResults } from "../../src/results/read.js";
import { completed, resultsOf, sampleResults } from "../support/results.js";

const good = formatResults(sampleResults());

/** The message for the sample with one place of its text changed. */
function problem(text: string): string {
  try {
    parseResults(text, "results.json");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "accepted";
}

function changed(from: string, to: string): string {
  expect(good).toContain(from);
  return problem(good.replace(from, to));
}

describe("parseResults", () => {
  it("gives back what was written", () => {
    expect(parseResults(good, "results.json")).toEqual(sampleResults());
    // As PowerShell writes a file.
    expect(parseResults(`\uFEFF${good}`, "results.json")).toEqual(sampleResults());
  });

  it("names file and field of a wrong type", () => {
    expect(changed('"clientBound": true', '"clientBound": "yes"')).toBe(
      'results.json: cases[0].summary.clientBound: expected boolean, got "yes"',
    );
    expect(changed('"connections": 256', '"connections": -1')).toMatch(/^results\.json: cases\[0\]\.connections: /);
    expect(changed('"state": "failed"', '"state": "broken"')).toMatch(
      /^results\.json: cases\[1\]\.state: expected .*"failed".*, got "broken"$/,
    );
    expect(changed('"startedAt": "2025-01-30T02:28:11Z"', '"startedAt": "yesterday"')).toMatch(
      /^results\.json: run\.startedAt: .*yesterday/,
    );
    const long = changed('"startedAt": "2025-01-30T02:28:11Z"', `"startedAt": "${"x".repeat(30_000)}"`);
    expect(long).toMatch(/^results\.json: run\.startedAt: .*x\.\.\.$/);
    expect(long.length).toBeLessThan(300);
  });

  it("names missing fields", () => {
    expect(changed('"measuredSec": 291,', "")).toBe("results.json: run.measuredSec: is missing");
  });

  it.each(["__proto__", "constructor", "toString"])("refuses the field %s", (name) => {
    expect(changed('"tool": {"version":"0.1.0"}', `"tool": {"version":"0.1.0","${name}":{"a":1}}`)).toBe(
      `results.json: run.tool.${name}: unknown field`,
    );
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it("refuses numbers that no double holds", () => {
    expect(changed('"measuredSec": 291', '"measuredSec": 1e999')).toBe(
      "results.json: run.measuredSec: expected a finite number, got Infinity",
    );
  });

  it("tells a newer version from a broken one and from another file", () => {
    expect(changed('"version": 1', '"version": 2')).toBe(
      "results.json: version: written by a newer server-bench: version 2; this one reads 1: update server-bench",
    );
    expect(changed('"version": 1', '"version": "1"')).toBe('results.json: version: expected 1, got "1"');
    expect(problem('{"name": "package"}')).toMatch(/schema: expected "server-bench\/results".*not a results file$/);
    expect(problem("[1, 2]")).toBe("results.json: expected the object that server-bench writes, got an array");
    expect(problem("null")).toMatch(/got null$/);
  });

  it("says when the file was cut off, at any place", () => {
    for (const length of [1, 100, 1000, good.length / 2, good.length - 3]) {
      expect(problem(good.slice(0, length))).toMatch(/^results\.json: the file ends in the middle \(\d+ characters\)/);
    }
    expect(problem("")).toBe("results.json: is empty; expected a results file");
    expect(problem(good.replace(/"version": 1,/, '"version": 1,,'))).toMatch(/^results\.json: not valid JSON: /);
  });

  it("refuses deep nesting, however deep", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(changed('"warnings": [', `"warnings": [${nested(50)},`)).toMatch(/nested deeper than 32 levels$/);
    expect(problem(`{"schema":"server-bench/results","version":1,"run":${nested(1_000_000)}}`)).toMatch(
      /nested deeper than 32 levels$/,
    );
    expect(problem(nested(1_000_000))).toMatch(/nested deeper than 32 levels$/);
  });

  it("refuses a case that is there twice, and one of no set", () => {
    const one = completed("interfaces/a", "A", 64, 1000);
    expect(problem(JSON.stringify(resultsOf([one, { ...one, connections: 128 }, one])))).toBe(
      "results.json: cases[2]: the same case (interfaces/a, side head, 64 connections) as cases[0]",
    );
    expect(problem(JSON.stringify(resultsOf([one, { ...one, side: "base" }])))).toBe("accepted");
    expect(problem(JSON.stringify(resultsOf([{ ...one, set: "other" }])))).toBe(
      'results.json: cases[0].set: "other" is not one of the file\'s sets',
    );
  });
});

describe("readResults", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-bench-read-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("reads a file", async () => {
    const file = join(folder, "results.json");
    await writeFile(file, good);
    expect(await readResults(file)).toEqual(sampleResults());
  });

  it("names what is not a results file", async () => {
    await expect(readResults(join(folder, "none.json"))).rejects.toThrow(/none\.json: no such file/);
    await expect(readResults(folder)).rejects.toThrow(/is a folder; give the results\.json in it$/);
    await expect(readResults("/dev/null")).rejects.toThrow("/dev/null: is not a regular file");
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(readResults(pipe)).rejects.toThrow("pipe: is not a regular file");
  });

  it("stops at the size limit", async () => {
    const file = join(folder, "huge.json");
    await writeFile(file, "");
    await truncate(file, FILE_BYTES_MAX + 1);
    await expect(readResults(file)).rejects.toThrow(
      /huge\.json: is too large for a results file: 37 MiB, at most 36 MiB$/,
    );
  });
});
