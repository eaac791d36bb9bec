/**
 * Builds the packages that have no wheel once for all tests; uWSGI alone takes a minute of two CPUs. uv keeps what it built,
 * but builds it twice for every environment where the index sends no caching headers.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openCache } from "../../src/provision/cache/cache.js";

const BUILT = /\b(bjoern|fastwsgi|gunicorn_h1c|socketify|uwsgi)==[\d.]+/g;

/** Each project of vitest.config.ts calls it; the first call builds for all of them. */
export default async function setup(): Promise<void> {
  if (process.env.SERVER_BENCH_TEST_WHEELS !== undefined) return;
  const folder = join(await openCache(process.env), "test-wheels");
  process.env.SERVER_BENCH_TEST_WHEELS = folder;
  mkdirSync(folder, { recursive: true });
  const requirements = new Set(readFileSync("scenarios/servers.yml", "utf8").match(BUILT));
  process.stderr.write(`setup  wheels for all tests: ${[...requirements].join(", ")} ...\n`);
  if (!(await found(requirements, folder)))
    await Promise.all([...requirements].map((requirement) => build(requirement, folder)));
  offer(folder);
}

async function found(requirements: Iterable<string>, folder: string): Promise<boolean> {
  return await pip(
    "download",
    ...requirements,
    "--no-index",
    "--only-binary=:all:",
    "--dest",
    folder,
    "--find-links",
    folder,
  );
}

async function build(requirement: string, folder: string): Promise<void> {
  if (!(await pip("wheel", requirement, "--wheel-dir", folder)))
    process.stderr.write(`${requirement} was not built beforehand: each environment builds it\n`);
}

async function pip(...args: readonly string[]): Promise<boolean> {
  const child = spawn("python3", ["-m", "pip", ...args, "--quiet", "--no-deps"], { stdio: "ignore" });
  const [code] = await once(child, "close").catch(() => [undefined]);
  return code === 0;
}

/** Both pip and uv look here as well as where they are told to. */
function offer(folder: string): void {
  const { UV_FIND_LINKS: uv, PIP_FIND_LINKS: pip } = process.env;
  if (uv) process.env.UV_FIND_LINKS = `${uv},${folder}`;
  else process.env.PIP_FIND_LINKS = pip ? `${pip} ${folder}` : folder;
}
