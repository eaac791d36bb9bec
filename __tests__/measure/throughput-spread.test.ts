import { describe, expect, it } from "vitest";
import { spreadOfReadings } from "../../src/measure/throughput-spread.js";

/** Readings of rates in bytes per millisecond, 100 ms apart. */
function readings(...rates: readonly number[]) {
  const all = [{ atMs: 0, bytes: 5 }];
  for (const rate of rates) {
    const last = all.at(-1) ?? { atMs: 0, bytes: 0 };
    all.push({ atMs: last.atMs + 100, bytes: last.bytes + rate * 100 });
  }
  return all;
}

describe("the spread of a window", () => {
  it("leaves out what came before the load, and the part in which it started", () => {
    expect(spreadOfReadings(readings(0, 0, 60, 100, 100, 100, 100, 100))).toBe(0);
    expect(spreadOfReadings(readings(60, 90, 110, 90, 110))).toBeCloseTo(Math.sqrt(400 / 3) / 100, 12);
  });

  it("is that of the rates, however long the parts are", () => {
    const even = readings(50, 100, 100, 100, 100, 100).map((one, i) =>
      i === 3 ? { atMs: 350, bytes: one.bytes + 5000 } : one,
    );
    expect(spreadOfReadings(even)).toBe(0);
  });

  it("shows a server that stands still in the middle", () => {
    expect(spreadOfReadings(readings(60, 100, 100, 0, 100, 100))).toBeGreaterThan(0.5);
  });

  it("needs four parts, and traffic", () => {
    expect(spreadOfReadings(readings(60, 100, 100, 100))).toBeUndefined();
    expect(spreadOfReadings(readings(0, 0, 0, 0, 0, 0))).toBeUndefined();
    expect(spreadOfReadings([])).toBeUndefined();
  });
});
