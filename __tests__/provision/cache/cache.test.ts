import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  cacheRoot,
  openCache,
  publishFolder,
  removeLeftovers,
  temporarySibling,
  writeFileAtomic,
} from "../../../src/provision/cache/cache.js";
import { provisioning } from "../../support/provisioning.js";

describe("cacheRoot", () => {
  it("takes the first place that is set", () => {
    const all = { SERVER_BENCH_CACHE: "/own", RUNNER_TOOL_CACHE: "/tools", XDG_CACHE_HOME: "/xdg", HOME: "/home/me" };
    expect(cacheRoot(all)).toBe("/own");
    expect(cacheRoot({ ...all, SERVER_BENCH_CACHE: "" })).toBe("/tools/server-bench");
    expect(cacheRoot({ XDG_CACHE_HOME: "/xdg", HOME: "/home/me" })).toBe("/xdg/server-bench");
    expect(cacheRoot({ HOME: "/home/me" })).toBe("/home/me/.cache/server-bench");
  });
});

describe("openCache", () => {
  it("says which folder cannot be written, and what to set", async () => {
    const { root } = await provisioning();
    const file = join(root, "file");
    await writeFile(file, "");
    await expect(openCache({ SERVER_BENCH_CACHE: join(file, "cache") })).rejects.toThrow(
      /^cannot write the cache .*file\/cache: .*; set SERVER_BENCH_CACHE to a folder that can be written$/,
    );
  });

  it("says so at once in a folder where nobody can make one", async () => {
    // Node's recursive mkdir does not end there.
    await expect(openCache({ HOME: "/proc" })).rejects.toThrow(
      /^cannot write the cache \/proc\/\.cache\/server-bench: ENOENT.*; set SERVER_BENCH_CACHE/,
    );
  });

  it("makes a folder of any depth, also where another run makes it too", async () => {
    const { root } = await provisioning();
    const deep = join(root, "a/b/c");
    const opened = await Promise.all([1, 2, 3].map(() => openCache({ SERVER_BENCH_CACHE: deep })));
    expect(opened).toEqual([deep, deep, deep]);
  });

  it("refuses a folder without permission", async () => {
    if (process.getuid?.() === 0) return;
    const { root } = await provisioning();
    await chmod(root, 0o500);
    await expect(openCache({ SERVER_BENCH_CACHE: join(root, "x") })).rejects.toThrow("cannot write the cache");
    await chmod(root, 0o700);
  });
});

describe("writing", () => {
  it("replaces files and folders, and leaves nothing beside them", async () => {
    const { root } = await provisioning();
    const folder = join(root, "folder");
    await mkdir(folder);
    const file = join(folder, "file");
    await writeFileAtomic(file, "one");
    await writeFileAtomic(file, "two");
    expect(await readFile(file, "utf8")).toBe("two");
    const next = temporarySibling(folder);
    await mkdir(next);
    await writeFile(join(next, "other"), "");
    await publishFolder(next, folder);
    expect(await readdir(folder)).toEqual(["other"]);
    await mkdir(temporarySibling(folder));
    await mkdir(join(root, "folder.other"));
    await removeLeftovers(folder);
    expect((await readdir(root)).filter((name) => name.startsWith("folder"))).toEqual(["folder", "folder.other"]);
  });
});
