import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Load } from "../../../src/measure/generators/contract.js";
import { ohaCommand } from "../../../src/measure/generators/oha.js";
import { errorKind, judge, parseOhaOutput, toFailures } from "../../../src/measure/generators/oha-output.js";
import { parseOpenRecording } from "../../../src/measure/generators/open-recording.js";
import { parseRecording } from "../../../src/measure/generators/recording.js";

function recorded(name: string): string {
  return readFileSync(new URL(`./fixtures/oha-${name}.json`, import.meta.url), "utf8");
}
const HELLO = [{ status: 200, size: { least: 5, most: 5 } }];

describe("parseOhaOutput, on real output", () => {
  it("reads counts, seconds and latencies in milliseconds", () => {
    const output = parseOhaOutput(recorded("ok"));
    expect(output.responses).toBe(13536);
    expect(output.totalBytes).toBe(5 * 13536);
    expect(output.seconds).toBeCloseTo(0.302151964);
    expect(output.errors.size).toBe(0);
    expect(output.firstByteMs).toBeCloseTo(0.042043);
    expect(output.latencyMs).toEqual({
      mean: expect.closeTo(0.0880173),
      p50: expect.closeTo(0.042113),
      p75: expect.closeTo(0.074232),
      p90: expect.closeTo(0.118307),
      p95: expect.closeTo(0.164467),
      p99: expect.closeTo(0.900381),
      p999: expect.closeTo(3.800841),
      max: expect.closeTo(23.428794),
    });
  });
  it("counts neither deadlines as failures nor a 500 as a success", () => {
    const judged = judge(parseOhaOutput(recorded("mixed")), HELLO);
    expect(judged).toMatchObject({ requests: 15090, exact: false });
    expect(judged.failures).toEqual({ total: 3772, byKind: { "status 500": 3772 } });
  });
  it("counts failures by names that every object inherits", () => {
    const counted = toFailures([
      ["toString", 2],
      ["__proto__", 1],
      ["toString", 3],
    ]);
    expect(counted).toEqual({ total: 6, byKind: { "error toString": 5, "error __proto__": 1 } });
  });
  it("counts cut connections, whose successes are exact", () => {
    const judged = judge(parseOhaOutput(recorded("drop")), HELLO);
    expect(judged).toMatchObject({ requests: 11334, exact: true });
    expect(judged.failures).toEqual({ total: 1260, byKind: { connection: 1260 } });
  });
  it("has no latency where nothing answered", () => {
    const hang = judge(parseOhaOutput(recorded("hang")), HELLO);
    expect(hang).toEqual({ requests: 0, failures: { total: 0, byKind: {} }, latencyMs: undefined, exact: true });
    const refused = judge(parseOhaOutput(recorded("refused")), HELLO);
    expect(refused.requests).toBe(0);
    expect(Object.keys(refused.failures.byKind)).toEqual(["connection"]);
  });
  it("is exact about sizes only where all right bodies have one size, or none counts", () => {
    const output = parseOhaOutput(recorded("ok"));
    const exact = (...sizes: ({ least: number; most: number } | undefined)[]) =>
      judge(
        output,
        sizes.map((size) => ({ status: 200, size })),
      ).exact;
    const [five, range] = [
      { least: 5, most: 5 },
      { least: 4, most: 6 },
    ];
    expect([exact(five, five), exact(undefined), exact(undefined, undefined)]).toEqual([true, true, true]);
    expect([exact(range), exact(five, { least: 6, most: 6 }), exact(five, undefined)]).toEqual([false, false, false]);
    expect(
      judge(output, [
        { status: 200, size: five },
        { status: 201, size: five },
      ]).exact,
    ).toBe(false);
  });
  it("sees that sizes do not add up", () => {
    expect(judge(parseOhaOutput(recorded("ok")), [{ status: 200, size: { least: 6, most: 6 } }]).exact).toBe(false);
    expect(judge(parseOhaOutput(recorded("ok")), HELLO).exact).toBe(true);
  });
});

