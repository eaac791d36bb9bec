/** Results values for tests: what a run on a small machine writes, a failed and a client-bound row included. */
import {
  type CaseResult,
  type CompletedCase,
  type FailedCase,
  type Results,
  SCHEMA_NAME,
  SCHEMA_VERSION,
  type ServerInfo,
  type Summary,
} from "../../src/results/schema.js";

export type SetInfo = Results["sets"][number];

export const granian: ServerInfo = {
  name: "granian",
  title: "Granian",
  version: "2.8.0",
  interface: "rsgi",
  command: ["granian", "--interface", "rsgi", "--host", "127.0.0.1", "--port", "{port}", "--no-ws", "app:app"],
  python: "3.11.2",
  packages: ["click==8.1.8", "granian==2.8.0", "uvloop==0.21.0"],
};

/** Another server of this name. */
export function serverNamed(name: string, change: Partial<ServerInfo> = {}): ServerInfo {
  return { ...granian, name, title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, ...change };
}

const granianAs = (name: string): ServerInfo => ({
  ...granian,
  interface: name,
  command: granian.command.map((word) => (word === "rsgi" ? name : word)),
});

const PERCENTILES = ["mean", "p50", "p60", "p70", "p75", "p80", "p90", "p95", "p99", "max"];

function percentiles(values: readonly (number | undefined)[], times = 1): Summary["latencyMs"] {
  const given = values.flatMap((value, i) => (value === undefined ? [] : [[PERCENTILES[i], value * times]]));
  return Object.fromEntries(given);
}

/** A completed case of `set/slug`; the figures follow from throughput, as those of a closed loop do. */
export function completed(
  id: string,
  title: string,
  connections: number,
  requestsPerSec: number,
  change: Partial<Omit<CompletedCase, "summary">> & { readonly summary?: Partial<Summary> } = {},
): CompletedCase {
  const seconds = 10;
  const mean = (connections / requestsPerSec) * 1000;
  const latencyMs = percentiles([1, 0.9, undefined, undefined, 1.1, undefined, 1.4, 1.7, 2.4, 5], mean);
  const requests = Math.round(requestsPerSec * seconds);
  const failures = change.summary?.failures ?? { total: 0, byKind: {} };
  const cpu = { serverCpuSec: 9.8, clientCpuSec: 7.1, stealShare: 0.004 };
  return {
    id,
    set: id.split("/")[0] ?? id,
    title,
    side: "head",
    knobs: {},
    server: granian,
    connections,
    generatorCommand: ["oha", "-z", `${seconds}s`, "-c", String(connections), "http://127.0.0.1:{port}/b"],
    state: "completed",
    slices: [{ seconds, requests, failures, latencyMs, ...cpu }],
    wallSec: 12.3,
    ...change,
    summary: {
      ...{ requests, requestsPerSec, failures, latencyMs },
      cpuPerRequestUs: 1e6 / requestsPerSec,
      peakMemoryMiB: 31.5,
      clientBound: false,
      serverCpu: 0.98,
      clientCpu: 0.71,
      ...change.summary,
    },
  };
}

export function failed(id: string, title: string, connections: number, change: Partial<FailedCase> = {}): FailedCase {
  const { summary: _, slices: __, wallSec: ___, warnings: ____, ...fields } = completed(id, title, connections, 1000);
  return { ...fields, reason: "the server ended with code 1 before it answered", ...change, state: "failed" };
}

export const interfacesSet: SetInfo = {
  name: "interfaces",
  title: "Interfaces",
  description: "Comparison between application protocols using a 4 bytes plain text response.",
  methodology: ["All rows run with runtime-mode st.", "Each case is measured for 10 s with oha."],
  label: "Request",
  knobColumns: {},
  columns: ["requests", "rps", "mean", "max"],
};

const interfaceCases: CaseResult[] = [
  completed("interfaces/rsgi-bytes", "RSGI bytes", 256, 90119.4, { summary: { clientBound: true, clientCpu: 0.99 } }),
  failed("interfaces/rsgi-str", "RSGI str", 256, {
    log: "Traceback (most recent call last):\n  File \"app.py\", line 3, in <module>\nModuleNotFoundError: No module named 'orjson'\n",
  }),
  completed("interfaces/asgi-echo", "ASGI echo", 64, 50302.1, {
    server: granianAs("asgi"),
    warnings: ["the warm-up did not become steady within 6 s"],
  }),
  completed("interfaces/asgi-echo", "ASGI echo", 128, 49100.7, { server: granianAs("asgi") }),
  completed("interfaces/wsgi-echo", "WSGI echo", 256, 5824.1, {
    server: granianAs("wsgi"),
    summary: { failures: { total: 32, byKind: { "status 500": 12, connection: 20 } } },
  }),
  (() => {
    const { reason: _, log: __, ...fields } = failed("interfaces/rsgi-314", "RSGI on Python 3.14", 256);
    return { ...fields, state: "skipped", reason: "no Python 3.14 on this machine" };
  })(),
];

