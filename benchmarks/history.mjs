/**
 * What the page of a history costs: 500 runs of 1,000 rows. Prints the page's size, the time to find the changes of level and to
 * render, the peak memory of that process, and when the page can be used in Chromium; fails beyond the limits.
 * Usage: node benchmarks/history.mjs
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { interactive } from "./interactive.mjs";
import { PEAK } from "./paired-results.mjs";

const LIMITS = { kilobytes: 3000, totalSeconds: 2, peakMemoryMiB: 300, interactiveSeconds: 1 };
const SIZE = { runs: 500, rows: 1000 };

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-bench-history-"));

const RENDER = `
import { writeFileSync } from "node:fs";
import { days } from "./__tests__/support/history.ts";
import { historyOf } from "./src/history/model.ts";
import { Recorder } from "./src/history/record.ts";
import { renderHistory } from "./src/report/history/page.ts";
const [, , out, runs, rows] = process.argv;
const recorder = new Recorder();
const records = [];
const speed = (row, run) => (row % 20 === 1 && run >= 100 + (row % 350) ? -0.05 : 0);
const environment = (run) => (run < 150 ? { kernel: "6.7.0", fingerprint: "older" } : {});
for (const results of days({ runs: Number(runs), rows: Number(rows), speed, environment }))
  records.push(recorder.record(results.run.id, results));
const started = performance.now();
const history = historyOf(records);
const found = performance.now();
const page = renderHistory(history, { toolVersion: "0.1.0", repository: { url: "https://github.com/octo/app" } });
const rendered = performance.now();
writeFileSync(out, page);
console.log(JSON.stringify({
  kilobytes: Math.round(Buffer.byteLength(page) / 1000),
  changes: history.rows.reduce((sum, row) => sum + row.changes.length, 0),
  changeSeconds: (found - started) / 1000,
  renderSeconds: (rendered - found) / 1000,
  totalSeconds: (rendered - started) / 1000,
}));
`;

async function render(page) {
  const outfile = join(folder, "render.mjs");
  await build({
    absWorkingDir: root,
    stdin: { contents: RENDER, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  });
  const child = spawn(process.execPath, ["--import", PEAK, outfile, page, String(SIZE.runs), String(SIZE.rows)], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const [out, status] = ["", ""].map((text) => ({ text }));
  child.stdio[1].setEncoding("utf8").on("data", (text) => {
    out.text += text;
  });
  child.stdio[3].setEncoding("utf8").on("data", (text) => {
    status.text += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`ended with code ${code}`);
  return { ...JSON.parse(out.text), peakMemoryMiB: Math.round(Number(/VmHWM:\s+(\d+)/.exec(status.text)?.[1]) / 1024) };
}

/** Of drawing all runs instead of the last 90. */
const REDRAWN = `new Promise((resolve) => {
  const started = performance.now();
  const select = document.querySelector("#view [name=last]");
  select.value = "all";
  select.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => resolve((performance.now() - started) / 1000));
})`;

try {
  const page = join(folder, "index.html");
  const rendered = await render(page);
  const used = await interactive(page, REDRAWN);
  const measured = { ...rendered, ...(used && { interactiveSeconds: used.seconds, redrawSeconds: used.more }) };
  const rounded = Object.fromEntries(
    Object.entries(measured).map(([name, value]) => [name, Number(value.toFixed(name.endsWith("Seconds") ? 2 : 0))]),
  );
  console.log(JSON.stringify({ ...SIZE, ...rounded, limits: LIMITS }));
  if (Object.entries(LIMITS).some(([name, limit]) => measured[name] !== undefined && !(measured[name] <= limit)))
    process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
