/**
 * What large inputs cost: 256 shards with 512 rows merged, a history of 2,000 runs, and a file of 100 MB that is refused.
 * Prints wall time and peak memory of each command, and fails beyond the limits.
 * Usage: node benchmarks/large.mjs [CLI.js]
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { PEAK, shard } from "./paired-results.mjs";

const SHARDS = 256;
const ROWS_PER_SHARD = 2;
const HISTORY = { runs: 2000, rows: 20 };
const LIMITS = {
  merge: { seconds: 10, peakMemoryMiB: 256 },
  history: { seconds: 60, peakMemoryMiB: 512 },
  refused: { seconds: 1, peakMemoryMiB: 128 },
};
const root = fileURLToPath(new URL("..", import.meta.url));
const cli = process.argv[2] ?? join(root, "dist/cli.js");

const WRITE_DAYS = `
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { days } from "./__tests__/support/history.ts";
const [, , folder, runs, rows] = process.argv;
let number = 0;
for (const results of days({ runs: Number(runs), rows: Number(rows) }))
  writeFileSync(join(folder, String(number++).padStart(5, "0") + ".json"), JSON.stringify(results));
`;

/** @returns what the process needed */
function run(args, expectedCode = 0) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, ["--import", PEAK, ...args], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
    const [errors, status] = [child.stdio[2], child.stdio[3]].map((stream) => {
      const read = { text: "" };
      stream.setEncoding("utf8").on("data", (text) => {
        read.text += text;
      });
      return read;
    });
    child.on("close", (code) => {
      const seconds = Number(((performance.now() - started) / 1000).toFixed(2));
      const peakMemoryMiB = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status.text)?.[1]) / 1024);
      if (code === expectedCode) resolve({ seconds, peakMemoryMiB, said: errors.text.trim() });
      else reject(new Error(`${args.join(" ").slice(0, 200)} ended with code ${code}: ${errors.text}`));
    });
  });
}

async function merge(folder) {
  const files = Array.from({ length: SHARDS }, (_, i) => {
    const file = join(folder, `shard-${i + 1}.json`);
    writeFileSync(file, `${JSON.stringify(shard(i, SHARDS, ROWS_PER_SHARD))}\n`);
    return file;
  });
  return await run([cli, "report", ...files, "--out", join(folder, "merged")]);
}

async function history(folder) {
  const runs = join(folder, "runs");
  mkdirSync(runs);
  const outfile = join(folder, "days.mjs");
  await build({
    absWorkingDir: root,
    stdin: { contents: WRITE_DAYS, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  });
  await run([outfile, runs, String(HISTORY.runs), String(HISTORY.rows)]);
  return await run([cli, "history", runs, "--out", join(folder, "site")]);
}

async function refused(folder) {
  const file = join(folder, "large.json");
  writeFileSync(file, Buffer.alloc(100 * 1024 * 1024, " "));
  return await run([cli, "report", file, "--out", join(folder, "none")], 2);
}

const folder = mkdtempSync(join(tmpdir(), "server-bench-large-"));
try {
  const measured = { merge: await merge(folder), history: await history(folder), refused: await refused(folder) };
  const sizes = { shards: SHARDS, rows: SHARDS * ROWS_PER_SHARD, historyRuns: HISTORY.runs, historyRows: HISTORY.rows };
  console.log(JSON.stringify({ ...sizes, ...measured, limits: LIMITS, node: process.version }, null, 2));
  for (const [name, { seconds, peakMemoryMiB }] of Object.entries(LIMITS))
    if (!(measured[name].seconds <= seconds && measured[name].peakMemoryMiB <= peakMemoryMiB)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
