/** Results files as large runs write them, the same ones every time, and how to see what a process needed. */

const ROWS_PER_SHARD = 10;
const SETS = 20;
/** Pairs per row: most rows are decided at the second test. */
const PAIRS = [4, 4, 6, 6, 6, 6, 6, 9, 9, 18];
/** As base and head take turns in a pair. */
const ORDER = ["base", "head", "head", "base", "base", "head", "head", "base"];

let state = 1;

/** Uniform on (0, 1): mulberry32, so that every run merges the same files. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
}

function around(value, share = 0.02) {
  return value * (1 + share * (random() - 0.5));
}

function latency(ms) {
  const of = { mean: 1, p50: 0.9, p75: 1.1, p90: 1.4, p95: 1.7, p99: 2.4, max: 5 };
  return Object.fromEntries(Object.entries(of).map(([name, factor]) => [name, around(ms * factor)]));
}

function slice(paired) {
  const { seconds, requests, serverCpuSec } = paired;
  const failures = { total: 0, byKind: {} };
  return {
    seconds,
    requests,
    failures,
    latencyMs: latency(3.1),
    serverCpuSec,
    clientCpuSec: around(0.2),
    stealShare: 0,
  };
}

function pair(slowdown) {
  const slices = ORDER.map((side) => {
    const seconds = around(0.3);
    const requests = Math.round(around(6000) / (side === "head" ? slowdown : 1));
    const serverCpuSec = Number(around(0.29).toFixed(2));
    return { side, seconds, requests, serverCpuSec, stealShare: 0, othersShare: around(0.01) };
  });
  return { seconds: around(4.5), slices };
}

function rowOf(set, index) {
  const id = `${set}/row-${index}-of-a-scenario`;
  const title = `Row ${index} of a scenario`;
  const slowdown = index % 25 === 0 ? 1.1 : 1;
  const recorded = Array.from({ length: PAIRS[index % PAIRS.length] }, () => pair(slowdown));
  const cases = ["base", "head"].map((side) => {
    const slices = recorded.flatMap((one) => one.slices.filter((of) => of.side === side).map(slice));
    const requests = slices.reduce((sum, one) => sum + one.requests, 0);
    return {
      id,
      set,
      title,
      side,
      knobs: { http: "1", workers: 1, threads: 1, "runtime-mode": "st", loop: "uvloop" },
      server: {
        name: "granian",
        title: "Granian",
        version: "2.8.7",
        interface: "asgi",
        python: "3.13.1",
        command: "granian --interface asgi --host 127.0.0.1 --port {port} --log-level warning --http 1 app:app".split(
          " ",
        ),
        packages: ["click==8.3.1", "granian==2.8.7", "uvloop==0.23.0"],
      },
      connections: 64,
      generatorCommand: "oha --no-tui --output-format json -z 300ms -c 64 http://127.0.0.1:{port}/b".split(" "),
      state: "completed",
      summary: {
        requests,
        requestsPerSec: around(20_000),
        failures: { total: 0, byKind: {} },
        latencyMs: latency(3.1),
        cpuPerRequestUs: around(48),
        peakMemoryMiB: around(31),
        clientBound: index % 40 === 0,
        serverCpu: around(0.97),
        clientCpu: around(0.7),
      },
      slices,
      wallSec: around(32),
    };
  });
  const metric = {
    verdict: "unchanged",
    change: 0,
    interval: [-0.01, 0.01],
    p: 0.5,
    minimumDetectable: 0.02,
    pairs: 5,
  };
  const row = {
    id,
    connections: 64,
    title,
    verdict: "unchanged",
    metrics: { throughput: metric },
    seconds: 23,
    recorded,
  };
  return { cases, row };
}

/** One of `of` results files: rows that were measured in pairs. */
export function shard(number, of, rowsPerShard = ROWS_PER_SHARD) {
  const set = `set-${number % SETS}`;
  const first = Math.floor(number / SETS) * rowsPerShard;
  const rows = Array.from({ length: rowsPerShard }, (_, i) => rowOf(set, first + i));
  const command = ["server-bench", "run", `${set}/*`, "--base", "main", "--shard", `${number + 1}/${of}`];
  return {
    schema: "server-bench/results",
    version: 1,
    run: {
      id: `run-${number}`,
      startedAt: "2025-01-30T02:28:11Z",
      finishedAt: "2025-01-30T02:33:02Z",
      tool: { version: "0.1.0" },
      git: { sha: "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3" },
      profile: "standard",
      command,
      warnings: [],
      measuredSec: 291,
      loadShare: 0.83,
      shard: { index: number + 1, of },
    },
    environment: {
      cpuModel: "AMD EPYC 7763",
      cpus: 4,
      os: "Ubuntu 24.04",
      kernel: "6.8.0-51-generic",
      memoryMiB: 15_900,
      python: "3.13.1",
      loadGenerators: { oha: "1.16.0" },
      serverCpus: "0-1",
      clientCpus: "2-3",
      fingerprint: "9b1d0c7e",
    },
    sets: [
      {
        ...{
          name: set,
          title: `Set ${number % SETS}`,
          methodology: ["Each row is measured with oha."],
          label: "Request",
        },
        knobColumns: {},
        columns: ["requests", "rps", "mean", "max"],
      },
    ],
    cases: rows.flatMap(({ cases }) => cases),
    comparison: {
      mode: "paired",
      base: { ref: "main", sha: "abc" },
      rows: rows.map(({ row }) => row),
      apart: [],
      command,
    },
  };
}

/** Of the whole process, from the kernel, at its very end. */
export const PEAK = `data:text/javascript,${encodeURIComponent(
  'import{readFileSync as r,writeSync as w}from"node:fs";process.on("exit",()=>w(3,r("/proc/self/status","utf8")))',
)}`;