const concurrencySet: SetInfo = {
  name: "concurrency",
  title: "Concurrency",
  methodology: ["Concurrencies: 256, 512; the best one of each row is shown."],
  label: "Mode",
  knobColumns: { Processes: "workers", Threads: "threads" },
  columns: ["requests", "rps", "mean", "max"],
  boldBestPer: "runtime-mode",
};

const concurrencyCases: CaseResult[] = ["ASGI", "RSGI"].flatMap((group, g) =>
  ["workers", "runtime"].flatMap((mode, m) =>
    [1, 2].map((workers) => {
      const id = `concurrency/${group.toLowerCase()}-${mode}-${workers}`;
      const knobs = { "runtime-mode": mode, workers, threads: 1 };
      return completed(id, mode, 256 * workers, 30000 + 9000 * workers - 4000 * m + 2000 * g, { group, knobs });
    }),
  ),
);

const flask: ServerInfo = {
  name: "flask-dev",
  title: "Flask",
  version: "3.1.2",
  interface: "wsgi",
  command: ["flask", "run", "--no-reload", "--without-threads", "--port", "{port}"],
  python: "3.11.2",
  packages: ["Flask==3.1.2", "Werkzeug==3.1.3", "numpy==2.3.5"],
};

const cpuBoundSet: SetInfo = {
  name: "cpu-bound",
  title: "CPU bound",
  description: "Api call runs `long_running(1000)`\nin one thread.",
  methodology: ["A request that takes longer than 30 s counts as failed."],
  label: "Server",
  knobColumns: {},
  columns: ["failures", "rps", "mean-ms", "p50", "p60", "p70", "p80", "p90", "p100"],
};

const cpuBoundCases: CaseResult[] = [
  completed("cpu-bound/flask-dev", "Flask dev server", 100, 7.4679, {
    server: flask,
    summary: {
      latencyMs: percentiles([
        ...[11154.896, 13286.598, 13322.174, 13359.673, 13366.1],
        ...[13373.536, 13387.462, 13390.1, 13401.9, 13425.304],
      ]),
    },
  }),
  completed("cpu-bound/flask-threads", "Flask dev server with thread", 100, 5.5405, {
    server: { ...flask, command: ["flask", "run", "--no-reload", "--with-threads", "--port", "{port}"] },
    summary: {
      failures: { total: 20, byKind: { timeout: 20 } },
      latencyMs: percentiles([
        ...[16841.293, 16996.028, 17699.362, 18516.866, 19001.2],
        ...[19429.687, 20597.602, 21400, 23000.5, 23434.957],
      ]),
    },
  }),
];

/** Three sets: every state of a row, groups with bold rows, and the percentile columns. */
export function sampleResults(change: Partial<Results> = {}): Results {
  return {
    schema: SCHEMA_NAME,
    version: SCHEMA_VERSION,
    run: {
      id: "20250130T022811-4f1c",
      startedAt: "2025-01-30T02:28:11Z",
      finishedAt: "2025-01-30T02:33:02Z",
      tool: { version: "0.1.0" },
      git: { sha: "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3", ref: "main" },
      profile: "standard",
      command: ["node", "dist/cli.js", "run", "interfaces", "concurrency", "cpu-bound"],
      warnings: ["2 CPUs: the server runs on one, the load generator on the other."],
      measuredSec: 291,
      loadShare: 0.83,
    },
    environment: {
      cpuModel: "AMD Ryzen 7 5700X",
      cpus: 2,
      os: "Ubuntu 24.04",
      kernel: "6.8.0-51-generic",
      memoryMiB: 7942,
      python: "3.11.2",
      loadGenerators: { oha: "1.16.0" },
      governor: "performance",
      serverCpus: "0",
      clientCpus: "1",
      fingerprint: "9b1d0c7e",
    },
    sets: [interfacesSet, concurrencySet, cpuBoundSet],
    cases: [...interfaceCases, ...concurrencyCases, ...cpuBoundCases],
    ...change,
  };
}

/** One set, these cases. */
export function resultsOf(cases: readonly CaseResult[], change: Partial<Results> = {}): Results {
  return sampleResults({ sets: [interfacesSet], cases: [...cases], ...change });
}
