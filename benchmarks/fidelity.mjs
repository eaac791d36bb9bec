/**
 * Compares the reported throughput with that of the same server and oha started by hand. Both are measured in turn, with
 * the same CPUs, request, connections and window; the order flips every turn.
 * Usage: node benchmarks/fidelity.mjs [SERVER] [INTERFACE] [turns]
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = join(root, "dist/cli.js");
const [name = "granian", kind = "asgi", turns = "10"] = process.argv.slice(2);
const out = mkdtempSync(join(tmpdir(), "server-bench-fidelity-"));
const WARMUP = "2s";
const CONNECTIONS = 64;

// The apps need their files to start; these rows do not request them.
for (const file of ["image-95.png", "image-50k.jpg"]) writeFileSync(join(out, file), "");
const scenarios = join(out, "scenarios");
mkdirSync(scenarios);
const defaults = `{ server: ${name}, interface: ${kind}, request: get-10k, connections: ${CONNECTIONS} }`;
writeFileSync(join(scenarios, "fidelity.yml"), `title: Fidelity\ndefaults: ${defaults}\nrows: [{ title: Row }]\n`);

function byTool() {
  const run = spawnSync(process.execPath, [cli, "run", "fidelity", "--scenarios", scenarios, "--out", out], {
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
  const results = JSON.parse(readFileSync(join(out, "results.json"), "utf8"));
  return { measured: results.cases[0], environment: results.environment };
}

/** Folder of the programs that the tool installed for this server. */
function programs({ server }) {
  const cache =
    process.env.SERVER_BENCH_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "server-bench");
  const wanted = [...server.packages].sort().join();
  for (const name of readdirSync(join(cache, "environments")).filter((entry) =>
    entry.startsWith(`${server.name}-py${server.python}-`),
  )) {
    const folder = join(cache, "environments", name);
    const marker = JSON.parse(readFileSync(join(folder, "environment.json"), "utf8"));
    const found = marker.packages
      .map((entry) => `${entry.name}==${entry.version}`)
      .sort()
      .join();
    if (found === wanted) return join(folder, marker.venv, "bin");
  }
  throw new Error(`no environment of ${server.name} in ${cache}`);
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function untilItAnswers(url) {
  for (let tries = 0; tries < 200; tries += 1) {
    const ok = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return;
    await sleep(50);
  }
  throw new Error(`${url} never answered`);
}

/** oha as a person would type it. @returns successes a second */
function oha(seconds, connections, cpus, path, url) {
  const threads = String(cpus.split(",").length);
  const argv = [
    "-c",
    cpus,
    path,
    "--no-tui",
    "--output-format",
    "json",
    "--worker-threads",
    threads,
    "-z",
    seconds,
    "-c",
    String(connections),
    url,
  ];
  const run = spawnSync("taskset", argv, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (run.status !== 0) throw new Error(run.stderr);
  const report = JSON.parse(run.stdout);
  return (report.statusCodeDistribution["200"] ?? 0) / report.summary.total;
}

async function byHand({ measured, environment }) {
  const port = await freePort();
  const generator = measured.generatorCommand;
  const binary = generator.find((arg) => /(^|\/)oha$/.test(arg));
  const path = new URL(generator.find((arg) => arg.startsWith("http://")).replace("{port}", String(port))).pathname;
  const url = `http://127.0.0.1:${port}${path}`;
  const [program, ...rest] = measured.server.command.map((arg) =>
    arg.replaceAll("{host}", "127.0.0.1").replaceAll("{port}", String(port)),
  );
  const log = openSync(join(out, "server.log"), "w");
  const server = spawn("taskset", ["-c", environment.serverCpus, join(programs(measured), program), ...rest], {
    cwd: join(root, "python-apps", measured.server.interface),
    env: { ...process.env, SERVER_BENCH_FILES: out },
    stdio: ["ignore", log, log],
    detached: true,
  });
  try {
    await untilItAnswers(url);
    oha(WARMUP, measured.connections, environment.clientCpus, binary, url);
    return oha("10s", measured.connections, environment.clientCpus, binary, url);
  } finally {
    if (server.exitCode === null) {
      process.kill(-server.pid, "SIGTERM");
      await new Promise((done) => server.on("exit", done));
    }
    closeSync(log);
  }
}

const ratios = [];
let last = byTool();
for (let turn = 0; turn < Number(turns); turn += 1) {
  let hand;
  if (turn % 2 === 0) hand = await byHand(last);
  last = byTool();
  if (turn % 2 === 1) hand = await byHand(last);
  const reported = last.measured.summary.requestsPerSec;
  ratios.push(reported / hand);
  console.log(
    `turn ${turn + 1}: reported ${reported.toFixed(0)}, by hand ${hand.toFixed(0)}, ratio ${(reported / hand).toFixed(4)}`,
  );
}
rmSync(out, { recursive: true, force: true });
const sorted = [...ratios].sort((a, b) => a - b);
const middle = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
console.log(
  JSON.stringify({
    server: name,
    interface: kind,
    connections: CONNECTIONS,
    turns: ratios.length,
    medianRatio: Number(middle.toFixed(4)),
    lowest: sorted[0],
    highest: sorted.at(-1),
  }),
);
