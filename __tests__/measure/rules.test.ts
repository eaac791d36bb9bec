import { describe, expect, it } from "vitest";
import { clientCpus, isClientBound } from "../../src/measure/client-bound.js";
import { summarise } from "../../src/measure/summary.js";
import { isSteady, needsWaiting } from "../../src/measure/warmup.js";
import { shareOfOthers } from "../../src/measure/window.js";
import type { GeneratorName } from "../../src/plan/types.js";
import type { Slice } from "../../src/results/schema.js";

function slice(change: Partial<Slice> = {}): Slice {
  return {
    seconds: 10,
    requests: 1000,
    failures: { total: 0, byKind: {} },
    latencyMs: { mean: 2, p50: 1, p75: 2, p90: 3, p95: 4, p99: 5, max: 6 },
    serverCpuSec: 9.5,
    clientCpuSec: 5,
    ...change,
  };
}

describe("isSteady", () => {
  it.each([
    [[], false],
    [[100, 100], false],
    [[100, 100, 100], true],
    [[50, 96, 100, 98], true],
    [[100, 95, 96], true],
    [[100, 94, 96], false],
    [[100, 100, 100, 120], false],
    [[0, 0, 0], false],
  ])("%j is %j", (steps, steady) => {
    expect(isSteady(steps)).toBe(steady);
  });
});

it("waits for requests that are slow against the window", () => {
  expect(needsWaiting(499, 10)).toBe(false);
  expect(needsWaiting(501, 10)).toBe(true);
});

it("counts the CPUs that the load generator's threads can use", () => {
  const cpus = { client: [2, 3], shared: false };
  const usable = (generator: GeneratorName, generatorThreads?: number) =>
    clientCpus({ generator, ...(generatorThreads !== undefined && { generatorThreads }) }, cpus).usable;
  expect([usable("oha"), usable("oha", 1), usable("wrk", 8)]).toEqual([2, 1, 2]);
  // Its client has a process for each CPU.
  expect(usable("websocket", 1)).toBe(2);
});

describe("isClientBound", () => {
  const cpus = { usable: 1, shared: false };
  it.each([
    ["both at ease: a busy server", slice(), cpus, false, false],
    ["a client at its limit", slice({ clientCpuSec: 9.1 }), cpus, false, true],
    ["two client CPUs, half busy", slice({ clientCpuSec: 10 }), { usable: 2, shared: false }, false, false],
    ["an idle server, and a client that is busy for half of the time", slice({ serverCpuSec: 7 }), cpus, false, true],
    ["an app that waits for something else", slice({ serverCpuSec: 7, clientCpuSec: 3 }), cpus, false, false],
    ["a server that waits on purpose", slice({ serverCpuSec: 1 }), cpus, true, false],
    ["a multi-process server", slice({ serverCpuSec: 38 }), { usable: 2, shared: false }, false, false],
    [
      "one CPU, mostly the server's",
      slice({ serverCpuSec: 6, clientCpuSec: 4 }),
      { usable: 1, shared: true },
      false,
      false,
    ],
    [
      "one CPU, mostly the client's",
      slice({ serverCpuSec: 4, clientCpuSec: 6 }),
      { usable: 1, shared: true },
      false,
      true,
    ],
  ])("%s", (_, one, split, waits, bound) => {
    expect(isClientBound([one], split, { connections: 8, streams: 8 }, waits)).toBe(bound);
  });
  it("where few requests are under way, an idle server waits for the client", () => {
    const idle = slice({ serverCpuSec: 6, clientCpuSec: 3 });
    const bound = (connections: number, streams = 1) => isClientBound([idle], cpus, { connections, streams }, false);
    expect([bound(1), bound(4), bound(5), bound(2, 4)]).toEqual([true, true, false, false]);
  });
  it("where services share the client's CPUs and fill them with it, unless the work there is theirs alone", () => {
    const [cpu, two] = [{ generator: "oha" } as const, { shared: false, client: [2, 3] }];
    const bound = (client: number, service: number) =>
      isClientBound(
        [slice({ serverCpuSec: 6, clientCpuSec: client * 10 })],
        clientCpus(cpu, two, service),
        { connections: 64, streams: 1 },
        false,
      );
    expect([bound(0.4, 1.5), bound(0.4, 0.9), bound(0.1, 1.9)]).toEqual([true, false, false]);
  });
  it("has nothing to say without a slice", () => {
    expect(isClientBound([], cpus, { connections: 8, streams: 1 }, false)).toBe(false);
  });
});

it("does not count the server without load among the others", () => {
  const meters = { busySec: 0.5, serverCpuSec: 0.2, idleCpuSec: 0.1, capacitySec: 0.6 };
  expect(shareOfOthers(meters, 0.14)).toBeCloseTo(0.1, 12);
  // The clocks of these figures differ a little.
  expect(shareOfOthers(meters, 0.3)).toBe(0);
});

describe("summarise", () => {
  const machine = { peakMemoryMiB: 20, clientBound: false };
  it("is the slice's own where there is one", () => {
    expect(summarise([slice()], machine)).toEqual({
      requests: 1000,
      requestsPerSec: 100,
      failures: { total: 0, byKind: {} },
      latencyMs: { mean: 2, p50: 1, p75: 2, p90: 3, p95: 4, p99: 5, max: 6 },
      cpuPerRequestUs: 9500,
      peakMemoryMiB: 20,
      clientBound: false,
      serverCpu: 0.95,
      clientCpu: 0.5,
    });
  });
  it("has the first byte of the slices that timed it", () => {
    expect(summarise([slice({ firstByteMs: 2 }), slice()], machine)?.firstByteMs).toBe(2);
    expect(summarise([slice(), slice()], machine)?.firstByteMs).toBeUndefined();
  });

  it("weights by requests, adds failures and keeps the largest latency", () => {
    const failures = { total: 3, byKind: { timeout: 2, connection: 1 } };
    const other = slice({
      requests: 3000,
      failures,
      latencyMs: { mean: 4, p50: 3, p60: 3, p75: 4, p90: 5, p95: 6, p99: 7, max: 5 },
    });
    const summary = summarise([slice({ failures }), other, slice({ requests: 0, latencyMs: undefined })], machine);
    expect(summary?.requests).toBe(4000);
    expect(summary?.requestsPerSec).toBeCloseTo(4000 / 30);
    expect(summary?.failures).toEqual({ total: 6, byKind: { timeout: 4, connection: 2 } });
    expect(summary?.latencyMs).toEqual({ mean: 3.5, p50: 2.5, p75: 3.5, p90: 4.5, p95: 5.5, p99: 6.5, max: 6 });
    expect(summary?.cpuPerRequestUs).toBeCloseTo((28.5 / 4000) * 1e6);
  });
  it("keeps p60 where all slices have it", () => {
    const latencyMs = { mean: 2, p50: 1, p60: 2, p70: 3, p75: 3, p80: 4, p90: 5, p95: 6, p99: 7, max: 8 };
    expect(summarise([slice({ latencyMs }), slice({ latencyMs })], machine)?.latencyMs).toEqual(latencyMs);
  });
  it("is nothing where no request succeeded", () => {
    expect(summarise([slice({ requests: 0, latencyMs: undefined })], machine)).toBeUndefined();
    expect(summarise([], machine)).toBeUndefined();
  });
});
