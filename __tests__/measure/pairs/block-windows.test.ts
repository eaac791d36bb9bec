/** What each block had of a load that was counted as a whole. */
import { describe, expect, it } from "vitest";
import { cutWindow } from "../../../src/measure/pairs/block-windows.js";
import type { Window } from "../../../src/measure/window.js";

const METERS = {
  ...{ serverCpuSec: 0.1, idleCpuSec: 0.1, companionCpuSec: 0, steal: 0.02 },
  ...{ busySec: 0.5, capacitySec: 0.8, wallSec: 0.4 },
};
const BYTES = { by: "bytes", handshakes: false, underWay: 0 } as const;
const FAILURES = { total: 2, byKind: { timeout: 2 } };

/** @param requests of the whole load */
function whole(requests: number): Window {
  const slice = { seconds: 0.88, requests, failures: FAILURES, serverCpuSec: 0.4, clientCpuSec: 0.2 };
  const outcome = {
    ...{ state: "measured" as const, seconds: 0.88, requests, failures: FAILURES },
    ...{ latencyMs: undefined, clientCpuSec: 0.2, programCpuSec: 0.2, exact: true },
  };
  return { state: "measured", outcome, slice, peakMemoryMiB: 20, othersShare: 0, idleCpus: undefined };
}

function block(bytes: number, more: object = {}) {
  return {
    ...{ bytes, seconds: 0.2, drainSec: 0, stops: 4, serverCpuSec: 0.1, clientCpuSec: 0.05 },
    ...{ meters: METERS, programCpuSec: 0.22, ...more },
  };
}

/** Before or after the blocks. */
function beyond(bytes: number, seconds: number, clientCpuSec = 0) {
  return { bytes, seconds, drainSec: 0, stops: 0, clientCpuSec };
}

describe("the blocks of a load", () => {
  it("share its requests by their bytes; those while connections were made count nowhere", () => {
    const blocks = [block(300), block(100), block(300, { seconds: 0.3 }), block(300)];
    const windows = cutWindow(whole(1210), blocks, [beyond(200, 0.2), beyond(10, 0.01)], BYTES);
    expect(windows.map(({ slice }) => slice.requests)).toEqual([300, 100, 300, 300]);
    expect(windows.map(({ slice }) => slice.seconds)).toEqual([0.2, 0.2, 0.3, 0.2]);
  });

  it("leave no more requests for a second of connecting than they have in one: handshakes have bytes too", () => {
    // 1,000 bytes in 0.4 s; 0.1 s of connecting has 250 bytes of requests at most.
    const around = [beyond(90_000, 0.1)];
    const windows = cutWindow(whole(1250), [block(500), block(500)], around, { ...BYTES, handshakes: true });
    expect(windows.map(({ slice }) => slice.requests)).toEqual([500, 500]);
  });

  it("keep their own requests where the machine was faster while connections were made", () => {
    // 1,000 bytes in 0.4 s; 300 bytes in 0.1 s.
    const windows = cutWindow(whole(1300), [block(500), block(500)], [beyond(300, 0.1)], BYTES);
    expect(windows.map(({ slice }) => slice.requests)).toEqual([500, 500]);
  });

  it.each([true, false])("have no request where only the time before them had some (handshakes: %s)", (handshakes) => {
    const windows = cutWindow(whole(80), [block(0), block(0)], [beyond(300, 0.1)], { ...BYTES, handshakes });
    expect(windows.map(({ slice }) => slice.requests)).toEqual([0, 0]);
  });

  it("have all failures, those before the blocks included", () => {
    const windows = cutWindow(whole(100), [block(10), block(10)], [beyond(1000, 1)], BYTES);
    expect(windows.map(({ slice }) => slice.failures.byKind)).toEqual([{ timeout: 1 }, { timeout: 1 }]);
  });

  it("have their own CPU time, steal, and what other processes took", () => {
    const [first, second] = cutWindow(whole(100), [block(1, { serverCpuSec: 0.15 }), block(1)], [], BYTES);
    expect([first?.slice.serverCpuSec, second?.slice.serverCpuSec]).toEqual([0.15, 0.1]);
    expect(first?.slice).toMatchObject({ stealShare: 0.02, clientCpuSec: 0.05 });
    // 0.5 s busy, of which both servers had 0.2 and the load generators 0.22.
    expect(second?.othersShare).toBeCloseTo(0.08 / 0.8, 12);
  });

  it("share requests by the load generator's CPU time on a unix socket, whatever other programs send", () => {
    const blocks = [block(200, { clientCpuSec: 0.06 }), block(0, { clientCpuSec: 0.03 })];
    const windows = cutWindow(whole(100), blocks, [beyond(900, 0.1, 0.01)], { ...BYTES, by: "clientCpuSec" });
    expect(windows.map(({ slice }) => slice.requests)).toEqual([60, 30]);
  });

  it("have the seconds that their requests take, whatever the wait for those under way was", () => {
    // A server with 1,000 answers a second and 20 requests under way: 180 ms of turns, and 20 ms for each stop.
    const of = (stops: number) =>
      block(180 + 20 * stops, { seconds: 0.18 + 0.03 * stops, drainSec: 0.03 * stops, stops });
    const windows = cutWindow(whole(500), [of(3), of(4)], [], { ...BYTES, underWay: 20 });
    const rates = windows.map(({ slice }) => slice.requests / slice.seconds);
    for (const rate of rates) expect(rate).toBeCloseTo(1000, 9);
    expect(windows.map(({ slice }) => slice.seconds)).toEqual([expect.closeTo(0.24, 9), expect.closeTo(0.26, 9)]);
  });

  it("have the whole wait where most requests were under way at a stop", () => {
    const blocks = [block(100, { drainSec: 0.1, stops: 4 })];
    const [window] = cutWindow(whole(100), blocks, [], { ...BYTES, underWay: 13 });
    expect(window?.slice.seconds).toBe(0.2);
  });

  it("share requests by time where nothing else is known", () => {
    const blocks = [block(0, { clientCpuSec: 0 }), block(0, { clientCpuSec: 0, seconds: 0.1 })];
    const windows = cutWindow(whole(80), blocks, [beyond(0, 0.1)], BYTES);
    expect(windows.map(({ slice }) => slice.requests)).toEqual([40, 20]);
  });
});
