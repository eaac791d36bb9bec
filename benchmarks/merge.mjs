/**
 * What merging the shards of a large run costs: 100 results files with 1,000 rows that were measured in pairs, their pairs
 * and slices recorded. Prints wall time and peak memory of the whole `report` process, and fails beyond the limits.
 * Usage: node benchmarks/merge.mjs [CLI.js]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PEAK, shard } from "./paired-results.mjs";

const SHARDS = 100;
const LIMITS = { wallSec: 2, peakMemoryMiB: 256 };
const RUNS = 3;
const cli = process.argv[2] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
function merge(files, out) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const args = ["--import", PEAK, cli, "report", ...files, "--out", out];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit", "pipe"] });
    let status = "";
    child.stdio[3].setEncoding("utf8").on("data", (text) => {
      status += text;
    });
    child.on("close", (code) => {
      const wallSec = (performance.now() - started) / 1000;
      const peakMemoryMiB = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
      if (code === 0) resolve({ wallSec, peakMemoryMiB });
      else reject(new Error(`report ended with code ${code}`));
    });
  });
}

function mebibytes(files) {
  return round(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024 / 1024, 1);
}

function round(value, digits) {
  return Number(value.toFixed(digits));
}

const folder = mkdtempSync(join(tmpdir(), "server-bench-merge-"));
try {
  const files = Array.from({ length: SHARDS }, (_, i) => {
    const file = join(folder, `shard-${i + 1}.json`);
    writeFileSync(file, `${JSON.stringify(shard(i, SHARDS))}\n`);
    return file;
  });
  const out = join(folder, "out");
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await merge(files, out));
  const merged = join(out, "results.json");
  const { cases, comparison } = JSON.parse(readFileSync(merged, "utf8"));
  const measured = {
    wallSec: round(Math.max(...runs.map((run) => run.wallSec)), 2),
    peakMemoryMiB: round(Math.max(...runs.map((run) => run.peakMemoryMiB)), 0),
  };
  const facts = {
    shards: SHARDS,
    rows: comparison.rows.length,
    cases: cases.length,
    readMiB: mebibytes(files),
    writtenMiB: mebibytes([merged]),
    worse: comparison.rows.filter((row) => row.verdict === "worse").length,
  };
  console.log(JSON.stringify({ ...facts, ...measured, limits: LIMITS, node: process.version }, null, 2));
  if (measured.wallSec > LIMITS.wallSec || measured.peakMemoryMiB > LIMITS.peakMemoryMiB) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