describe("parseOhaOutput, on what oha never wrote", () => {
  const broken = (change: (json: Record<string, Record<string, unknown>>) => void): string => {
    const json = JSON.parse(recorded("ok")) as Record<string, Record<string, unknown>>;
    change(json);
    return JSON.stringify(json);
  };
  it.each([
    ["summary.total", (json) => ({ ...json.summary, total: "1" }), "summary"],
    ["summary.totalData", (json) => ({ ...json.summary, totalData: -1 }), "summary"],
    ["latencyPercentiles.p99", (json) => ({ ...json.latencyPercentiles, p99: undefined }), "latencyPercentiles"],
    ["statusCodeDistribution.200", () => ({ "200": 1.5 }), "statusCodeDistribution"],
  ] as [string, (json: Record<string, object>) => Record<string, unknown>, string][])(
    "names %s",
    (field, make, top) => {
      const text = broken((json) => {
        json[top] = make(json);
      });
      expect(() => parseOhaOutput(text)).toThrow(`oha's output, field ${field}:`);
    },
  );
  it("says that it is no JSON", () => {
    expect(() => parseOhaOutput("panicked at")).toThrow(`oha's output is not JSON: "panicked at"`);
    expect(() => parseOhaOutput("")).toThrow("not JSON");
  });
});

it.each([
  ["timeout", "timeout"],
  ["aborted due to deadline", undefined],
  ["Connection refused (os error 111)", "connection"],
  ["connection closed before message completed", "connection"],
  ["Connection reset by peer (os error 104)", "connection"],
  ["http2 error", "connection"],
  ["invalid HTTP version\n parsed", "invalid HTTP version parsed"],
])("errorKind(%j) is %j", (words, kind) => {
  expect(errorKind(words)).toBe(kind);
});

describe("parseRecording", () => {
  const latency = {
    mean: 0.002,
    p50: 0.001,
    p60: 0.001,
    p70: 0.002,
    p75: 0.002,
    p80: 0.002,
    p90: 0.003,
    p95: 0.004,
    p99: 0.005,
    max: 0.006,
  };
  const errors = new Map([["timeout", 2]]);
  it("separates successes, wrong bodies and wrong statuses", () => {
    const text = JSON.stringify({
      counts: [
        [200, "right", 70],
        [200, "size", 20],
        [500, "status", 6],
      ],
      wrong: [16, 17],
      latency,
    });
    const result = parseRecording(text, { errors });
    expect([result.requests, result.wrongSizes]).toEqual([70, "16 to 17 bytes"]);
    expect(result.failures).toEqual({ total: 28, byKind: { timeout: 2, "status 500": 6, "wrong body": 20 } });
    expect(result.latencyMs).toMatchObject({ p60: 1, p80: 2, max: 6 });
  });
  it("has no latency without a success", () => {
    expect(parseRecording('{"counts":[[500,"status",5]],"latency":null}', { errors })).toEqual({
      requests: 0,
      failures: { total: 7, byKind: { timeout: 2, "status 500": 5 } },
      latencyMs: undefined,
    });
  });
  it("names the field", () => {
    expect(() => parseRecording('{"counts":[[500,"?",5]],"latency":null}', { errors })).toThrow("field counts.0.1:");
  });
});

