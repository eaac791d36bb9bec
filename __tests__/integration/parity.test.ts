/**
 * Parity: every server of servers.yml, started in every way that its knobs and HTTP versions allow, gives the expected
 * bytes, type and length for every request that its app has. So no server wins by doing less.
 */
import { readdirSync, readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import { attempt } from "../../src/measure/server/attempt.js";
import { type Exchange, expectedOf, makeExchange } from "../../src/measure/server/exchange.js";
import { difference, type Expected } from "../../src/measure/server/expected.js";
import type { Answer } from "../../src/measure/server/probe.js";
import { startReady } from "../../src/measure/server/start.js";
import { appFolder } from "../../src/plan/app.js";
import { planRun } from "../../src/plan/plan.js";
import { plannedRequest } from "../../src/plan/request.js";
import type { PlannedRequest, PlannedRow } from "../../src/plan/types.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { makeFiles } from "../../src/provision/payload-files.js";
import { provision } from "../../src/provision/provision.js";
import type { Provisioned } from "../../src/provision/types.js";
import { type TestRun, testRun } from "../support/run.js";
import { scenarioFolder } from "../support/scenarios.js";
import { isHttp, tlsVariantsOf, variantsOf } from "../support/variants.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Cold: a dozen environments, uWSGI and gevent among them, are built beside three other files. */
const PROVISION_MS = 1_200_000;
const NOT_FOUND = 404;
/** What the ASGI app answers where the server has no pathsend. */
const NOT_IMPLEMENTED = 501;

const OPTIONS = { root: ROOT, cwd: ROOT, profile: "quick", cores: 2 };
const builtin = await planRun({ ...OPTIONS, selectors: [] });
const parity = { title: "Parity", rows: variantsOf(builtin) };
const tls = { title: "TLS", rows: tlsVariantsOf(builtin) };
const files = { "parity.yml": JSON.stringify(parity), "over-tls.yml": JSON.stringify(tls) };
const scenarios = await scenarioFolder(files);
const planned = await planRun({ ...OPTIONS, scenarios, selectors: ["parity", "over-tls"] });
const rowsOf = (name: string) => planned.sets.filter((set) => set.name === name).flatMap(({ rows: of }) => of);
const [rows, overTls] = [rowsOf("parity"), rowsOf("over-tls")];
/** `interface folder request`, and with the server before it, of every row of the built-in sets. */
const used = new Set(
  builtin.sets.flatMap((one) => one.rows).flatMap((row) => [pair(row), `${row.server.name} ${pair(row)}`]),
);

function pair({ server, request }: PlannedRow): string {
  return `${server.interface} ${server.cwd} ${request.name}`;
}

let run: TestRun;
let filesDir: string;
let provisioned: Provisioned;
beforeAll(async () => {
  run = testRun();
  filesDir = join(run.tempDir, "files");
  await makeFiles(filesDir);
  const progress = { started() {}, update() {}, finished() {}, failed() {}, note() {} };
  provisioned = await provision([...rows, ...overTls], { run, env: process.env, progress });
}, PROVISION_MS);
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await rm(scenarios, { recursive: true, force: true });
});

/** A server that does not read a body of this size may close the connection while it is sent. */
const LARGE_BYTES = 500_000;

function isLarge({ body }: PlannedRequest): boolean {
  return body?.kind === "repeat" && body.sizeBytes >= LARGE_BYTES;
}

/** The row with each HTTP request of the library in its place; a large body only where the app has the route. */
function withEveryRequest(row: PlannedRow): PlannedRow[] {
  const requests = [...planned.library.requests].flatMap(([name, entry]) =>
    entry.value.grpc === undefined ? [plannedRequest(name, entry, row.server.interface)] : [],
  );
  return requests
    .filter(isHttp)
    .map((request) => ({ ...row, request }))
    .filter((asked) => !isLarge(asked.request) || used.has(pair(asked)));
}

/** socketify drops the length that the app gave, and sends chunks where the request's body did not arrive in one piece. */
function isInServersPieces({ server, request }: PlannedRow, { length }: Answer): boolean {
  return server.name === "socketify" && request.path === "/echo/stream" && length === undefined;
}

/** Type and length of an answer: the same from every app and server that gives it. */
const heads = new Map<string, { readonly head: string; readonly from: string }>();
/** Folder of an app -> its routes: the same under every server. */
const routes = new Map<string, readonly string[]>();

/** Generous: a CPU-bound request on a machine that is busy otherwise. */
const ANSWER_MS = 20_000;

async function ask(port: number, { http, request }: PlannedRow, body?: Buffer): Promise<Answer> {
  const { method, path, headers } = request;
  const answer = await attempt({ port, method, path, headers, body, http }, ANSWER_MS, run.signal);
  if (answer.kind === "none") throw new Error(`${path}: ${answer.why}`);
  return answer;
}

/** What is wrong with an answer, in words; undefined where nothing is. */
function wrongWith(row: PlannedRow, answer: Answer, expected: Expected): string | undefined {
  const extension = answer.status === NOT_IMPLEMENTED && !used.has(`${row.server.name} ${pair(row)}`);
  const missing = answer.status === NOT_FOUND && !used.has(pair(row));
  if (extension || missing) return undefined;
  const { name } = row.request;
  const head = `content-type ${answer.type}, content-length ${answer.length}`;
  const first = heads.get(name) ?? { head, from: row.title };
  heads.set(name, first);
  const differs = difference(answer, expected);
  if (differs !== undefined) return `${name}: ${differs.words}`;
  return head === first.head || isInServersPieces(row, answer)
    ? undefined
    : `${name}: ${head}, but ${first.head} from ${first.from}`;
}

