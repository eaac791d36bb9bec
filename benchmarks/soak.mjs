/**
 * Pairs for a long time: does the tool's memory grow, does it lose file handles or processes? Samples every 5 s; the first quarter
 * of the time does not count. Prints the slope of each with its standard error, and what the results hold; ends with 1 where one grows, where a
 * row failed, where a process is left at the end, or where the peak of the memory is too high. It then keeps its folder.
 * With several metrics each kind gets its share of the time: timed pairs, counted rounds, sampled memory.
 * Usage: node benchmarks/soak.mjs [MINUTES] [METRICS] [CLI.js]
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const minutes = Number(process.argv[2] ?? 60);
const metrics = process.argv[3] ?? "throughput,cpu";
const cli = process.argv[4] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const SAMPLE_SEC = 5;
/** More than the time has room for. */
const ROWS = Math.ceil(minutes * 4);
const PEAK_LIMIT_MIB = 200;
/** Neighbouring samples resemble each other, so slopes are fitted to this many means of consecutive samples. */
const BLOCKS = 12;
/**
 * Something grows where its slope is beyond twice its standard error, above `perHour`, and above `inAll` over the counted time.
 * The results hold some 8 MiB an hour, and the heap of Node takes some MiB in its first minutes: a short soak shows large leaks only.
 */
const GROWTH_LIMITS = {
  memoryMiB: { perHour: 12, inAll: 10 },
  handles: { perHour: 5, inAll: 3 },
  processes: { perHour: 5, inAll: 3 },
};

