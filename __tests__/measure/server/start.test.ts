/** What a start counts, and what is said of a server that listens somewhere else. Real processes. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeExchange } from "../../../src/measure/server/exchange.js";
import { freePort, noPort } from "../../../src/measure/server/port.js";
import { startAgainIfTaken, startReady } from "../../../src/measure/server/start.js";
import type { PlannedRow } from "../../../src/plan/types.js";
import { faultyRow, plainPython, testContext } from "../../support/measure.js";
import { serverScript, type TestRun, testRun } from "../../support/run.js";

const TIMEOUT_MS = 60_000;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(async () => await run[Symbol.asyncDispose]());

/** Starts and ends the row's server. @returns its seconds, and those that the whole start took */
async function timed(row: PlannedRow, env: NodeJS.ProcessEnv = process.env) {
  const [exchange, python, context] = [await makeExchange(row, run.tempDir), plainPython(), testContext(run, { env })];
  const begun = performance.now();
  const started = await startReady(row, python, exchange, context);
  const allSec = (performance.now() - begun) / 1000;
  if (started.state === "failed") throw new Error(started.reason);
  await started.server[Symbol.asyncDispose]();
  return { readySec: started.readySec, allSec };
}

it("variables name the address too", { timeout: TIMEOUT_MS }, async () => {
  const row = faultyRow("right");
  const [python = "", script = "", mode = ""] = row.server.command;
  const command = ["sh", "-c", 'exec "$0" "$1" "$2" "$(echo "$AT" | cut -d : -f 2)"', python, script, mode];
  await timed({ ...row, server: { ...row.server, command, env: { AT: "{host}:{port}" } } });
});

it("an app that wants an address of its own, which is in use: the reason says so", {
  timeout: TIMEOUT_MS,
}, async () => {
  const row = faultyRow("own-port");
  const started = await startAgainIfTaken(row, plainPython(), await makeExchange(row, run.tempDir), testContext(run));
  expect(started).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(
      /^the server did not get ready: .*; an address is in use, .* the app listens on one of its own: /,
    ),
  });
});

describe("the time of a start", { timeout: TIMEOUT_MS }, () => {
  it("ends at the first right answer: answers that are asked for to learn from are later", async () => {
    const { request } = faultyRow("slow");
    const learned = { ...request, expect: { status: "learned", body: { kind: "learned" } } } as const;
    // Five further answers of 0.1 s each.
    const { readySec, allSec } = await timed(faultyRow("slow", { request: learned }));
    expect(allSec - readySec).toBeGreaterThan(0.4);
  });

  it("ends at the first of several requests", async () => {
    const { request } = faultyRow("slow");
    const mix = Array.from({ length: 10 }, (_, i) => ({ request: { ...request, name: `request ${i}` }, weight: 1 }));
    const { readySec, allSec } = await timed(faultyRow("slow", { mix }));
    expect(allSec - readySec).toBeGreaterThan(0.8);
  });

  it("begins when the server's process exists: the supervisor starts before that", async () => {
    const folder = join(run.tempDir, "bin");
    const python = join(folder, "python3");
    mkdirSync(folder);
    writeFileSync(python, `#!/bin/sh\nsleep 1\nexec "${join(plainPython().binDir, "python3")}" "$@"\n`);
    chmodSync(python, 0o755);
    const { readySec, allSec } = await timed(faultyRow("good"), {
      ...process.env,
      PATH: `${folder}:${process.env.PATH}`,
    });
    expect(allSec - readySec).toBeGreaterThan(0.9);
  });
});

describe("a server that listens somewhere else", { timeout: TIMEOUT_MS }, () => {
  it("is found over TCP where it was given a unix socket, and the remedy is {socket}", async () => {
    const port = String(await freePort());
    const command = ["python3", serverScript("faulty.py"), "good", port];
    const { server } = faultyRow("good");
    const row = faultyRow("good", {
      socket: true,
      server: { ...server, command, cwd: dirname(serverScript("faulty.py")), readyTimeoutSec: 10 },
    });
    const started = await startReady(row, plainPython(), await makeExchange(row, run.tempDir), testContext(run));
    expect(started).toMatchObject({
      state: "failed",
      reason: `the server did not get ready: it answers on port ${port} and not on the unix socket that it was given: its command has to pass on {socket}`,
    });
  });
});

describe("no port", () => {
  const error = (code: string) => Object.assign(new Error(`listen ${code}`), { code });

  it("names the remedy where closed connections hold all ports", () => {
    expect(noPort(error("EADDRINUSE"))).toBe(
      "no port is free on 127.0.0.1 (listen EADDRINUSE): closed connections hold their port for a minute; wait, or widen net.ipv4.ip_local_port_range",
    );
  });

  it("does not name it for another error", () => {
    expect(noPort(error("EMFILE"))).toBe("cannot listen on 127.0.0.1: listen EMFILE");
  });
});
