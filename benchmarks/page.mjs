/**
 * What the page costs: 50 and 1,000 rows that were measured in pairs. Prints its size, the wall time and the peak memory of a
 * process that renders it from results in memory, and when the page can be used in Chromium; fails beyond the limits.
 * Usage: node benchmarks/page.mjs
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interactive } from "./interactive.mjs";
import { PEAK, shard } from "./paired-results.mjs";

const LIMITS = [
  { rows: 50, kilobytes: 600, seconds: 2, peakMemoryMiB: 300, interactiveSeconds: 0.2 },
  { rows: 1000, kilobytes: 3000, seconds: 2, peakMemoryMiB: 300, interactiveSeconds: 1 },
];
const ROWS_PER_SHARD = 10;

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-bench-page-"));

/** Results of one run, compared as `report` does it. */
function report(files, out) {
  return ended(
    spawn(process.execPath, [join(root, "dist/cli.js"), "report", ...files, "--out", out], {
      stdio: ["ignore", "ignore", "inherit"],
    }),
  );
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`ended with code ${code}`))));
  });
}

const RENDER = `
import { readFileSync } from "node:fs";
const results = JSON.parse(readFileSync(process.argv[1], "utf8"));
const started = performance.now();
const { renderPage } = await import(process.argv[2]);
const page = renderPage(results);
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, kilobytes: Buffer.byteLength(page) / 1000 }));
`;

async function render(results) {
  const args = [
    "--import",
    PEAK,
    "--input-type=module",
    "--eval",
    RENDER,
    results,
    join(root, "dist/report-html-page.js"),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit", "pipe"] });
  const [out, status] = ["", ""].map((text) => ({ text }));
  child.stdio[1].setEncoding("utf8").on("data", (text) => {
    out.text += text;
  });
  child.stdio[3].setEncoding("utf8").on("data", (text) => {
    status.text += text;
  });
  await ended(child);
  const { seconds, kilobytes } = JSON.parse(out.text);
  const peakMemoryMiB = Number(/VmHWM:\s+(\d+)/.exec(status.text)?.[1]) / 1024;
  return {
    kilobytes: Math.round(kilobytes),
    seconds: Number(seconds.toFixed(2)),
    peakMemoryMiB: Math.round(peakMemoryMiB),
  };
}

try {
  for (const { rows, ...limits } of LIMITS) {
    const shards = rows / ROWS_PER_SHARD;
    const files = Array.from({ length: shards }, (_, i) => {
      const file = join(folder, `${rows}-${i}.json`);
      writeFileSync(file, JSON.stringify(shard(i, shards)));
      return file;
    });
    const out = join(folder, `${rows}`);
    await report(files, out);
    const used = await interactive(join(out, "index.html"));
    const measured = {
      ...(await render(join(out, "results.json"))),
      ...(used && { interactiveSeconds: Number(used.seconds.toFixed(2)) }),
    };
    console.log(JSON.stringify({ rows, ...measured, limits }));
    if (Object.entries(limits).some(([name, limit]) => measured[name] !== undefined && !(measured[name] <= limit)))
      process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
