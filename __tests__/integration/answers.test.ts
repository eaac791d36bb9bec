/** measureRow on real servers with a real oha: answers that are learned, checked and refused; several requests, rates, closed connections. */
import { createServer } from "node:net";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureRow } from "../../src/measure/row.js";
import { freePort } from "../../src/measure/server/port.js";
import type { Expect, PlannedRequest, PlannedRow } from "../../src/plan/types.js";
import type { CaseResult } from "../../src/results/schema.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { endWithoutTraces, serverScript, type TestRun, testRun } from "../support/run.js";

const python = plainPython();
const LEARNED: Expect = { status: "learned", body: { kind: "learned" } };
/** Of the ready timeout; a wrong answer has to end the wait long before. */
const PATIENT_SEC = 20;

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutTraces(run));

function asking(change: Partial<PlannedRequest> = {}): PlannedRequest {
  return { ...faultyRow("").request, expect: LEARNED, ...change };
}

/** A row on `servers/answers.py MODE`. */
function answersRow(mode: string, change: Partial<PlannedRow> = {}, ...more: string[]): PlannedRow {
  const row = faultyRow(mode, { request: asking(), ...change });
  const script = serverScript("answers.py");
  const command = ["python3", script, mode, "{port}", ...more];
  return { ...row, server: { ...row.server, command, cwd: dirname(script), readyTimeoutSec: PATIENT_SEC } };
}

async function one(row: PlannedRow): Promise<CaseResult> {
  const [result] = await measureRow(row, python, testContext(run));
  if (result === undefined) throw new Error("no result");
  return result;
}
async function completed(row: PlannedRow) {
  const result = await one(row);
  if (result.state !== "completed") throw new Error(JSON.stringify(result));
  return result;
}

/** The failure, and the seconds until it was known. */
async function failed(row: PlannedRow) {
  const startedAt = performance.now();
  const result = await one(row);
  if (result.state !== "failed") throw new Error(JSON.stringify(result));
  return { reason: result.reason, log: result.log, seconds: (performance.now() - startedAt) / 1000 };
}

describe("answers of which nothing is given", () => {
  it("are learned: status, size and type", async () => {
    const { answers, warnings = [], summary } = await completed(answersRow("plain"));
    expect(answers).toEqual([
      {
        ...{ request: "get", status: 200, size: 5, type: "text/plain", checked: "size", learned: true },
        digest: "2cf24dba5fb0a30e",
      },
    ]);
    expect(warnings.filter((warning) => warning.startsWith("get:"))).toEqual([]);
    expect(summary.failures.total).toBe(0);
  });
  it("may vary in a range of sizes, in which all of them count", async () => {
    const { answers = [], warnings = [], summary } = await completed(answersRow("varies"));
    const [{ size, ...rest } = { size: undefined }] = answers;
    expect(rest).toEqual({ request: "get", status: 200, type: "application/json", checked: "size", learned: true });
    expect(size).toEqual([expect.any(Number), expect.any(Number)]);
    expect(warnings.join("\n")).toMatch(/get: the body varies; \d to 1\d\d bytes count as right\./);
    expect(summary.failures).toEqual({ total: 0, byKind: {} });
  });
  it("may get longer after the first answers, which were all the same", async () => {
    const { summary, warnings = [] } = await completed(answersRow("uptime"));
    expect(summary.failures).toEqual({ total: 0, byKind: {} });
    expect(warnings.join("\n")).toContain("get: the body varies; 1 to 69 bytes count as right.");
  });
  it("are named where the app limits its requests", async () => {
    const { reason } = await failed(answersRow("limits"));
    expect(reason).toMatch(
      /status 429 for most requests \(\d+ of \d+\)\. The app limits its requests: turn its rate limit off/,
    );
  });
  it("are never empty where none of the first was", async () => {
    const { summary } = await completed(answersRow("empty-later"));
    expect(summary.failures.byKind["wrong body"]).toBeGreaterThan(0);
  });
  it("are not checked for a size that leaves every range, and the report says so", async () => {
    const { answers, warnings = [], summary } = await completed(answersRow("grows"));
    expect(answers).toEqual([{ request: "get", status: 200, type: "text/plain", checked: "none", learned: true }]);
    expect(warnings.join("\n")).toContain("get: bodies not checked, because their size varies too much under load.");
    expect(summary.failures).toEqual({ total: 0, byKind: {} });
  });
  it("of HEAD have no body", async () => {
    const { answers, summary } = await completed(answersRow("plain", { request: asking({ method: "HEAD" }) }));
    expect(answers?.[0]).toMatchObject({ status: 200, size: 0 });
    expect(summary.failures.total).toBe(0);
  });
});

