/** Each reason of the table, made by what it is said of. A reason without an entry here does not compile. */
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { describe, expect, it } from "vitest";
import type { SliceOutcome } from "../../src/measure/generators/contract.js";
import { describeAnswer } from "../../src/measure/preparation/app-check.js";
import { type AppAnswer, parseAnswer } from "../../src/measure/preparation/app-import.js";
import { attempt } from "../../src/measure/server/attempt.js";
import { makeCertificate } from "../../src/measure/server/certificate.js";
import type { Probe } from "../../src/measure/server/probe.js";
import { awaitReady, elsewhereReason, endedEarly, lateReason } from "../../src/measure/server/readiness.js";
import { describeFailures, judgeWindow } from "../../src/measure/window.js";
import { type ReasonKind, reason } from "../../src/messages/reasons.js";
import type { ServerProcess } from "../../src/process/group.js";
import { readStat } from "../../src/process/proc.js";
import { installFailure } from "../../src/provision/environments/install-failure.js";
import { describeFailure } from "../../src/provision/failure-text.js";
import { faultyRow } from "../support/measure.js";

const PAIR = makeCertificate();
const SIGNAL = new AbortController().signal;

/** What an installation says that printed this. */
function install(
  log: string,
  fields: { requires?: string[]; systemPackages?: string[]; chosen?: string[] } = {},
): string {
  const given = { server: "tiny", requires: [], systemPackages: [], logFile: "/x.log", ...fields };
  return describeFailure(installFailure(log, given).failure);
}

/** What is said of an app whose import answers so. */
function imported(answer: object, target = "shop.main:app"): string | undefined {
  const read = parseAnswer(JSON.stringify(answer)) as AppAnswer;
  return describeAnswer(read, target, "asgi");
}

const failed = (error: string, missing: string | null, more: object = {}) =>
  imported({ state: "failed", error, traceback: "", missing, place: "shop/main.py:3", cause: null, ...more });

async function listening<T>(server: Server, use: (port: number) => Promise<T>, host = "127.0.0.1"): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

const probeAt = (port: number, change: Partial<Probe> = {}): Probe => ({
  ...{ port, method: "GET", path: "/", headers: {}, body: undefined, http: 1 },
  ...change,
});

/** What is seen of a server on one request. */
async function asked(server: Server, change: Partial<Probe> = {}): Promise<string> {
  const seen = await listening(server, (port) => attempt(probeAt(port, change), 5000, SIGNAL));
  return seen.kind === "none" ? seen.why : "it answered";
}

/** Why a server of this process is not taken for ready. */
async function notReady(port: number, seconds: number): Promise<string> {
  const own = readStat(process.pid);
  const server = {
    exit: undefined,
    exited: new Promise(() => {}),
    processes: () => (own ? [own] : []),
    logTail: () => "",
  };
  const expected = { status: 200, body: { kind: "bytes", bytes: Buffer.from("right") } } as const;
  const ready = await awaitReady(server as unknown as ServerProcess, probeAt(port), expected, seconds, SIGNAL);
  return ready.state === "failed" ? ready.reason : "it is ready";
}

const answers = (text = "") => http.createServer((_, response) => response.end(text));
const overTls = (cert = PAIR) =>
  https.createServer({ key: cert.key, cert: cert.cert, ALPNProtocols: ["http/1.1"] }, (_, response) => response.end());
const writes = (text: string) =>
  createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.end(text)));

const lateAfter = (words: string, how: "unconnected" | "late") =>
  lateReason(20, { words, attempt: { kind: "none", why: words, how } });

const exit = (code: number) => ({ code, signal: null });

function window(outcome: object, connections: number) {
  const { request } = faultyRow("good");
  const load = {
    request,
    connections,
    seconds: 10,
    closes: false,
    http: 1,
    timeoutSec: 10,
    answers: [],
    waitOngoing: false,
  };
  const server = { exit: undefined, processes: () => [] } as unknown as ServerProcess;
  const taken = { processes: [], serverCpuSec: 1, steal: 0, othersShare: 0, idleCpus: 0, serviceCpus: 0 };
  return judgeWindow(
    server,
    outcome as SliceOutcome,
    load as unknown as Parameters<typeof judgeWindow>[2],
    taken as never,
  );
}

