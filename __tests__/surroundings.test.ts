import os from "node:os";
import { afterEach, expect, it, vi } from "vitest";
import { SetupError } from "../src/errors.js";
import { cacheRoot } from "../src/provision/cache/cache.js";
import { versionFolders } from "../src/provision/environments/python.js";
import { withUvCache } from "../src/provision/tools/uv-cache.js";
import { absoluteFolders } from "../src/surroundings.js";

afterEach(() => vi.restoreAllMocks());

it("folders are made absolute, and nothing else", () => {
  const env = { TMPDIR: ".", HOME: "home/", XDG_CACHE_HOME: "/cache/", SERVER_BENCH_CACHE: "", PATH: "bin" };
  expect(absoluteFolders(env, "/work")).toEqual({ TMPDIR: "/work", HOME: "/work/home" });
});

it("a user id that the machine does not know needs a cache, and nothing else", async () => {
  vi.spyOn(os, "homedir").mockImplementation(() => {
    throw new Error("uv_os_homedir returned ENOENT");
  });
  expect(() => cacheRoot({})).toThrow(SetupError);
  expect(() => cacheRoot({})).toThrow(
    /^there is no folder for the cache: user \d+ has no home, .*set SERVER_BENCH_CACHE/,
  );
  expect(cacheRoot({ HOME: "/home/me" })).toBe("/home/me/.cache/server-bench");
  expect(versionFolders({})).toEqual([]);
  expect(await withUvCache({}, "/cache")).toEqual({ UV_CACHE_DIR: "/cache/uv-cache" });
});
