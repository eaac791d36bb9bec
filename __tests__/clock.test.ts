/** A clock that is set during a run. */
import { afterEach, expect, it, vi } from "vitest";
import { steadyDate } from "../src/clock.js";

afterEach(() => vi.useRealTimers());

it("changes no time that is compared with another", () => {
  const before = steadyDate();
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01T00:00:00Z") });
  const after = steadyDate();
  expect(Date.now()).toBeLessThan(before.getTime());
  expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(0);
  expect(after.getTime() - before.getTime()).toBeLessThan(60_000);
});
