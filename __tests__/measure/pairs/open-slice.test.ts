import { describe, expect, it } from "vitest";
import type { Load } from "../../../src/measure/generators/contract.js";
import { windowsIn } from "../../../src/measure/generators/open-recording.js";
import { fixedRate, openFigures, openLoad, openRate } from "../../../src/measure/pairs/open-slice.js";
import type { PairSlice } from "../../../src/results/comparison.js";
import { faultyRow } from "../../support/measure.js";

/** Half a second. @param clientCpuSec next to nothing, unless it says otherwise */
function loaded(side: PairSlice["side"], requests: number, change: Partial<PairSlice> = {}, clientCpuSec = 1e-6) {
  const paired: PairSlice = { side, seconds: 0.5, requests, serverCpuSec: 0.1, othersShare: 0, ...change };
  return { paired, slice: { clientCpuSec } };
}

const OPEN = { ratePerSec: 7, due: 1, answered: 1, failures: 0, windowSec: 0.1, clientShare: 0 };
const LOAD: Load = {
  ...{ port: 8000, request: faultyRow("good").request, answers: [], http: 1, connections: 64, streams: 8 },
  ...{ seconds: 0.3, timeoutSec: 1, waitOngoing: false, record: true },
};

describe("openLoad", () => {
  it("has two whole windows at every rate that fills them", () => {
    for (let ratePerSec = 740; ratePerSec <= 2200; ratePerSec += 10) {
      const { seconds, open } = openLoad(LOAD, ratePerSec);
      expect(windowsIn({ seconds, ...open }), `${ratePerSec} requests/s`).toBe(2);
    }
  });
});

describe("openRate", () => {
  it("is 60 % of base's median throughput, in three digits", () => {
    const base = [20_000, 3000, 10_287].map((requests) => loaded("base", requests));
    expect(openRate([loaded("head", 90_000), ...base], 1)).toBe(12_300);
    expect(openRate([loaded("base", 2)], 1)).toBe(2.4);
  });
  it("does not read what base answered while head was loaded too", () => {
    expect(openRate([loaded("base", 20_000), loaded("base", 5000, { together: true })], 1)).toBe(24_000);
  });
  it("leaves room for the load generator, which needs more for a request at a fixed rate", () => {
    const busy = [loaded("base", 20_000, {}, 0.5)];
    expect(openRate(busy, 1)).toBe(16_000);
    expect(openRate(busy, 2)).toBe(24_000);
  });
  it("is not made from slices that were held at a rate themselves, or without an answer", () => {
    const others = [loaded("base", 5, { open: OPEN }), loaded("head", 5), loaded("base", 0)];
    expect(openRate(others, 1)).toBeUndefined();
  });
  it("stays what it was in the first pair", () => {
    expect(fixedRate([loaded("base", 5)])).toBeUndefined();
    expect(fixedRate([loaded("base", 5), loaded("base", 5, { open: OPEN })])).toBe(7);
  });
});

describe("openLoad", () => {
  it("has windows that are long enough for a p99, after one request for each connection", () => {
    for (const rate of [60, 120, 500, 1000, 12_300, 80_000]) {
      const { seconds, open } = openLoad(LOAD, rate);
      expect(rate * open.windowSec).toBeGreaterThanOrEqual(500 / 0.95);
      expect(seconds - open.settleSec).toBeGreaterThanOrEqual(open.windowSec - 0.001);
      expect(rate * open.settleSec).toBeGreaterThanOrEqual(64);
    }
  });
  it("has many windows where requests are many, and is bounded where they are few", () => {
    expect(openLoad(LOAD, 12_300)).toMatchObject({ seconds: 0.5, open: { settleSec: 0.1, windowSec: 550 / 12_300 } });
    expect(openLoad(LOAD, 80_000)).toMatchObject({ seconds: 0.5, open: { windowSec: 0.04 } });
    expect(openLoad({ ...LOAD, connections: 1 }, 1100)).toMatchObject({ seconds: 1.1, open: { windowSec: 0.5 } });
    expect(openLoad({ ...LOAD, connections: 1 }, 2)).toMatchObject({ seconds: 10.75, open: { windowSec: 10 } });
  });
  it("does not settle for long where connections cost nothing against the answers", () => {
    expect(openLoad(LOAD, 10)).toMatchObject({ seconds: 13, open: { settleSec: 3 } });
  });
  it("waits for its requests: one that is cut off would be a slow one left out", () => {
    expect(openLoad(LOAD, 1000)).toMatchObject({ waitOngoing: true, record: false, open: { ratePerSec: 1000 } });
  });
});

describe("openFigures", () => {
  const load = openLoad(LOAD, 10_000);
  const asked = { ratePerSec: 10_000, due: 4000, windowSec: load.open.windowSec };
  const failures = { total: 0, byKind: {} };
  it("says how many were due, how many came, and how late", () => {
    const open = { answered: 3990, latencyMs: { p50: 1, p99: 5 } };
    const outcome = { failures, open, clientCpuSec: 0.25, seconds: 0.5 };
    expect(openFigures(load, outcome, 2)).toEqual({
      ...{ ...asked, answered: 3990, failures: 0, latencyMs: { p50: 1, p99: 5 }, clientShare: 0.25 },
    });
  });
  it("has no latency where nothing came", () => {
    const outcome = { failures: { total: 9, byKind: { timeout: 9 } }, clientCpuSec: 0, seconds: 0.5 };
    expect(openFigures(load, outcome, 1)).toEqual({ ...asked, answered: 0, failures: 9, clientShare: 0 });
  });
});
