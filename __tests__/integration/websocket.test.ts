/** The websocket client on real servers: two that broadcast rightly, and one that goes wrong in many ways. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Load, SliceOutcome } from "../../src/measure/generators/contract.js";
import { createWebsocket } from "../../src/measure/generators/websocket.js";
import { readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import { PairSeries } from "../../src/measure/pairs/pair.js";
import { SLICES_TOGETHER } from "../../src/measure/pairs/schedule.js";
import { measureRow } from "../../src/measure/row.js";
import { freePort } from "../../src/measure/server/port.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provideWebsocketClient } from "../../src/provision/generators/websocket.js";
import { provision } from "../../src/provision/provision.js";
import type { ReadyEnvironment, Tool } from "../../src/provision/types.js";
import type { CaseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutProcesses, serverScript, type TestRun, testRun } from "../support/run.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const progress = { started: () => {}, update: () => {}, finished: () => {}, failed: () => {}, note: () => {} };

let client: Tool;
beforeAll(async () => {
  const tempDir = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  const run = { id: "tests", tempDir, signal: new AbortController().signal };
  client = await provideWebsocketClient({ run, env: process.env, progress, cache: tempDir });
  rmSync(tempDir, { recursive: true });
});

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutProcesses(run));

async function measure(row: PlannedRow, ready: ReadyEnvironment): Promise<CaseResult> {
  const context = testContext(run, { generators: new Map([["websocket", client]]) });
  const [result] = await measureRow(row, ready, context);
  if (result === undefined) throw new Error("no result");
  return result;
}

/** On a busy machine Python alone may take more than one. */
const READY_SEC = 5;

/** A row on `servers/websocket.py MODE`. */
function broadcastRow(mode: string): PlannedRow {
  const row = faultyRow(mode, { connections: [4], generator: "websocket" });
  const command = ["python3", serverScript("websocket.py"), mode, "{port}"];
  return {
    ...row,
    server: { ...row.server, command, cwd: dirname(serverScript("websocket.py")), readyTimeoutSec: READY_SEC },
    request: {
      name: "broadcast",
      method: "GET",
      path: "/ws",
      headers: { upgrade: "websocket" },
      expect: { status: 101, body: { kind: "text", text: "" } },
    },
  };
}
async function broadcasts(mode: string) {
  const result = await measure(broadcastRow(mode), plainPython());
  if (result.state !== "completed") throw new Error(JSON.stringify(result));
  return result;
}
async function fails(mode: string): Promise<string> {
  const result = await measure(broadcastRow(mode), plainPython());
  if (result.state !== "failed") throw new Error(JSON.stringify(result));
  return result.reason;
}

describe("the servers of the set", () => {
  it.each(["websockets/granian-rsgi", "websockets/uvicorn-h11"])("%s broadcasts every message", async (id) => {
    const plan = await planRun({ root, cwd: root, selectors: [id], profile: "quick", cores: 2 });
    const [row] = rowsOf(plan);
    if (row === undefined) throw new Error(`no row ${id}`);
    const { environments } = await provision([row], { run, env: process.env, progress });
    const ready = environments.get(environmentKey(row.environment));
    if (ready?.state !== "ready") throw new Error(JSON.stringify(ready));
    const result = await measure({ ...row, connections: [4] }, ready);
    if (result.state !== "completed") throw new Error(JSON.stringify(result));
    const { summary, slices } = result;
    expect(summary.failures.total).toBe(0);
    expect(slices.map((slice) => slice.requests / (slice.messages?.sent ?? 0))).toEqual([4]);
    expect(summary.messages?.receivedPerSec).toBe(summary.requestsPerSec);
    expect(summary.messages?.combinedPerSec).toBeCloseTo(summary.requestsPerSec * 1.25, 3);
    expect(summary.cpuPerRequestUs).toBeGreaterThan(0);
    expect(result.generatorCommand).toContain("ws://127.0.0.1:{port}/ws");
  });
});