const APP = `
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;

function write(folder, app) {
  mkdirSync(join(folder, "bench"), { recursive: true });
  mkdirSync(join(folder, "app"));
  writeFileSync(join(folder, "app/app.py"), app);
  writeFileSync(
    join(folder, "bench/servers.yml"),
    "apps:\n  app: { interface: asgi, path: ../app }\nrequests:\n  greeting: { path: /, expect: { body: { text: Hello } } }\n",
  );
  const rows = Array.from({ length: ROWS }, (_, i) => `  - { title: row ${i + 1}, app: app }`).join("\n");
  writeFileSync(
    join(folder, "bench/mine.yml"),
    `title: Mine\nlabel: App\ndefaults: { server: granian, request: greeting, connections: 16 }\nrows:\n${rows}\n`,
  );
}

/** Least squares, with the standard error of the slope: per hour. */
function slopeOf(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const sxx = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / sxx;
  const residual = points.reduce((sum, point) => sum + (point.y - y - slope * (point.x - x)) ** 2, 0);
  return { slope, error: Math.sqrt(residual / (points.length - 2) / sxx) };
}

/** Consecutive samples in blocks of the same length, give or take one sample. */
function blocksOf(samples) {
  const from = (i) => Math.round((i * samples.length) / BLOCKS);
  return Array.from({ length: BLOCKS }, (_, i) => samples.slice(from(i), from(i + 1)));
}

function meanOf(samples, name) {
  return samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length;
}

function growthOf(samples, name) {
  const values = samples.map((sample) => sample[name]);
  const { slope, error } = slopeOf(
    blocksOf(samples).map((block) => ({ x: meanOf(block, "hours"), y: meanOf(block, name) })),
  );
  const inAll = slope * ((samples.at(-1)?.hours ?? 0) - (samples[0]?.hours ?? 0));
  const limit = GROWTH_LIMITS[name];
  return {
    first: round(values[0]),
    most: round(Math.max(...values)),
    last: round(values.at(-1)),
    perHour: round(slope),
    standardError: round(error),
    grows: slope > 2 * error && slope > limit.perHour && inAll > limit.inAll,
  };
}

/** What the results alone take in the heap of a process that holds them: this much growth is no leak. */
function heldMiB(file) {
  const script = `
    const text = require("node:fs").readFileSync(process.argv[1], "utf8");
    gc();
    const before = process.memoryUsage().heapUsed;
    globalThis.results = JSON.parse(text);
    gc();
    console.log((process.memoryUsage().heapUsed - before) / 2 ** 20);`;
  return round(Number(execFileSync(process.execPath, ["--expose-gc", "-e", script, file], { encoding: "utf8" })));
}

/** What was asked for and not measured: a soak without it shows nothing. */
function missingKinds({ pairs, countedRounds, memoryPairs, hours }) {
  const asked = metrics.split(",");
  const timed = asked.some((name) => !["instructions", "memory"].includes(name));
  return [
    ...(timed && pairs === 0 ? ["no pair was measured"] : []),
    ...(asked.includes("instructions") && countedRounds === 0 ? ["no instructions were counted"] : []),
    ...(asked.includes("memory") && memoryPairs === 0 ? ["no memory was sampled"] : []),
    ...(hours * 60 < 0.8 * minutes ? [`it ended after ${Math.round(hours * 60)} minutes`] : []),
  ];
}

function sumOf(rows, of) {
  return rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);
}

function round(value) {
  return Number(value.toFixed(2));
}

/** Every process of the machine, with its parent and its start: a number can be used again. */
function processes() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), state: fields[0], parent: Number(fields[1]), key: `${name} ${fields[19]}` }];
      } catch {
        return [];
      }
    });
}

/** The processes below one, at any depth. Those that ended and were not waited for are among them. */
function processesBelow(root) {
  const all = processes();
  const found = [];
  for (let parents = new Set([root]); parents.size > 0; ) {
    const children = all.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return found;
}

/** Undefined: the tool has just ended. @param seen keys of all processes that were ever below the tool */
function sampleOf(pid, hours, seen) {
  try {
    const memoryMiB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
    const handles = readdirSync(`/proc/${pid}/fd`).length;
    const below = processesBelow(pid);
    for (const { key } of below) seen.add(key);
    return Number.isFinite(memoryMiB) ? { hours, memoryMiB, handles, processes: below.length } : undefined;
  } catch {
    return undefined;
  }
}

/** Runs the tool until it ends. */
async function soak(root) {
  const args = ["run", "mine", "--scenarios", "bench", "--base", join(root, "base")];
  const limits = [
    ...["--metrics", metrics, "--budget", String(minutes), "--detect", "1", "--profile-rows", "none"],
    ...["--out", join(root, "out")],
  ];
  const tool = spawn(process.execPath, [cli, ...args, ...limits], {
    cwd: join(root, "head"),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const started = performance.now();
  const samples = [];
  const seen = new Set();
  const timer = setInterval(() => {
    const sample = sampleOf(tool.pid, (performance.now() - started) / 3_600_000, seen);
    if (sample !== undefined) samples.push(sample);
  }, SAMPLE_SEC * 1000);
  const code = await new Promise((resolve) => tool.on("close", resolve));
  clearInterval(timer);
  const left = processes().filter(({ key, state }) => seen.has(key) && state !== "Z");
  return { code, samples, left };
}

/** Prints the figures. @returns what is wrong, in words */
function judge({ code, samples, left }, file) {
  const steady = samples.slice(Math.floor(samples.length / 4));
  if (steady.length < BLOCKS)
    return [`${steady.length} samples after the first quarter: at least ${BLOCKS} are needed, give more minutes`];
  const { cases, comparison } = JSON.parse(readFileSync(file, "utf8"));
  const growth = Object.fromEntries(Object.keys(GROWTH_LIMITS).map((name) => [name, growthOf(steady, name)]));
  const peakMiB = Math.round(Math.max(...samples.map(({ memoryMiB }) => memoryMiB)));
  const figures = {
    minutes,
    metrics,
    code,
    rows: comparison.rows.length,
    cases: cases.length,
    pairs: sumOf(comparison.rows, (row) => row.recorded?.length),
    countedRounds: sumOf(comparison.rows, (row) => row.instructions?.rounds?.length),
    memoryPairs: sumOf(comparison.rows, (row) => row.memory?.pairs?.length),
    samples: samples.length,
    hours: round(samples.at(-1).hours),
    peakMiB,
    resultsMiB: heldMiB(file),
    ...growth,
    processesLeft: left.length,
  };
  console.log(JSON.stringify(figures, null, 2));
  return [
    ...Object.entries(growth).flatMap(([name, { grows, perHour }]) =>
      grows ? [`${name}: grows by ${perHour} per hour`] : [],
    ),
    ...cases.flatMap(({ id, side, state, reason }) =>
      state === "failed" ? [`${side} of ${id} failed: ${reason}`] : [],
    ),
    ...missingKinds(figures),
    ...(left.length > 0 ? [`processes that did not end: ${left.map(({ pid }) => pid).join(", ")}`] : []),
    ...comparison.rows.flatMap(({ id, instructions, memory }) =>
      [instructions, memory].flatMap((one) => {
        const { failedIn, reason } = one?.stopped ?? one ?? {};
        return failedIn === undefined ? [] : [`${id} failed: ${reason}`];
      }),
    ),
    ...(peakMiB > PEAK_LIMIT_MIB ? [`the peak of ${peakMiB} MiB is above ${PEAK_LIMIT_MIB} MiB`] : []),
  ];
}

const root = mkdtempSync(join(tmpdir(), "server-bench-soak-"));
let isWhole = false;
try {
  for (const [side, app] of [
    ["base", APP],
    ["head", `${APP}# Changed\n`],
  ])
    write(join(root, side), app);
  const soaked = await soak(root);
  const wrong =
    soaked.code === 0 ? judge(soaked, join(root, "out/results.json")) : [`the tool ended with code ${soaked.code}`];
  for (const text of wrong) console.error(`soak: ${text}`);
  isWhole = wrong.length === 0;
  for (const { pid } of soaked.left) process.kill(pid);
} finally {
  if (isWhole) rmSync(root, { recursive: true, force: true });
  else {
    console.error(`soak: what was measured is in ${root}`);
    process.exitCode = 1;
  }
}
