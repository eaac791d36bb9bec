import { describe, expect, it } from "vitest";
import { decodeFigures, decodeRepeats, encodeFigures, encodeRepeats, STEP } from "../../src/history/scaled.js";
import { seeded } from "../support/noise.js";

function expectClose(values: readonly (number | undefined)[]): void {
  const decoded = decodeFigures(encodeFigures(values));
  expect(decoded).toHaveLength(values.length);
  decoded.forEach((value, i) => {
    const expected = values[i];
    if (expected === undefined || value === undefined) expect(value).toBe(expected);
    else expect(Math.abs(Math.log(value / expected))).toBeLessThanOrEqual(STEP / 2 + 1e-9);
  });
}

describe("packed figures", () => {
  it("come back within half a step", () => {
    const random = seeded(1);
    expectClose(Array.from({ length: 2000 }, () => Math.exp(40 * (random() - 0.5))));
    expectClose(Array.from({ length: 2000 }, () => 20_000 * Math.exp(0.02 * (random() - 0.5))));
    expectClose([1e-9, 1e12, 1e-9, 1, 1, 1.0005, 0.9995]);
  });

  it("keep gaps of any length", () => {
    expectClose([]);
    expectClose([undefined]);
    expectClose([1, undefined, 2, ...Array(200).fill(undefined), 3, undefined, undefined]);
  });

  it("are short for usual noise, and harmless in HTML and JSON", () => {
    const random = seeded(2);
    const values = Array.from({ length: 500 }, () => 20_000 * Math.exp(0.04 * (random() + random() - 1)));
    const text = encodeFigures(values);
    expect(text.length).toBeLessThan(2 * values.length + 10);
    expect(text).toMatch(/^[ -~]*$/);
    expect(text).not.toMatch(/["\\<>&]/);
  });

  it("pack numbers that repeat", () => {
    const values = [0, 0, 0, -1, 2, 2];
    expect(encodeRepeats(values)).toEqual([0, 3, -1, 1, 2, 2]);
    expect(decodeRepeats(encodeRepeats(values))).toEqual(values);
  });
});
