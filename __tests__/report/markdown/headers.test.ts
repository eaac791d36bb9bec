/**
 * Every set of scenarios/ against the published page it regenerates: the header row, the headings of its tables, and the
 * page's own rows at the page's concurrency. What a page left out, a set may add.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { planRun } from "../../../src/plan/plan.js";
import type { PlannedSet } from "../../../src/plan/types.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import type { CaseResult, Results } from "../../../src/results/schema.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { completed, granian, resultsOf } from "../../support/results.js";

interface Page {
  readonly header: string;
  /** Headings of the tables; none where the set is one table. */
  readonly groups?: readonly string[];
  /** First cell of the page's rows, in its order; the first two where one does not tell them apart. */
  readonly rows?: readonly string[];
}

const FIGURES = "Total requests | RPS | avg latency | max latency";
const GET_AND_ECHO = (servers: readonly string[], connections: number) =>
  servers.flatMap((server) => ["get 10KB", "echo 10KB (iter)"].map((kind) => `${server} ${kind} (c${connections})`));

const PAGES: Readonly<Record<string, Page>> = {
  concurrency: {
    header: `Mode | Processes | Threads | Blocking Threads | ${FIGURES}`,
    groups: ["ASGI", "RSGI", "WSGI"],
  },
  "rsgi-response-types": {
    header: `Type | ${FIGURES}`,
    rows: ["bytes small (c256)", "str small (c256)", "bytes big (c128)", "str big (c128)"],
  },
  interfaces: {
    header: `Request | ${FIGURES}`,
    rows: [
      ...["RSGI bytes (c256)", "RSGI str (c256)", "RSGI echo (c256)"],
      ...["ASGI bytes (c128)", "ASGI str (c128)", "ASGI echo (c64)"],
      ...["WSGI bytes (c256)", "WSGI str (c64)", "WSGI echo (c256)"],
    ],
  },
  http2: {
    header: `Request | ${FIGURES}`,
    rows: ["HTTP/1 [GET] (c256)", "HTTP/1 [POST] (c128)", "HTTP/2 [GET] (c256)", "HTTP/2 [POST] (c128)"],
  },
  files: { header: `Request | ${FIGURES}`, rows: ["RSGI (c256)", "ASGI (c64)", "ASGI pathsend (c512)"] },
  "python-versions": { header: `Python version | Request | ${FIGURES}` },
  "event-loops": { header: `Request | ${FIGURES}` },
  "vs-asgi": {
    header: `Server | ${FIGURES}`,
    rows: GET_AND_ECHO(["Granian Asgi", "Uvicorn H11", "Uvicorn Httptools", "Hypercorn"], 128),
  },
  "vs-wsgi": {
    header: `Server | ${FIGURES}`,
    rows: GET_AND_ECHO(["Granian Wsgi", "Gunicorn Gthread", "Gunicorn Gevent", "Uwsgi"], 64),
  },
  "vs-http2": { header: `Server | ${FIGURES}`, rows: GET_AND_ECHO(["Granian Asgi", "Hypercorn"], 128) },
  "vs-files": {
    header: `Server | ${FIGURES}`,
    rows: ["Granian (pathsend) (c128)", "Uvicorn H11 (c128)", "Uvicorn Httptools (c128)", "Hypercorn (c128)"],
  },
  "long-io": {
    header: `Server | ${FIGURES}`,
    rows: [
      ...["Granian Rsgi", "Granian Asgi", "Granian Wsgi", "Uvicorn Httptools", "Hypercorn", "Gunicorn Gevent", "Uwsgi"],
    ].flatMap((server) => [`${server} 10ms (c512)`, `${server} 100ms (c512)`]),
  },
  websockets: {
    header: "Clients | Server | Send throughput | Receive throughput | Combined throughput",
    rows: [8, 16, 32].flatMap((clients) =>
      ["Granian Rsgi", "Granian Asgi", "Uvicorn H11", "Hypercorn"].map((server) => `${clients} | ${server}`),
    ),
  },
  // This page has charts of the two figures and names its servers in the text.
  "hello-wsgi": { header: "Server | RPS | Total requests | avg latency | max latency" },
  "hello-flask": { header: "Server | RPS | Total requests | avg latency | max latency" },
  // This page lists the figures line by line: failures, requests per second, time per request, percentiles.
  "cpu-bound": {
    header: "Server | Failures | RPS | Time per request (ms) | 50% | 60% | 70% | 80% | 90% | 100%",
    groups: ["Sync", "Async"],
  },
  "json-plaintext": { header: `Server | ${FIGURES}`, groups: ["Plain text", "JSON"] },
};

/** As many as the machine of the concurrency page had. */
const CORES = 32;
const { sets } = await planRun({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  cwd: "/",
  selectors: [],
  profile: "standard",
  cores: CORES,
});

/** Sets that no published page has. */
const WITHOUT_PAGE = [
  ...["all-servers", "connections", "frameworks", "free-threading", "latency", "memory", "startup", "streaming"],
  ...["tls", "unix-sockets", "uploads", "workers"],
];

