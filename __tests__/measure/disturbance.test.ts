import { describe, expect, it } from "vitest";
import { calmestWindow, isDisturbed, spreadOf } from "../../src/measure/disturbance.js";
import type { Window, WindowOutcome } from "../../src/measure/window.js";
import type { Slice } from "../../src/results/schema.js";

function slice(requests: number, stealShare = 0): Slice {
  return { seconds: 1, requests, failures: { total: 0, byKind: {} }, serverCpuSec: 1, clientCpuSec: 0.5, stealShare };
}

/** @param requests which one it is */
function window(othersShare: number, stealShare = 0, requests = 1000): Window {
  const one = slice(requests, stealShare);
  const { seconds, failures, clientCpuSec } = one;
  const outcome = {
    state: "measured",
    seconds,
    requests,
    failures,
    latencyMs: undefined,
    clientCpuSec,
    programCpuSec: clientCpuSec,
    exact: true,
  } as const;
  return {
    state: "measured",
    outcome,
    slice: one,
    peakMemoryMiB: 1,
    othersShare,
    idleCpus: undefined,
    serviceCpus: undefined,
  };
}

const FAILED: WindowOutcome = { state: "failed", reason: "no", log: undefined };

async function calmest(...outcomes: readonly WindowOutcome[]) {
  let measured = 0;
  const found = await calmestWindow(async () => outcomes[measured++] ?? FAILED);
  return { found, measured };
}

describe("a window", () => {
  it("is disturbed where others or the hypervisor took much", () => {
    expect(isDisturbed({ others: 0.09, steal: 0.04 })).toBe(false);
    expect(isDisturbed({ others: 0.11, steal: 0 })).toBe(true);
    expect(isDisturbed({ others: 0, steal: 0.06 })).toBe(true);
  });

  it("is measured once where nothing disturbs it", async () => {
    const calm = window(0.05);
    expect(await calmest(calm, window(0))).toEqual({ found: { window: calm, tried: 1 }, measured: 1 });
  });

  it("is measured again until nothing disturbs it", async () => {
    const calm = window(0.05);
    expect(await calmest(window(0.4), window(0, 0.1), calm)).toEqual({
      found: { window: calm, tried: 3 },
      measured: 3,
    });
  });

  it("is the least disturbed one of four, however fast the others were", async () => {
    const least = window(0.2, 0, 500);
    const { found, measured } = await calmest(window(0.4), window(0.3, 0, 9000), least, window(0.25, 0.2));
    expect(found).toEqual({ window: least, tried: 4 });
    expect(measured).toBe(4);
  });

  it("fails with the first one; a later failure leaves what was measured", async () => {
    expect((await calmest(FAILED)).found).toEqual(FAILED);
    const disturbed = window(0.4);
    expect(await calmest(disturbed, FAILED)).toEqual({ found: { window: disturbed, tried: 1 }, measured: 2 });
  });
});

it("has a spread from three slices on", () => {
  expect(spreadOf([100, 110].map((n) => slice(n)))).toBeUndefined();
  expect(spreadOf([100, 110, 90].map((n) => slice(n)))).toBeCloseTo(0.1);
  expect(spreadOf([100, 100, 100, 100].map((n) => slice(n)))).toBe(0);
  expect(spreadOf([90, 110, 90, 110].map((n) => slice(n)))).toBeCloseTo(Math.sqrt(400 / 3) / 100, 12);
  const stood = { ...slice(0), seconds: 0 };
  expect(spreadOf([90, 110, 90, 110].map((n) => slice(n)).concat(stood))).toBeCloseTo(Math.sqrt(400 / 3) / 100, 12);
});