describe("parseOpenRecording", () => {
  const errors = new Map<string, number>();
  const counts = [
    [200, "right", 70],
    [500, "status", 5],
  ];
  it("has the failures of all requests, and the latency of the quieter windows", () => {
    const text = JSON.stringify({
      counts,
      latency: null,
      answered: 60,
      windows: { p50: [0.004, 0.001, 0.002], p99: [0.005, 0.05] },
    });
    const recorded = parseOpenRecording(text, { errors });
    expect(recorded).toMatchObject({ requests: 70, failures: { total: 5 } });
    expect(recorded.open).toEqual({
      answered: 60,
      latencyMs: { p50: expect.closeTo(Math.sqrt(2)), p99: expect.closeTo(5) },
    });
  });
  it("has no latency where no window had enough answers", () => {
    const text = (p50: readonly number[]) =>
      JSON.stringify({ counts, latency: null, answered: 6, windows: { p50, p99: [] } });
    expect(parseOpenRecording(text([]), { errors }).open).toEqual({ answered: 6 });
    expect(parseOpenRecording(text([0.5]), { errors }).open.latencyMs).toEqual({ p50: expect.closeTo(500) });
  });
  it("names the field that is wrong", () => {
    const text = JSON.stringify({ counts: [], latency: null, answered: 1, windows: { p50: [-1], p99: [] } });
    expect(() => parseOpenRecording(text, { errors })).toThrow("field windows.p50.0:");
  });
});

describe("ohaCommand", () => {
  const load: Load = {
    port: 8000,
    request: {
      name: "get",
      method: "GET",
      path: "/b?x=1",
      headers: {},
      expect: { status: 200, body: { kind: "text", text: "" } },
    },
    answers: [{ path: "/", weight: 1, status: 200, size: { least: 0, most: 0 } }],
    http: 1,
    connections: 64,
    streams: 8,
    seconds: 10,
    timeoutSec: 3,
    waitOngoing: false,
    record: false,
  };
  it("is an argv with the URL after --", () => {
    expect(ohaCommand("/bin/oha", 2, load)).toEqual(
      "/bin/oha --no-tui --no-color --output-format json -z 10s -c 64 --worker-threads 2 -t 3s --connect-timeout 3s --redirect 0 --disable-compression -m GET -- http://127.0.0.1:8000/b?x=1".split(
        " ",
      ),
    );
  });
  it("holds a rate with latencies from when a request is due", () => {
    const argv = ohaCommand("oha", 1, { ...load, open: { ratePerSec: 12300, settleSec: 0.1, windowSec: 0.1 } });
    expect(argv.join(" ")).toContain("-z 10s -c 64 -q 12300 --latency-correction --worker-threads 1");
  });
  it("has a list of URLs, a rate, TLS and closed connections", () => {
    const argv = ohaCommand(
      "oha",
      1,
      { ...load, closes: true, authority: "/t/ca.pem", ratePerSec: 250 },
      { urls: "/t/urls" },
    );
    expect(argv.join(" ")).toContain("-q 250 --latency-correction");
    expect(argv.join(" ")).toContain("--disable-keepalive --cacert /t/ca.pem");
    expect(argv.slice(-3)).toEqual(["--urls-from-file", "--", "/t/urls"]);
    expect(ohaCommand("oha", 1, { ...load, authority: "/t/ca.pem" }).at(-1)).toBe("https://127.0.0.1:8000/b?x=1");
  });
  it("connects to a unix socket, with the URL of a host", () => {
    const argv = ohaCommand("oha", 1, { ...load, socket: "/t/server.sock" });
    expect(argv.join(" ")).toContain("--disable-compression --unix-socket /t/server.sock -m GET");
    expect(argv.at(-1)).toBe("http://127.0.0.1:8000/b?x=1");
  });
  it("adds streams for HTTP/2 only, body, headers, waiting and recording", () => {
    const request = { ...load.request, method: "POST" as const, headers: { "x-a": "b c; $(touch x)" } };
    const argv = ohaCommand(
      "oha",
      1,
      { ...load, request, http: 2, waitOngoing: true, bodyFile: "/t/body", timeoutSec: 60 },
      { recordTo: "/t/db" },
    );
    expect(argv.join(" ")).toContain(
      "-c 64 -w --worker-threads 1 -t 60s --connect-timeout 5s --redirect 0 --disable-compression --http2 -p 8 -m POST -H x-a: b c; $(touch x) -D /t/body --db-url /t/db --",
    );
    expect(argv).toContain("x-a: b c; $(touch x)");
  });
});