const NEEDS = "Because there is no version of six==9 and you require six==9, we can conclude";

const MADE: Readonly<Record<ReasonKind, readonly [() => string | undefined | Promise<string | undefined>, RegExp]>> = {
  "disk-full": [
    () => install("error: No space left on device (os error 28)"),
    /no space is left.*; free space, or set/,
  ],
  "index-refuses": [() => install("error: 401 Unauthorized"), /; put the index's credentials into ~\/\.netrc/],
  "other-hash": [() => install("error: Hash mismatch for `six==1`"), /Hash mismatch for six==1; the index has another/],
  "hashes-wanted": [() => install("error: In `--require-hashes` mode, all"), /; a requirements file with hashes needs/],
  "other-python": [
    () =>
      install("No solution found\nBecause the current Python version (3.11.7) does not satisfy Python>=3.12 and you"),
    /; name a Python that fits/,
  ],
  "no-version": [
    () => install(`No solution found\n${NEEDS}`),
    /there is no version of six==9; correct the requirements of tiny, or check the index/,
  ],
  "hinted-version": [
    () => install(`No solution found\n${NEEDS}\nhint: \`six\` was found on https://one.example, but not there`),
    /six==9; `six` was found on https:\/\/one\.example, but not there\. Correct the requirements of tiny; the whole log/,
  ],
  hinted: [
    () => install("Package metadata name `a` does not match given name `b`\nhint: rename it"),
    /does not match given name `b`; rename it;/,
  ],
  "index-silent": [() => install("error: Failed to fetch: http://x/"), /; check the network and the package index/],
  "other-distribution": [
    () => install("Package metadata name `a` does not match given name `b`", { chosen: ["b"] }),
    /what was given for b is a: write --server a=PATH/,
  ],
  "system-package": [
    () => install("fatal error: ev.h: No such file", { systemPackages: ["libev-dev"] }),
    /tiny needs Debian packages: apt-get install libev-dev/,
  ],
  "no-rust": [() => install("can't find Rust compiler"), /there is no Rust compiler; install Rust/],

  "import-fails": [
    () => failed("RuntimeError: no settings", null, { cause: { error: "KeyError: 'DB'", place: "shop/db.py:7" } }),
    /^the app does not import: RuntimeError: no settings \(shop\/main\.py:3\), caused by KeyError: 'DB' \(shop\/db\.py:7\)$/,
  ],
  "import-lacks": [() => failed("no yaml", "yaml.part"), /: add what provides yaml to `requires` or `install`/],
  "import-lacks-target": [() => failed("no shop", "shop"), /: correct `path` and `target` of the app/],
  "import-lacks-own": [() => failed("no shop.db", "shop.db"), /: the app's own shop\.db is not there\. Add it/],
  "target-missing": [
    () => imported({ state: "no-object", module: "shop.main", name: "app", callables: ["web"] }),
    /the module shop\.main has no app; it has web: correct `target`/,
  ],
  "target-not-callable": [
    () => imported({ state: "no-callable", type: "dict", callables: [] }),
    /is a dict and cannot be called: `target` names the application object$/,
  ],
  "other-interface": [
    () => imported({ state: "found", takes: "wsgi", framework: "", routes: [], host: null }),
    /looks like a WSGI app, but the scenario file says `interface: asgi`: write `interface: wsgi`/,
  ],

  "ended-early": [() => endedEarly(exit(1), ""), /ended \(exit code 1\) before the right answer came$/],
  "startup-fails": [
    () => endedEarly(exit(0), "[ERROR] boom\nhypercorn.utils.LifespanFailureError: Lifespan failure in startup"),
    /^the app's startup failed \(lifespan\), and the server ended \(exit code 0\): the log has the error$/,
  ],
  background: [() => endedEarly(exit(0), "started as process 7"), /: a server has to stay in the foreground$/],
  "own-address": [() => reason("own-address"), /the app listens on one of its own: base and head run at the same time/],
  "nothing-listens": [
    () => lateAfter("connection refused", "unconnected"),
    /^not ready after 20 s: nothing listens .*: if it needs longer, raise `ready-timeout`.*\{host\} and \{port\}$/,
  ],
  silent: [
    () => lateAfter("no answer within 5000 ms", "late"),
    /it accepts connections and does not answer \(no answer within 5000 ms\): .*`ready-timeout`/,
  ],
  "not-ready": [
    () => lateReason(20, { words: "got status 503", attempt: { kind: "answer", status: 503, body: Buffer.alloc(0) } }),
    /^not ready after 20 s; last seen: got status 503: if it needs longer, raise `ready-timeout`/,
  ],
  "other-port": [
    () => elsewhereReason("listens", "port 8000", { port: 1 }),
    /^it listens on port 8000 and not on the port that it was given \(1\): its command has to pass on \{port\}$/,
  ],
  "no-socket": [
    () => elsewhereReason("answers", "port 8000", { port: 1, socket: "/x" }),
    /^it answers on port 8000 and not on the unix socket .*: its command has to pass on \{socket\}$/,
  ],
  "other-address": [
    () => listening(createServer(), (port) => notReady(port, 0.2), "127.0.0.2"),
    /^it listens on 127\.0\.0\.2 and not on the address that it was given \(127\.0\.0\.1\): .* \{host\}$/,
  ],
  "service-late": [
    () => reason("service-late", { service: "the service store", seconds: 30, seen: "no connection to port 7" }),
    /^the service store is not ready after 30 s \(no connection to port 7\): if it needs longer, raise its `timeout`$/,
  ],

  "wrong-answer": [
    () => listening(answers("wrong"), (port) => notReady(port, 5)),
    /^it answers, but not as expected: expected status 200, 5 bytes "right"; got status 200, 5 bytes "wrong"/,
  ],
  "long-header": [
    () => asked(http.createServer((_, response) => response.setHeader("x", "y".repeat(20_000)).end())),
    /^the header of its answer has more than 16 KiB: let the route send fewer/,
  ],
  "other-protocol": [() => asked(http2.createServer()), /^its answer is not HTTP\/1: compare `http` of the benchmark/],
  "broken-answer": [
    () => asked(writes("HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n")),
    /^its answer is no valid HTTP \(Parse Error: Invalid character in Content-Length\)$/,
  ],
  "plain-to-tls": [
    () => listening(overTls(), (port) => notReady(port, 1)),
    /^its port speaks TLS, but the benchmark connects without TLS: write `tls: true`/,
  ],
  "tls-to-plain": [
    () => asked(answers(), { authority: PAIR.authority }),
    /^its port speaks no TLS: its command has to pass on \{cert\} and \{key\}; or leave `tls` out/,
  ],
  "no-http2-tls": [
    () => asked(overTls(), { authority: PAIR.authority, http: 2 }),
    /^it refuses HTTP\/2 over TLS \(ALPN h2\): turn HTTP\/2 on .* `http: 1`$/,
  ],
  "no-http2": [() => asked(answers(), { http: 2 }), /^it speaks no HTTP\/2 without TLS \(h2c\): turn HTTP\/2 on/],
  "other-certificate": [
    () => asked(overTls(makeCertificate()), { authority: PAIR.authority }),
    /^its certificate is not the one that it was given \(.*\): its command has to pass on \{cert\} and \{key\}$/,
  ],
  timeouts: [
    () => describeFailures({ "status 500": 1, timeout: 64 }),
    /^64 x timeout, 1 x status 500: give the benchmark fewer connections, or raise its `timeout`$/,
  ],
  "lost-connections": [
    () => describeFailures({ connection: 9 }),
    /^9 x connection: the server closes or refuses connections: give the benchmark fewer connections, or read its log$/,
  ],
  "most-silent": [
    async () => {
      const latencyMs = { mean: 1, p99: 2 };
      const judged = await window(
        { state: "measured", seconds: 10, requests: 9, failures: { total: 0, byKind: {} }, latencyMs },
        64,
      );
      return judged.state === "failed" ? judged.reason : judged.state;
    },
    /^at least \d+ of 64 connections got no answer in 10\.0 s: give the benchmark fewer connections, or raise the server's limit$/,
  ],
};

describe("reasons", () => {
  it.concurrent.each(Object.entries(MADE))("%s", async (_, [make, expected]) => {
    expect(await make()).toMatch(expected);
  });
});
