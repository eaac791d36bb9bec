/** Real py-spy on real servers: what it finds. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profiledFunctions, samplesOf } from "../../src/compare/profile.js";
import { PROCESSES, profileRow } from "../../src/measure/profile/profile-row.js";
import { sampleServer } from "../../src/measure/profile/sample-server.js";
import { readResults } from "../../src/results/read.js";
import { runIn } from "../support/own-set.js";
import { profiledSide, samplingContext, testPySpy } from "../support/profiled.js";
import { endWithoutTraces, type TestRun, testRun } from "../support/run.js";

const TIMEOUT_MS = 300_000;
const pySpy = await testPySpy();

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutTraces(run, /^bin/));

describe("a row", { timeout: TIMEOUT_MS }, () => {
  it("shows the function that head spends more time in", async () => {
    const throughputs = { base: 4000, head: 2000 };
    // Both have work enough for a hundred samples, on a fast machine and on a busy one too.
    const sides = { base: profiledSide(1200), head: profiledSide(3600) };
    const samples = await profileRow(sides, { ...samplingContext(run, pySpy), throughputs });
    if (samples.state === "failed") throw new Error(samples.reason);
    expect(samples.ratePerSec).toBe(1000);
    const { base, head } = samples.sides;
    for (const { requests } of [base, head]) expect(requests).toBeGreaterThan(3 * 4 * 1000);
    const of = (one: typeof base) => ({
      samples: samplesOf(one.stacks),
      cpuPerRequestUs: (one.cpuSec / one.requests) * 1e6,
      processes: PROCESSES,
    });
    const [first] = profiledFunctions({ base: of(base), head: of(head) }, { base: base.stacks, head: head.stacks });
    expect(first).toMatchObject({ name: "planted", line: 15 });
    expect(first?.file).toMatch(/servers\/profiled\.py$/);
    expect(first?.differenceUs).toBeGreaterThan(0);
  });

  it("whose work is in a pool of threads shows that, and not those that wait", async () => {
    // 0.5 s and 1 s of work in the 4 s of each process, on a fast machine too.
    const sides = { base: profiledSide(15_000, "pool"), head: profiledSide(30_000, "pool") };
    const throughputs = { base: 600, head: 600 };
    const samples = await profileRow(sides, { ...samplingContext(run, pySpy), throughputs });
    if (samples.state === "failed") throw new Error(samples.reason);
    const { stacks } = samples.sides.head;
    const planted = stacks.filter(({ frames }) => frames.some(({ name }) => name === "planted"));
    expect(samplesOf(planted) / samplesOf(stacks)).toBeGreaterThan(0.5);
    expect(stacks.flatMap(({ frames }) => frames.at(-1)?.name ?? [])).not.toContain("Queue.get");
  });

  it("whose work is in a worker shows that", async () => {
    const sampled = await sampleServer(profiledSide(600, "workers"), samplingContext(run, pySpy));
    if (sampled.state !== "sampled") throw new Error(`${sampled.state}`);
    expect(sampled.stacks).toMatch(/;planted \(/);
    expect(sampled.cpuSec).toBeGreaterThan(0.05);
  });
});

function app(turns: number): string {
  return `def planted(count):
    total = 0
    for one in range(count):
        total += one
    return total


async def app(scope, receive, send):
    planted(${turns})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
}

describe("run --profile-rows", { timeout: TIMEOUT_MS }, () => {
  // The tests above sample servers that are Python alone; this one has threads of Rust.
  it("finds what is slow under granian, and writes its stacks", async () => {
    const temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
    try {
      const requests = "requests:\n  greeting: { path: /, expect: { body: { text: Hello } } }\n";
      const rows = "  - { title: granian, server: granian }\n";
      const defaults = "defaults: { request: greeting, connections: 16, app: planted }";
      for (const [name, turns] of [
        ["base", 0],
        ["head", 1500],
      ] as const) {
        for (const folder of ["bench", "planted"]) mkdirSync(join(temp, name, folder), { recursive: true });
        const apps = "apps:\n  planted: { interface: asgi, path: ../planted }\n";
        writeFileSync(join(temp, name, "bench/servers.yml"), apps + requests);
        writeFileSync(join(temp, name, "bench/mine.yml"), `title: Mine\nlabel: Server\n${defaults}\nrows:\n${rows}`);
        writeFileSync(join(temp, name, "planted/app.py"), app(turns));
      }
      const out = join(temp, "out");
      const base = ["--base", join(temp, "base"), "--budget", "0.2", "--profile-rows", "mine"];
      const { code, output, errors } = await runIn(join(temp, "head"), out, "mine", "--scenarios", "bench", ...base);
      expect(code, output + errors).toBe(0);
      expect(output).toMatch(/^where the time of 1 row went: about 50 s$/m);
      expect(output).toMatch(/^profile of mine\/granian \(c16\): planted \(app\.py:1\) \+/m);
      const { profiles = [] } = await readResults(join(out, "results.json"));
      const sampled = profiles.map((one) => [one.id, one.state === "sampled" ? one.functions[0]?.name : one.reason]);
      expect(sampled).toEqual([["mine/granian", "planted"]]);
      const names = readdirSync(join(out, "profiles")).sort();
      expect(names).toEqual(["base.txt", "head.txt", "speedscope.json"].map((end) => `mine__granian-c16.${end}`));
      const text = readFileSync(join(out, "profiles/mine__granian-c16.head.txt"), "utf8");
      // No path of this machine's cache or checkout is left.
      expect(text).not.toContain(temp);
      expect(text).not.toContain("site-packages");
      expect(readFileSync(join(out, "index.html"), "utf8").match(/<svg class="flame"/g)).toHaveLength(1);
    } finally {
      rmSync(temp, { recursive: true, force: true });
    }
  });
});
