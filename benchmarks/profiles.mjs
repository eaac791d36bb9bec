/**
 * How often a planted slow function is the first line of a row's profile. Each turn makes a new pair of apps, head with a function
 * that works for every request, measures some pairs, and samples both sides.
 * Usage: node benchmarks/profiles.mjs [turns] [loop turns of the planted function] [SERVER...]
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const [turns = "10", loops = "150", ...named] = process.argv.slice(2);
const servers = named.length > 0 ? named : ["uvicorn", "granian"];
const folder = mkdtempSync(join(tmpdir(), "server-bench-profiles-"));
const out = join(folder, "out");

const SERVERS = `apps:
  planted: { interface: asgi, path: ../planted }
requests:
  greeting: { path: /, expect: { body: { text: Hello } } }
`;
const rows = servers.map((server) => `  - { title: ${server}, server: ${server} }\n`).join("");
const SET = `title: Planted
label: Server
defaults: { request: greeting, connections: 64, app: planted }
rows:
${rows}`;

function app(count, turn) {
  return `# turn ${turn}
def planted(count):
    total = 0
    for one in range(count):
        total += one
    return total


async def app(scope, receive, send):
    planted(${count})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
}

function writeSide(side, count, turn) {
  for (const name of ["bench", "planted"]) mkdirSync(join(folder, side, name), { recursive: true });
  writeFileSync(join(folder, side, "bench/servers.yml"), SERVERS);
  writeFileSync(join(folder, side, "bench/planted.yml"), SET);
  writeFileSync(join(folder, side, "planted/app.py"), app(count, turn));
}

/** Enough for the first look at each row: what is sampled needs no verdict. */
const BUDGET = ["--budget", String(0.5 * servers.length)];

function oneTurn(turn) {
  writeSide("base", 0, turn);
  writeSide("head", Number(loops), turn);
  rmSync(out, { recursive: true, force: true });
  const args = ["run", "planted", "--scenarios", "bench", "--base", join(folder, "base"), ...BUDGET, "--out", out];
  const run = spawnSync(process.execPath, [cli, ...args, "--profile-rows", "planted"], {
    cwd: join(folder, "head"),
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
  return JSON.parse(readFileSync(join(out, "results.json"), "utf8")).profiles;
}

const first = new Map(servers.map((server) => [`planted/${server}`, 0]));
let falseLines = 0;
try {
  for (let turn = 1; turn <= Number(turns); turn += 1) {
    for (const profile of oneTurn(turn)) {
      const [line] = profile.functions ?? [];
      const found = line?.name === "planted";
      if (found) first.set(profile.id, (first.get(profile.id) ?? 0) + 1);
      falseLines += (profile.functions ?? []).filter(({ name }) => name !== "planted" && name !== "app").length;
      const said = profile.state === "failed" ? profile.reason : (profile.functions ?? []).map(lineText).join("; ");
      console.log(`${turn} ${profile.id}: ${found ? "found" : "NOT FOUND"}: ${said}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [id, count] of first) console.log(`${id}: the planted function is the first line in ${count} of ${turns}`);
console.log(`lines of other functions than the app's: ${falseLines}`);

function lineText({ name, file, baseUs, headUs, differenceUs, errorUs }) {
  const us = (value) => value.toFixed(2);
  return `${name || file} ${us(baseUs)} -> ${us(headUs)} (${us(differenceUs)} ±${us(errorUs)} µs)`;
}
