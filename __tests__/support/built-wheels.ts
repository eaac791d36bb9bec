/**
 * Builds uWSGI once for all tests: it has no wheel, and takes a minute of two CPUs. uv keeps what it built, but builds it
 * for every environment anew where the index sends no caching headers.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheRoot } from "../../src/provision/cache/cache.js";

const BUILT = /\buwsgi==[\d.]+/;

/** Each project of vitest.config.ts calls it; the first call builds for all of them. */
export default async function setup(): Promise<void> {
  if (process.env.SERVER_BENCH_TEST_WHEELS !== undefined) return;
  const folder = join(dirname(cacheRoot(process.env)), "server-bench-tests", "wheels");
  process.env.SERVER_BENCH_TEST_WHEELS = folder;
  const [requirement] = BUILT.exec(readFileSync("scenarios/servers.yml", "utf8")) ?? [];
  if (requirement === undefined) throw new Error(`scenarios/servers.yml has no ${BUILT.source}`);
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`setup  ${requirement}: a wheel for all tests ...\n`);
  // A wheel that is there is taken as it is.
  const options = ["--quiet", "--no-deps", "--find-links", folder, "--wheel-dir", folder];
  const pip = spawn("python3", ["-m", "pip", "wheel", ...options, requirement], { stdio: "inherit" });
  const [code] = await once(pip, "close").catch(() => [undefined]);
  if (code !== 0) process.stderr.write(`${requirement} was not built beforehand: each environment builds it\n`);
  else offer(folder);
}

/** Both pip and uv look here as well as where they are told to. */
function offer(folder: string): void {
  const { UV_FIND_LINKS: uv, PIP_FIND_LINKS: pip } = process.env;
  if (uv) process.env.UV_FIND_LINKS = `${uv},${folder}`;
  else process.env.PIP_FIND_LINKS = pip ? `${pip} ${folder}` : folder;
}
