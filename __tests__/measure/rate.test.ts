import { expect, it } from "vitest";
import { maximumRate, rateAt } from "../../src/measure/rate.js";

it("is what the server answered, while the load generator has room", () => {
  expect(maximumRate({ requests: 10_000, seconds: 2, clientCpuSec: 0.5 }, 1)).toBe(5000);
});

it("is what the load generator can send by a clock, where it was busy in the closed loop", () => {
  // 2 s of CPU time for 10,000 requests; by a clock half as much again for each.
  expect(maximumRate({ requests: 10_000, seconds: 2, clientCpuSec: 2 }, 1)).toBeCloseTo(10_000 / 3, 6);
  expect(maximumRate({ requests: 10_000, seconds: 2, clientCpuSec: 2 }, 2)).toBe(5000);
});

it("has three digits", () => {
  expect(rateAt(0.5, 12_345)).toBe(6170);
});
