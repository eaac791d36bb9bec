import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Load } from "../../../src/measure/generators/contract.js";
import { wrkCommand } from "../../../src/measure/generators/wrk.js";
import { judgeWrk, parseWrkOutput } from "../../../src/measure/generators/wrk-output.js";

function recorded(name: string): string {
  return readFileSync(new URL(`./fixtures/wrk-${name}.txt`, import.meta.url), "utf8");
}
const HELLO_BYTES = 5;

describe("real output of wrk", () => {
  it("gives counts, seconds and latencies in milliseconds", () => {
    const output = parseWrkOutput(recorded("good"));
    expect(output.seconds).toBeCloseTo(1.099357);
    expect(judgeWrk(output, HELLO_BYTES)).toEqual({
      requests: 83418,
      failures: { total: 0, byKind: {} },
      latencyMs: {
        mean: 0.058786,
        p50: 0.039,
        p60: 0.043,
        p70: 0.048,
        p75: 0.051,
        p80: 0.053,
        p90: 0.058,
        p95: 0.074,
        p99: 0.318,
        max: 4.12,
      },
    });
  });
  it("does not count a 500 as a success", () => {
    const { requests, failures } = judgeWrk(parseWrkOutput(recorded("mixed")), HELLO_BYTES);
    expect(requests).toBe(79715 - 15943);
    expect(failures).toEqual({ total: 15943, byKind: { "status 400 or above": 15943 } });
  });
  it("counts cut connections", () => {
    const { requests, failures } = judgeWrk(parseWrkOutput(recorded("drops")), HELLO_BYTES);
    expect([requests, failures]).toEqual([54401, { total: 6044, byKind: { connection: 6044 } }]);
  });
  it("has what answered before the server hung", () => {
    expect(judgeWrk(parseWrkOutput(recorded("hangs")), HELLO_BYTES).requests).toBe(1);
  });
  it("is refused where the answers are shorter than their bodies", () => {
    expect(() => judgeWrk(parseWrkOutput(recorded("good")), 1000)).toThrow(
      "wrk got 3503556 bytes in 83418 answers: too few for bodies of 1000 bytes",
    );
  });
});

describe("output that is not what our script prints", () => {
  it("is named", () => {
    expect(() => parseWrkOutput("Running 1s test")).toThrow('wrk did not report: "Running 1s test"');
    expect(() => parseWrkOutput("server-bench {nan}")).toThrow("wrk's report is not JSON");
    const negative = recorded("good").replace('"read":0', '"read":-1');
    expect(() => parseWrkOutput(negative)).toThrow("wrk's report, field errors.read:");
  });
  it("may lack the mean where nothing answered", () => {
    const none = recorded("hangs").replace('"requests":1', '"requests":0').replace('"mean":457.000', '"mean":null');
    expect(judgeWrk(parseWrkOutput(none), HELLO_BYTES)).toMatchObject({ requests: 0, latencyMs: undefined });
  });
});

describe("wrkCommand", () => {
  const load: Load = {
    port: 8000,
    request: {
      name: "hello",
      method: "GET",
      path: "/hello",
      headers: {},
      expect: { status: 200, body: { kind: "text", text: "" } },
    },
    answers: [{ path: "/", weight: 1, status: 200, size: { least: 0, most: 0 } }],
    http: 1,
    connections: 100,
    streams: 1,
    seconds: 60,
    timeoutSec: 10,
    waitOngoing: false,
    record: false,
  };
  it("is the page's own, with the script", () => {
    expect(wrkCommand("/bin/wrk", 8, load, "/t/wrk.lua").join(" ")).toBe(
      "/bin/wrk -t 8 -c 100 -d 60s --timeout 10s -s /t/wrk.lua http://127.0.0.1:8000/hello -- GET",
    );
  });
  it("rounds up to whole seconds, has no more threads than connections, and gives method and body to the script", () => {
    const request = { ...load.request, method: "POST" as const, headers: { "x-a": "b c" } };
    const argv = wrkCommand("wrk", 8, { ...load, request, seconds: 0.3, connections: 4, bodyFile: "/t/body" }, "/s");
    expect(argv.join(" ")).toBe(
      "wrk -t 4 -c 4 -d 1s --timeout 10s -s /s -H x-a: b c http://127.0.0.1:8000/hello -- POST /t/body",
    );
    expect(argv).toContain("x-a: b c");
  });
});
