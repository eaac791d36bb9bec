/**
 * What the page of a history costs: 500 runs of 1,000 rows. Prints the page's size, the time to find the changes of level and to
 * render, the peak memory of that process, and when the page can be used in Chromium; fails beyond the limits.
 * Usage: node benchmarks/history.mjs
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { PEAK } from "./paired-results.mjs";

const LIMITS = { kilobytes: 3000, renderSeconds: 2, peakMemoryMiB: 300, interactiveSeconds: 1 };
const SIZE = { runs: 500, rows: 1000 };
const CHROMIUM = "/usr/bin/chromium";

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

/** From the start of loading to the end of the page's script; undefined without Chromium. */
async function interactive(page) {
  if (!existsSync(CHROMIUM)) return undefined;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const tab = await browser.newPage();
    await tab.goto(pathToFileURL(page).href);
    const ms = await tab.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd");
    const redrawn = await tab.evaluate(`new Promise((resolve) => {
      const started = performance.now();
      const select = document.querySelector("#view [name=last]");
      select.value = "all";
      select.dispatchEvent(new Event("input", { bubbles: true }));
      requestAnimationFrame(() => resolve(performance.now() - started));
    })`);
    return { interactiveSeconds: ms / 1000, redrawSeconds: redrawn / 1000 };
  } finally {
    await browser.close();
  }
}

try {
  const page = join(folder, "index.html");
  const measured = { ...(await render(page)), ...(await interactive(page)) };
  const rounded = Object.fromEntries(
    Object.entries(measured).map(([name, value]) => [name, Number(value.toFixed(name.endsWith("Seconds") ? 2 : 0))]),
  );
  console.log(JSON.stringify({ ...SIZE, ...rounded, limits: LIMITS }));
  if (Object.entries(LIMITS).some(([name, limit]) => measured[name] !== undefined && !(measured[name] <= limit)))
    process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
