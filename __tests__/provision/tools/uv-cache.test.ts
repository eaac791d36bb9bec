/** Where uv keeps its downloads: below the home, or where that cannot be written, in our own cache. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openContext } from "../../../src/provision/context.js";

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

async function uvCacheWith(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const progress = { started() {}, update() {}, finished() {}, failed() {}, note() {} };
  const run = { id: "test", tempDir: join(temp, "run"), signal: new AbortController().signal };
  const context = await openContext({ run, progress, env: { SERVER_BENCH_CACHE: join(temp, "cache"), ...env } });
  return context.env.UV_CACHE_DIR;
}

it("is uv's own folder where the home can be written, or is yet to be made", async () => {
  expect(await uvCacheWith({ HOME: temp })).toBeUndefined();
  expect(await uvCacheWith({ HOME: join(temp, "later") })).toBeUndefined();
});

it("is in our cache where the home can hold no folder", async () => {
  writeFileSync(join(temp, "file"), "");
  const home = join(temp, "file", "home");
  expect(await uvCacheWith({ HOME: home })).toBe(join(temp, "cache", "uv-cache"));
  expect(await uvCacheWith({ HOME: home, XDG_CACHE_HOME: temp })).toBeUndefined();
  expect(await uvCacheWith({ HOME: home, UV_CACHE_DIR: "/elsewhere" })).toBe("/elsewhere");
});
