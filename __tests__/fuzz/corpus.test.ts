/** Inputs that once failed: each is read again as the fuzzer reads it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TARGETS } from "./targets.js";

const CORPUS = join(import.meta.dirname, "corpus");
const folders = readdirSync(CORPUS).sort();

it("has a folder for targets only", () => {
  const names = TARGETS.map(({ name }) => name);
  expect(folders.filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(TARGETS.filter(({ name }) => folders.includes(name)))("$name", ({ name, check }) => {
  it.each(readdirSync(join(CORPUS, name)).sort())("reads %s", async (file) => {
    await check(readFileSync(join(CORPUS, name, file)));
  });
});
