/** Real py-spy on real servers that are Python alone: what it finds. long/action-profile.test.ts has a profile of granian, in a comment and in files. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profiledFunctions, samplesOf } from "../../src/compare/profile.js";
import { parseStacks, workingStacks } from "../../src/compare/profile-stacks.js";
import { PROCESSES, profileRow } from "../../src/measure/profile/profile-row.js";
import { sampleServer } from "../../src/measure/profile/sample-server.js";
import { profiledSide, samplingContext, testPySpy } from "../support/profiled.js";
import { endWithoutTraces, type TestRun, testRun } from "../support/run.js";

const TIMEOUT_MS = 300_000;
/** A quarter of a profile's time: each row samples six processes. */
const SHORT = { sampledSec: 1 };
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
    const sides = { base: profiledSide(4000), head: profiledSide(12_000) };
    const samples = await profileRow(sides, { ...samplingContext(run, pySpy, SHORT), throughputs });
    if (samples.state === "failed") throw new Error(samples.reason);
    expect(samples.ratePerSec).toBe(1000);
    const { base, head } = samples.sides;
    for (const { requests } of [base, head]) expect(requests).toBeGreaterThan(1000);
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

  it("whose work is in a pool of threads is sampled by who works, and not those that wait", async () => {
    // 0.6 s of work in each second, on a fast machine.
    const side = profiledSide(60_000, "pool");
    const context = { ...samplingContext(run, pySpy, SHORT), ratePerSec: 300 };
    // profileRow then samples both sides in the other mode.
    expect(await sampleServer(side, context)).toEqual({ state: "threaded" });
    const sampled = await sampleServer(side, { ...context, mode: "lock" });
    if (sampled.state !== "sampled") throw new Error(JSON.stringify(sampled));
    const stacks = workingStacks(parseStacks(sampled.stacks));
    const planted = stacks.filter(({ frames }) => frames.some(({ name }) => name === "planted"));
    expect(samplesOf(planted) / samplesOf(stacks)).toBeGreaterThan(0.5);
    expect(stacks.flatMap(({ frames }) => frames.at(-1)?.name ?? [])).not.toContain("Queue.get");
  });

  it("whose work is in a worker shows that", async () => {
    const sampled = await sampleServer(profiledSide(600, "workers"), samplingContext(run, pySpy, SHORT));
    if (sampled.state !== "sampled") throw new Error(`${sampled.state}`);
    expect(sampled.stacks).toMatch(/;planted \(/);
    expect(sampled.cpuSec).toBeGreaterThan(0.05);
  });
});
