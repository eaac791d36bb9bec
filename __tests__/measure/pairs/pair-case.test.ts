/** What a case of a row at a share of the maximum shows, and when its closed loop was client-bound. */
import { describe, expect, it } from "vitest";
import type { MeasuredSlice } from "../../../src/measure/pairs/pair.js";
import { type PairedCase, pairedCase, pairsClientBound } from "../../../src/measure/pairs/pair-case.js";
import type { PlannedRow } from "../../../src/plan/types.js";
import type { OpenSlice } from "../../../src/results/comparison.js";
import type { LatencyMs } from "../../../src/results/schema.js";
import { faultyRow, plainPython } from "../../support/measure.js";

const CPUS = { server: [0], client: [1], shared: false, warnings: [] };
const NO_FAILURES = { total: 0, byKind: {} };

function latency(ms: number): LatencyMs {
  return { mean: ms, p50: ms, p75: ms, p90: ms, p95: ms, p99: 2 * ms, p999: 3 * ms, max: 4 * ms };
}

interface Figures {
  readonly requests: number;
  readonly ms?: number;
  readonly serverCpuSec?: number;
  readonly clientCpuSec?: number;
  readonly open?: OpenSlice;
}

/** One second. */
function slice(
  side: "base" | "head",
  { requests, ms, serverCpuSec = 1, clientCpuSec = 0.3, open }: Figures,
): MeasuredSlice {
  const figures = { seconds: 1, requests, serverCpuSec };
  return {
    paired: { side, ...figures, othersShare: 0, ...(open && { open }) },
    slice: {
      ...figures,
      failures: NO_FAILURES,
      clientCpuSec,
      ...(ms !== undefined && { latencyMs: latency(ms) }),
    },
    peakMemoryMiB: 10,
    generatorCommand: ["oha", open ? "open" : "closed"],
  };
}

const OPEN: OpenSlice = { ratePerSec: 500, due: 500, answered: 500, failures: 0, windowSec: 1, clientShare: 0.2 };

function paired(
  change: Partial<PlannedRow>,
  figures: Pick<Figures, "serverCpuSec" | "clientCpuSec">,
  ms?: number,
): PairedCase {
  const side = { row: faultyRow("good", change), ready: plainPython() };
  const slices = (["base", "head"] as const).flatMap((name) => [
    slice(name, { ...figures, requests: 1000, ms: 8 }),
    slice(name, {
      requests: ms === undefined ? 0 : 500,
      serverCpuSec: 0.5,
      open: OPEN,
      ...(ms !== undefined && { ms }),
    }),
  ]);
  return { sides: { base: side, head: side }, connections: 8, slices, wallSec: 1 };
}

function headOf(one: PairedCase) {
  const [result] = pairedCase(one, "head", CPUS);
  return result;
}

describe("a row at a share of the maximum", () => {
  it("shows its figures at this rate, as its text says", () => {
    const result = headOf(paired({ rateShare: 0.5 }, {}, 2));
    // Head's rate was made of base's maximum.
    expect(result).not.toHaveProperty("rateShare");
    expect(result).toMatchObject({
      state: "completed",
      generatorCommand: ["oha", "open"],
      summary: { requestsPerSec: 500, latencyMs: { p50: 2, p99: 4, p999: 6, max: 8 }, clientBound: false },
    });
  });

  it("has failed where the server answers nothing at this rate", () => {
    expect(headOf(paired({ rateShare: 0.5 }, {}))).toMatchObject({
      state: "failed",
      reason: "no request succeeded at 500 requests per second",
    });
  });

  it("is client-bound where server and load generator idle for about half of the time in the closed loop, at full load", () => {
    expect(pairsClientBound(paired({ rateShare: 0.5 }, { serverCpuSec: 0.4, clientCpuSec: 0.6 }, 2), CPUS)).toBe(true);
    expect(pairsClientBound(paired({ rateShare: 0.5 }, { serverCpuSec: 0.95 }, 2), CPUS)).toBe(false);
  });
});

it("other rows show their closed loop, with or without latency at a fixed rate", () => {
  expect(headOf(paired({}, {}, 2))).toMatchObject({
    generatorCommand: ["oha", "closed"],
    summary: { requestsPerSec: 1000, latencyMs: { p50: 8 } },
  });
});

it("is client-bound where the load generator and the services of both sides fill the CPU that they share", () => {
  const one = paired({}, { serverCpuSec: 0.5, clientCpuSec: 0.3 }, 2);
  const beside = (serviceCpus: number) => ({ ...one, slices: one.slices.map((slice) => ({ ...slice, serviceCpus })) });
  expect([one, beside(0.3), beside(0.65)].map((shown) => pairsClientBound(shown, CPUS))).toEqual([false, false, true]);
});

it("where the sides shared their time, has its figures from the slices alone, and failures from all slices", () => {
  const side = { row: faultyRow("good"), ready: plainPython() };
  const alone = [400, 420].map((requests) => slice("head", { requests, ms: 8 }));
  const failed = { total: 3, byKind: { timeout: 3 } };
  const beside = slice("head", { requests: 1000, serverCpuSec: 0.1 });
  const together: MeasuredSlice = {
    ...beside,
    paired: { ...beside.paired, together: true },
    slice: { ...beside.slice, failures: failed },
  };
  const result = headOf({
    sides: { base: side, head: side },
    connections: 8,
    slices: [...alone, together],
    wallSec: 1,
  });
  expect(result).toMatchObject({
    state: "completed",
    summary: { requestsPerSec: 410, serverCpu: 1, latencyMs: { p50: 8 }, failures: failed },
  });
  expect(result?.state === "completed" && result.slices).toHaveLength(3);
});

it("is client-bound where all threads of the load generator are busy, although it has more CPUs", () => {
  const cpus = { ...CPUS, client: [1, 2, 3, 4] };
  const bound = (change: Partial<PlannedRow>) => pairsClientBound(paired(change, { clientCpuSec: 0.95 }, 2), cpus);
  expect(bound({})).toBe(false);
  expect(bound({ generatorThreads: 1 })).toBe(true);
  expect(bound({ generatorThreads: 2 })).toBe(false);
});
