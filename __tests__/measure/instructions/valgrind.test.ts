/** What is said on a machine without a usable Valgrind. The programs are scripts in a folder of the test's own. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findValgrind } from "../../../src/measure/instructions/valgrind.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function script(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, name), 0o755);
}

const find = () => findValgrind({ PATH: folder }, { id: "test", signal: new AbortController().signal });
const REMEDY = "install it with: apt install valgrind";

describe("findValgrind", () => {
  it("finds a new one with its vgdb", async () => {
    await script("valgrind", "echo valgrind-3.22.0");
    await script("vgdb", "exit 0");
    const valgrind = { path: join(folder, "valgrind"), vgdb: join(folder, "vgdb"), version: "3.22.0" };
    expect(await find()).toEqual({ state: "found", valgrind });
  });

  it("says how to install it where there is none", async () => {
    expect(await find()).toEqual({ state: "missing", reason: `there is no valgrind on PATH; ${REMEDY}` });
  });

  it("refuses one that is too old", async () => {
    await script("valgrind", "echo valgrind-3.9.0");
    expect(await find()).toEqual({
      state: "missing",
      reason: `Valgrind 3.9.0 (${join(folder, "valgrind")}) is older than 3.18; ${REMEDY}`,
    });
  });

  it("refuses one without vgdb, and a program that is no Valgrind", async () => {
    await script("valgrind", "echo valgrind-3.22.0");
    expect(await find()).toMatchObject({ reason: `there is no vgdb next to ${join(folder, "valgrind")}; ${REMEDY}` });
    await script("valgrind", "exit 3");
    expect(await find()).toMatchObject({ reason: expect.stringContaining("prints no version of Valgrind") });
  });
});
