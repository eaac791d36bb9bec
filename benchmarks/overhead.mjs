/**
 * Measures from outside how much of a run's wall time is load, and how much memory the tool itself takes: every 100 ms
 * it checks whether one of the run's load generators is alive. Usage: node benchmarks/overhead.mjs [run arguments]
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const args = process.argv.length > 2 ? process.argv.slice(2) : ["interfaces", "--profile", "standard"];
const out = mkdtempSync(join(tmpdir(), "server-bench-overhead-"));
const SAMPLE_MS = 100;

const setup = spawnSync(process.execPath, [cli, "setup", args[0]], { stdio: "inherit" });
if (setup.status !== 0) process.exit(setup.status ?? 1);

const started = performance.now();
const tool = spawn(process.execPath, [cli, "run", ...args, "--out", out], { stdio: ["ignore", "inherit", "inherit"] });
let samples = 0;
let underLoad = 0;
let peakKiB = 0;
const timer = setInterval(() => {
  const loaded = children(tool.pid).some((pid) => name(pid) === "oha");
  samples += 1;
  underLoad += loaded ? 1 : 0;
  peakKiB = Math.max(peakKiB, Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${tool.pid}/status`))?.[1] ?? 0));
}, SAMPLE_MS);

tool.on("exit", (code) => {
  clearInterval(timer);
  const results = JSON.parse(readFileSync(join(out, "results.json"), "utf8"));
  rmSync(out, { recursive: true, force: true });
  const wallSec = (performance.now() - started) / 1000;
  console.log(
    JSON.stringify(
      {
        command: `run ${args.join(" ")}`,
        cases: results.cases.length,
        wallSec: round(wallSec, 1),
        loadShareSeen: round(underLoad / samples, 3),
        loadShareReported: round(results.run.loadShare, 3),
        peakMemoryMiB: round(peakKiB / 1024, 1),
        cpu: `${results.environment.cpuModel} (${results.environment.cpus} CPUs)`,
      },
      null,
      2,
    ),
  );
  process.exitCode = code ?? 1;
});

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function name(pid) {
  return read(`/proc/${pid}/comm`).trim();
}

function children(parent) {
  return readdirSync("/proc").filter(
    (pid) =>
      /^\d+$/.test(pid) && / (\d+) /.exec(read(`/proc/${pid}/stat`).replace(/^.*\) \S/, " "))?.[1] === String(parent),
  );
}

function round(value, digits) {
  return Number(value.toFixed(digits));
}
