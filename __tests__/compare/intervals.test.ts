/** The interval of a change: that of an estimate which was seen because it passed a test reaches further towards zero. */
import { describe, expect, it } from "vitest";
import { changeInterval } from "../../src/compare/intervals.js";
import { type Effect, floorTest, relativeInterval } from "../../src/compare/verdict.js";
import { seeded, standardNormal } from "../support/noise.js";
import found from "./fixtures/found-intervals.json" with { type: "json" };

const margins = { floor: 0.005, equivalence: 0.03 };
const SELECTION = { margins, level: 0.0016 };
const ERROR = 0.01;
const JUST_FOUND: Effect = { logRatio: 0.046, standardError: ERROR, df: 20 };

function logsOf([low, high]: readonly [number, number]): [number, number] {
  return [Math.log1p(low), Math.log1p(high)];
}

it("has the ends that SciPy finds (scripts/fixtures/make-statistics.py)", () => {
  for (const { floor, level, ends, ...effect } of found.values) {
    const [near, far] = logsOf(changeInterval(effect, { margins: { floor, equivalence: 0.03 }, level }));
    for (const [i, end] of [near, far].entries())
      expect(Math.abs(end - (ends[i] ?? 0)) / effect.standardError, JSON.stringify(effect)).toBeLessThan(1e-6);
  }
});

describe("the interval of a change that was called", () => {
  it("reaches further towards zero where the change has only just passed, and not to the floor", () => {
    const usual = relativeInterval(JUST_FOUND);
    const interval = changeInterval(JUST_FOUND, SELECTION);
    expect(interval[0]).toBeLessThan(usual[0]);
    expect(interval[0]).toBeGreaterThan(Math.expm1(margins.floor));
    expect(interval[0]).toBeLessThan(Math.expm1(2 * margins.floor + ERROR));
    expect(interval[1]).toBeGreaterThanOrEqual(Math.expm1(JUST_FOUND.logRatio));
  });

  it("does not reach down to the floor where few pairs show a change far beyond the threshold", () => {
    // Four pairs of a latency that grew from 5 to 9 ms.
    const few = { logRatio: 0.548, standardError: 0.018, df: 3 };
    const [near, far] = logsOf(changeInterval(few, { ...SELECTION, level: 0.0002 }));
    expect(near).toBeGreaterThan(0.1);
    expect(near).toBeLessThan(Math.log1p(relativeInterval(few)[0]));
    expect(far).toBeLessThan(0.65);
  });

  it("is the usual one, a little longer on the far side, where the change lies far beyond the threshold", () => {
    const far = { ...JUST_FOUND, logRatio: 0.5 };
    const interval = changeInterval(far, SELECTION);
    const usual = relativeInterval(far);
    expect(interval[0]).toBeCloseTo(usual[0], 6);
    expect(interval[1]).toBeGreaterThan(usual[1]);
    expect(interval[1]).toBeLessThan(relativeInterval(far, 0.02)[1]);
  });

  it("is the mirror image for the other direction", () => {
    const [low, high] = logsOf(changeInterval(JUST_FOUND, SELECTION));
    const mirrored = logsOf(changeInterval({ ...JUST_FOUND, logRatio: -JUST_FOUND.logRatio }, SELECTION));
    expect(mirrored[0]).toBeCloseTo(-high, 12);
    expect(mirrored[1]).toBeCloseTo(-low, 12);
  });

  it("is the usual one where only an earlier look found it", () => {
    const small = { ...JUST_FOUND, logRatio: 0.03 };
    expect(changeInterval(small, SELECTION)).toEqual(relativeInterval(small));
  });

  it("has ends where pairs agree so well that no tail is left", () => {
    const exact = { logRatio: 0.3, standardError: 1e-6, df: 400 };
    const [near, far] = logsOf(changeInterval(exact, SELECTION));
    expect(near).toBeCloseTo(0.3, 5);
    expect(far).toBeCloseTo(0.3, 5);
  });

  it.each([0.02, 0.03, 0.045])("holds a change of %d in 93 to 99 % of the times that it is found", (change) => {
    const random = seeded(3);
    const effects = Array.from({ length: 20_000 }, (): Effect => {
      return { logRatio: change + ERROR * standardNormal(random), standardError: ERROR, df: 1000 };
    });
    const passed = effects.filter((effect) => effect.logRatio > 0 && floorTest(effect, margins) <= SELECTION.level);
    const share = (interval: (effect: Effect) => readonly [number, number]) => {
      const held = passed.filter((effect) => {
        const [low, high] = interval(effect);
        return low <= Math.expm1(change) && Math.expm1(change) <= high;
      });
      return held.length / passed.length;
    };
    const held = share((effect) => changeInterval(effect, SELECTION));
    expect(held).toBeGreaterThanOrEqual(0.93);
    expect(held).toBeLessThanOrEqual(0.99);
    if (change < 0.03) expect(share((effect) => relativeInterval(effect))).toBeLessThan(0.7);
  });
});
