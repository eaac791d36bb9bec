/**
 * One row of each newer set, in pairs with a base: head's app does more work in each request, or leaks, or starts later. Prints a
 * line for each row: the verdict, what it stands on, the seconds, and the changes. Ends with 1 where a planted change was not found.
 * Usage: node benchmarks/planted.mjs [SET ...]
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));

const burn = (turns) => ({
  asgi: `
inner = app
async def app(scope, receive, send):
    for _ in range(${turns}):
        pass
    await inner(scope, receive, send)
`,
  wsgi: `
inner = app
def app(environ, start_response):
    for _ in range(${turns}):
        pass
    return inner(environ, start_response)
`,
});
const LEAK = `
inner = app
kept = []
async def app(scope, receive, send):
    kept.append(bytes(200))
    await inner(scope, receive, send)
`;
const LATER = "import time\ntime.sleep(0.1)\n";

/** The work is some 8 to 25 % more CPU time per request. `app`: one of servers.yml; a copy of it is changed. */
const PLANTS = [
  { set: "tls", title: "Uvicorn httptools", group: "Requests over HTTP/1", app: "asgi", plant: burn(400).asgi },
  { set: "streaming", title: "Uvicorn", group: "Download", app: "streams-asgi", plant: burn(4000).asgi },
  { set: "uploads", title: "Uvicorn", group: "1 MB, streamed", app: "streams-asgi", plant: burn(4000).asgi },
  { set: "connections", title: "Uvicorn", group: "New connections", app: "asgi", plant: burn(1000).asgi },
  { set: "startup", title: "Uvicorn", group: "Servers", app: "asgi", plant: LATER },
  { set: "frameworks", title: "Starlette", group: "JSON", app: "framework-starlette", plant: burn(300).asgi },
  { set: "frameworks", title: "Flask", group: "Page", app: "framework-flask", plant: burn(1000).wsgi },
  { set: "latency", title: "Uvicorn", group: "At 50 % of the maximum", app: "asgi", plant: burn(400).asgi },
  { set: "memory", title: "Uvicorn", group: "Answers of 80 KB", app: "asgi", plant: LEAK, metrics: "memory" },
  { set: "all-servers", title: "Hypercorn", group: "ASGI", app: "asgi", plant: burn(1500).asgi },
  { set: "workers", title: "Uvicorn", group: "ASGI", app: "asgi", plant: burn(400).asgi, knobs: { workers: 2 } },
  { set: "unix-sockets", title: "Uvicorn", group: "Unix socket", app: "asgi", plant: burn(400).asgi },
];

const yamlOf = (file) => parse(readFileSync(join(root, "scenarios", file), "utf8"));

/** The row of the set, as a set with one row, on a copy of its app. */
function write(folder, { set, title, group, app, knobs }, planted) {
  const { defaults = {}, rows, label } = yamlOf(`${set}.yml`);
  const row = rows.find((one) => one.title === title && one.group === group);
  if (!row) throw new Error(`${set}.yml has no row ${title} in ${group}`);
  const { matrix: _, ...fields } = row;
  const { path, ...ofApp } = yamlOf("servers.yml").apps[app];
  mkdirSync(join(folder, "bench"), { recursive: true });
  cpSync(join(root, "scenarios", path), join(folder, "app"), { recursive: true });
  const file = join(folder, "app/app.py");
  writeFileSync(file, `${readFileSync(file, "utf8")}${planted}`);
  writeFileSync(join(folder, "bench/servers.yml"), stringify({ apps: { planted: { ...ofApp, path: "../app" } } }));
  const connections = [defaults.connections ?? 64].flat().slice(-1);
  const own = { ...defaults, connections, ...fields, app: "planted", ...(knobs && { knobs }) };
  writeFileSync(join(folder, "bench/one.yml"), stringify({ title: set, label: label ?? "Row", rows: [own] }));
}

async function run(cwd, args) {
  const tool = spawn(process.execPath, [join(root, "dist/cli.js"), ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  tool.stdout.on("data", (data) => {
    output += data;
  });
  const code = await new Promise((resolve) => tool.on("close", resolve));
  return { code, output };
}

/** @returns whether it was found */
async function tryPlant(plant) {
  const folder = mkdtempSync(join(tmpdir(), "server-bench-planted-"));
  try {
    write(join(folder, "base"), plant, "");
    write(join(folder, "head"), plant, plant.plant);
    const args = ["run", "one", "--scenarios", "bench", "--base", join(folder, "base"), "--out", join(folder, "out")];
    const metrics = plant.metrics ? ["--metrics", plant.metrics] : [];
    const { code, output } = await run(join(folder, "head"), [...args, ...metrics, "--profile-rows", "none"]);
    const name = `${plant.set}: ${plant.title}, ${plant.group}`;
    if (code !== 0) {
      console.log(`${name}: exit code ${code}\n${output}`);
      return false;
    }
    const { comparison } = JSON.parse(readFileSync(join(folder, "out/results.json"), "utf8"));
    const [row] = comparison.rows;
    if (!row) {
      console.log(`${name}: not compared: ${JSON.stringify(comparison.apart)}`);
      return false;
    }
    const changes = Object.entries(row.metrics).map(([metric, { change, verdict }]) => {
      return `${metric} ${(100 * change).toFixed(1)} % (${verdict})`;
    });
    console.log(`${name}: ${row.verdict}, ${row.seconds.toFixed(0)} s: ${changes.join(", ")}`);
    return row.verdict === "worse";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sets = process.argv.slice(2);
for (const plant of PLANTS.filter(({ set }) => sets.length === 0 || sets.includes(set)))
  if (!(await tryPlant(plant))) process.exitCode = 1;
