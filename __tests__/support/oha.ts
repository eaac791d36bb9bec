/** The real oha for tests: SERVER_BENCH_TEST_OHA (its path, or its folder), or the one on PATH. */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Tool } from "../../src/provision/types.js";

export function testOha(): Tool {
  const folders = [process.env.SERVER_BENCH_TEST_OHA ?? "", ...(process.env.PATH ?? "").split(delimiter)];
  const paths = folders.filter((folder) => folder !== "").flatMap((folder) => [folder, join(folder, "oha")]);
  const path = paths.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
  if (path === undefined) throw new Error("no oha for the tests: set SERVER_BENCH_TEST_OHA to its path");
  const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim().replace(/^oha /, "");
  return { path, version };
}