/** A result for each case of the set, the first concurrency of a row being the fastest. */
function resultsFor(set: PlannedSet): Results {
  const cases: CaseResult[] = set.rows.flatMap((row) =>
    row.connections.map((connections, i) =>
      completed(row.id, row.title, connections, 10_000 - i, {
        knobs: { ...row.knobs },
        server: { ...granian, name: row.server.name, title: row.server.title, interface: row.server.interface },
        ...(row.group === undefined ? {} : { group: row.group }),
      }),
    ),
  );
  const { rows: _, ...info } = set;
  return resultsOf(cases, { sets: [JSON.parse(JSON.stringify(info))] });
}

/** Report up to the evidence: headings and tables of the set itself. */
function tablesAndHeadings(set: PlannedSet) {
  const [page = ""] = renderGfm(renderReport(resultsFor(set))).split("<details>");
  const headings = [...page.matchAll(/<h3>(.*?)<\/h3>/g)].map((match) => match[1]);
  return { headings, tables: tablesOf(page) };
}

it("knows the page of every set that regenerates one", () => {
  expect(sets.map((set) => set.name).sort()).toEqual([...Object.keys(PAGES), ...WITHOUT_PAGE].sort());
});

const regenerated = sets.filter(({ name }) => name in PAGES).map((set) => [set.name, set] as const);

describe.each(regenerated)("%s", (name, set) => {
  const page = PAGES[name];
  const { headings, tables } = tablesAndHeadings(set);

  it("has the page's header rows and headings", () => {
    expect(headings).toEqual(page?.groups ?? []);
    expect(tables).toHaveLength(page?.groups?.length ?? 1);
    for (const table of tables) expect(table[0]?.join(" | ")).toBe(page?.header);
  });

  it("has the page's rows, in its order", () => {
    const wanted = [...(page?.rows ?? [])];
    const cells = wanted[0]?.split(" | ").length ?? 1;
    const first = tables.flatMap((table) => table.slice(1).map((row) => row.slice(0, cells).join(" | ")));
    const inOrder = first.filter((cell) => cell === wanted[0] && wanted.shift() !== undefined);
    expect({ inOrder, missing: wanted }).toEqual({ inOrder: page?.rows ?? [], missing: [] });
  });
});

describe("concurrency on the page's 32 CPUs", () => {
  const { tables } = tablesAndHeadings(sets.find((set) => set.name === "concurrency") as PlannedSet);
  it("has the page's processes, threads and blocking threads, one row for each mode", () => {
    expect(tables.map((table) => table.length - 1)).toEqual([30, 30, 50]);
    for (const table of tables) {
      const column = (i: number) => [...new Set(table.slice(1).map((row) => Number(row[i])))].sort((a, b) => a - b);
      expect(column(1)).toEqual([1, 2, 13, 16, 32]);
      expect(column(2)).toEqual([1, 2, 4]);
    }
    expect(new Set(tables[2]?.slice(1).map((row) => row[3]))).toEqual(new Set(["1", "2", "4"]));
  });
  it("has every concurrency of the page", () => {
    const rows = sets.find((set) => set.name === "concurrency")?.rows ?? [];
    for (const row of rows) expect([...row.connections].sort((a, b) => a - b)).toEqual([256, 512, 1024, 2048]);
  });
});

describe("cpu-bound", () => {
  it("has every server of the page in its part, and the one that the page left out", () => {
    const { tables } = tablesAndHeadings(sets.find((set) => set.name === "cpu-bound") as PlannedSet);
    const [sync, async_] = tables.map((table) => table.slice(1).map((row) => row[0]));
    expect(sync).toEqual([
      ...["Flask dev server (c100)", "Flask dev server with thread (c100)"],
      ...["1 process x 50", "1 process x 200", "4 processes x 50"].map(
        (size) => `Flask + uwsgi, ${size} threads (c100)`,
      ),
      ...["1 process x 50", "1 process x 200", "4 processes x 50"].map(
        (size) => `Flask + gunicorn, ${size} threads (c100)`,
      ),
      "gRPC (c100)",
    ]);
    const sizes = ["1 process", "4 processes"];
    expect(async_).toEqual([
      "Flask + gevent pywsgi (c100)",
      ...sizes.map((size) => `Flask + gevent + uwsgi, ${size} (c100)`),
      ...sizes.map((size) => `Flask + gevent + gunicorn, ${size} (c100)`),
      ...sizes.map((size) => `FastAPI + uvicorn, ${size} (c100)`),
      ...sizes.map((size) => `FastAPI + uvicorn + gunicorn, ${size} (c100)`),
      "asyncio gRPC (c100)",
    ]);
  });
});

it("hello pages have the page's servers and its two charts", () => {
  for (const [name, others] of [
    ["hello-wsgi", "Uvicorn (ASGI)"],
    ["hello-flask", "Flask dev server"],
  ] as const) {
    const set = sets.find((candidate) => candidate.name === name);
    expect(set?.charts).toEqual(["rps", "requests"]);
    const titles = set?.rows.map((row) => row.title);
    for (const title of ["FastWSGI", "bjoern", "Cheroot", "Gunicorn", "uWSGI", "Waitress", others])
      expect(titles).toContain(title);
  }
});