/** A request whose parameters each framework validates: a number from 1 on, and a text of at most 50 characters. */
const VALIDATED = "framework-item";
const WRONG_PARAMETERS = ["/items/x?q=shoes", "/items/0?q=shoes", "/items/42", `/items/42?q=${"x".repeat(51)}`];

/** Wrong parameters that are not refused: a framework must not win by validating less. */
async function acceptedParameters(row: PlannedRow, port: number): Promise<string[]> {
  const accepted: string[] = [];
  for (const path of WRONG_PARAMETERS) {
    const { status } = await ask(port, { ...row, request: { ...row.request, path } });
    if (status < 400 || status > 499) accepted.push(`${path}: ${status}`);
  }
  return accepted;
}

/** By what it sends and expects: a hundred servers are asked the same. */
const exchanges = new Map<string, Promise<Exchange>>();

async function exchangeOf(row: PlannedRow): Promise<Exchange> {
  const key = JSON.stringify(row.request);
  const made = exchanges.get(key) ?? makeExchange(row, filesDir);
  exchanges.set(key, made);
  return await made;
}

/** The server of a row, ready. The caller ends it. */
async function start(row: PlannedRow) {
  const ready = provisioned.environments.get(environmentKey(row.environment));
  if (ready?.state !== "ready") throw new Error(`no environment: ${JSON.stringify(ready)}`);
  const context = { run, cpus: splitCpus(readTopology()), filesDir, env: process.env };
  const started = await startReady(row, ready, await makeExchange(row, filesDir), context);
  if (started.state === "failed") throw new Error(`${started.reason}\n${started.log}`);
  return started;
}

async function startOneOf(server: string) {
  const row = rows.find((one) => one.server.name === server);
  if (row === undefined) throw new Error(`no row of ${server}`);
  return await start(row);
}

it("has a row of HTTP/2 over TLS for every server that speaks it", () => {
  const able = [...builtin.library.servers].filter(([, { value }]) => value.tls?.http.includes(2));
  const having = builtin.sets.flatMap((one) => one.rows).filter((row) => row.tls && row.http === 2);
  expect([...new Set(having.map(({ server }) => server.name))].sort()).toEqual(able.map(([name]) => name).sort());
  expect(able.map(([name]) => name)).toContain("gunicorn");
});

describe("over TLS, a server agrees on its HTTP version and answers", () => {
  it.for(overTls.map((row) => [row.title, row] as const))("%s", async ([, row]) => {
    const { server } = await start(row);
    await server[Symbol.asyncDispose]();
  });
});

it("ends Robyn when it is asked to, without the wait before a server is killed", async () => {
  const { server } = await startOneOf("robyn");
  await using _ = server;
  await server.stop();
  // SIGKILL otherwise.
  expect(await server.exited).toMatchObject({ code: 0, signal: null });
});

it("gives pyvoy's Envoy one worker thread, like the other servers, and not one for each CPU", async () => {
  const { server } = await startOneOf("pyvoy");
  await using _ = server;
  const threads = server
    .processes()
    .flatMap(({ pid }) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, "utf8").trim()),
    );
  expect(threads.filter((name) => name.startsWith("wrk:worker_"))).toEqual(["wrk:worker_0"]);
});

it("has async views in every framework over ASGI: a sync one would run in a thread", async () => {
  const folders = [...planned.library.apps].filter(
    ([name, { value }]) => name.startsWith("framework-") && value.interface === "asgi",
  );
  expect(folders.length).toBeGreaterThan(3);
  for (const [, app] of folders)
    expect(await readFile(join(appFolder(app), "app.py"), "utf8")).not.toMatch(/^def (json_message|item|page)\(/m);
});

describe("every server answers every request of its app with the same bytes", () => {
  it.for(rows.map((row) => [row.title, row] as const))("%s", async ([, row], { skip }) => {
    const ready = provisioned.environments.get(environmentKey(row.environment));
    if (ready?.state === "failed" && row.environment.systemPackages.length > 0) return skip(ready.reason);
    const { server, port } = await start(row);
    await using _ = server;
    const wrong: string[] = [];
    const found: string[] = [];
    for (const asked of withEveryRequest(row)) {
      const { body, routes: asking, learned } = await exchangeOf(asked);
      const [route] = asking;
      if (!route) throw new Error("a row has a request");
      const answer = await ask(port, asked, body);
      if (answer.status !== NOT_FOUND) found.push(asked.request.name);
      const complaint = wrongWith(asked, answer, expectedOf(route, learned));
      if (complaint !== undefined) wrong.push(complaint);
    }
    expect(wrong, server.logTail()).toEqual([]);
    const known = routes.get(row.server.cwd) ?? found;
    routes.set(row.server.cwd, known);
    expect(found).toEqual(known);
    if (found.includes(VALIDATED)) expect(await acceptedParameters(row, port), row.title).toEqual([]);
  });
});
