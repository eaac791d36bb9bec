import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Load } from "../../../src/measure/generators/contract.js";
import { websocketCommand } from "../../../src/measure/generators/websocket.js";
import { brokenBroadcast, parseWebsocketOutput } from "../../../src/measure/generators/websocket-output.js";
import { summarise } from "../../../src/measure/summary.js";
import { asksForWebsocket } from "../../../src/plan/request.js";

function recorded(name: string): string {
  return readFileSync(new URL(`./fixtures/websocket-${name}.json`, import.meta.url), "utf8");
}

describe("parseWebsocketOutput, on real output", () => {
  it("reads whole rounds: each message came to each of the four clients", () => {
    const output = parseWebsocketOutput(recorded("good"));
    expect(output.rounds).toBeGreaterThan(0);
    expect(output.received).toBe(4 * output.sent);
    expect(output.received).toBe(output.rounds * 32768);
    expect(output.failures).toEqual({});
    expect(output.sendSeconds).toBeLessThanOrEqual(output.seconds);
    expect(output.latencyMs?.max).toBeGreaterThan(0);
    expect(brokenBroadcast(output)).toBeUndefined();
  });
  it("does not count wrong messages among those received", () => {
    const output = parseWebsocketOutput(recorded("wrong"));
    expect(Object.keys(output.failures)).toEqual(["wrong message"]);
    expect(output.received + (output.failures["wrong message"] ?? 0)).toBe(4 * output.sent);
    expect(brokenBroadcast(output)).toBeUndefined();
  });
  it("says why a broadcast broke", () => {
    const output = parseWebsocketOutput(recorded("drops"));
    expect(output.latencyMs).toBeUndefined();
    expect(brokenBroadcast(output)).toMatch(
      /^the broadcast was never complete: \d+ x missing message, 1 x connection closed$/,
    );
    expect(brokenBroadcast({ ...output, rounds: 2, received: 65536 })).toMatch(
      /^the broadcast broke after 2 rounds and 65536 messages: /,
    );
  });
});

describe("parseWebsocketOutput, on what the client never wrote", () => {
  it.each([
    ["received", -1],
    ["seconds", "1"],
    ["whole", null],
    ["failures.timeout", { timeout: 0.5 }],
    ["latencyMs.mean", { mean: null }],
  ])("names %s", (field, value) => {
    const json: Record<string, unknown> = JSON.parse(recorded("good"));
    json[field.split(".")[0] ?? field] = value;
    expect(() => parseWebsocketOutput(JSON.stringify(json))).toThrow(`the websocket client's output, field ${field}:`);
  });
  it("says that it is no JSON", () => {
    expect(() => parseWebsocketOutput("Traceback")).toThrow(`the websocket client's output is not JSON: "Traceback"`);
  });
});

it("websocketCommand is an argv", () => {
  const load: Load = {
    port: 8000,
    request: {
      name: "broadcast",
      method: "GET",
      path: "/ws",
      headers: { upgrade: "websocket" },
      expect: { status: 101, body: { kind: "text", text: "" } },
    },
    answers: [{ path: "/", weight: 1, status: 200, size: { least: 0, most: 0 } }],
    http: 1,
    connections: 32,
    streams: 1,
    seconds: 0.3,
    timeoutSec: 10,
    waitOngoing: false,
    record: false,
  };
  expect(websocketCommand(["/bin/python3", "-I", "/c l"], load)).toEqual([
    ...["/bin/python3", "-I", "/c l", "--url", "ws://127.0.0.1:8000/ws"],
    ...["--clients", "32", "--seconds", "0.3", "--timeout", "10"],
  ]);
  const headers = { Upgrade: "websocket", connection: "upgrade", Cookie: "a=1; b=2" };
  const asked = { ...load, request: { ...load.request, path: "/ws?room=1", headers } };
  expect(websocketCommand(["c"], asked)).toEqual([
    ...["c", "--url", "ws://127.0.0.1:8000/ws?room=1", "--header", "Cookie: a=1; b=2"],
    ...["--clients", "32", "--seconds", "0.3", "--timeout", "10"],
  ]);
});

it("asksForWebsocket looks at the request's headers", () => {
  expect(asksForWebsocket({ headers: { Upgrade: "websocket" } })).toBe(true);
  expect(asksForWebsocket({ headers: { accept: "websocket" } })).toBe(false);
});

it("summarise gives the rates of a broadcast", () => {
  const latencyMs = { mean: 1, p50: 1, p75: 1, p90: 1, p95: 1, p99: 1, max: 1 };
  const slice = {
    ...{ seconds: 2, requests: 8000, failures: { total: 0, byKind: {} }, latencyMs },
    ...{ serverCpuSec: 1.6, clientCpuSec: 0.4, messages: { sent: 1000, sendSec: 0.01 } },
  };
  expect(summarise([slice, slice], { peakMemoryMiB: 30, clientBound: false })).toMatchObject({
    requests: 16000,
    requestsPerSec: 4000,
    cpuPerRequestUs: 200,
    messages: { sentPerSec: 100_000, receivedPerSec: 4000, combinedPerSec: 4500 },
  });
  const { messages: _, ...plain } = slice;
  expect(summarise([plain], { peakMemoryMiB: 30, clientBound: false })).not.toHaveProperty("messages");
});