describe("a server that answers, but not as expected, fails at once", () => {
  it("by a redirect to a login page, which is named", async () => {
    const { reason, seconds } = await failed(answersRow("login"));
    expect(reason).toBe(
      "the server did not get ready: it answers, but not as expected: expected status 2xx; got status 302 to /accounts/login/?next=/, 0 bytes. This looks like a redirect to a login page: choose a route that needs no session, or send one with the request's headers",
    );
    expect(seconds).toBeLessThan(15);
  });
  it("by a status, with both sides", async () => {
    const { reason, seconds } = await failed(answersRow("missing"));
    expect(reason).toContain(
      'expected status 2xx; got status 404, application/json, 22 bytes "{\\"detail\\":\\"Not Found\\"}"',
    );
    expect(seconds).toBeLessThan(15);
  });
  it("but not while it asks to come back later", async () => {
    expect((await completed(answersRow("late"))).summary.failures.total).toBe(0);
  });
  it("after the load, where its bodies are wrong in a way that no size shows", async () => {
    const request = asking({ expect: { status: 200, body: { kind: "text", text: "hello" } } });
    expect((await failed(answersRow("breaks", { request }))).reason).toBe(
      'the answer to "get" is wrong after the load: expected status 200, 5 bytes "hello"; got status 200, text/plain; charset=utf-8, 5 bytes "hell!" (they differ at byte 4)',
    );
  });
});

describe("a server that insists on a port", () => {
  it("is found there at the end of the wait: any answer is right, and it may be that of a port for metrics", async () => {
    const port = await freePort();
    const row = answersRow("plain", {}, String(port));
    const { reason, seconds } = await failed({ ...row, server: { ...row.server, readyTimeoutSec: 6 } });
    expect(reason).toMatch(
      new RegExp(
        `^the server did not get ready: it listens on port ${port} and not on the port that it was given \\(\\d+\\): its command has to pass on \\{port\\}$`,
      ),
    );
    expect(seconds).toBeLessThan(15);
  });
  it("that is in use names it", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      const { reason } = await failed(answersRow("plain", {}, String(port)));
      expect(reason).toContain(
        `it tried to listen on port ${port}, which is in use, and not on the port that it was given`,
      );
    } finally {
      other.close();
    }
  });
});

describe("requests", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)("send %s with query, headers and body", async (method) => {
    const request = asking({
      method,
      path: "/a?q=x%20y",
      headers: { "x-tried": "yes" },
      body: { kind: "text", text: "body" },
      expect: {
        status: 200,
        type: "application/json",
        body: { kind: "json", subset: [method, "/a?q=x%20y", "yes", "body"] },
      },
    });
    const { answers, summary } = await completed(answersRow("asked", { request }));
    expect(answers?.[0]).toMatchObject({ checked: "json", type: "application/json", size: expect.any(Number) });
    // Every answer under load has the size of the echo: oha sent the same.
    expect(summary.failures.total).toBe(0);
  });
  it("are drawn by weight, each with its own right answers", async () => {
    const route = (name: string, path: string, weight: number) => ({ request: asking({ name, path }), weight });
    const mix = [route("small", "/small", 1), route("large", "/large?all=1", 3)];
    const row = answersRow("routes", { request: asking({ name: "small", path: "/small" }), mix, windowSec: 1 });
    const { answers, summary, generatorCommand } = await completed(row);
    expect(answers?.map(({ request, weight, size }) => [request, weight, size])).toEqual([
      ["small", 1, 5],
      ["large", 3, 500],
    ]);
    expect(generatorCommand?.slice(-3)).toEqual([
      ...["--urls-from-file", "--", "{temp}/urls (1 x /small, 3 x /large?all=1)"],
    ]);
    // A fourth of the answers to "large" is too short, although "small" has that size.
    const { total, byKind } = summary.failures;
    expect(Object.keys(byKind)).toEqual(["wrong body"]);
    expect(total / (total + summary.requests)).toBeCloseTo(0.75 * 0.25, 1);
  });
  it("come at a rate, and a server that waits for them is not client-bound", async () => {
    const { summary, generatorCommand } = await completed(answersRow("plain", { ratePerSec: 200, windowSec: 3 }));
    expect(generatorCommand?.join(" ")).toContain("-q 200 --latency-correction");
    expect(summary.requestsPerSec).toBeGreaterThan(150);
    expect(summary.requestsPerSec).toBeLessThan(230);
    expect(summary.clientBound).toBe(false);
  });
  it("open a connection each", async () => {
    const row = answersRow("connections", { closes: true });
    const { summary, answers } = await completed(row);
    expect(summary.failures.total).toBe(0);
    expect(summary.requests).toBeGreaterThan(50);
    // The body is the number of connections so far.
    expect(answers?.[0]?.digest).toBeUndefined();
  });
});

describe("bodies that are not checked", () => {
  it("are said to be", async () => {
    const request = asking({ expect: { status: 200, body: { kind: "any" } } });
    const { answers, warnings = [] } = await completed(answersRow("varies", { request }));
    expect(answers).toEqual([{ request: "get", status: 200, checked: "none" }]);
    expect(warnings.join("\n")).toContain("get: bodies not checked.");
  });
  it("by a regular expression are seen before and after the load", async () => {
    const right = asking({ expect: { status: 200, body: { kind: "regex", pattern: '"ok": true' } } });
    expect((await completed(answersRow("varies", { request: right }))).answers?.[0]).toMatchObject({
      checked: "regex",
    });
    const wrong = asking({ expect: { status: 200, body: { kind: "regex", pattern: "ok: no" } } });
    const { reason, seconds } = await failed(answersRow("varies", { request: wrong }));
    expect(reason).toContain("(the pattern does not match)");
    expect(seconds).toBeLessThan(15);
  });
});
