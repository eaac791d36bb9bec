/** Real py-spy on real servers: what it finds. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profiledFunctions, samplesOf } from "../../src/compare/profile.js";
import { PROCESSES, profileRow } from "../../src/measure/profile/profile-row.js";
import { sampleServer } from "../../src/measure/profile/sample-server.js";
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
    // Both have work enough for a hundred samples, on a fast machine too.
    const sides = { base: profiledSide(600), head: profiledSide(1800) };
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
    expect(first).toMatchObject({ name: "planted", line: 13 });
    expect(first?.file).toMatch(/servers\/profiled\.py$/);
    expect(first?.differenceUs).toBeGreaterThan(0);
  });

  it("whose work is in a worker shows that", async () => {
    const sampled = await sampleServer(profiledSide(600, "workers"), samplingContext(run, pySpy));
    if (sampled.state === "failed") throw new Error(sampled.reason);
    expect(sampled.stacks).toMatch(/;planted \(/);
    expect(sampled.cpuSec).toBeGreaterThan(0.05);
  });
});
