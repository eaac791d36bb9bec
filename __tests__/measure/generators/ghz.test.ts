import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Load } from "../../../src/measure/generators/contract.js";
import { ghzCommand } from "../../../src/measure/generators/ghz.js";
import { grpcErrorKind, parseGhzOutput } from "../../../src/measure/generators/ghz-output.js";
import { latencyOf } from "../../../src/measure/generators/percentiles.js";
import { encodeMessage, varint } from "../../../src/measure/server/protobuf.js";

function recorded(name: string): string {
  return readFileSync(new URL(`./fixtures/ghz-${name}.json`, import.meta.url), "utf8");
}

describe("parseGhzOutput, on real output", () => {
  it("counts OK calls alone, with their exact latencies", () => {
    const { seconds, requests, failures, latencyMs } = parseGhzOutput(recorded("mixed"));
    expect(seconds).toBeCloseTo(0.05062694);
    expect(requests).toBe(140);
    expect(failures).toEqual({ total: 35, byKind: { "status Internal": 35 } });
    expect(latencyMs?.max).toBeCloseTo(4.851066);
    expect(latencyMs?.p99).toBeLessThanOrEqual(4.851066);
    expect(latencyMs?.p60).toBeGreaterThanOrEqual(latencyMs?.p50 ?? Number.NaN);
  });
  it("counts broken connections and timeouts as such", () => {
    expect(parseGhzOutput(recorded("drops"))).toMatchObject({
      requests: 170,
      failures: { total: 1, byKind: { connection: 1 } },
    });
    expect(parseGhzOutput(recorded("hangs"))).toMatchObject({
      requests: 1,
      failures: { total: 2, byKind: { timeout: 2 } },
    });
  });
});

describe("parseGhzOutput, on what ghz never wrote", () => {
  it("names the field", () => {
    const broken = JSON.stringify({ ...JSON.parse(recorded("hangs")), statusCodeDistribution: { OK: -1 } });
    expect(() => parseGhzOutput(broken)).toThrow("ghz's report, field statusCodeDistribution.OK:");
    expect(() => parseGhzOutput("panic: oops")).toThrow(`ghz's report is not JSON: "panic: oops"`);
  });
  it("has no latency where no call was OK", () => {
    const none = { total: 1e9, errorDistribution: null, statusCodeDistribution: null, details: null };
    expect(parseGhzOutput(JSON.stringify(none))).toMatchObject({ requests: 0, latencyMs: undefined });
  });
});

it.each([
  ["rpc error: code = DeadlineExceeded desc = context deadline exceeded", "timeout"],
  ['rpc error: code = Unavailable desc = connection error: desc = "dial tcp: connection refused"', "connection"],
  ["rpc error: code = Unavailable desc = too busy", "status Unavailable"],
  ["rpc error: code = ResourceExhausted desc = concurrent calls", "status ResourceExhausted"],
  ["something\n else", "something else"],
])("grpcErrorKind(%j) is %j", (words, kind) => {
  expect(grpcErrorKind(words)).toBe(kind);
});

it("latencyOf takes the sorted values at floor(p / 100 * n)", () => {
  const latencies = Array.from({ length: 200 }, (_, i) => ((i * 37) % 200) + 1);
  expect(latencyOf(latencies)).toEqual({
    ...{ mean: 100.5, p50: 101, p60: 121, p70: 141, p75: 151, p80: 161 },
    ...{ p90: 181, p95: 191, p99: 199, max: 200 },
  });
  expect(latencyOf([])).toBeUndefined();
});

describe("encodeMessage", () => {
  // Written by the protobuf package of Python (7.36): message M { string text = 1; int64 n = 2; bool yes = 16; }
  it.each([
    [{}, ""],
    [{ 1: "Done" }, "0a04446f6e65"],
    [{ 16: true, 2: 1000, 1: "é" }, "0a02c3a910e807800101"],
    [{ 2: -1 }, "10ffffffffffffffffff01"],
    [{ 2: 2 ** 53 - 1 }, "10ffffffffffffff0f"],
  ])("%j is %s", (fields, hex) => {
    expect(encodeMessage(fields).toString("hex")).toBe(hex);
  });
  it("has varints", () => {
    expect([0, 127, 128, 300].map((value) => varint(value).toString("hex"))).toEqual(["00", "7f", "8001", "ac02"]);
  });
});

describe("ghzCommand", () => {
  const load: Load = {
    port: 8000,
    request: {
      name: "cpu",
      method: "POST",
      path: "/cpu.Cpu/LongRunning",
      headers: {},
      grpc: { proto: "/apps/cpu.proto", call: "cpu.Cpu/LongRunning" },
      expect: { status: 200, body: { kind: "message", fields: {} } },
    },
    answers: [{ path: "/", weight: 1, status: 200, size: { least: 0, most: 0 } }],
    http: 2,
    connections: 100,
    streams: 1,
    seconds: 0.5,
    timeoutSec: 60,
    waitOngoing: true,
    record: true,
  };
  const files = { report: "/t/report.json", data: "/t/message" };
  it("has a connection for each client", () => {
    expect(ghzCommand("/bin/ghz", 1, load, files).join(" ")).toBe(
      "/bin/ghz --insecure --proto /apps/cpu.proto --call cpu.Cpu/LongRunning --binary-file /t/message --duration 0.5s --duration-stop wait --concurrency 100 --connections 100 --timeout 60s --connect-timeout 5s --cpus 1 --format json --output /t/report.json 127.0.0.1:8000",
    );
  });
  it("cuts off, sends metadata, and shares connections where that is asked for", () => {
    const request = { ...load.request, headers: { "x-a": "b c" } };
    const argv = ghzCommand("ghz", 1, { ...load, request, waitOngoing: false, streams: 4, timeoutSec: 2 }, files);
    expect(argv).toContain('{"x-a":"b c"}');
    expect(argv.join(" ")).toContain(
      "--duration-stop ignore --concurrency 400 --connections 100 --timeout 2s --connect-timeout 2s",
    );
  });
});