describe("a server that broadcasts", () => {
  it("rightly has no failures", async () => {
    const { summary } = await broadcasts("good");
    expect(summary.failures.total).toBe(0);
    expect(summary.requests % 4).toBe(0);
  });
  it("and pings in between has none either", async () => {
    expect((await broadcasts("pings")).summary.failures.total).toBe(0);
  });
  it("to those alone that come with the request's query and headers", async () => {
    const row = broadcastRow("room");
    const headers = { ...row.request.headers, Authorization: "Bearer t", Host: "chat.example" };
    const request = { ...row.request, path: "/ws?room=1&as=me", headers };
    expect(await measure({ ...row, request }, plainPython())).toMatchObject({
      state: "completed",
      summary: { failures: { total: 0 } },
    });
  });
  it.each([
    ["wrong", "of another content"],
    ["long", "of another size"],
  ])("some messages %s (%s) has them counted, and not as received", async (mode) => {
    const { summary, slices } = await broadcasts(mode);
    expect(Object.keys(summary.failures.byKind)).toEqual(["wrong message"]);
    expect(summary.requests + summary.failures.total).toBe(4 * (slices[0]?.messages?.sent ?? 0));
  });
});

async function accepts(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const answer = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (answer) return;
    await setTimeout(50);
  }
}

it("in pairs a slice is as long as the rounds that it asks for, and each side has slices alone", async () => {
  const side = { row: broadcastRow("good"), ready: plainPython() };
  const context = testContext(run, { generators: new Map([["websocket", client]]) });
  await using series = new PairSeries();
  const outcome = await series.measure(
    { base: side, head: side },
    { first: "base", hashSeed: 1, padBytes: 0, stackBytes: 128 * 1024 * 1024 },
    { ...context, connections: 4, onPhase: () => {}, onLoad: () => {} },
  );
  expect(outcome.state).toBe("measured");
  const slices = outcome.slices.map(({ paired }) => paired);
  const [together, alone] = [slices.filter((slice) => slice.together), slices.filter((slice) => !slice.together)];
  expect(together.map(({ rounds }) => rounds)).toEqual(together.map(() => true));
  expect(together).toHaveLength(2 * SLICES_TOGETHER);
  expect(alone.length).toBeGreaterThanOrEqual(8);
  // Not eight times as long as a message takes, as with requests: each message waits for all those before it in its round.
  const seconds = outcome.slices.map(({ generatorCommand: argv }) => argv[argv.indexOf("--seconds") + 1]);
  expect(new Set(seconds)).toEqual(new Set(["0.25"]));
});

it("the client's figures have its workers' CPU time, however late they are read", async () => {
  const row = broadcastRow("good");
  const port = await freePort();
  const server = spawn("python3", [serverScript("websocket.py"), "good", `${port}`], { stdio: "ignore" });
  try {
    await accepts(port);
    const generator = createWebsocket({
      ...{
        tool: client,
        cpus: splitCpus(readTopology()).client,
        env: { PATH: process.env.PATH ?? "" },
        python: "python3",
      },
      ...{ tempDir: run.tempDir, signal: run.signal },
    });
    const { request, http, streams, timeoutSec } = row;
    const load: Load = {
      ...{ request, http, streams, timeoutSec, port, answers: [] },
      ...{ connections: 4, seconds: 0.3, waitOngoing: false, record: false },
    };
    const outcome = generator.run(load, () => {});
    // The client and its workers end while this process reads nothing.
    await setTimeout(100);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
    const { clientCpuSec, programCpuSec } = (await outcome) as Extract<SliceOutcome, { state: "measured" }>;
    expect(clientCpuSec).toBeGreaterThan(0);
    expect(programCpuSec).toBeGreaterThan(clientCpuSec);
  } finally {
    server.kill();
  }
});

describe("a server that fails", () => {
  it("by dropping a socket is a failed case", async () => {
    expect(await fails("drops")).toMatch(
      /^warming up: the broadcast was never complete: \d+ x missing message, 1 x connection closed$/,
    );
  });
  it("by losing messages is waited for as long as a request", async () => {
    expect(await fails("loses")).toMatch(
      /^warming up: the broadcast was never complete: \d+ x missing message, 1 x timeout$/,
    );
  });
  it("by answering with text", async () => {
    expect(await fails("text")).toMatch(/^warming up: no request succeeded in [\d.]+ s: \d+ x wrong message$/);
  });
  it.each([
    [
      "refuses",
      "expected status 101, 0 bytes; got status 403, 0 bytes. The route asks for authentication: choose one that does not, or send it with the request's headers",
    ],
    ["wrong-accept", "a websocket handshake whose Sec-WebSocket-Accept does not answer the key"],
  ])("by not shaking hands (%s) does not get ready", async (mode, words) => {
    expect(await fails(mode)).toBe(`the server did not get ready: it answers, but not as expected: ${words}`);
  });
});
